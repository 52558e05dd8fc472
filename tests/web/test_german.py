"""The report's own sentences in German: those that are shown are in the catalog, and names of columns stay."""

from __future__ import annotations

import io
import re
import string
import zipfile

import polars as pl
import pytest

import shoal
from shoal.datasets import hospital
from shoal.web.open_table import OpenTable
from shoal.web.tasks.parts import report_of
from shoal.web.texts import Texts
from shoal.web.texts.sentences import Sentences, _templates
from tests.web.steward import Steward, words

GERMAN = {"accept-language": "de-DE"}
ENGLISH = re.compile(r"\b(the|of|are|is|with|and|which|every|group|people|records|published|lost)\b")


def test_the_pages_of_a_release_are_german_from_top_to_bottom(steward: Steward, small: OpenTable) -> None:
    steward.answer_all(small)
    steward.part(f"/t/{small.id}/privacy", {"k": "4", "suppressed": "5", "t:3": "0.6"})
    steward.release(small)
    for step in ("data", "columns", "privacy", "result", "risk", "report"):
        page = steward.get(f"/t/{small.id}/{step}", headers=GERMAN).text
        main = page[page.index("<main") : page.index("</main>")]
        main = re.sub(r"<pre.*?</pre>|<select.*?</select>", "", main, flags=re.S)
        left = {sentence.strip() for sentence in re.findall(r">([^<]{12,})<", main) if ENGLISH.search(sentence)}
        assert left == set(), step
    result = words(steward.get(f"/t/{small.id}/result", headers=GERMAN).text)
    assert "Jede Gruppe hat mindestens 4 Datensätze." in result
    assert "Every group has at least 4 records." in words(steward.get(f"/t/{small.id}/result").text)


def test_the_report_file_is_german_and_cells_stay_as_they_are(steward: Steward, small: OpenTable) -> None:
    steward.answer_all(small)
    steward.part(f"/t/{small.id}/privacy", {"k": "4", "l:3": "2", "alpha:3": "0.9"})
    steward.release(small)
    at = f"/t/{small.id}/runs/1"
    page = steward.get(f"{at}/report.html", headers=GERMAN).text
    assert '<html lang="de">' in page
    assert "Bericht zur Freigabe: " in page
    main = re.sub(r"<(pre|style|title).*?</\1>|<table.*?</table>", "", page[page.index("<body") :], flags=re.S)
    left = {sentence.strip() for sentence in re.findall(r">([^<]{8,})<", main) if ENGLISH.search(sentence)}
    assert left - {"Bericht zur Freigabe: people.csv"} == set()
    english = steward.get(f"{at}/report.html").text
    assert '<html lang="en">' in english
    released = r'<div class="sample">.*?</table>'
    assert re.search(released, page, re.S)[0] == re.search(released, english, re.S)[0]  # type: ignore[index]
    packed = zipfile.ZipFile(io.BytesIO(steward.get(f"{at}/private.zip").content))
    assert packed.read("report.de.html").decode() == page
    assert packed.read("release.private/report.html").decode() == english


def test_a_label_that_is_also_a_word_of_the_report_is_not_translated() -> None:
    table = pl.DataFrame({"age": [*range(20, 40)] * 2, "told": ["yes", "none"] * 20, "mean": ["other", "total"] * 20})
    release = shoal.anonymize(table, k=4, quasi=["age", "told"], other="mean", effort=1)
    page = report_of(release.content(checked="release.csv"), "de")
    chart = page[page.index("<figcaption>told</figcaption>") :]
    chart = chart[: chart.index("</figure>")]
    assert {"yes", "none"} <= set(re.findall(r">(yes|none|ja|keine)<", chart))
    assert not re.search(r">(ja|keine)<", chart)


def test_every_sentence_has_the_same_places_in_german() -> None:
    plain, open_ = _templates("de")
    assert len(plain) > 80
    assert len(open_) > 60
    for pattern, german, looked_up in open_:
        places = {field for _, field, _, _ in string.Formatter().parse(german) if field}
        assert places == set(pattern.groupindex), german
        assert set(looked_up) <= places


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("1 in 5", "1 von 5"),
        ("Of age and pay.", "Von age und pay."),
        ("At most 4.8 times the smallest possible squared error, by theorem X-1.",
         "Höchstens das 4,8-Fache des kleinstmöglichen Werts (quadratischer Fehler), nach Satz X-1."),
        ("The same, on average. Something that nobody wrote.", None),
        ("1,234.5%", "1.234,5 %"),
        ("Not protected: a, b and c.", "Nicht geschützt: a, b und c."),
        ("Not protected: a, b and 3 more.", "Nicht geschützt: a, b und 3 weitere."),
        ("72,5", None),
        ("10 to 20", "10 bis 20"),
        ("at most 0.5 (equal distance)", "höchstens 0,5 (gleicher Abstand)"),
        ("k does not protect against somebody who knows these columns of a person. pay contributes most: without it "
         "2 would be unique.", "k schützt nicht vor jemandem, der diese Spalten einer Person kennt. pay trägt am "
         "meisten bei: Ohne diese Spalte wären 2 einmalig."),
        ("Write a long sentence to leave it out", None),
        ("One sentence that is new. Another sentence to leave out", None),
        ("mean", None),
    ],
)  # fmt: skip
def test_a_text_is_translated_whole_or_not_at_all(english: str, german: str | None) -> None:
    assert Sentences("de", ["mean"], numbers=True).translated(english) == german
    assert Sentences("de")("value") == "Wert"
    assert Sentences("de", ["value"])("value") == "value"


def test_what_stays_english_is_marked_and_escaped() -> None:
    assert str(Texts("de").said("no <b>such</b> sentence.")) == (
        '<span lang="en">no &lt;b&gt;such&lt;/b&gt; sentence.</span>'
    )
    assert str(Texts("en").said("<b>")) == "&lt;b&gt;"


@pytest.mark.parametrize("kept", ["trial", "sample", "sequence"])
def test_what_an_attacker_gets_is_german_in_every_case(kept: str) -> None:
    table = hospital(200).select("birth_date", "sex", "height_cm", "diagnosis", "patient_id")
    roles = {"quasi": ["birth_date", "sex", "height_cm"], "sensitive": "diagnosis", "identifier": "patient_id"}
    asked = {"sample": {"sample": 0.5}, "sequence": {"link": "patient_id", "l": 2}, "trial": {"synthetic": "copula"}}
    release = shoal.anonymize(table, k=4, evidence=True, effort=1, **roles, **asked[kept])
    page = report_of(release.content(checked="release.csv"), "de")
    assert "Was ein Angreifer erfährt" in page
    for begin in ('<section id="evidence">', '<h3 id="analyses">'):
        part = page[page.index(begin) :]
        part = part[: part.index("</section>")]
        part = re.sub(r"<svg.*?</svg>", "", part, flags=re.S) if begin.startswith("<h3") else part
        left = {sentence.strip() for sentence in re.findall(r">([^<]{8,})<", part) if ENGLISH.search(sentence)}
        assert left == set(), kept
