"""Files that are not UTF-8: the encoding is found where the letters are those of a language, and asked otherwise."""

from __future__ import annotations

import codecs
import random
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import ParameterError, TableError
from shoal.tables import ReadOptions, read, read_back, write_file
from shoal.tables.encodings import CANDIDATES, WRITABLE, canonical, guess, is_utf8

WORDS = {
    "german": "München Köln Nürnberg Gießen Jürgen Schröder weiblich männlich Übergewicht Straße größer",
    "french": "Orléans Besançon Nîmes Évreux Mâcon Hélène François féminin masculin fièvre été cœur Lyon Noël",
    "spanish": "Málaga Cádiz Coruña Ávila Peña Muñoz García niño señora corazón Sevilla hígado riñón",
    "swedish": "Malmö Göteborg Västerås Örebro Linköping Håkan Åsa Sjöberg kvinna hjärta Uppsala",
    "danish": "København Århus Ålborg Ærø Søren Jørgensen Kjær mand kvinde Sønderborg Næstved",
    "polish": "Łódź Kraków Gdańsk Wrocław Częstochowa Wałęsa Żółkiewski kobieta mężczyzna Świętokrzyskie",
    "czech": "Plzeň Ústí Jičín Dvořák Novák Černý Růžička žena muž nádor Praha Říčany Třebíč Žďár",
    "hungarian": "Győr Székesfehérvár Érd Kőszeg Erdős Szűcs férfi nő szív Budapest Gyöngyös",
    "russian": "Москва Петербург Казань Иванов Сидорова мужской женский грипп сердце Уфа",
    "chinese": "北京 上海 广州 深圳 成都 王伟 张敏 男 女 感冒 糖尿病 高血压 重庆 天津",
    "japanese": "東京 大阪 京都 名古屋 札幌 佐藤 鈴木 高橋 男 女 風邪 糖尿病 高血圧 トウキョウ ひろしま",
}
WRITTEN = [
    ("german", "cp1252"), ("german", "latin-1"), ("german", "iso8859-15"), ("german", "cp850"),
    ("german", "mac-roman"),
    ("french", "cp1252"), ("spanish", "latin-1"), ("swedish", "cp1252"), ("danish", "latin-1"),
    ("polish", "cp1250"), ("polish", "iso8859-2"), ("czech", "cp1250"), ("czech", "iso8859-2"),
    ("hungarian", "cp1250"),
    ("russian", "cp1251"), ("russian", "koi8-r"), ("chinese", "gb18030"), ("japanese", "shift_jis"),
    ("japanese", "cp932"),
]  # fmt: skip


def table(language: str, n_rows: int = 60, seed: int = 0) -> str:
    rng = random.Random(seed)
    words = WORDS[language].split()
    rows = [f"{row};{rng.choice(words)};{rng.choice(['yes', 'no'])}" for row in range(n_rows)]
    return f"id;{words[0]};answer\n" + "\n".join(rows) + "\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("language", WORDS)
def test_unicode_is_read_with_and_without_its_mark(tmp_path: Path, language: str, encoding: str) -> None:
    (tmp_path / "x.csv").write_bytes(table(language).encode(encoding))
    found = read(tmp_path / "x.csv")
    assert found.columns == ["id", WORDS[language].split()[0], "answer"]
    assert found.frame[found.columns[1]].to_list() == [
        line.split(";")[1] for line in table(language).splitlines()[1:]
    ]
    assert found.origin.dialect is not None
    assert found.origin.dialect.encoding == ("utf-8" if encoding.startswith("utf-8") else "utf-16")


@pytest.mark.parametrize(("language", "encoding"), WRITTEN)
def test_the_encoding_is_found_by_the_letters_and_said(tmp_path: Path, language: str, encoding: str) -> None:
    text = table(language)
    (tmp_path / "x.csv").write_bytes(text.encode(encoding))
    found = read(tmp_path / "x.csv")
    assert found.columns == ["id", WORDS[language].split()[0], "answer"]
    assert found.frame[found.columns[1]].to_list() == [line.split(";")[1] for line in text.splitlines()[1:]]
    assert found.origin.dialect is not None
    assert text.encode(found.origin.dialect.encoding) == text.encode(encoding)
    assert [note for note in found.notes if note.startswith("read as ")]


