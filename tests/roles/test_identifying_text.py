"""Text is not a label: identifiers inside cells, names of people and free text, and labels that must not be taken for
them.
"""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from shoal.roles.column_profile import ColumnProfile, profile_column


def found(values: list[str | None], name: str = "x7") -> ColumnProfile:
    return profile_column(pl.Series(name, values, dtype=pl.String))[0]


def among_labels(cell: str, n_rows: int = 10_000) -> ColumnProfile:
    """The profile of a column of labels of which one cell is `cell`."""
    return found([*["stable", "better", "worse", "unchanged"] * (n_rows // 4), cell])


INSIDE = [
    ("reach her at jane.doe@example.org please", "e-mail address"),
    ("jane.doe@example.org", "e-mail address"),
    ("jane (at) example.org", "e-mail address"),
    ("writes as @janedoe", "user name"),
    ("see https://example.org/jane", "web address"),
    ("www.jane-doe.example.org", "web address"),
    ("logged in from 10.20.30.40", "IP address"),
    ("fe80:0:0:1::7", "IP address"),
    ("device 00:1A:2b:3C:4d:5E", "device address (MAC)"),
    ("pt stable, call 555-1234", "telephone number"),
    ("Rückruf unter 4711 88", "telephone number"),
    ("Tel. 030 1234567", "telephone number"),
    ("+49 171 2345678", "telephone number"),
    ("mother: 0049 30 1234567", "telephone number"),
    ("(415) 555-1234", "telephone number"),
    ("415.555.1234", "telephone number"),
    ("089/123456", "telephone number"),
    ("06 12 34 56 78", "telephone number"),
    ("06.12.34.56.78", "telephone number"),
    ("020 7946 0958", "telephone number"),
    ("08-123 456 78", "telephone number"),
    ("03-1234-5678", "telephone number"),
    ("8 (916) 123-45-67", "telephone number"),
    ("(11) 91234-5678", "telephone number"),
    ("联系13912345678", "telephone number"),
    ("هاتف 0501234567", "telephone number"),
    ("536-22-8726", "US social security number"),
    ("GB82 WEST 1234 5698 7654 32", "bank account (IBAN)"),
    ("paid from DE89370400440532013000 today", "bank account (IBAN)"),
    ("4111 1111 1111 1111", "payment card number"),
    ("AB 12 34 56 C", "UK insurance number"),
    ("is 943 476 5919", "NHS number"),
    ("CPF 111.444.777-35", "Brazilian CPF"),
    ("85.07.30-033.28", "Belgian national number"),
    ("756.9217.0769.85", "Swiss insurance number"),
    ("900101-1234567", "Korean resident number"),
    ("11010519491231002X", "Chinese identity number"),
    ("811218-9876", "Swedish personal number"),
    ("131052-308T", "Finnish identity code"),
    ("DNI 12345678Z", "Spanish identity number"),
    ("710319/2745", "Czech or Slovak birth number"),
    ("A123456780", "German health insurance number"),
    ("15 070649 C 103", "German pension number"),
    ("86 095 742 719", "German tax number"),
    ("2 55 08 14 168 025 38", "French security number"),
    ("S1234567D", "Singapore identity number"),
    ("RSSMRA85T10A562S", "Italian tax code"),
    ("Hauptstraße 5", "street address"),
    ("lives at 5 Main St", "street address"),
    ("44 Elm Tree Lane", "street address"),
    ("12 rue de la Paix", "street address"),
    ("Calle Mayor, 12", "street address"),
    ("Via Garibaldi 12", "street address"),
    ("ul. Długa 7", "street address"),
    ("Keizersgracht 100", "street address"),
    ("ул. Ленина, д. 5", "street address"),
    ("南京路100号", "street address"),
    ("MRN: 0012345", "record number"),
    ("Kennzeichen B-XY 1234", "vehicle identifier or plate"),
    ("spoke with Mrs. Wrobel", "name of a person"),
    ("Frau Dr. Ypsilanti war da", "name of a person"),
    ("seen by Hans Müller", "name of a person"),
    ("Garcia, Maria", "name of a person"),
    ("принял Сергей Петрович", "name of a person"),
    ("ref 4155551234 of them", "long number"),
    ("86095742719", "long number"),
]


@pytest.mark.parametrize(("cell", "what"), INSIDE)
def test_one_cell_of_ten_thousand_makes_the_column_an_identifier(cell: str, what: str) -> None:
    column = among_labels(cell)
    assert (column.role, column.what) == ("identifier", what)
    assert "inside 1 of 10001 cells (1 of 5 different values)" in column.reason
    assert cell not in column.reason


def test_the_reason_counts_cells_and_names_other_kinds() -> None:
    cells = ["ok", "bad"] * 10 + ["a@example.org"] * 3 + ["b@example.org", "call 555-1234", None]
    column = found([*cells])
    assert "inside 4 of 25 cells (2 of 5 different values); also telephone number" in column.reason


def test_line_breaks_do_not_hide_an_identifier() -> None:
    assert among_labels("call\n030\t1234567").what == "telephone number"


@pytest.mark.parametrize("dtype", [pl.Categorical, pl.Enum(["ok", "call 555-1234"])])
def test_categories_are_searched_like_text(dtype: pl.DataType) -> None:
    values = pl.Series("x7", ["ok"] * 30 + ["call 555-1234"], dtype=dtype)
    assert profile_column(values)[0].role == "identifier"


def test_a_number_that_passes_a_check_by_chance_among_other_codes_proves_nothing() -> None:
    codes = [f"A{n}" for n in range(123456000, 123456040)]  # one in ten has the check digit of an insurance number
    assert found(codes * 5).what == "code of somebody or something"


NAMES = {
    "German": ["Müller, Hans", "Schmidt, Petra", "Yildirim, Cem", "Ostrowski, Jan", "Bauer, Sabine"],
    "English": ["Mary Smith", "John Okafor", "Karen Jones", "Liam Byrne", "Emily Zhou", "Peter Brown"],
    "capitals": ["SMITH MARY", "OKAFOR JOHN", "JONES KAREN", "BYRNE LIAM"],
    "French": ["Jean-Luc Moreau", "Camille Petit", "Sophie Leroy", "Hugo Garnier", "Inès Faure"],
    "Spanish": ["José García López", "Lucía Fernández", "Carmen Ruiz Soto", "Iker Etxeberria"],
    "Italian": ["Giulia Rossi", "Marco Bianchi", "Paola Esposito", "Enzo Sartori"],
    "Polish": ["Katarzyna Nowak", "Piotr Zając", "Paweł Kowalski", "Zofia Bąk"],
    "Dutch": ["Jeroen de Vries", "Sanne van den Berg", "Daan Bakker", "Lotte Kuipers"],
    "Turkish": ["Mehmet Yılmaz", "Ayşe Demir", "Elif Koç", "Mustafa Şahin"],
    "Russian": ["Иванов Пётр", "Смирнова Анна", "Гагарин Юрий", "Петрова Ольга"],
    "Arabic": ["محمد حسن", "فاطمة علي", "أحمد منصور", "زينب خالد"],
    "Chinese": ["王小明", "李娜", "张伟", "刘洋", "陈静", "杨帆"],
    "Japanese": ["佐藤健", "鈴木一郎", "高橋さくら", "田中実", "渡辺直美"],
    "Korean": ["김민준", "이서연", "박지훈", "최수아", "정예은", "강도윤"],
    "initials": ["Applegarth, C.", "Braithwaite, B.", "Zyla, M. J.", "Ócsai, P.", "Okon, U."],
    "pairs": [
        f"{a} {b}"
        for a in ["Ulla", "Orla", "Tove", "Runa", "Signe", "Embla", "Hedda", "Ylva"]
        for b in ["Applegarth", "Quillan", "Zyla", "Wrobel", "Ocsai", "Nkemelu", "Tuominen", "Brask"]
    ],
    "given names": ["Anna", "Hans", "Peter", "Uwe", "Silke", "Cem", "Ludmilla", "Karin"],
    "family names": ["Schmidt", "Meyer", "Wagner", "Okonkwo", "Becker", "Hoffmann", "Zyla"],
}


@pytest.mark.parametrize("language", NAMES)
def test_names_are_recognized_in_a_column_whose_name_says_nothing(language: str) -> None:
    column = found(NAMES[language] * 20)
    assert (column.role, column.what, column.safe_harbor) == ("identifier", "name of a person", "A")
    assert not [cell for cell in NAMES[language] if cell in column.reason]


@pytest.mark.parametrize("name", ["patient", "agent", "Kunde", "doctor"])
def test_a_column_called_by_a_person_holds_names_where_its_values_have_two_words(name: str) -> None:
    assert found(["Ulla Brask", "Orla Quillan", "Tove Zyla"] * 20, name).what == "name of a person"
    assert found(["yes", "no"] * 20, name).role == "quasi"


def test_a_few_frequent_names_among_many_rare_ones_are_enough() -> None:
    rng = np.random.default_rng(5)
    syllables = ["ba", "lo", "ri", "ku", "ne", "ta", "zo", "wi"]
    rare = ["".join(rng.choice(syllables, 3)).title() + "wicz" for _ in range(200)]
    people = [
        f"{given} {name}" for given, name in zip(["Jadzia", "Anna", "Bożena", "Tola", "Ida"] * 40, rare, strict=True)
    ]
    assert found(people * 3).what == "name of a person"


SENTENCES = [
    "pt came in with cough, sent home",
    "wants a second opinion",
    "allergic to nuts according to wife",
    "no show twice, letter sent",
    "fell at work and broke a wrist",
    "husband asks for a report",
    "moved here last year from the coast",
]


def notes(n_rows: int, seed: int = 1) -> list[str]:
    """Notes that are all different."""
    rng = np.random.default_rng(seed)
    words = [
        "pt",
        "seen",
        "today",
        "came",
        "with",
        "cough",
        "wife",
        "asks",
        "letter",
        "sent",
        "home",
        "better",
        "review",
    ]
    return [
        " ".join(rng.choice(words, int(rng.integers(3, 9)))) + f" {chr(97 + at % 26)}{at}" for at in range(n_rows)
    ]


FREE = {
    "sentences": SENTENCES,
    "short notes": ["pt stable today", "back on monday", "asks for nurse", "very tired now", "sleeps at day"],
    "none and ok with a few notes": ["none"] * 4_000 + ["ok"] * 3_000 + SENTENCES,
    "one long sentence": ["none"] * 900 + ["she said that he hit her again and that nobody must know"],
    "notes that repeat a little": notes(300) + notes(60) * 2 + ["none"] * 400,
    "Chinese": [
        "病人昨天晚上开始咳嗽发烧",
        "丈夫要求写一份详细的报告",
        "对花生过敏需要特别注意饮食",
        "上周搬到这里工作不太适应",
        "摔倒后手腕骨折已经打石膏了",
    ],
    "Japanese": [
        "昨日から咳と熱があると訴えている",
        "妻が報告書を求めている",
        "ナッツにアレルギーがあるそうです",
        "先週ここに引っ越してきたばかり",
        "職場で転んで手首を骨折した",
    ],
    "Thai": [
        "ผู้ป่วยมีอาการไอตั้งแต่เมื่อวาน",
        "ภรรยาขอรายงานผลการตรวจ",
        "แพ้ถั่วตามที่ภรรยาบอก",
        "ย้ายมาที่นี่เมื่อปีที่แล้ว",
        "ล้มที่ทำงานและข้อมือหัก",
    ],
    "Arabic": [
        "المريض يسعل منذ أمس",
        "الزوجة تطلب تقريرا مفصلا",
        "لديه حساسية من المكسرات",
        "انتقل إلى هنا العام الماضي",
        "سقط في العمل وكسر معصمه",
    ],
    "Russian without blanks": [
        "больнойкашляетсовчерашнегодня",
        "женапросилаподробныйотчёт",
        "аллергиянаорехисословжены",
        "переехалсюдавпрошломгоду",
        "упалнаработеисломалзапястье",
    ],
}


@pytest.mark.parametrize("case", FREE)
def test_free_text_is_an_identifier(case: str) -> None:
    column = found(list(FREE[case]))
    assert (column.role, column.what) == ("identifier", "free text")


@pytest.mark.parametrize("name", ["notes", "Bemerkung", "comments", "Befund", "observaciones", "备注", "remarques"])
def test_columns_called_notes_are_free_text_where_their_values_have_words(name: str) -> None:
    assert found(["call back", "ask wife", "letter sent", "none"] * 25, name).what == "free text"
    assert found(["yes", "no", "ok"] * 25, name).role == "quasi"


LABELS = {
    "education": [
        "Some college, no degree",
        "High school graduate, diploma",
        "Bachelor's degree",
        "7th and 8th grade",
        "Associate degree, occupational program",
        "Less than 1st grade",
        "Doctorate degree(PhD EdD)",
        "Master's degree",
    ],
    "occupation": [
        "Exec-managerial",
        "Prof-specialty",
        "Craft-repair",
        "Adm-clerical",
        "Machine-op-inspct",
        "Priv-house-serv",
        "Handlers-cleaners",
        "Protective-serv",
        "Armed-Forces",
        "Tech-support",
        "Farming-fishing",
        "Other-service",
    ],
    "marital": ["Married-civ-spouse", "Never-married", "Divorced", "Widowed", "Separated", "Married, spouse absent"],
    "race": ["White", "Black", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other"],
    "icd": ["J45.0", "I10", "E11.9", "F32.1", "C50.911", "Z00.00", "S72.001A", "O80", "R05", "K21.9"],
    "icd words": [
        "Type 2 diabetes mellitus without complications",
        "Essential (primary) hypertension",
        "Cough",
        "Major depressive disorder, single episode, unspecified",
        "Low back pain",
        "Asthma, uncomplicated",
    ],
    "departments": [
        "Emergency Medicine",
        "Internal Medicine",
        "Intensive Care Unit",
        "Ear, Nose and Throat",
        "Surgery",
        "Radiology",
        "Human Resources",
        "Sales & Marketing",
        "Research and Development",
        "Station 5",
        "Ward 12B",
    ],
    "cities": [
        "San Francisco",
        "New York",
        "Los Angeles",
        "Charlotte",
        "Austin",
        "San Antonio",
        "St. Louis",
        "Houston",
        "Jackson",
        "Portland",
        "San Jose",
        "Boston",
        "Denver",
        "Santa Fe",
        "Fort Worth",
        "El Paso",
        "Salt Lake City",
    ],
    "German cities": ["Berlin", "Hamburg", "München", "Köln", "Bad Homburg", "Frankfurt am Main", "Sankt Augustin"],
    "city and state": ["Austin, TX", "Boston, MA", "Denver, CO", "Salem, OR", "Miami, FL", "Reno, NV"],
    "countries": [
        "United-States",
        "Mexico",
        "Germany",
        "Jordan",
        "Georgia",
        "Chad",
        "Trinadad&Tobago",
        "South Korea",
    ],
    "states": ["Virginia", "North Carolina", "Georgia", "New York", "Washington", "Maryland", "Texas", "Ohio"],
    "products": [
        "Galaxy S21 Ultra 5G",
        "iPhone 13 Pro",
        "ThinkPad X1 Carbon",
        "Ibuprofen 400 mg",
        "Aspirin 100",
        "Mercedes C 200",
        "4 Wheel Drive",
        "Boeing 737-800",
        "A320-200",
        "Windows 10 Pro",
    ],
    "income": [
        "<=50K",
        ">50K",
        "$50,000 to $74,999",
        "100000-149999",
        "10.000-20.000",
        "> 100.000 EUR",
        "500001-1000000",
    ],
    "ages": ["0-4 years", "5-9 years", "10-14 years", "85+", "under 18", "100-1000"],
    "dates": ["31.12.1999", "01.02.2020", "05.11.1987", "17.08.1984", "09.09.1999"],
    "dates with dashes": ["31-12-1999", "01-02-2020", "05-11-1987", "17-08-1984", "09-09-1999"],
    "times": ["08:00-16:00", "09-17 19-21", "12:30:00", "24/7", "Mon 08-12"],
    "years": ["2019-2020", "2020/21", "Q1 2024", "2020-W05", "1990s", "2010 - 2015"],
    "amounts": ["1.234.567,89", "123 456", "1,000,000+", "12,5 %", "3 km", "250 mg/dl"],
    "grades": ["T2N1M0", "ASA III", "H1N1", "COVID-19", "B-12", "EU-27", "ISO 9001:2015", "Ph.D."],
    "zip plus four": ["02139-4307", "94110-1234", "94117-0001"],
    "NACE": ["01.11", "47.73", "62.01", "A01.1.2", "3.4.21.4", "C 10.8.2"],
    "admission": [
        "Dr. Referral",
        "Clinic Referral",
        "Transfer from hospital",
        "Emergency Room",
        "Court/Law Enforcement",
    ],
    "survey": ["Strongly agree", "Agree", "Neither agree nor disagree", "Disagree", "Don't know / refused"],
    "days in words": ["01 Aug 2023", "02 Dec 2023", "17. Mai 1999", "March 3, 2020", "4 Jul 2021"],
    "two words": ["Human Resources", "Customer Service", "Quality Assurance", "Public Relations", "General Surgery"],
    "yes and no": ["yes", "no", "unknown"],
    "drugs": ["Metformin", "Insulin glargine", "Lisinopril", "Atorvastatin calcium", "Amoxicillin/clavulanic acid"],
    "colors": ["light green", "dark blue", "Rose", "Violet", "white", "black", "amber"],
    "cars": ["Toyota", "Volkswagen", "Peugeot", "Škoda", "Chevrolet", "Mercedes-Benz", "Citroën"],
    "religions": ["Roman Catholic", "Protestant", "Muslim", "Jewish", "none", "Orthodox"],
    "Chinese labels": ["内科", "外科", "儿科", "妇产科", "急诊科", "神经内科", "骨科"],
    "Chinese cities": ["北京", "上海", "广州", "深圳", "成都", "杭州", "武汉", "西安"],
    "Russian labels": ["женат", "холост", "разведён", "вдовец", "не указано"],
    "Russian cities": ["Москва", "Саратов", "Омск", "Казань", "Псков", "Пермь", "Уфа", "Тула"],
    "Arabic labels": ["متزوج", "أعزب", "مطلق", "أرمل"],
    "Korean labels": ["기혼", "미혼", "이혼", "사별", "정형외과", "내과", "서울특별시"],
}


@pytest.mark.parametrize("case", LABELS)
def test_ordinary_labels_are_not_taken_for_text(case: str) -> None:
    """Every label occurs in several rows, with frequencies that differ; in one row of many, a label stays a label."""
    cells = [label for at, label in enumerate(LABELS[case]) for _ in range(3 + 40 // (1 + at))]
    column = found(cells, "category")  # under a heading that is not known, more has to be shown: `shown_categories`
    assert (column.role, column.what) in (
        ("quasi", None),
        ("quasi", "postal code"),
        ("quasi", "date"),
        ("identifier", "dates"),
    ), column.reason


def test_labels_of_which_some_occur_once_are_labels() -> None:
    rng = np.random.default_rng(3)
    titles = [f"{a} {b} {c}" for a in ("Senior", "Junior", "Lead") for b in ("sales", "office", "plant") for c in
              ("clerk of accounts", "manager for projects", "worker in services", "driver of trucks")]  # fmt: skip
    chosen = [titles[at] for at in np.minimum(rng.geometric(0.12, 400) - 1, len(titles) - 1)]
    assert min(chosen.count(title) for title in set(chosen)) == 1
    assert found(chosen).role == "quasi"


def test_a_column_called_city_may_be_called_after_people() -> None:
    places = ["Charlotte", "Jackson", "Austin", "Victoria", "Sofia", "Florence"]
    assert found(places * 10, "city").role == "quasi"
    assert found([*places * 10, "call 555-1234"], "city").role == "identifier"


def test_text_in_a_column_of_diagnoses_is_not_published_for_its_name() -> None:
    column = found(["asthma"] * 300 + ["asthma, call 555-1234"], "diagnosis")
    assert (column.role, column.what) == ("identifier", "telephone number")


def test_more_national_numbers_are_recognized_as_whole_columns() -> None:
    from shoal.roles import check_digits as checksums
    from tests.roles.test_known_identifiers import digits, what

    assert what("x7", digits(checksums.turkish_identity, 11, first="1")) == "Turkish identity number"
    assert what("x7", digits(checksums.austrian_insured, 10, first="1237")) != "row number"
    assert what("x7", [f"{n[:6]}/{n[6:]}" for n in digits(checksums.czech_birth, 10, first="710319")]) == (
        "Czech or Slovak birth number"
    )
    assert what("x7", digits(checksums.romanian_cnp, 13, first="1850712")) == "Romanian CNP"
    assert what("x7", [f"010285-{n:04}" for n in range(1000, 1030)]) == "Danish CPR number"
    assert what("x7", [f"900101-1{n:06}" for n in range(30)]) == "Korean resident number"
    assert what("x7", [f"AB{n:06}C" for n in range(123400, 123430)]) == "UK insurance number"
    assert what("x7", ["B-XY 12", "M-A 7", "HH-AB 1234", "K-OL 55", "S-X 9"]) == "vehicle identifier or plate"
    assert what("login", ["jdoe", "asmith", "kweiss2"] * 9) == "user name"
    assert what("x7", ["anna.schmidt", "j.doe", "cem.kaya2", "li.na", "o.byrne"] * 9) == "user name"
