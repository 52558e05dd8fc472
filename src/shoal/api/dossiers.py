"""The function that makes the dossier of a release."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from shoal.pipeline.dossier import dossier_page, printed
from shoal.policy.named_arguments import named_arguments
from shoal.tables import Frame
from shoal.tables.writing import write_new_text


@named_arguments()
def dossier(
    release: str | Path,
    out: str | Path | None = None,
    *,
    original: Frame | str | Path | None = None,
    control: Frame | str | Path | None = None,
    force: bool = False,
) -> str:
    """Return the dossier of a release as an HTML page, which a data protection officer reads and signs.

    The released file is verified again, and every figure on the page is computed. Purpose, recipients and approval
    are taken from the section ``[dossier]`` of the policy; what is not given there is a line to fill in by hand.

    Parameters
    ----------
    release : str or Path
        The public folder of the release; its private folder is beside it.
    out : str or Path, optional
        The file to write the page to, as HTML, or as PDF if its name ends in ``.pdf``: then a browser on this
        computer prints it. The file is private: only its owner can read it.
    original : str, Path, or frame of polars, pandas or pyarrow, optional
        The original table. With it the page has reasons for the roles, the attacks, and the items of Safe Harbor.
    control : str, Path, or frame of polars, pandas or pyarrow, optional
        People who are not in the release, with the same columns. With them the risks of singling out, linkability
        and inference are measured.
    force : bool, default False
        Whether an existing file is replaced.

    Returns
    -------
    str
        The page as HTML, which needs no other file.

    Raises
    ------
    TableError
        If the private folder is missing, or the file exists already.
    EngineError
        If the file is to be a PDF, and no browser was found that can write it.

    Examples
    --------
    >>> import shoal, tempfile
    >>> from shoal.datasets import hospital
    >>> table = hospital(150).select("birth_date", "sex", "diagnosis")
    >>> release = shoal.anonymize(table, k=5, quasi=["birth_date", "sex"], sensitive="diagnosis")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = release.write(f"{folder}/release")
    ...     page = shoal.dossier(f"{folder}/release", original=table)
    >>> "What was tested" in page
    True
    """
    page = dossier_page(release, original=original, control=control, today=date.today())
    if out is not None:
        write_new_text(out, printed(page, Path(out)), force=force, private=True)
    return page
