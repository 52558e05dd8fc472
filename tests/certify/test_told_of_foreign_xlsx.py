"""What an .xlsx file of any program holds besides its cells, told in exactly these words; and what it may hold."""

from __future__ import annotations

import io
import zipfile

import pytest

from shoal.certify import hidden_foreign_xlsx as foreign
from shoal.certify.hidden_foreign_xlsx import hidden_in_foreign_xlsx

SHEET, BOOK, STYLES, SHARED = "xl/worksheets/sheet1.xml", "xl/workbook.xml", "xl/styles.xml", "xl/sharedStrings.xml"
CORE, APP, TYPES = "docProps/core.xml", "docProps/app.xml", "[Content_Types].xml"


def of(*parts: tuple[str, str]) -> list[str]:
    """The phrases for an archive of these parts, with an empty sheet where none of them is one."""
    texts = dict(parts)
    if SHEET not in texts:
        texts[SHEET] = "<worksheet/>"
    result = io.BytesIO()
    with zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in texts.items():
            packed.writestr(zipfile.ZipInfo(name), text)
    with zipfile.ZipFile(result) as packed:
        return list(hidden_in_foreign_xlsx(result.getvalue(), packed))


def cell(inside: str, attributes: str = "") -> str:
    return f"<worksheet><sheetData><row><c {attributes}>{inside}</c></row></sheetData></worksheet>"


def styled(code: str) -> str:
    return f"<styleSheet><numFmts><numFmt formatCode='{code}'/></numFmts></styleSheet>"


def core(inside: str) -> str:
    return f"<coreProperties>{inside}</coreProperties>"


def app(inside: str) -> str:
    return f"<Properties>{inside}</Properties>"


