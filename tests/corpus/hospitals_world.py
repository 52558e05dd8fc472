"""Exports of Brazil, China and Japan, in the encodings that are usual there."""

from __future__ import annotations

from tests.corpus import numbers, people
from tests.corpus.draw import Draw, in_german, written
from tests.corpus.registry import corpus_table
from tests.corpus.truth import EITHER, SENSITIVE, Truth, code, date, identifier, label, note, number, scale


@corpus_table(rows=200, separator=";", encoding="latin-1")
def brazilian_health(draw: Draw) -> dict[str, Truth]:
    """Attendances of the public health service of Brazil."""
    raca = draw.with_missing(draw.of(["parda", "branca", "preta", "amarela"]), 0.05, "ignorado")
    return {
        "CPF": identifier(draw.cells(lambda: numbers.brazilian_cpf(draw))),
        "Nome": identifier(draw.cells(lambda: people.full(draw, "pt"))),
        "Data_Nascimento": date(written(draw.days("1935-01-01", "2018-12-31"), "%d/%m/%Y"), "%d/%m/%Y"),
        "Sexo": label(draw.of(["F", "M"])),
        "Raça_Cor": label(raca, EITHER, ("ignorado",)),
        "CEP": code(
            draw.cells(lambda: f"{draw.choice(['01310', '04094', '20040', '40010'])}-{draw.randint(0, 9):03d}")
        ),
        "Município": label(draw.of(["São Paulo", "Rio de Janeiro", "Salvador", "Curitiba"])),
        "Telefone": identifier(draw.cells(lambda: numbers.telephone(draw, "(11) 9####-####"))),
        "CID": code(draw.of(["A90", "B50", "E11", "I10", "J18", "O80", "Z34", "N39", "A15"]), SENSITIVE),
        "Renda": number(
            [in_german(float(c)) for c in draw.around(3100, 1500, 700, 11_900, 2)],
            EITHER,
            format="3.100,50",
        ),
    }


@corpus_table(rows=180, encoding="gb18030", line_end="\r\n")
def chinese_hospital(draw: Draw) -> dict[str, Truth]:
    """Inpatients of a hospital in China in the national encoding."""
    phrases = (
        "患者家属NAME联系电话PHONE，请随访",
        "由NAME医生转诊，建议住院观察",
        "无特殊情况，一周后复查",
        "夜间咳嗽加重，已告知家属NAME",
    )
    texts, planted = people.notes(draw, phrases, "zh", "138########")
    return {
        "住院号": identifier(draw.digits(8)),
        "姓名": identifier(draw.cells(lambda: people.full(draw, "zh"))),
        "身份证号": identifier(draw.cells(lambda: numbers.chinese_number(draw))),
        "性别": label(draw.of(["女", "男"])),
        "出生日期": date(written(draw.days("1940-01-01", "2012-12-31"), "%Y/%m/%d"), "%Y/%m/%d"),
        "入院日期": date(written(draw.days("2023-01-01", "2023-12-31"), "%Y年%m月%d日"), "%Y年%m月%d日"),
        "科室": label(draw.of(["内科", "外科", "儿科", "妇产科"])),
        "诊断": label(draw.of(["高血压", "糖尿病", "肺炎", "胃炎", "冠心病"]), SENSITIVE),
        "费用": number(draw.around(8200, 3100, 900, 29_000, 2), EITHER),
        "备注": note(texts, planted),
    }


@corpus_table(rows=180, encoding="shift_jis", line_end="\r\n")
def japanese_checkup(draw: Draw) -> dict[str, Truth]:
    """Health checks of employees in Japan, in the encoding of its spreadsheets."""
    return {
        "社員番号": identifier(draw.digits(6)),
        "氏名": identifier(draw.cells(lambda: people.full(draw, "ja"))),
        "マイナンバー": identifier(draw.cells(lambda: numbers.japanese_number(draw))),
        "性別": label(draw.of(["男", "女"])),
        "年齢": number(draw.whole(20, 64)),
        "健診日": date(written(draw.days("2023-04-01", "2023-11-30"), "%Y/%m/%d"), "%Y/%m/%d"),
        "身長": number(draw.around(164, 8, 142, 189, 1), EITHER),
        "体重": number(draw.around(61, 10, 39, 101, 1), EITHER),
        "判定": scale(draw.of(["A", "B", "C", "D"]), EITHER),
        "郵便番号": code(draw.even(["100-0001", "150-0002", "530-0001", "060-0001", "810-0001"])),
    }


@corpus_table(rows=160)
def japanese_survey(draw: Draw) -> dict[str, Truth]:
    """Answers to a survey in Japan: texts for the answers, 無回答 for none."""
    return {
        "回答者ID": identifier([f"R{row:05d}" for row in range(1, draw.n + 1)]),
        "都道府県": label(draw.of(["東京都", "大阪府", "北海道", "福岡県", "愛知県"])),
        "年代": scale(draw.of(["20代", "30代", "40代", "50代", "60代以上"])),
        "満足度": scale(
            draw.with_missing(draw.of(["満足", "やや満足", "普通", "不満"]), 0.05, "無回答"), EITHER, ("無回答",)
        ),
        "年収": number([f"{draw.randint(20, 110) * 10}万円" for _ in range(draw.n)], EITHER, format="450万円"),
        "電話": identifier(draw.cells(lambda: numbers.telephone(draw, "090-####-####"))),
        "住所": identifier(draw.cells(lambda: people.street(draw, "ja"))),
    }
