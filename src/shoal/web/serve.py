"""`shoal serve`: the server on this computer, from its start to the removal of every raw copy at its end."""

from __future__ import annotations

import os
import signal
import socket
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import uvicorn

from shoal.errors import ParameterError
from shoal.web.app import make_app, new_token
from shoal.web.private_folder import PrivateFolder


class _Server(uvicorn.Server):
    """A server that ends quietly when it is asked to, and says when it is ready."""

    ready: Callable[[], None] = staticmethod(lambda: None)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready()


def serve(source: Path | None, *, port: int, browser: bool, say: Callable[[str], None]) -> None:
    """Serve until the process is asked to end; then end the worker and remove the private folder."""
    os.umask(0o077)
    token, listening = new_token(), _listen(port)
    port = listening.getsockname()[1]
    folder = PrivateFolder()
    try:
        app = make_app(folder, token=token, port=port)
        address = f"http://127.0.0.1:{port}/{token}/"
        if source is not None:
            address = f"{address}t/{_open(app, source)}/data"
        config = uvicorn.Config(app, access_log=False, log_level="critical", server_header=False, ws="none")
        server = _Server(config)
        page = _door(folder, address)

        def ready() -> None:
            if folder.removed:
                say(f"Removed the raw copies of {folder.removed} server(s) that did not end properly.")
            say(f"Shoal is open at {address}")
            say("Only this computer can reach it, and only with this address. Ctrl-C ends it and removes every copy.")
            if browser:
                Thread(target=webbrowser.open, args=(page.as_uri(),), daemon=True).start()

        server.ready = ready
        server.run(sockets=[listening])
    finally:
        folder.close()
        listening.close()
    say("Ended. Every copy of raw data is removed.")


def _listen(port: int) -> socket.socket:
    """Return a socket that listens to this computer alone."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if os.name != "nt":
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
    except OSError as failed:
        listening.close()
        raise ParameterError(
            f"port {port} cannot be used ({failed.strerror}).", "leave out --port: a free one is then chosen."
        ) from None
    return listening


def _open(app: object, source: Path) -> str:
    """Open a file before the first page is asked for; return the id of its table."""
    desk = app.app.state.desk  # type: ignore[attr-defined]
    return str(desk.open_path(str(source)).id)


def _door(folder: PrivateFolder, address: str) -> Path:
    """Return a page that leads to the address: the command that opens a browser is seen by everybody who lists
    processes, so the address with the token must not be in it.
    """
    door = folder.path / "open.html"
    door.write_text(f'<!doctype html><meta http-equiv="refresh" content="0; url={address}"><title>Shoal</title>\n')
    return door