@pytest.mark.parametrize(
    ("name", "text", "phrase"),
    [
        (SHEET, "<worksheet><zoe/></worksheet>", foreign.BESIDE),
        (SHEET, "<worksheet><!--Zoe--></worksheet>", foreign.NOTES),
        (SHEET, "<worksheet><?zoe Zoe?></worksheet>", foreign.NOTES),
        (SHEET, "<worksheet>", foreign.NOTES),
        (SHEET, "<worksheet zoe='1'/>", foreign.NOTES),
        (SHEET, "<worksheet r='Zoe'/>", foreign.NOTES),
        (SHEET, cell("<v>1</v><v>1</v>"), foreign.NOTES),
        (SHEET, cell("<v>1</v><is><t>1</t></is>"), foreign.NOTES),
        (SHEET, "<worksheet><cols><col hidden='1'/></cols></worksheet>", foreign.HIDDEN),
        (SHEET, "<worksheet><cols><col hidden='true'/></cols></worksheet>", foreign.HIDDEN),
        (SHEET, "<worksheet><sheetFormatPr zeroHeight='1'/></worksheet>", foreign.HIDDEN),
        (SHEET, "<worksheet><cols><col collapsed='1'/></cols></worksheet>", foreign.HIDDEN),
        (SHEET, "<worksheet><cols><col width='0.9'/></cols></worksheet>", foreign.HIDDEN),
        (SHEET, "<worksheet><sheetData><row ht='0.9'/></sheetData></worksheet>", foreign.HIDDEN),
        (SHEET, "<worksheet><sheetData><row ht='none'/></sheetData></worksheet>", foreign.HIDDEN),
        (SHEET, cell("<v>1.23456789012345678</v>"), foreign.DIGITS),
        (SHEET, cell("<v>+1</v>"), foreign.DIGITS),
        (SHEET, cell("<v>x</v>", "t='n'"), foreign.DIGITS),
        (SHEET, cell("<v>Zoe</v>", "t='e'"), foreign.DIGITS),
        (SHEET, cell("Zoe"), foreign.NOTES),
        (BOOK, "<workbook><zoe/></workbook>", foreign.SAVED),
        (BOOK, "<workbook><definedName/></workbook>", foreign.NAMES),
        (BOOK, "<workbook><sheets><sheet name='a' state='hidden'/></sheets></workbook>", foreign.HIDDEN),
        (BOOK, f"<workbook x='{'a' * 201}'/>", foreign.NOTES),
        (BOOK, "<workbook x='External'/>", foreign.NOTES),
        (BOOK, "<workbook>Zoe</workbook>", foreign.NOTES),
        (STYLES, "<styleSheet><zoe/></styleSheet>", foreign.NOTES),
        (STYLES, styled("0;&quot;Zoe said&quot;"), foreign.NOTES),
        (STYLES, styled("0;;0"), foreign.HIDDEN),
        (STYLES, styled(""), foreign.HIDDEN),
        (STYLES, "<styleSheet><numFmts><numFmt/></numFmts></styleSheet>", foreign.HIDDEN),
        (CORE, core("<zoe/>"), foreign.PROPERTIES),
        (CORE, core("<creator>Zoe</creator>"), foreign.PROPERTIES),
        (CORE, core("<lastPrinted>Zoe</lastPrinted>"), foreign.PROPERTIES),
        (CORE, core("<creator>2024-01-31T10:20:30Z</creator>"), foreign.PROPERTIES),
        (APP, app("<zoe/>"), foreign.PROPERTIES),
        (APP, app("<Application>Zoe</Application>"), foreign.PROPERTIES),
        (APP, app("<Company>Zoe</Company>"), foreign.PROPERTIES),
        (APP, app("<TitlesOfParts><lpstr>Zoe</lpstr></TitlesOfParts>"), foreign.PROPERTIES),
        (SHARED, "<sst><si><t>Zoe</t></si></sst>", foreign.UNUSED),
        (SHARED, "<sst><zoe/></sst>", foreign.NOTES),
        ("zoe.xml", "<zoe/>", foreign.OTHERS),
        ("xl/worksheets/sheet2.xml", "<worksheet/>", foreign.OTHERS),
    ],
)  # fmt: skip
def test_of_a_part(name: str, text: str, phrase: str) -> None:
    assert of((name, text)) == [phrase]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (SHEET, "<worksheet><cols><col hidden='0' collapsed='false' width='1'/></cols></worksheet>"),
        (SHEET, "<worksheet><sheetData><row ht='1.0'/></sheetData></worksheet>"),
        (SHEET, "<worksheet xmlns:r='http://schemas.openxmlformats.org/a'><r:sheetData r:r='1'/></worksheet>"),
        (SHEET, cell("<v>1.2345678901234567</v>")),
        (SHEET, cell("<v>12345678901234567E-3</v>")),
        (SHEET, cell("<v>12345678901234567e-30</v>")),
        (SHEET, cell("<v>0.00000012345678901234567</v>")),
        (SHEET, cell("<v>#N/A</v>", "t='e'")),
        (SHEET, cell("<v>whatever is shown</v>", "t='str'")),
        (SHEET, cell("<is><t> </t></is>", "t='inlineStr'")),
        (SHEET, cell("<v>1</v>") .replace("</row>", "<c><v>2</v></c></row>")),
        (BOOK, f"<workbook x='{'a' * 200}'/>"),
        (BOOK, "<workbook><sheets><sheet/></sheets></workbook>"),
        (STYLES, styled("0;&quot;;&quot;;\\;")),
        (STYLES, styled("0;&quot; &quot;")),
        (CORE, core("<lastPrinted>2024-01-31T10:20:30Z</lastPrinted><creator>openpyxl</creator>")),
        (CORE, core("<created>2024-01-31T10:20:30+01:00</created><modified>2024-01-31T10:20:30Z</modified>")),
        (APP, app("<TitlesOfParts><lpstr>Worksheets</lpstr></TitlesOfParts><Application>SheetJS</Application>")),
        (APP, app("<AppVersion>16.0300</AppVersion>")),
        (TYPES, "<Types/>"),
    ],
)  # fmt: skip
def test_nothing_of_a_part(name: str, text: str) -> None:
    assert of((name, text)) == []


def test_a_title_may_be_the_name_of_a_sheet_and_of_nothing_else() -> None:
    book = "<workbook><sheets><sheet name='a'/></sheets><bookViews name='b'/></workbook>"
    titles = "<TitlesOfParts><lpstr>{}</lpstr></TitlesOfParts>"
    assert of((BOOK, book), (APP, app(titles.format("a")))) == []
    assert of((BOOK, book), (APP, app(titles.format("b")))) == [foreign.PROPERTIES]


@pytest.mark.parametrize(
    ("used", "phrases"), [("0", []), ("1", [foreign.UNUSED]), ("00", [foreign.DIGITS, foreign.UNUSED])]
)
def test_every_shared_text_is_used_by_its_number(used: str, phrases: list[str]) -> None:
    assert of((SHEET, cell(f"<v>{used}</v>", "t='s'")), (SHARED, "<sst><si><t>a</t></si></sst>")) == phrases


def test_without_a_sheet_no_text_is_used() -> None:
    result = io.BytesIO()
    with zipfile.ZipFile(result, "w") as packed:
        packed.writestr(zipfile.ZipInfo(SHARED), "<sst><si><t>a</t></si></sst>")
    with zipfile.ZipFile(result) as packed:
        assert list(hidden_in_foreign_xlsx(result.getvalue(), packed)) == [foreign.OTHERS, foreign.UNUSED]
