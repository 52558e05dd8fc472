"""Everything that a user can do, whether by a page or by the API: open tables, decide, make releases.

Guarantee   Nothing is released while a question of the profiler is open, and nothing but what Shoal wrote and
            verified is offered. What goes wrong is a `ShoalError`, a sentence without any cell's value.
"""

from __future__ import annotations

import re
import secrets
import shutil
from pathlib import Path
from typing import Any

from shoal.errors import ParameterError, SchemaError, ShoalError, TableError
from shoal.web.draft import names, recoding, with_column, with_kind, with_role
from shoal.web.forms import place_of
from shoal.web.hand_made import MOST_VALUES, as_csv, rows_by_hand
from shoal.web.jobs import Job, State
from shoal.web.open_table import Database, OpenTable, Run
from shoal.web.policy_file import same_columns
from shoal.web.private_folder import PrivateFolder
from shoal.web.waiting import done
from shoal.web.worker import Worker

EXAMPLE = "hospital.csv"
LONGEST_NAME = 120  # characters of a file's name that are shown
OF_SOURCE = ("csv", "xlsx")
"""Formats of files that can be read in several ways."""
MOST_JOBS = 200  # jobs that are remembered; those that are over are forgotten first


class Desk:
    """The open tables and the jobs of one server."""

    def __init__(self, folder: PrivateFolder, worker: Worker) -> None:
        self.folder, self.worker = folder, worker
        self.tables: dict[str, OpenTable] = {}
        self.jobs: dict[str, Job] = {}

    def table(self, wanted: str) -> OpenTable:
        """Return an open table; raise TableError if there is none of this id."""
        if wanted not in self.tables:
            raise TableError("this table is not open any more.", "open it again from the first page.")
        return self.tables[wanted]

    def ready_table(self, wanted: str) -> OpenTable:
        """Return an open table that has been read."""
        table = self.table(wanted)
        if table.found is None:
            raise TableError("this table is still being read.", "wait until it is.")
        return table

    def job(self, wanted: str) -> Job:
        """Return a job; raise ParameterError if there is none of this id."""
        if wanted not in self.jobs:
            raise ParameterError("this job does not exist any more.", "begin again from the page of the table.")
        return self.jobs[wanted]

    def open_path(self, path: str) -> OpenTable:
        """Open a file of this computer where it is."""
        place = place_of(path)
        if not path.strip() or not _is_file(place):
            raise TableError("there is no file of this name.", "give the whole path, such as ~/visits.csv.")
        return self._open(place.name, place.resolve(), copied=False)

    def new_upload(self, name: str) -> Path:
        """Return where the bytes of an upload go; its name gives nothing but the ending."""
        return self.folder.new(_suffix(name))

    def open_upload(self, name: str, file: Path) -> OpenTable:
        """Open a file that was uploaded to the private folder."""
        last = Path(name.replace("\\", "/").replace("\0", "")).name or "table.csv"
        return self._open(last if len(last) <= LONGEST_NAME else f"{last[: LONGEST_NAME - 1]}…", file, copied=True)

    def open_example(self) -> OpenTable:
        """Open the bundled table."""
        return self._open(EXAMPLE, self.folder.new(".csv"), copied=True, kind="example")

    def open_database(self, address: str, password: str, *, table: str | None, query: str | None) -> OpenTable:
        """Open a copy of a table or a query of a database; the address is kept only if it can hold no password."""
        if (table is None) == (query is None):
            raise ParameterError("give a table or a query, and not both.", "choose one of the tables.")
        shown = address if address.startswith(("env:", "sqlite:", "duckdb:")) else "env:DATABASE_URL"
        return self._open(
            table or "query",
            self.folder.new(".parquet"),
            copied=True,
            kind="database",
            database=Database(shown, table, query),
            once={"address": address, "password": password, "table": table, "query": query},
        )

    def list_tables(self, address: str, password: str) -> Job:
        """Begin to list the tables of a database."""
        return self._submit(Job("tables", {}, {"address": address, "password": password}))

    def read_again(self, table: OpenTable, reading: dict[str, Any]) -> None:
        """Read the file anew in another way; what was decided is kept as far as it still fits."""
        table.answers = [question for question in table.questions if question.answered]
        table.reading, table.found = reading, None  # what was decided is taken up again by `take`
        table.job = self._submit(self._opening(table, "open"))

    def load_policy(self, table: OpenTable, settings: dict[str, Any]) -> None:
        """Take a policy from before as the draft of a table; if it reads the file in another way, so does this."""
        reading = settings.get("source", {})
        if reading == table.reading or table.format not in OF_SOURCE:
            same_columns(table, settings)
            table.change(settings)
            return
        table.loaded = settings
        self.read_again(table, reading)

    def begin_with(self, table: OpenTable, preset: str | None) -> None:
        """Propose roles and settings anew by a rule, or by none; what was decided about columns is replaced."""
        table.preset = preset
        if table.proposed:
            table.settings = table.settings | {"columns": table.proposed["columns"]}
        self.read_again(table, table.reading)

    def close(self, table: OpenTable) -> None:
        """Close a table and remove the copies of it."""
        for job in (table.job, table.run_job, table.frontier):
            if job is not None:
                self.worker.cancel(job)
        self.tables.pop(table.id, None)
        table.rows.unlink(missing_ok=True)
        for run in table.runs:
            shutil.rmtree(run.folder, ignore_errors=True)
            run.rows.unlink(missing_ok=True)
        for file in table.files:
            file.unlink(missing_ok=True)
        if table.copied:
            table.path.unlink(missing_ok=True)

    def answer(self, table: OpenTable, place: int, fix: int | None = None) -> None:
        """Take a question as answered: as proposed, or by one of its fixes."""
        questions = table.questions
        if not 0 <= place < len(questions):
            raise ParameterError("this question does not exist.", "load the page of the columns again.")
        settings = None
        if fix is not None:
            if not 0 <= fix < len(questions[place].fixes):
                raise ParameterError("this question has no such answer.", "load the page of the columns again.")
            settings = self._fixed(table, questions[place].column, questions[place].fixes[fix].settings)
        table.change(settings, table.answered | {place})

    def _fixed(self, table: OpenTable, name: str, settings: dict[str, Any]) -> dict[str, Any]:
        assert table.found is not None
        proposed, changed = table.found["by_role"].get(name, {}), table.settings
        if "role" in settings and settings["role"] != changed["columns"][name]["role"]:
            changed = with_role(changed, name, settings["role"], proposed)
        if "kind" in settings:
            changed = with_kind(changed, name, settings["kind"], proposed)
        rest = {key: value for key, value in settings.items() if key not in ("role", "kind")}
        if "null_values" in rest:  # one more than those that are known already
            known = changed["columns"][name].get("null_values", [])
            rest["null_values"] = [*known, *(code for code in rest["null_values"] if code not in known)]
        return with_column(changed, name, rest)

    def check_ready(self, table: OpenTable) -> None:
        """Raise SchemaError unless everything that only people can decide is decided."""
        if table.open_questions:
            raise SchemaError(
                f"{len(table.open_questions)} questions about columns are open.",
                "answer them on the page of the columns.",
            )
        if not table.quasi:
            raise SchemaError(
                "no column is a quasi-identifier, so there is nothing to generalize.",
                "give this role to what others may know of a person: age, sex, place, dates.",
            )

    def release(self, table: OpenTable) -> Job:
        """Begin to make a release of a table with its present settings; a comparison of several k is cancelled."""
        self.check_ready(table)
        if table.frontier is not None and not table.frontier.over:
            self.worker.cancel(table.frontier)
        number = 1 + max((run.number for run in table.runs), default=0)
        run_id, folder, rows = secrets.token_hex(8), self.folder.new_folder(), self.folder.new(".parquet")
        asked = self._asked(table) | {
            "policy": self.policy_of(table),
            "run": run_id,
            "folder": str(folder),
            "rows": str(rows),
        }
        job = Job("release", asked)
        run = Run(run_id, number, table.settings, folder, rows, job)

        def kept(_job: Job, state: State) -> None:
            if state == "done":
                table.runs.append(run)

        job.when_done = kept
        table.run_job = self._submit(job)
        return job

    def export(self, table: OpenTable, run: Run, format: str) -> Job | None:
        """Begin to write a run in another format; None if it has been written."""
        if (run.folder / format).is_dir():
            return None
        secret = run.folder / f"{run.result['format']}.private" / "secret.key"
        asked = run.job.asked | {"format": format, "secret": str(secret)}
        return self._submit(Job("export", asked))

    def compare(self, table: OpenTable, sizes: list[int]) -> Job:
        """Begin to try several k, with all other settings as they are now."""
        self.check_ready(table)
        table.frontier = self._submit(
            Job("compare", self._asked(table) | {"policy": self.policy_of(table), "k": sizes})
        )
        return table.frontier

    def singled_out(self, table: OpenTable) -> Job:
        """Begin to count who is singled out by the present quasi-identifiers."""
        person = next(iter(names(table.settings, "person")), None)
        policy = self.policy_of(table) if recoding(table.settings) else None
        more = {"columns": table.quasi, "k": table.settings["k"], "person": person, "policy": policy}
        return self._submit(Job("singled_out", self._asked(table) | more))

    def levels(self, table: OpenTable, name: str, hierarchy: dict[str, Any] | None = None) -> Job:
        """Begin to count the classes on each level of a column's hierarchy, or of another one that is given."""
        source = hierarchy or table.settings["columns"][name].get("hierarchy")
        if source is None:
            raise ParameterError("this column has no hierarchy.", "give it levels first.")
        more = {"column": name, "hierarchy": source, "k": table.settings["k"]}
        return self._submit(Job("levels", self._asked(table) | more))

    def values(self, table: OpenTable, name: str, *, propose: bool = False) -> Job:
        """Begin to list the values of a column, with the groups that were written by hand or are proposed."""
        file = table.settings["columns"][name].get("hierarchy", {}).get("file")
        own = file if file in {str(one) for one in table.files} else None
        more = {"column": name, "k": table.settings["k"], "propose": propose, "file": own, "most": MOST_VALUES}
        return self._submit(Job("values", self._asked(table) | more))

    async def group_by_hand(self, table: OpenTable, name: str, names: list[list[str]]) -> list[dict[str, Any]]:
        """Write a hierarchy of a column from the names beside its values; return the classes on its levels.

        `names` has the names of the groups of every value, in the order of `values`. Nothing changes if they are no
        hierarchy.
        """
        listed = [one["value"] for one in (await done(self.values(table, name)))["values"]]
        if len(listed) != len(names):
            raise ParameterError("the column has other values now.", "begin again.")
        file = self.folder.new(".csv")
        file.write_text(as_csv(rows_by_hand(listed, names)), encoding="utf-8")
        source = {"file": str(file)}
        try:
            found = await done(self.levels(table, name, source))
            table.change(with_column(table.settings, name, {"kind": "hierarchy", "hierarchy": source}))
        except ShoalError:
            file.unlink()
            raise
        table.files.append(file)
        return list(found["levels"])

    def look_up(self, run: Run, row: int, known: list[str]) -> Job:
        """Begin to look one person up in the release of a run."""
        secret = run.folder / f"{run.result['format']}.private" / "secret.key"
        return self._submit(Job("look_up", run.job.asked | {"secret": str(secret), "row": row, "known": known}))

    def dossier(self, run: Run, called: str) -> tuple[Path, Job | None]:
        """Return where the dossier of a run is, and the job that makes it; None if it has been made."""
        page, format = run.folder / "dossier.html", run.result["format"]
        if page.is_file():
            return page, None
        more = {"called": called, "page": str(page), "format": format, "private": f"{format}.private"}
        return page, self._submit(Job("dossier", run.job.asked | more))

    def household(self, table: OpenTable, run: Run, column: str) -> Job:
        """Begin to estimate the risk of households, which a column of the original table names."""
        if column not in {one["name"] for one in table.columns}:
            raise ParameterError("this column does not exist.", "choose one of the table.")
        return self._submit(Job("household", run.job.asked | {"column": column}))

    def cancel(self, job: Job) -> None:
        """End a job; a table that was being opened by it is closed."""
        self.worker.cancel(job)
        for table in list(self.tables.values()):
            if table.job is job and table.found is None:
                self.close(table)

    def _open(
        self,
        name: str,
        path: Path,
        *,
        copied: bool,
        kind: str = "open",
        database: Database | None = None,
        once: dict[str, Any] | None = None,
    ) -> OpenTable:
        table = OpenTable(
            id=secrets.token_hex(8),
            name=name,
            path=path,
            rows=self.folder.new(".parquet"),
            copied=copied,
            job=Job("", {}),
            database=database,
        )
        self.tables[table.id] = table
        table.job = self._submit(self._opening(table, kind, once))
        return table

    def _opening(self, table: OpenTable, kind: str, once: dict[str, Any] | None = None) -> Job:
        def taken(job: Job, state: State) -> None:
            if state == "done" and job.result is not None:
                table.take(job.result | ({"format": table.format} if table.format else {}))
            job.error = job.error.replace(str(table.path), table.name)

        return Job(kind, self._asked(table) | {"rows": str(table.rows)}, once, taken)

    def _asked(self, table: OpenTable) -> dict[str, Any]:
        asked = {"path": str(table.path), "reading": table.reading, "name": table.name}
        return asked | ({"preset": table.preset} if table.preset else {})

    def policy_of(self, table: OpenTable) -> dict[str, Any]:
        """Return the draft with how its file is read, as settings of a policy."""
        return table.settings | ({"source": table.reading} if table.reading else {})

    def _submit(self, job: Job) -> Job:
        self.jobs[job.id] = job
        for old in [one for one in self.jobs.values() if one.over][: max(0, len(self.jobs) - MOST_JOBS)]:
            del self.jobs[old.id]
        return self.worker.submit(job)


def _is_file(place: Path) -> bool:
    try:
        return place.is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False


def _suffix(name: str) -> str:
    """Return the ending of a file name, by which its format is known: letters and digits alone."""
    found = re.search(r"((?:\.(?:csv|tsv|txt))?\.[a-z0-9]{1,9})$", name.lower())
    return found[1] if found else ".csv"
