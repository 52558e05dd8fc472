"""The policy: a role for every column, the requirements on every group, and the form of publication.

It is one object and one TOML file::

    k = 5
    max_suppressed = 0.01

    [diversity]                  # for every sensitive column without a diversity of its own
    l = 2

    [columns.name]
    role = "identifier"

    [columns.age]
    role = "quasi"
    kind = "number"

    [columns.diagnosis]
    role = "sensitive"

Unknown keys are errors that name the line.
"""

from __future__ import annotations

import os
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self, cast

from pydantic import BaseModel, Field, PlainSerializer, ValidationError, WrapValidator, model_validator

from shoal.errors import ParameterError, is_text
from shoal.method_table import METHODS, Method, Objective
from shoal.policy.column import Column
from shoal.policy.column_sources import Hierarchy, Map
from shoal.policy.number_format import NumberFormat
from shoal.policy.problems import first_problem, misplaced
from shoal.policy.requirements import Closeness, Diversity
from shoal.policy.sequence import Following
from shoal.policy.setting_types import CellLoss, Part, Positive, Publication, Role
from shoal.policy.text_file import Source
from shoal.policy.toml_text import dump_comment, dump_table


def _in_the_table(value: Any, written_out: Callable[[Any], Method]) -> Method:
    """A method of the table, also one that was added to it without a word in `Method`."""
    return cast(Method, value) if isinstance(value, str) and value in METHODS else written_out(value)


MethodName = Annotated[Method, WrapValidator(_in_the_table), PlainSerializer(str)]


