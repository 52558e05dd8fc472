"""A third round of strangers' tables, in other scripts and countries: truth first, then the proposal."""

from __future__ import annotations

from tests.corpus.draw import Draw, with_comma, written
from tests.corpus.registry import corpus_table
from tests.corpus.truth import EITHER, Truth, code, count, date, identifier, label, note, number, scale, year


@corpus_table(rows=220, encoding="utf-8-sig", line_end="\r\n")
def korean_roster(draw: Draw) -> dict[str, Truth]:
    """Staff of a Korean company: resident numbers, ranks, dates with points, pay in units of 10,000 won."""
    family, given = "김이박최정강윤임한오", ["서연", "민준", "지우", "도윤", "하은", "예준", "수빈", "영철"]

    def resident() -> str:
        born = f"{draw.randint(60, 99)}{draw.randint(1, 12):02d}{draw.randint(1, 28):02d}"
        return f"{born}-{draw.choice('12')}{draw.randint(10**5, 10**6 - 1)}"

    return {
        "사번": identifier([f"E{value}" for value in draw.digits(5)]),
        "이름": identifier(draw.cells(lambda: draw.choice(family) + draw.choice(given)), repeats=True),
        "주민등록번호": identifier(draw.cells(resident)),
        "부서": label(draw.of(["영업팀", "개발팀", "인사팀", "재무팀"])),
        "직급": scale(draw.of(["사원", "대리", "과장", "차장", "부장"])),
        "입사일": date(written(draw.days("1998-01-01", "2023-12-31"), "%Y.%m.%d"), "%Y.%m.%d"),
        "연봉(만원)": number(
            [f"{int(float(v)):,}" for v in draw.around(5200, 1500, 2600, 14_000)], EITHER, format="5,200"
        ),
        "휴대폰": identifier(draw.cells(lambda: f"010-{draw.randint(2000, 9999)}-{draw.randint(1000, 9999)}")),
        "혈액형": label(draw.of(["A", "B", "O", "AB"]), EITHER),
        "주소": identifier(draw.cells(lambda: f"서울특별시 마포구 월드컵로 {draw.randint(1, 400)}")),
        "비고": note(
            draw.with_missing(draw.of(["육아휴직 중", "배우자 박영철 부장", "노조 전임"]), 0.6), ("배우자 박영철",)
        ),
    }


@corpus_table(rows=220)
def thai_outpatients(draw: Draw) -> dict[str, Truth]:
    """Outpatients of a Thai hospital: hospital numbers, names with titles, years of the Buddhist era."""
    given = ["สมชาย", "มาลี", "ประเสริฐ", "วันเพ็ญ", "กิตติศักดิ์"]
    family = ["แก้วมณี", "ศรีสุวรรณ", "บุญเรือง", "ทองดี"]
    born = draw.days("1945-01-01", "2010-12-31")
    return {
        "HN": identifier([f"{value}/66" for value in draw.digits(5)]),
        "ชื่อ-สกุล": identifier(
            draw.cells(lambda: f"{draw.choice(['นาย', 'นาง', 'น.ส.'])}{draw.choice(given)} {draw.choice(family)}"),
            repeats=True,
        ),
        "เลขประจำตัวประชาชน": identifier(
            draw.cells(lambda: f"{draw.randint(1, 8)}{draw.randint(10**11, 10**12 - 1)}")
        ),
        "เพศ": label(draw.of(["หญิง", "ชาย"], [1, 1])),
        "วันเกิด": Truth(
            [f"{one.day:02d}/{one.month:02d}/{one.year + 543}" for one in born],
            frozenset({"date"}),
            frozenset({"quasi", "identifier"}),
        ),
        "สิทธิ": label(draw.of(["บัตรทอง", "ประกันสังคม", "ข้าราชการ"])),
        "โรค": code(draw.of(["I10", "E119", "J00", "K297"]), EITHER),
        "น้ำหนัก": number(draw.around(61, 11, 32, 130, 1), EITHER),
        "ค่าใช้จ่าย": number(
            [f"{float(v):,.2f}" for v in draw.around(1400, 900, 30, 9000, 2)], EITHER, format="1,400.00"
        ),
        "โทร": identifier(
            draw.cells(lambda: f"08{draw.randint(1, 9)}-{draw.randint(100, 999)}-{draw.randint(1000, 9999)}")
        ),
        "แพทย์": identifier(draw.even(["นพ.ประเสริฐ", "พญ.มาลี", "นพ.อนันต์"]), repeats=True),
    }


@corpus_table(rows=220, separator=";")
def arabic_clinic(draw: Draw) -> dict[str, Truth]:
    """A clinic's patients in Arabic: names of four parts, identity numbers, mobile numbers, diagnoses."""
    names = ["عبدالرحمن", "فاطمة", "خالد", "نورة", "سلمان", "هيا"]
    families = ["الشمري", "القحطاني", "الدوسري", "العتيبي"]
    return {
        "رقم الملف": identifier(draw.digits(6)),
        "الاسم": identifier(
            draw.cells(lambda: f"{draw.choice(names)} {draw.choice(names)} {draw.choice(families)}"), repeats=True
        ),
        "رقم الهوية": identifier([f"1{value}" for value in draw.digits(9)]),
        "الجنس": label(draw.of(["ذكر", "أنثى"], [1, 1])),
        "تاريخ الميلاد": date(written(draw.days("1950-01-01", "2015-12-31"), "%Y/%m/%d"), "%Y/%m/%d"),
        "المدينة": label(draw.of(["الرياض", "الخرج", "الدمام", "بريدة"])),
        "الجوال": identifier(draw.cells(lambda: f"05{draw.randint(10_000_000, 99_999_999)}")),
        "التشخيص": label(draw.of(["السكري", "ربو", "ارتفاع ضغط الدم"]), EITHER),
        "الوزن": number(draw.around(74, 14, 30, 160, 1), EITHER),
        "الطبيب المعالج": identifier(draw.even(["د. هيا الدوسري", "د. سلمان العتيبي"]), repeats=True),
        "ملاحظات": note(
            draw.with_missing(draw.of(["يراجع مع والده خالد", "حالة مستقرة", "رفض العلاج"]), 0.4), ("والده خالد",)
        ),
    }


