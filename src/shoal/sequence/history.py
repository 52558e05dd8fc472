"""The history of a sequence of releases, and how it is stored in the private folder.

`history.json` has the guarantee, the number of releases and the key; `history.parquet` has one row per person ever
published: a keyed hash (never the value itself), the group or signature, and the last release that showed the person.
"""

from __future__ import annotations

import hashlib
import hmac
import io
import json
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import polars as pl
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from shoal._repr import brief
from shoal._version import __version__
from shoal.caller import named
from shoal.errors import ParameterError, is_text
from shoal.policy import Policy
from shoal.policy.recoding import RECODING
from shoal.sequence.identity import KEY_BYTES

FORMAT = 1
HISTORY, PEOPLE = "history.json", "history.parquet"
WHO, GROUP, LAST = "who", "group", "last"
AGAIN = "give the private folder of a release that was made with a link."


class Promise(BaseModel):
    """The settings that all releases of a sequence must agree on."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    link: str
    keep: Literal["groups", "values"]
    departures: Literal["covered", "open"]
    k: Annotated[int, Field(ge=2)]
    diversity: dict[str, dict[str, Any]]
    closeness: dict[str, dict[str, Any]]
    disclosure: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Limits on the shares of single values; histories that were written before there were any have none."""
    recoding: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """How values are recoded before groups are made; with another recoding, a release could show finer values."""

    @classmethod
    def of(cls, policy: Policy) -> Promise:
        """Return the settings of a policy; raise a `ParameterError` for what no sequence can keep."""
        asked = policy.sequence
        assert asked is not None
        if policy.perturbed:
            raise ParameterError(
                f"{policy.perturbed[0]} is perturbed; in a sequence every release would draw anew, and the mean of "
                "several draws shows the true value.",
                "leave out perturb, or publish the table once, without a sequence.",
            )
        requirements: dict[str, dict[str, dict[str, Any]]] = {"diversity": {}, "closeness": {}, "disclosure": {}}
        for name in policy.all_sensitive:
            for criterion, one in (
                ("diversity", policy.diversity_of(name)),
                ("closeness", policy.closeness_of(name)),
                ("disclosure", policy.disclosure_of(name)),
            ):
                if one is not None:
                    requirements[criterion][name] = one.model_dump(mode="json")
        return cls(
            link=asked.link,
            keep=asked.keep,
            departures=asked.departures,
            k=policy.k,
            diversity=requirements["diversity"],
            closeness=requirements["closeness"],
            disclosure=requirements["disclosure"],
            recoding={
                name: column.model_dump(mode="json", include={*RECODING, "least_level"}, exclude_defaults=True)
                for name, column in policy.columns.items()
                if column.is_recoded or column.least_level
            },
        )

    def require(self, asked: Promise) -> None:
        """Raise a `ParameterError` if a policy has other settings than the earlier releases."""
        different = [name for name in type(self).model_fields if getattr(self, name) != getattr(asked, name)]
        if different:
            called = {"diversity": "l", "closeness": "t", "disclosure": "alpha, beta or delta"}
            what = called.get(different[0], different[0])
            plain = different[0] in ("link", "keep", "departures", "k")
            difference = (
                f": it was {getattr(self, what)}, and {getattr(asked, what)} is required now" if plain else ""
            )
            raise ParameterError(
                f"the earlier releases were made with another {what}{difference}.",
                "all releases of one table must have the same guarantee; use the policy.toml of that private folder.",
            )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class History:
    """All people ever published in a sequence, as keyed hashes. It must stay private."""

    key: bytes
    promise: Promise
    number: int
    """The number of releases so far."""
    people: pl.DataFrame
    signatures: tuple[tuple[str, ...], ...] = ()
    """Sets of sensitive values, for `keep = "values"`; a person's group is the index of one of them."""

    def __repr__(self) -> str:
        return brief(self, f"{self.number} releases, {self.people.height} people")

    @classmethod
    def begin(cls, policy: Policy) -> History:
        """Return the history before the first release, with a new key."""
        schema = {WHO: pl.Binary, GROUP: pl.Int64, LAST: pl.Int64}
        return cls(
            key=secrets.token_bytes(KEY_BYTES),
            promise=Promise.of(policy),
            number=0,
            people=pl.DataFrame(schema=schema),
        )

    @property
    def n_groups(self) -> int:
        return int(self.people[GROUP].max() or 0) + 1 if self.people.height else 0  # type: ignore[arg-type]

    def after(self, published: pl.DataFrame, signatures: Iterable[tuple[str, ...]] = ()) -> Self:
        """Return the history with one more release; `published` has the hash, the group and other columns of everyone
        it showed.
        """
        number = self.number + 1
        shown = published.with_columns(pl.lit(number, dtype=pl.Int64).alias(LAST))
        absent = self.people.join(shown.select(WHO), on=WHO, how="anti")
        people = pl.concat([absent, shown], how="diagonal").sort(WHO)  # by hash: no other order remains
        return replace(self, number=number, people=people, signatures=tuple(signatures))

    def files(self) -> dict[str, bytes]:
        """Return the files for the private folder, by name."""
        written = io.BytesIO()
        self.people.write_parquet(written)
        people = written.getvalue()
        contents = {
            "format": FORMAT,
            "shoal": __version__,
            "number": self.number,
            "key": self.key.hex(),
            "promise": self.promise.model_dump(mode="json"),
            "signatures": [list(one) for one in self.signatures],
            "people_sha256": hashlib.sha256(people).hexdigest(),
        }
        contents["check"] = _check(contents, self.key)
        return {HISTORY: (json.dumps(contents, indent=1, ensure_ascii=False) + "\n").encode(), PEOPLE: people}


