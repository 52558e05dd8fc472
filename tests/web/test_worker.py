"""The worker: progress, cancel by ending it, and what happens when it ends by itself."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator

import pytest

from shoal.web.jobs import Job
from tests.web.conftest import SMALL
from tests.web.steward import Steward, words


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Steward]:
    with Steward(tmp_path_factory.mktemp("worker") / "private") as one:
        yield one


def running(steward: Steward, job: Job) -> int:
    """The id of the worker process, once it works on a job."""
    process = steward.desk.worker._process
    assert process is not None
    end = time.monotonic() + 60
    while not job.step and not job.notes and not job.over:
        assert time.monotonic() < end
        time.sleep(0.01)
    return process.pid


def test_cancel_ends_the_work_at_once_and_the_next_job_is_done_by_a_new_process(own: Steward) -> None:
    table = own.opened(own.post("/example"))
    own.answer_all(table)
    own.part(f"/t/{table.id}/privacy", {"k": "5", "effort": "5000"})
    own.post(f"/t/{table.id}/run")
    job = table.run_job
    assert job is not None
    pid = running(own, job)
    assert "job-step" in own.get(f"/t/{table.id}/result").text  # and again after a reload
    begun = time.monotonic()
    answer = own.post(f"/jobs/{job.id}/cancel")
    assert time.monotonic() - begun < 2
    assert job.state == "cancelled"
    assert str(answer.url).endswith("/privacy")
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert not table.runs
    small = own.opened(own.upload("people.csv", SMALL.encode()))
    assert small.found is not None


def test_a_job_that_waits_can_be_cancelled_and_the_running_one_goes_on(own: Steward) -> None:
    first = own.desk.open_example()
    second = own.desk.open_example()
    own.post(f"/jobs/{second.job.id}/cancel")
    assert second.job.state == "cancelled"
    assert second.id not in own.desk.tables
    own.wait(first.job)
    assert first.found is not None


def test_a_worker_that_is_killed_is_said_and_replaced(own: Steward) -> None:
    table = own.desk.open_example()
    os.kill(running(own, table.job), signal.SIGKILL)
    job = own.wait(table.job)
    assert job.state == "failed"
    assert "memory" in job.hint
    assert "worker process ended" in words(own.get(f"/t/{table.id}/data").text)
    assert own.opened(own.upload("people.csv", SMALL.encode())).found is not None


def test_events_tell_how_far_a_job_is_until_it_is_over(own: Steward) -> None:
    table = own.desk.open_example()
    with own.client.stream("GET", f"/the-token/jobs/{table.job.id}/events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        lines = [line for line in answer.iter_lines() if line]
    assert all(line.startswith("data: {") for line in lines)
    assert '"state": "done"' in lines[-1]
    assert table.found is not None


def test_a_release_that_cannot_be_made_is_said_with_the_way_out_and_nothing_is_kept(own: Steward) -> None:
    table = own.opened(own.upload("people.csv", SMALL.encode()))
    own.answer_all(table)
    own.part(f"/t/{table.id}/privacy", {"k": "1000"})
    own.post(f"/t/{table.id}/run")
    assert table.run_job is not None
    job = own.wait(table.run_job)
    assert job.state == "failed"
    page = words(own.get(f"/t/{table.id}/result").text)
    assert "k=1000 needs at least 1000" in page
    assert "lower k to" in page
    assert not table.runs


def test_a_fault_inside_says_where_and_shows_no_value() -> None:
    from shoal.web.worker_process import inside

    try:
        raise ValueError("Person 7 has gout")
    except ValueError as fault:
        said = inside(fault)
    assert "gout" not in str(said)
    assert "ValueError" in said["error"]