@pytest.mark.parametrize("encoding", ["cp1252", "cp1250", "gb18030", "utf-16"])
def test_an_encoding_that_is_asked_for_is_taken(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "x.csv").write_bytes(table("german").encode(encoding))
    found = read(tmp_path / "x.csv", ReadOptions(encoding=encoding))
    assert found.columns[1] == "München"
    assert not found.notes


def test_an_encoding_asked_for_of_a_file_in_utf8_is_remarked_on(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(table("german").encode())
    assert "it is valid UTF-8" in read(tmp_path / "x.csv", ReadOptions(encoding="cp1252")).notes[0]


def test_a_fault_in_utf8_is_not_taken_for_another_encoding(tmp_path: Path) -> None:
    data = table("german").encode()
    (tmp_path / "x.csv").write_bytes(data[:40] + b"\xfc" + data[40:])
    with pytest.raises(TableError, match="is not UTF-8 at byte 40"):
        read(tmp_path / "x.csv")


@pytest.mark.parametrize(
    "data", [b"a,b\n1,\x81\x8d\x8f\n" * 9, b"a,b\n1,\x98\x9d\x90\x81\xff\n" * 9, b"a,b\n\x00\x01,2\n" * 9]
)
def test_bytes_that_are_no_text_are_refused_with_the_way_out(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x.csv").write_bytes(data)
    with pytest.raises(TableError) as raised:
        read(tmp_path / "x.csv")
    assert "encoding" in str(raised.value.hint)


def test_two_encodings_that_fit_alike_are_asked_about(tmp_path: Path) -> None:
    """Korean in cp949 is Chinese in gb18030, by letters that are as frequent."""
    (tmp_path / "x.csv").write_bytes("a,b\n1,서울 부산 대구\n2,강남 나라 다리\n".encode("cp949"))
    with pytest.raises(TableError, match=r"is not certain: .*gb18030") as raised:
        read(tmp_path / "x.csv")
    assert "--encoding" in str(raised.value.hint)


@pytest.mark.parametrize("name", ["rot13", "base64", "hex", "zip", "no-such"])
def test_what_encodes_no_text_is_refused(name: str) -> None:
    with pytest.raises(ParameterError, match="not known"):
        ReadOptions(encoding=name)


@given(st.binary(max_size=200).map(lambda data: b"a,b\n1," + data + b"\xe9\n"))
def test_a_guess_never_loses_a_byte(data: bytes) -> None:
    for encoding in guess(data)[:1]:
        assert data.decode(encoding).encode(encoding) == data


def test_every_encoding_that_is_guessed_can_be_written_and_is_called_as_python_calls_it() -> None:
    assert {candidate.name for candidate in CANDIDATES} <= WRITABLE
    for name in WRITABLE:
        assert canonical(name) == name
        assert name == "utf-16" or codecs.encode("a,1;\n\t|\"'", name) == b"a,1;\n\t|\"'"


def test_a_cell_that_holds_nul_does_not_make_a_file_utf16(tmp_path: Path) -> None:
    """NUL before a line end reads as a line end of UTF-16."""
    for other in ("x", "xy"):  # in one of the two files NUL and the line end are two bytes of one character
        rows = pl.DataFrame({"a": ["1", "2"], "c": [other, "\0"]})
        file = tmp_path / "again.csv"
        file.unlink(missing_ok=True)
        write_file(rows, file)
        assert read_back(file).equals(rows)


VALID = ("a", "å", "€", "😀", "\0", "\ufffd")
BROKEN = (b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80", b"\xe0\x80\x80", b"\xff", b"\x80", b"\xe2\x82")
PIECES = st.lists(st.sampled_from([*map(str.encode, VALID), *BROKEN])).map(b"".join)


@given(data=st.binary(max_size=12) | PIECES)
def test_bytes_are_utf8_if_python_can_decode_them(data: bytes) -> None:
    """Of half a pair of surrogates, overlong forms and characters beyond Unicode too."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        assert not is_utf8(data)
    else:
        assert is_utf8(data)
