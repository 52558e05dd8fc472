"""Every reader of Shoal as a function of bytes: it reads them, or says in one sentence why not.

Anything else than a ShoalError, a value of the file in a message, too much time, or something that is another when it
is written and read again is an error. `make fuzz` runs these under atheris; tests run them over the corpus and
mutations.
"""

from __future__ import annotations

import gzip
import io
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp
from typing import TypeVar
from zipfile import ZipFile

import polars as pl
from polars.testing import assert_frame_equal

import shoal
from shoal.certify import Certificate, read_legend
from shoal.errors import ShoalError
from shoal.plans import Plan
from shoal.policy import Hierarchy, Map, Policy
from shoal.space.hierarchy_sources import build_tree
from shoal.space.map_sources import read_map
from shoal.tables import read, read_back, write_file
from shoal.tables.text import as_written

T = TypeVar("T")
CORPUS = Path(__file__).parent / "corpus"
LONGEST = 10.0
"""Seconds of the processor for some kilobytes."""
DISTINCTIVE = 10
_FOLDER = Path(mkdtemp(prefix="shoal-fuzz-"))


class FoundError(AssertionError):
    """An input that is not read, and not refused as it should be."""


def _put(name: str, data: bytes) -> Path:
    path = _FOLDER / name
    path.write_bytes(data)
    return path


def _table(data: bytes, name: str) -> None:
    """A table is the same when it is written and read again, as text."""
    found = read(_put(name, data)).frame
    again = _FOLDER / "again.csv"
    again.unlink(missing_ok=True)
    _again(lambda: write_file(found, again))
    if found.height:
        assert_frame_equal(_again(lambda: read_back(again)), as_written(found))


def _again(act: Callable[[], T]) -> T:
    """What was read once is not refused later."""
    try:
        return act()
    except ShoalError as refused:
        raise FoundError(f"what was read is refused when it comes back: {refused.message}") from refused


def csv(data: bytes) -> None:
    _table(data, "in.csv")


def gz(data: bytes) -> None:
    """Bytes as they are, and compressed."""
    try:
        _table(data, "in.csv.gz")
    except ShoalError as refused:
        _sentence(refused)
    _table(gzip.compress(data, 1), "in.csv.gz")


def parquet(data: bytes) -> None:
    _table(data, "in.parquet")


def arrow(data: bytes) -> None:
    _table(data, "in.arrow")


def zip(data: bytes) -> None:
    """Bytes as they are, and as the one file of an archive."""
    try:
        _table(data, "in.zip")
    except ShoalError as refused:
        _sentence(refused)
    _table(_packed({"in.csv": data}), "in.zip")


def xlsx(data: bytes) -> None:
    """Bytes as they are, and as the cells of a sheet, which a checksum would guard otherwise."""
    try:
        _table(data, "in.xlsx")
    except ShoalError as refused:
        _sentence(refused)
    with ZipFile(CORPUS / "frame.xlsx") as frame:
        parts = {name: frame.read(name) for name in frame.namelist()}
    _table(_packed(parts | {"xl/worksheets/sheet1.xml": data}), "in.xlsx")


def spss(data: bytes) -> None:
    _table(data, "in.sav")


def stata(data: bytes) -> None:
    _table(data, "in.dta")


def sas(data: bytes) -> None:
    _table(data, "in.xpt")


def r(data: bytes) -> None:
    """Bytes as they are; in the corpus they are not packed, since a checksum would guard them."""
    _table(data, "in.rds")


def _packed(parts: dict[str, bytes]) -> bytes:
    result = io.BytesIO()
    with ZipFile(result, "w") as made:
        for name, content in parts.items():
            made.writestr(name, content)
    return result.getvalue()


def policy(data: bytes) -> None:
    found = Policy.load(_put("policy.toml", data))
    text = found.dumps()
    if _again(lambda: Policy.loads(text)).dumps() != text:
        raise FoundError("a policy is another when it is written and read again")