class _HistoryFile(BaseModel):
    """The structure of `history.json`."""

    model_config = ConfigDict(extra="forbid", strict=True)

    format: Literal[1]
    shoal: str
    number: Annotated[int, Field(ge=1)]
    key: Annotated[str, Field(pattern=f"^[0-9a-f]{{{2 * KEY_BYTES}}}$")]
    promise: Promise
    signatures: list[list[str]]
    people_sha256: str
    check: str


def read_history(folder: str | Path) -> History:
    """Return the history in the private folder of a release; raise a `ParameterError` if it is missing or damaged."""
    if is_text(folder):
        raise ParameterError(f"{named('after')} is a text, not the path of a folder.", AGAIN)
    folder = Path(folder)
    try:
        there = (folder / HISTORY).is_file()
        private = folder.with_name(f"{folder.name}.private")
        hint = f"give its private folder, {private.name}." if (private / HISTORY).is_file() else AGAIN
    except OSError as failed:
        raise ParameterError(f"the folder {folder.name} cannot be read ({failed.strerror}).", AGAIN) from None
    if not there:
        raise ParameterError(f"the folder {folder.name} holds no history of a release.", hint)
    try:
        raw, people = (folder / HISTORY).read_bytes(), (folder / PEOPLE).read_bytes()
        found = json.loads(raw)
        if isinstance(found, dict) and found.get("format") != FORMAT:
            raise ParameterError(
                f"the history in {folder.name} has a format that this version of Shoal does not read.",
                "use the version that wrote it, or a newer one.",
            )
        contents = _HistoryFile.model_validate(found)
    except OSError as failed:
        raise ParameterError(f"the history in {folder.name} cannot be read ({failed.strerror}).", AGAIN) from None
    except (ValueError, RecursionError, ValidationError):
        raise _damaged(folder) from None
    key = bytes.fromhex(contents.key)
    without = {name: value for name, value in found.items() if name != "check"}
    if not hmac.compare_digest(_check(without, key), contents.check):
        raise _damaged(folder)
    if hashlib.sha256(people).hexdigest() != contents.people_sha256:
        raise _damaged(folder)
    return History(
        key=key,
        promise=contents.promise,
        number=contents.number,
        people=pl.read_parquet(io.BytesIO(people)),
        signatures=tuple(tuple(one) for one in contents.signatures),
    )


def _check(contents: dict[str, Any], key: bytes) -> str:
    """Return a keyed digest of the contents, which shows whether they were changed."""
    return hmac.digest(key, json.dumps(contents, sort_keys=True).encode(), "sha256").hex()


def _damaged(folder: Path) -> ParameterError:
    return ParameterError(
        f"the history in {folder.name} is damaged or was changed, so the sequence cannot be continued.",
        "restore the folder from a backup, as the release wrote it.",
    )
