"""A steward at the pages, without a browser and without a port: opens tables, decides, makes releases."""

from __future__ import annotations

import html
import re
import time
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from shoal.web.app import make_app
from shoal.web.desk import Desk
from shoal.web.open_table import OpenTable
from shoal.web.private_folder import PrivateFolder

TOKEN, PORT = "the-token", 8765
HOST = f"127.0.0.1:{PORT}"
HERE = {"host": HOST, "origin": f"http://{HOST}"}


class Steward:
    """One server and somebody who uses it."""

    def __init__(self, parent: Path, **settings: Any) -> None:
        self.folder = PrivateFolder(parent)
        self.app = make_app(self.folder, token=TOKEN, port=PORT, **settings)
        self.client = TestClient(self.app, base_url=f"http://{HOST}", headers=HERE)

    @property
    def desk(self) -> Desk:
        desk: Desk = self.app.app.state.desk  # type: ignore[attr-defined]
        return desk

    def __enter__(self) -> Steward:
        self.client.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.client.__exit__()
        self.folder.close()

    def get(self, path: str, **more: Any) -> Any:
        return self.client.get(f"/{TOKEN}{path}", **more)

    def post(self, path: str, fields: dict[str, str] | None = None, **more: Any) -> Any:
        return self.client.post(f"/{TOKEN}{path}", data=fields or {}, **more)

    def part(self, path: str, fields: dict[str, str]) -> Any:
        """Post as htmx does."""
        return self.post(path, fields, headers={"hx-request": "true"})

    def upload(self, name: str, content: bytes) -> Any:
        headers = {"x-file-name": name, "accept": "application/json"}
        return self.client.post(f"/{TOKEN}/upload", content=content, headers=headers)

    def opened(self, answer: Any) -> OpenTable:
        """The table of an answer that leads to its page, once it is read."""
        where = answer.json()["location"] if "json" in answer.headers["content-type"] else str(answer.url)
        found = re.search(r"/t/(\w+)/", where)
        assert found, answer.text
        table = self.desk.table(found[1])
        self.wait(table.job)
        return table

    def wait(self, job: Any, seconds: float = 500) -> Any:
        end = time.monotonic() + seconds
        while not job.over:
            assert time.monotonic() < end, f"{job.kind} takes too long: {job.step}"
            time.sleep(0.02)
        return job

    def answer_all(self, table: OpenTable) -> None:
        self.part(f"/t/{table.id}/questions/-1", {})

    def release(self, table: OpenTable) -> Any:
        """Make a release and return its run."""
        self.post(f"/t/{table.id}/run")
        assert table.run_job is not None
        job = self.wait(table.run_job)
        assert job.state == "done", (job.error, job.hint)
        return table.run()


def words(page: str) -> str:
    """The text of a page, as somebody reads it."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())
