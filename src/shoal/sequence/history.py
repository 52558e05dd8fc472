"""What a release must know of those before it, and how it is kept in the private folder.

`history.json` has the promise, the number of releases and the key; `history.parquet` one row per person ever
published: a keyed hash (never the value itself), the group or signature, and the release that showed them last.
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
from shoal.errors import ParameterError, is_text
from shoal.policy import Policy
from shoal.sequence.identity import KEY_BYTES

FORMAT = 1
HISTORY, PEOPLE = "history.json", "history.parquet"
WHO, GROUP, LAST = "who", "group", "last"
AGAIN = "give the private folder of a release that was made with a link (--link COLUMN)."


class Promise(BaseModel):
    """What all releases of a sequence must agree on."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    link: str
    keep: Literal["groups", "values"]
    departures: Literal["covered", "open"]
    k: Annotated[int, Field(ge=2)]
    diversity: dict[str, dict[str, Any]]
    closeness: dict[str, dict[str, Any]]

    @classmethod
    def of(cls, policy: Policy) -> Promise:
        asked = policy.sequence
        assert asked is not None
        wishes: dict[str, dict[str, dict[str, Any]]] = {"diversity": {}, "closeness": {}}
        for name in policy.sensitive:
            for wish, one in (("diversity", policy.diversity_of(name)), ("closeness", policy.closeness_of(name))):
                if one is not None:
                    wishes[wish][name] = one.model_dump(mode="json")
        return cls(
            link=asked.link,
            keep=asked.keep,
            departures=asked.departures,
            k=policy.k,
            diversity=wishes["diversity"],
            closeness=wishes["closeness"],
        )

    def require(self, asked: Promise) -> None:
        """Refuse a policy that promises something else than the releases before."""
        different = [name for name in type(self).model_fields if getattr(self, name) != getattr(asked, name)]
        if different:
            what = {"diversity": "l", "closeness": "t"}.get(different[0], different[0])
            plain = different[0] in ("link", "keep", "departures", "k")
            told = f": it was {getattr(self, what)}, and {getattr(asked, what)} is asked" if plain else ""
            raise ParameterError(
                f"the releases before were made with another {what}{told}.",
                "all releases of one table must promise the same; take the policy.toml of that private folder.",
            )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class History:
    """All people ever published in a sequence, under keyed hashes. Private."""

    key: bytes
    promise: Promise
    number: int
    """Of releases so far."""
    people: pl.DataFrame
    signatures: tuple[tuple[str, ...], ...] = ()
    """Sets of sensitive values, for `keep = "values"`: a person's group is the number of one."""

    def __repr__(self) -> str:
        return brief(self, f"{self.number} releases, {self.people.height} people")

    @classmethod
    def begin(cls, policy: Policy) -> History:
        """Before the first release."""
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
        """The history with one more release, which showed `published` (who, group and what else is kept of them)."""
        number = self.number + 1
        shown = published.with_columns(pl.lit(number, dtype=pl.Int64).alias(LAST))
        absent = self.people.join(shown.select(WHO), on=WHO, how="anti")
        people = pl.concat([absent, shown], how="diagonal").sort(WHO)  # no order of rows, no order of release
        return replace(self, number=number, people=people, signatures=tuple(signatures))

    def files(self) -> dict[str, bytes]:
        """What is written to the private folder, by name."""
        written = io.BytesIO()
        self.people.write_parquet(written)
        people = written.getvalue()
        told = {
            "format": FORMAT,
            "shoal": __version__,
            "number": self.number,
            "key": self.key.hex(),
            "promise": self.promise.model_dump(mode="json"),
            "signatures": [list(one) for one in self.signatures],
            "people_sha256": hashlib.sha256(people).hexdigest(),
        }
        told["check"] = _check(told, self.key)
        return {HISTORY: (json.dumps(told, indent=1, ensure_ascii=False) + "\n").encode(), PEOPLE: people}


class _Told(BaseModel):
    """`history.json` as it must be."""

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
    """The history in the private folder of a release; whatever is wrong with it is one sentence."""
    if is_text(folder):
        raise ParameterError("what to follow is a text, not the path of a folder.", AGAIN)
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
        told = _Told.model_validate(found)
    except OSError as failed:
        raise ParameterError(f"the history in {folder.name} cannot be read ({failed.strerror}).", AGAIN) from None
    except (ValueError, RecursionError, ValidationError):
        raise _damaged(folder) from None
    key = bytes.fromhex(told.key)
    without = {name: value for name, value in found.items() if name != "check"}
    if not hmac.compare_digest(_check(without, key), told.check):
        raise _damaged(folder)
    if hashlib.sha256(people).hexdigest() != told.people_sha256:
        raise _damaged(folder)
    return History(
        key=key,
        promise=told.promise,
        number=told.number,
        people=pl.read_parquet(io.BytesIO(people)),
        signatures=tuple(tuple(one) for one in told.signatures),
    )


def _check(told: dict[str, Any], key: bytes) -> str:
    """What shows that no line was changed by hand."""
    return hmac.digest(key, json.dumps(told, sort_keys=True).encode(), "sha256").hex()


def _damaged(folder: Path) -> ParameterError:
    return ParameterError(
        f"the history in {folder.name} is damaged or was changed: nothing can be promised after it.",
        "take the folder from a backup, as the release wrote it.",
    )