def plan(data: bytes) -> None:
    found = Plan.load(_put("plan.json", data))
    written = _put("again.json", found.dumps().encode())
    if _again(lambda: Plan.load(written)).dumps() != found.dumps():
        raise FoundError("a plan is another when it is written and read again")


def certificate(data: bytes) -> None:
    found = Certificate.from_json(data.decode("utf-8", errors="replace"))
    found.public_policy()
    text = found.to_public_json() if found.is_public else found.to_private_json()
    again = _again(lambda: Certificate.from_json(text))
    if (again.to_public_json() if again.is_public else again.to_private_json()) != text:
        raise FoundError("a certificate is another when it is written and read again")


def release(data: bytes) -> None:
    """The certificate beside a released table: `verify` answers, or refuses in one sentence."""
    folder = _FOLDER / "release"
    folder.mkdir(exist_ok=True)
    (folder / "release.csv").write_bytes((CORPUS / "release.csv").read_bytes())
    (folder / "certificate.json").write_bytes(data)
    shoal.verify(folder)


def legend(data: bytes) -> None:
    read_legend(_put("legend.json", data))


def hierarchy(data: bytes) -> None:
    file = _put("tree.csv", data)
    build_tree(pl.Series("ward", ["cardiology", "surgery", None]), Hierarchy(file=file), strays=True)


def edges(data: bytes) -> None:
    read_map("county", Map(edges=_put("edges.csv", data)))


def gal(data: bytes) -> None:
    read_map("county", Map(gal=_put("map.gal", data)))


def geojson(data: bytes) -> None:
    read_map("county", Map(polygons=_put("map.geojson", data), name="county"))


_READERS: tuple[Callable[[bytes], None], ...] = (
    csv, gz, zip, xlsx, parquet, arrow, spss, stata, sas, r,
    policy, plan, certificate, release, legend, hierarchy, edges, gal, geojson
)  # fmt: skip
NAMES = tuple(reader.__name__ for reader in _READERS)
SLOW = ("spss", "stata", "sas")
"""Read in a process of their own, which takes a second to begin."""
SHOWS_CELLS = ("csv", "gz", "zip")
"""Files of which the first line may stand in a message, and nothing else."""


def run(name: str, data: bytes) -> bool:
    """Whether target `name` reads the bytes; FoundError for anything but that and a clean refusal."""
    reader = next(one for one in _READERS if one.__name__ == name)
    begun = time.process_time()
    try:
        reader(data)
        return True
    except ShoalError as refused:
        _sentence(refused)
        if name in SHOWS_CELLS:
            _shows_no_cell(refused, data)
        return False
    except FoundError:
        raise
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as escaped:  # also a panic of a library
        raise FoundError(f"{name}: {type(escaped).__name__} escapes: {str(escaped)[:300]}") from escaped
    finally:
        taken = time.process_time() - begun
        if taken > LONGEST:
            raise FoundError(f"{name}: {len(data)} bytes take {taken:.0f} seconds")


def _sentence(refused: ShoalError) -> None:
    message = refused.message
    if not message or "\n" in message or len(message) > 2000:
        raise FoundError(f"no sentence: {message[:300]!r}")


def _shows_no_cell(refused: ShoalError, data: bytes) -> None:
    """Words of the lines below the first that stand in the message."""
    told = f"{refused.message} {refused.hint or ''}"
    first, _, rest = data.decode("utf-8", errors="replace").partition("\n")
    for word in set(rest.replace('"', " ").replace(";", " ").replace(",", " ").split()):
        if len(word) >= DISTINCTIVE and word in told and word not in first and not word.isalpha():
            raise FoundError(f"the message shows a cell: {told[:300]!r}")


def seeds(name: str) -> list[bytes]:
    """The corpus of a target, in order."""
    return [path.read_bytes() for path in sorted((CORPUS / name).iterdir())]