@corpus_table(rows=240, separator=";", encoding="cp1251")
def ukrainian_staff(draw: Draw) -> dict[str, Truth]:
    """Staff of a Ukrainian plant: names with patronymics, passports, tax numbers, salaries in hryvnia."""
    family = ["Шевчук", "Бондаренко", "Ткач", "Лисенко", "Гайдамака", "Ярошенко"]
    given = ["Оксана", "Тарас", "Уляна", "Богдан", "Мирослава"]
    fathers = ["Петрівна", "Іванович", "Андріївна", "Степанович"]
    return {
        "Таб. №": identifier(draw.digits(4)),
        "ПІБ": identifier(
            draw.cells(lambda: f"{draw.choice(family)} {draw.choice(given)} {draw.choice(fathers)}"), repeats=True
        ),
        "Паспорт": identifier(
            draw.cells(lambda: f"{draw.choice(['КН', 'СО', 'МТ'])} {draw.randint(100_000, 999_999)}")
        ),
        "РНОКПП": identifier(draw.digits(10)),
        "Дата народження": date(written(draw.days("1955-01-01", "2004-12-31"), "%d.%m.%Y"), "%d.%m.%Y"),
        "Стать": label(draw.of(["ч", "ж"], [1, 1])),
        "Посада": label(draw.of(["слюсар", "майстер", "бухгалтер", "інженер"])),
        "Розряд": scale(draw.of([3, 4, 5, 6])),
        "Оклад": number(with_comma(draw.around(17_500, 4000, 8000, 42_000, 2)), EITHER, format="17500,00"),
        "Стаж": count(draw.whole(0, 40)),
        "Інвалідність": label(draw.with_missing(draw.of(["II гр.", "III гр."]), 0.9), EITHER),
        "Керівник": identifier(draw.even(["Ткач Б.С.", "Лисенко У.П."]), repeats=True),
    }


@corpus_table(rows=240, separator=";")
def indonesian_aid(draw: Draw) -> dict[str, Truth]:
    """Families who get aid in Indonesia: NIK and family card, hamlets, incomes in rupiah."""
    names = ["Sutrisno", "Wulandari", "Ngatiyem", "Bambang Hartono", "Siti Maimunah", "I Made Suarta"]
    return {
        "NIK": identifier(draw.cells(lambda: f"3{draw.randint(10**14, 10**15 - 1)}")),
        "No. KK": identifier(
            draw.repeated([f"3{draw.randint(10**14, 10**15 - 1)}" for _ in range(90)]), repeats=True
        ),
        "Nama": identifier(draw.even(names), repeats=True),
        "Tempat, Tgl Lahir": identifier([f"Bantul, {one:%d-%m-%Y}" for one in draw.days("1945-01-01", "2005-12-31")]),
        "L/P": label(draw.of(["L", "P"], [1, 1])),
        "RT/RW": Truth(
            draw.even(["03/07", "01/07", "02/05", "04/05"]),
            frozenset({"label", "hierarchy"}),
            frozenset({"quasi", "identifier"}),
        ),
        "Desa": label(draw.of(["Srigading", "Gadingsari", "Poncosari"])),
        "Pekerjaan": label(draw.of(["buruh tani", "pedagang", "IRT", "nelayan"])),
        "Penghasilan": number(
            [
                f"Rp {int(float(v)) // 1000 * 1000:,}".replace(",", ".")
                for v in draw.around(1_400_000, 600_000, 300_000, 5_000_000)
            ],
            EITHER,
            format="Rp 1.400.000",
        ),
        "Tanggungan": count(draw.whole(0, 7)),
        "Difabel": label(draw.of(["Tidak", "Ya"], [10, 1]), EITHER),
        "Ibu kandung": identifier(draw.even(["Ngatiyem", "Sumirah", "Ni Ketut Rai"]), repeats=True),
    }


@corpus_table(rows=220)
def hebrew_students(draw: Draw) -> dict[str, Truth]:
    """Students of an Israeli college in Hebrew: identity numbers, first and last names, marks."""
    return {
        "ת.ז.": identifier(draw.cells(lambda: f"{draw.randint(10**8, 4 * 10**8)}")),
        "שם פרטי": identifier(draw.even(["יעל", "אורי", "תמר", "איתן", "נועה"]), repeats=True),
        "שם משפחה": identifier(draw.even(["פרידמן", "אבוטבול", "שפירא", "בן דוד"]), repeats=True),
        "מגדר": label(draw.of(["נ", "ז"], [1, 1])),
        "שנת לידה": year(draw.whole(1975, 2004)),
        "עיר": label(draw.of(["חיפה", "באר שבע", "נתניה"])),
        "מגמה": label(draw.of(["סיעוד", "הנדסה", "חינוך"])),
        "ציון": number(draw.around(78, 10, 30, 100), EITHER),
        "טלפון": identifier(draw.cells(lambda: f"05{draw.randint(0, 8)}-{draw.randint(10**6, 10**7 - 1)}")),
        "התאמות": label(draw.of(["לא", "כן"], [6, 1]), EITHER),
        "הערות": note(
            draw.with_missing(draw.of(["לדבר עם אמא שלה, רבקה", "מילואים", "פטור משכר לימוד"]), 0.5),
            ("אמא שלה, רבקה",),
        ),
    }
