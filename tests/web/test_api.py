"""The API over HTTP: it says what it does, does the same as the pages, and no request breaks it."""

from __future__ import annotations

import io
import os
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from starlette.testclient import TestClient

import shoal
from shoal.web.jobs import Job
from shoal.web.open_table import OpenTable
from tests.web.conftest import SMALL
from tests.web.steward import HOST, TOKEN, Steward

PROGRAM = {"authorization": f"Bearer {TOKEN}", "host": HOST}


def waited(steward: Steward, job: str) -> Any:
    for _ in range(6000):
        found = steward.client.get(f"/api/jobs/{job}", headers=PROGRAM).json()
        if found["state"] in ("done", "failed", "cancelled"):
            return found
        time.sleep(0.02)
    raise AssertionError("the job takes too long")


def test_a_program_goes_the_whole_way(steward: Steward, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(SMALL)
    client = steward.client
    opened = client.post("/api/tables", json={"path": str(tmp_path / "people.csv")}, headers=PROGRAM).json()
    at = f"/api/tables/{opened['id']}"
    assert waited(steward, opened["job"]["id"])["state"] == "done"
    found = client.get(at, headers=PROGRAM).json()
    assert found["rows"] == 60
    assert found["columns"][0]["role"] == "identifier"
    assert client.get(f"{at}/rows?start=58", headers=PROGRAM).json()["rows"][1][0] == "Person 59"
    for question in client.get(f"{at}/questions", headers=PROGRAM).json():
        client.post(f"{at}/questions/{question['place']}", json={}, headers=PROGRAM)
    policy = client.get(f"{at}/policy", headers=PROGRAM).json()
    changed = client.put(f"{at}/policy", json=policy | {"k": 6}, headers=PROGRAM)
    assert changed.json()["k"] == 6
    made = waited(steward, client.post(f"{at}/runs", headers=PROGRAM).json()["id"])
    assert made["state"] == "done"
    run = client.get(f"{at}/runs/1", headers=PROGRAM).json()
    assert run["numbers"]["k"] >= 6
    packed = client.get(f"{at}/runs/1/release?format=parquet", headers=PROGRAM).content
    zipfile.ZipFile(io.BytesIO(packed)).extractall(tmp_path)
    assert shoal.verify(tmp_path / "release").k == run["numbers"]["k"]
    asked = client.post(f"{at}/runs/1/person", json={"row": 0, "known": ["age"]}, headers=PROGRAM).json()
    assert waited(steward, asked["id"])["result"]["people"] >= 6
    assert client.delete(at, headers=PROGRAM).json() == {"ok": True}
    assert client.get(at, headers=PROGRAM).status_code == 422


def test_an_error_has_one_shape_and_no_value(steward: Steward, small: OpenTable) -> None:
    at = f"/api/tables/{small.id}"
    for answer in (
        steward.client.put(f"{at}/policy", json={"k": 5, "columns": {}}, headers=PROGRAM),
        steward.client.put(f"{at}/policy", json={"k": "secret-value"}, headers=PROGRAM),
        steward.client.post(f"{at}/frontier", json={"k": ["secret-value"]}, headers=PROGRAM),
        steward.client.get("/api/tables/secret-value", headers=PROGRAM),
    ):
        assert answer.status_code == 422
        assert set(answer.json()) == {"ok", "error", "hint", "status"}
        assert "secret-value" not in answer.text


def test_the_description_covers_every_operation_and_pages_are_not_in_it(steward: Steward) -> None:
    described = steward.client.get("/api/openapi.json", headers=PROGRAM).json()
    assert all(path.startswith("/api/") for path in described["paths"])
    for path, operations in described["paths"].items():
        for method, one in operations.items():
            assert one.get("description"), (method, path)


class NoWork:
    """In the place of the worker: every job fails at once."""

    ready = True

    def submit(self, job: Job) -> Job:
        job.end("failed", error="nobody works here.")
        return job

    def cancel(self, job: Job) -> None:
        if not job.over:
            job.end("cancelled")


@pytest.fixture
def described(steward: Steward) -> Iterator[Any]:
    table = steward.opened(steward.upload("people.csv", SMALL.encode()))
    steward.answer_all(table)
    steward.release(table)
    working, steward.desk.worker = steward.desk.worker, NoWork()  # type: ignore[assignment]
    yield schemathesis.openapi.from_dict(steward.client.get("/api/openapi.json", headers=PROGRAM).json())
    steward.desk.worker = working
    for one in list(steward.desk.tables.values()):
        steward.desk.close(one)


EXAMPLES = 60 if os.environ.get("SHOAL_TESTS") == "deep" else 8
"""Requests of every operation."""
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
"""What schemathesis itself checks of an answer: that it is one of those that the description has."""


def test_no_request_that_the_description_allows_breaks_the_server(described: Any, steward: Steward) -> None:
    """Half of the requests are about a table, a run and a column that there are."""
    seen: set[int] = set()
    operations = [found.ok() for found in described.get_all_operations()]
    assert len(operations) >= 32
    for operation in operations:

        @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), database=None)
        @given(case=operation.as_strategy(), own=st.booleans())
        def try_it(case: Any, own: bool) -> None:
            known = next(iter(steward.desk.tables), None)
            if own and known is not None and "table" in case.path_parameters and case.method != "DELETE":
                case.path_parameters["table"] = known
                if "number" in case.path_parameters:
                    case.path_parameters["number"] = 1
                if "place" in case.path_parameters:
                    case.path_parameters["place"] %= 5
            sent = case.as_transport_kwargs(base_url=f"http://{HOST}", headers=PROGRAM)
            sent.pop("cookies", None)
            answer = steward.client.request(**sent)
            seen.add(answer.status_code)
            case.validate_response(answer, checks=CHECKS)
            if answer.status_code != 200:
                assert set(answer.json()) == {"ok", "error", "hint", "status"}

        try_it()
    assert {200, 422} <= seen


