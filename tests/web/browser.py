"""The web app in a real browser: the server as a user starts it, and chromium as the system has it."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

from tests.report.layout import BROWSERS

PICTURES = os.environ.get("SHOAL_PICTURES")
"""A folder in which pictures of every step are kept, to be looked at; nowhere if it is not set."""


@contextmanager
def served(temporary: Path, *arguments: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Yield the address that `shoal serve` prints and its process, which is asked to end afterwards."""
    temporary.mkdir(exist_ok=True)
    process = subprocess.Popen(
        [sys.executable, "-m", "shoal", "serve", "--no-browser", *arguments],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"TMPDIR": str(temporary)},
    )
    assert process.stdout is not None
    try:
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None
        yield found[0], process
    finally:
        process.terminate()
        process.wait(30)
        process.stdout.close()


class Relay:
    """A wire between a browser and the server that can be cut and mended."""

    def __init__(self, port: int) -> None:
        self._to, self._whole = port, True
        self._ends: list[socket.socket] = []
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._door.getsockname()[1]
        self.connections = 0
        Thread(target=self._listen, daemon=True).start()

    def cut(self) -> None:
        """End every connection, and every new one at once."""
        self._whole = False
        for end in self._ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        self._whole = True

    def close(self) -> None:
        self.cut()
        self._door.close()

    def _listen(self) -> None:
        with suppress(OSError):
            while True:
                caller, _ = self._door.accept()
                if not self._whole:
                    caller.close()
                    continue
                self.connections += 1
                called = socket.create_connection(("127.0.0.1", self._to))
                self._ends += [caller, called]
                for one, other in ((caller, called), (called, caller)):
                    Thread(target=_carry, args=(one, other), daemon=True).start()


def _carry(one: socket.socket, other: socket.socket) -> None:
    with suppress(OSError):
        while data := one.recv(65536):
            other.sendall(data)
    for end in (one, other):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


@contextmanager
def relayed(port: int) -> Iterator[Relay]:
    """Yield a relay to the server on a port."""
    relay = Relay(port)
    try:
        yield relay
    finally:
        relay.close()


@contextmanager
def chromium() -> Iterator[Browser]:
    """Yield the system's browser; without one the test is skipped."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip("no browser is installed")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def another(browser: Browser, *arguments: str) -> Iterator[Browser]:
    """Yield a second process of the browser, started with other arguments."""
    found = next(filter(None, map(shutil.which, BROWSERS)))
    started = browser.browser_type.launch(executable_path=found, args=["--no-sandbox", *arguments])
    yield started
    started.close()


class Visitor:
    """A page that notes every error and every request that leaves this computer."""

    def __init__(
        self, browser: Browser, address: str, *, width: int = 1280, scheme: Any = "light", **more: Any
    ) -> None:
        self.context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, **more)
        self.page: Page = self.context.new_page()
        self.address, self.look = address, f"{width}-{scheme}"
        self.errors: list[str] = []
        self.outside: list[str] = []
        self.page.on("console", lambda said: self.errors.append(said.text) if said.type == "error" else None)
        self.page.on("pageerror", lambda fault: self.errors.append(str(fault)))
        own = re.match(r"http://[^/]+/", address)
        assert own is not None
        self.context.on(
            "request", lambda asked: None if asked.url.startswith(own[0]) else self.outside.append(asked.url)
        )

    def kept(self, name: str) -> None:
        """Keep a picture of the page, if somebody wants to look at it."""
        if PICTURES:
            Path(PICTURES).mkdir(exist_ok=True, parents=True)
            self.page.screenshot(path=Path(PICTURES) / f"{name}-{self.look}.png", full_page=True)

    def check(self, name: str, *, axe: bool = True) -> None:
        """Check what must be true of every page: everybody can use it, it is not wider than its window, no errors."""
        self.kept(name)
        if axe:
            found = Axe().run(self.page)
            assert found.violations_count == 0, f"{name} ({self.look}): {found.generate_report()}"
        wide = self.page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        assert wide[0] <= wide[1], f"{name} ({self.look}) is {wide[0]} wide, its window {wide[1]}"
        assert self.errors == [], name
        assert self.outside == [], name

    def close(self) -> None:
        self.context.close()
