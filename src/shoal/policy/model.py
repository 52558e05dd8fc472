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
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from shoal.errors import ParameterError
from shoal.policy.column import Column
from shoal.policy.problems import first_problem
from shoal.policy.settings import Settings, known_keys
from shoal.policy.toml_text import dump_comment, dump_table, read_toml


class Policy(Settings):
    """Everything that determines a release, except the table itself and the secret.

    Parameters
    ----------
    k : int, default 5
        The fewest people in a group, at least 2.
    m : int, optional
        For a quasi-identifier of kind "set": how many of a person's items others may know, 1 to 3; 2 by default.
    max_suppressed : float, default 0.0
        The share of the rows that may be left out, from 0 up to but not including 1.
    objective : str, default "auto"
        What is minimized: sse, radius, cellular or generalization.
    method : str, default "auto"
        The algorithm that forms the groups.
    max_groups : int, optional
        The largest number of groups, with method "gather".
    opening_cost : float, optional
        What each group costs besides its size times its radius, with method "cellular".
    loss : {"ncp", "information", "levels", "entropy"}, default "ncp"
        What a generalized cell costs.
    publication : str, default "auto"
        The form in which groups are published: generalize, aggregate, centers or suppress.
    ranges : {"brackets", "columns"}, default "brackets"
        How a range is written.
    synthetic : {"marginals", "copula"}, optional
        Whether synthetic rows are published as well, drawn from the cells of the release, and how.
    evidence : bool, default False
        Whether attacks and analyses are run on the release, for its report and dossier; nothing of it is published.
    seed : int, optional
        A number that makes several releases with one secret different.
    effort : float, optional
        Search effort in proposals per record; more takes longer. By default the method's own.
    time_limit : float, optional
        Seconds after which the search stops early.
    diversity : Diversity, optional
        The l-diversity required of every sensitive column that has no diversity of its own.
    closeness : Closeness, optional
        The t-closeness required of every sensitive column that has no closeness of its own.
    disclosure : Disclosure, optional
        The limits on the shares of single values, of every sensitive column that has no disclosure of its own.
    keys : dict of str to dict, optional
        Sets of quasi-identifiers that somebody knows (`columns`), each with a `k` of its own besides that of all.
    where : str, optional
        A condition on the cells of a row: the release is about the rows that meet it.
    sample : float, optional
        The share of the people, or of the rows without a person column, that are drawn at random for the release.
    population : int or Path, optional
        The number of people that the table is a sample of, or the file of a table of all of them.
    sequence : dict, optional
        Settings for several releases of one table as it changes.
    dossier : dict, optional
        What people say about the release for its dossier: purpose, recipients, who approved it.
    metadata : dict, optional
        Descriptions for catalogs and archives that are written beside the release, and what they say; published.
    source : dict, optional
        How to read a text file; each setting overrides automatic detection.
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

    @classmethod
    def parse(cls, settings: Mapping[str, Any], *, text: str = "", origin: str = "policy") -> Policy:
        """Return the policy with plain settings; an error names the key and, if `text` is the TOML, its line.

        Parameters
        ----------
        settings : dict
            The settings, as they are in the TOML of a policy.
        text : str, default ""
            The TOML text, if there is one, so that an error can name the line.
        origin : str, default "policy"
            The name of the source in error messages.

        Returns
        -------
        Policy
            The validated policy.

        Raises
        ------
        ParameterError
            If a key is not known or a value is out of its range.
        """
        if "tables" in settings:
            raise ParameterError(
                f"{origin} is a policy of several linked tables.",
                "`shoal anonymize-tables` takes it; a policy of one table has parts [columns.NAME].",
            )
        try:
            return cls.model_validate(dict(settings))
        except ValidationError as found:
            raise first_problem(found, text, origin, known_keys) from None

    @classmethod
    def load(cls, path: str | Path) -> Policy:
        """Read a TOML file. Paths of other files in it are relative to it.

        Parameters
        ----------
        path : str or Path
            The file, such as policy.toml.

        Returns
        -------
        Policy
            The validated policy.

        Raises
        ------
        ParameterError
            If the file cannot be read, or is not a policy.
        """
        if not isinstance(path, str | Path):
            raise ParameterError(
                f"an object of type {type(path).__name__} is not a policy.",
                "give a Policy, the path of a TOML file or a dictionary.",
            )
        path = Path(path)
        return cls.loads(read_toml(path), origin=path.name).relative_to(path.parent)

    @classmethod
    def loads(cls, text: str, *, origin: str = "policy") -> Policy:
        """Read a policy from TOML text; `dumps` writes it.

        Parameters
        ----------
        text : str
            The policy as TOML.
        origin : str, default "policy"
            The name of the source in error messages.

        Returns
        -------
        Policy
            The validated policy.

        Raises
        ------
        ParameterError
            If the text is not valid TOML, or not a policy.
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
        """Return the policy with the paths of hierarchies, maps and the population taken relative to `folder`.

        Parameters
        ----------
        folder : Path
            The folder that relative paths start from.

        Returns
        -------
        Policy
            A new policy; absolute paths are unchanged.
        """

        def placed(column: Column) -> Column:
            moved = {}
            for part, files in (("hierarchy", ("file",)), ("map", ("edges", "gal", "polygons"))):
                source = getattr(column, part)
                paths = {key: path for key in files if (path := getattr(source, key, None)) is not None}
                if paths:  # an absolute path stays as it is
                    moved[part] = source.model_copy(update={key: folder / path for key, path in paths.items()})
            return column.model_copy(update=moved)

        of_all = {"population": folder / self.population} if isinstance(self.population, Path) else {}
        return self.model_copy(update={"columns": {name: placed(c) for name, c in self.columns.items()}} | of_all)

    def dumps(self, *, comments: Mapping[str, str] | None = None) -> str:
        """Return the policy as TOML, with `comments` above the columns they belong to.

        Parameters
        ----------
        comments : dict of str to str, optional
            A comment for each column name.

        Returns
        -------
        str
            TOML that `loads` reads.
        """
        settings = self.model_dump(mode="json", exclude_defaults=True, exclude_none=True)
        columns = settings.pop("columns", {})
        parts = [dump_table({"k": self.k} | settings)]
        for name, column in columns.items():
            above = dump_comment((comments or {}).get(name, ""))
            parts.append(above + dump_table(column, path=("columns", name)))
        return "\n".join(parts)

    def write(self, path: str | Path, *, force: bool = False) -> None:
        """Write the policy as a TOML file that `load` reads; an existing file is not replaced unless `force` is set.

        Paths of hierarchy and map files are written relative to the folder of the policy, as `load` expects them.

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
        # Imported here, because code that only reads a policy should not have to load the package for tables.
        from shoal.tables.writing import write_new_text

        here, there = Path.cwd(), Path(path).parent.resolve()
        try:
            back = Path(os.path.relpath(here, there))
        except ValueError:  # on Windows there is no relative path to another drive
            back = here
        write_new_text(path, self.relative_to(back).dumps(), force=force)