class Policy(Part):
    """Everything that determines a release, except the table itself and the secret.

    Parameters
    ----------
    k : int, default 5
        The fewest people in a group, at least 2.
    max_suppressed : float, default 0.0
        The share of the rows that may be left out, from 0 up to but not including 1.
    objective : str, default "auto"
        What is minimized: sse, radius, cellular or generalization.
    method : str, default "auto"
        How groups are found.
    loss : {"ncp", "information", "levels", "entropy"}, default "ncp"
        What a generalized cell costs.
    publication : str, default "auto"
        What a row becomes: generalize, aggregate, centers or suppress.
    ranges : {"brackets", "columns"}, default "brackets"
        How a range is written.
    seed : int, optional
        Tells several releases by one secret apart.
    effort : float, optional
        Search effort in proposals per record; the method's own where not given.
    time_limit : float, optional
        Seconds after which the search stops early.
    diversity : Diversity, optional
        Required of every sensitive column that does not say otherwise.
    closeness : Closeness, optional
        Required of every sensitive column that does not say otherwise.
    sequence : dict, optional
        For several releases of one table as it changes.
    source : dict, optional
        How to read a text file, where detection should be overruled.
    columns : dict of str to Column
        The role of every column.

    Examples
    --------
    >>> import shoal
    >>> columns = {"age": shoal.Column(role="quasi"), "name": shoal.Column(role="identifier")}
    >>> policy = shoal.Policy(k=10, columns=columns)
    >>> policy.quasi
    ['age']
    >>> print(policy.dumps())
    k = 10
    <BLANKLINE>
    [columns.age]
    role = "quasi"
    <BLANKLINE>
    [columns.name]
    role = "identifier"
    <BLANKLINE>
    """

    k: Annotated[int, Field(ge=2)] = 5
    max_suppressed: Annotated[float, Field(ge=0, lt=1)] = 0.0
    objective: Objective = "auto"
    method: MethodName = "auto"
    loss: CellLoss = "ncp"
    """What a generalized cell costs: its share of the range, labels or leaves (ncp); the logarithm of the number of
    values that it leaves open over that of all (information); of a node, its level over all levels (levels); or, for
    methods that recode whole columns, bits (entropy).
    """
    publication: Publication = "auto"
    ranges: Literal["brackets", "columns"] = "brackets"
    """How `generalize` writes a range of numbers: `[a, b]` in one column, or two columns `x_min`, `x_max`."""
    seed: Annotated[int, Field(ge=0, lt=2**63)] | None = None
    """A number that makes several releases with one secret different (default 0). Without the secret it repeats
    nothing.
    """
    effort: Annotated[float, Field(gt=0, le=10_000)] | None = None
    """Search effort in proposals per record; more takes longer. By default the method's own."""
    time_limit: Positive | None = None
    """Seconds after which the search stops early; the certificate then says so."""
    diversity: Diversity | None = None
    closeness: Closeness | None = None
    sequence: Following | None = None
    """Settings for several releases of one table as it changes."""
    source: Source = Source()
    columns: dict[str, Column] = Field(default_factory=dict)

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """Return the requirements, and how many columns have each role; the seed is not shown in logs."""
        yield "k", self.k
        if self.diversity:
            yield "l", self.diversity.l
        if self.closeness:
            yield "t", self.closeness.t
        yield from Counter(column.role for column in self.columns.values()).items()

    def named(self, *roles: Role) -> list[str]:
        """Return the columns with one of these roles, in the policy's order.

        Parameters
        ----------
        *roles : str
            One role or several.

        Returns
        -------
        list of str
            Names of columns.
        """
        return [name for name, column in self.columns.items() if column.role in roles]

    @property
    def quasi(self) -> list[str]:
        """The quasi-identifiers, in the policy's order."""
        return self.named("quasi")

    @property
    def recoded(self) -> list[str]:
        """Quasi-identifiers that are published in classes of labels."""
        return [name for name in self.quasi if self.columns[name].classes is not None]

    @property
    def sensitive(self) -> list[str]:
        """The sensitive columns, in the policy's order."""
        return self.named("sensitive")

    @property
    def delicate_quasi(self) -> list[str]:
        """Quasi-identifiers with a diversity or closeness of their own: known to others and delicate at once."""
        return [name for name in self.quasi if self.columns[name].diversity or self.columns[name].closeness]

    @property
    def delicate(self) -> list[str]:
        """The columns of which l or t may be asked: sensitive ones, then delicate quasi-identifiers."""
        return [*self.sensitive, *self.delicate_quasi]

    @property
    def person(self) -> str | None:
        """The column that tells which rows are one person's, or None."""
        return next(iter(self.named("person")), None)

    def diversity_of(self, name: str) -> Diversity | None:
        """Return the diversity required of a column: its own, or if it is sensitive that of the whole policy.

        Parameters
        ----------
        name : str
            A sensitive column or a quasi-identifier.

        Returns
        -------
        Diversity or None
            None where nothing is asked.
        """
        return self.columns[name].diversity or (self.diversity if self.columns[name].role == "sensitive" else None)

    def closeness_of(self, name: str) -> Closeness | None:
        """Return the closeness required of a column: its own, or if it is sensitive that of the whole policy.

        Parameters
        ----------
        name : str
            A sensitive column or a quasi-identifier.

        Returns
        -------
        Closeness or None
            None where nothing is asked.
        """
        return self.columns[name].closeness or (self.closeness if self.columns[name].role == "sensitive" else None)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        people = self.named("person")
        if len(people) > 1:
            raise misplaced(
                ("columns", people[1]), f"only one column can be the person; {people[0]!r} is one already"
            )
        for name, column in self.columns.items():
            other = self.columns.get(column.longitude) if column.longitude is not None else None
            if column.longitude is not None and (other is None or other.role != column.role or other.longitude):
                raise misplaced(
                    ("columns", name, "longitude"),
                    f"{column.longitude!r} is not a column of longitudes with the same role",
                )
        if self.sequence is not None and self.columns:
            self._link_is_a_person(self.sequence.link)
        for asked in ("diversity", "closeness"):
            if getattr(self, asked) and self.columns and not self.sensitive:
                raise misplaced((asked,), "no column has the role sensitive")
        return self

    def _link_is_a_person(self, link: str) -> None:
        """Raise an error unless the link identifies people and is not published."""
        if link not in self.named("identifier", "person"):
            raise misplaced(
                ("sequence", "link"), f"{link!r} must be a column with the role identifier or person, and is not"
            )
        if self.person not in (None, link):
            raise misplaced(("sequence", "link"), f"it must be {self.person!r}, the column of the person")

    # -- TOML ---------------------------------------------------------------------------------------------

    @classmethod
    def parse(cls, settings: Mapping[str, Any], *, text: str = "", origin: str = "policy") -> Policy:
        """Return the policy with plain settings; an error names the key and, if `text` is the TOML, its line.

        Parameters
        ----------
        settings : dict
            What TOML of a policy gives.
        text : str, default ""
            The TOML, where there is one, so that an error names the line.
        origin : str, default "policy"
            What messages call it.

        Returns
        -------
        Policy
            Validated.

        Raises
        ------
        ParameterError
            If a key is not known or a value is out of its range.
        """
        try:
            return cls.model_validate(dict(settings))
        except ValidationError as found:
            raise first_problem(found, text, origin, _known_keys) from None

    @classmethod
    def load(cls, path: str | Path) -> Policy:
        """Read a TOML file. Paths of hierarchy and map files are relative to it.

        Parameters
        ----------
        path : str or Path
            The file.

        Returns
        -------
        Policy
            Validated.

        Raises
        ------
        ParameterError
            If the file cannot be read, or is no policy.
        """
        if not isinstance(path, str | Path):
            raise ParameterError(
                f"an object of type {type(path).__name__} is not a policy.",
                "give a Policy, the path of a TOML file or a dictionary.",
            )
        path = Path(path)
        if is_text(path):
            raise ParameterError(
                "the policy is a text, not the path of a file.", "shoal.Policy.loads(text) makes a policy of TOML."
            )
        try:
            text = path.read_text(encoding="utf-8-sig")
        except OSError as failed:
            raise ParameterError(
                f"the policy {path.name} cannot be read ({failed.strerror}).",
                "give the path of a TOML file; `shoal profile data.csv --write policy.toml` starts one.",
            ) from None
        except UnicodeDecodeError:
            raise ParameterError(f"the policy {path.name} is not UTF-8 text.") from None
        return cls.loads(text, origin=path.name).relative_to(path.parent)

    @classmethod
    def loads(cls, text: str, *, origin: str = "policy") -> Policy:
        """Read a policy from TOML text; `dumps` writes it.

        Parameters
        ----------
        text : str
            TOML.
        origin : str, default "policy"
            What messages call it.

        Returns
        -------
        Policy
            Validated.

        Raises
        ------
        ParameterError
            If it is not valid TOML, or no policy.
        """
        try:
            return cls.parse(tomllib.loads(text), text=text, origin=origin)
        except RecursionError:
            raise ParameterError(
                f"{origin} is nested too deeply to be a policy.",
                "write the policy anew; see docs/reference/policy.md.",
            ) from None
        except tomllib.TOMLDecodeError as failed:
            raise ParameterError(
                f"{origin} is not valid TOML: {failed}.",
                "a column or key that occurs twice is one such error; each column has one role.",
            ) from None

    def relative_to(self, folder: Path) -> Policy:
        """Return the policy with the paths of hierarchy and map files taken relative to `folder`.

        Parameters
        ----------
        folder : Path
            From where relative paths are taken.

        Returns
        -------
        Policy
            A new one; absolute paths stay as they are.
        """

        def placed(column: Column) -> Column:
            moved = {}
            for part, files in (("hierarchy", ("file",)), ("map", ("edges", "gal", "polygons"))):
                source = getattr(column, part)
                paths = {key: path for key in files if (path := getattr(source, key, None)) is not None}
                if paths:  # an absolute path stays as it is
                    moved[part] = source.model_copy(update={key: folder / path for key, path in paths.items()})
            return column.model_copy(update=moved)

        return self.model_copy(update={"columns": {name: placed(c) for name, c in self.columns.items()}})

    def dumps(self, *, comments: Mapping[str, str] | None = None) -> str:
        """Return the policy as TOML; `comments` are written above the columns that are their keys.

        Parameters
        ----------
        comments : dict of str to str, optional
            Sentences above the columns they are keyed by.

        Returns
        -------
        str
            What `loads` reads.
        """
        settings = self.model_dump(mode="json", exclude_defaults=True, exclude_none=True)
        columns = settings.pop("columns", {})
        parts = [dump_table({"k": self.k} | settings)]
        for name, column in columns.items():
            above = dump_comment((comments or {}).get(name, ""))
            parts.append(above + dump_table(column, path=("columns", name)))
        return "\n".join(parts)

    def write(self, path: str | Path, *, force: bool = False) -> None:
        """Write the policy as a TOML file from which `load` gives it back; an existing file stays.

        Files of hierarchies and maps are written relative to the folder of the policy, as `load` takes them.

        Parameters
        ----------
        path : str or Path
            The file, such as policy.toml.
        force : bool, default False
            Whether an existing file is replaced. A failure leaves it as it was.

        Raises
        ------
        TableError
            If the file exists already and `force` is False, or it cannot be written.

        Examples
        --------
        >>> import shoal, tempfile
        >>> policy = shoal.Policy(k=10, columns={"age": shoal.Column(role="quasi")})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     policy.write(f"{folder}/policy.toml")
        ...     shoal.Policy.load(f"{folder}/policy.toml") == policy
        True
        """
        # Imported where it is used: the parts that only read a policy need no tables.
        from shoal.tables.writing import write_new_text

        here, there = Path.cwd(), Path(path).parent.resolve()
        try:
            back = Path(os.path.relpath(here, there))
        except ValueError:  # another drive of Windows
            back = here
        write_new_text(path, self.relative_to(back).dumps(), force=force)


def _known_keys(keys: Sequence[str]) -> list[str]:
    """Return the settings that exist at the place that `keys` lead to."""
    parts: dict[str, type[BaseModel]] = {
        "diversity": Diversity,
        "closeness": Closeness,
        "sequence": Following,
        "source": Source,
        "hierarchy": Hierarchy,
        "number": NumberFormat,
        "map": Map,
    }
    if not keys:
        return sorted(Policy.model_fields)
    if keys[0] == "columns" and len(keys) == 2:
        return sorted(Column.model_fields)
    return sorted(parts[keys[-1]].model_fields)