def test_a_fault_inside_is_a_server_error_without_its_text(steward: Steward, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is wrong with Shoal itself must not look like a wrong request."""

    def broken(*_: Any) -> Any:
        raise KeyError("Person 7 has gout")

    monkeypatch.setattr(steward.desk, "table", broken)
    client = TestClient(steward.app, base_url=f"http://{HOST}", raise_server_exceptions=False)
    answer = client.get("/api/tables/x", headers=PROGRAM)
    assert answer.status_code == 500
    assert "gout" not in answer.text
    assert "KeyError" in answer.json()["error"]


def test_a_program_reads_again_groups_by_hand_and_takes_a_way_to_lose_less(steward: Steward) -> None:
    table = steward.opened(steward.upload("people.csv", SMALL.encode()))
    client, at = steward.client, f"/api/tables/{table.id}"
    assert client.put(f"{at}/reading", json={"null_values": ["gout"]}, headers=PROGRAM).status_code == 200
    steward.wait(table.job)
    assert table.columns[3]["missing"] == 20
    listed = waited(steward, client.post(f"{at}/columns/2/values", headers=PROGRAM).json()["id"])["result"]["values"]
    assert [(one["value"], one["count"]) for one in listed] == [("f", 30), ("m", 30)]
    grouped = client.put(f"{at}/columns/2/groups", json={"names": [["any", ""], ["any", ""]]}, headers=PROGRAM)
    assert [one["classes"] for one in grouped.json()["levels"]][:2] == [2, 1]
    alone = waited(steward, client.post(f"{at}/singled_out", headers=PROGRAM).json()["id"])["result"]
    assert alone["unique_rows"] == 0
    assert client.post(f"{at}/undo", headers=PROGRAM).json()["columns"]["sex"].get("hierarchy") is None
    assert client.post(f"{at}/redo", headers=PROGRAM).json()["columns"]["sex"]["hierarchy"]
    assert client.post(f"{at}/columns/1/levels", headers=PROGRAM).status_code == 422
    steward.answer_all(table)
    steward.release(table)
    offered = [one["way"] for one in client.get(f"{at}/runs/1/ways", headers=PROGRAM).json()]
    assert "suppress" in offered
    job = client.post(f"{at}/runs/1/ways/suppress", headers=PROGRAM).json()
    assert waited(steward, job["id"])["state"] == "done"
    assert client.get(f"{at}/runs/2", headers=PROGRAM).json()["asked"]["max_suppressed"] == 0.01
    rows = client.get(f"{at}/runs/2/rows?count=1", headers=PROGRAM).json()
    assert rows["columns"][-1] == "group"
    assert "shoal.anonymize" in client.get(f"{at}/runs/2/commands", headers=PROGRAM).json()["python"]
    assert client.get(f"{at}/runs/2/public/files/certificate.json", headers=PROGRAM).status_code == 200
    assert client.get(f"{at}/runs/2/public/files/secret.key", headers=PROGRAM).status_code == 422
    steward.desk.close(table)
