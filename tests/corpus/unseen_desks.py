"""A fifth round of strangers' tables, second part: desks and journals, in several languages."""

from __future__ import annotations

from tests.corpus.draw import Draw, with_comma, written
from tests.corpus.registry import corpus_table
from tests.corpus.truth import EITHER, Truth, code, count, date, identifier, label, note, number, rating, scale, year


@corpus_table(rows=230, separator=";")
def spanish_court_list(draw: Draw) -> dict[str, Truth]:
    """Cases of a Spanish court: parties, solicitors, the judge, sums, what was decided."""
    family = ["Ibarretxe", "Montalbán", "Quiroga", "Sanchís", "Utrilla"]
    return {
        "Nº Autos": identifier([f"{at + 117}/2023" for at in range(draw.n)]),
        "Demandante": identifier(
            draw.cells(lambda: f"{draw.choice(family)} {draw.choice(family)}, {draw.choice('ABCLM')}.")
        ),
        "Demandado": identifier(
            draw.cells(
                lambda: draw.choice([f"D. {draw.choice(family)}", "Aseguradora Levante S.A.", "Ayuntamiento"])
            ),
            repeats=True,
        ),
        "Procurador/a": identifier(draw.even(["Sra. Utrilla", "Sr. Pons", "Sra. Quiroga"]), repeats=True),
        "Ponente": identifier(draw.even(["MONTALBAN", "SANCHIS", "IBARRETXE"]), repeats=True),
        "Sala": label(draw.of(["1ª", "2ª", "3ª"])),
        "Materia": label(draw.of(["divorcio", "desahucio", "impago", "custodia"]), EITHER),
        "Señalamiento": date(written(draw.days("2023-01-10", "2023-12-20"), "%d/%m/%Y"), "%d/%m/%Y"),
        "Cuantía": number(
            [
                f"{float(v):,.2f}".translate(str.maketrans(",.", ".,"))
                for v in draw.around(9800, 6000, 300, 60_000, 2)
            ],
            EITHER,
            format="9.800,00",
        ),
        "Fallo": label(draw.of(["estimada", "desestimada", "archivo"]), EITHER),
        "Observaciones": note(
            draw.with_missing(draw.of(["comparece la madre, Rosario", "suspendida", "testigo: vecino del 3º"]), 0.5),
            ("la madre, Rosario",),
        ),
    }


@corpus_table(rows=230)
def customs_declarations(draw: Draw) -> dict[str, Truth]:
    """Parcels at customs: consignees, brokers, badges of officers, tariff codes, values."""
    return {
        "mrn": identifier(draw.cells(lambda: f"24DE{draw.randint(10**9, 10**10 - 1)}X{draw.randint(1, 9)}")),
        "consignee": identifier(
            draw.cells(lambda: f"{draw.choice(['J', 'R', 'K'])}. {draw.choice(['Abebe', 'Thorvald', 'Miyake'])}"),
            repeats=True,
        ),
        "broker": label(draw.of(["Kuehne+Nagel", "DSV", "self"]), ("quasi", "identifier", "person")),
        "officer": identifier(draw.even(["Z-4471", "Z-2087", "Z-9913"]), repeats=True),
        "released by": identifier(draw.even(["thd", "mwk", "sys"]), repeats=True),
        "hs": code(draw.of(["8517.12", "6109.10", "3304.99", "9503.00"])),
        "origin": label(draw.of(["CN", "US", "TR", "VN"])),
        "value": number([f"USD {v}" for v in draw.around(140, 90, 8, 900, 2)], EITHER, format="USD 140.00"),
        "duty": number(draw.around(21, 9, 0, 90, 2), EITHER),
        "arrived": date(
            [d.isoformat(sep=" ") for d in draw.moments("2024-01-01", "2024-04-30")], "%Y-%m-%d %H:%M:%S"
        ),
        "lane": label(draw.of(["green", "red", "yellow"])),
    }


@corpus_table(rows=240, separator=";", encoding="cp1250")
def polish_call_center(draw: Draw) -> dict[str, Truth]:
    """Calls of a Polish help desk: agents, team leaders, marks of the callers, notes."""
    return {
        "Nr zgłoszenia": identifier(draw.digits(8, "ZG/")),
        "Nr klienta": identifier(draw.even([str(v) for v in draw.sample(range(100_000, 999_999), 90)]), repeats=True),
        "Konsultant": identifier(draw.even(["Agnieszka W.", "Krystian", "Bożena P."]), repeats=True),
        "Lider zespołu": identifier(draw.even(["Dąbek", "Śliwa"]), repeats=True),
        "Przekazano do": identifier(
            draw.with_missing(draw.even(["Krystian", "II linia", "Marzena"]), 0.6), repeats=True
        ),
        "Data rozmowy": date(written(draw.days("2024-01-01", "2024-05-31"), "%d.%m.%Y"), "%d.%m.%Y"),
        "Czas (s)": number(draw.whole(15, 1900)),
        "Temat": label(draw.of(["faktura", "awaria", "rezygnacja", "inne"])),
        "Ocena": scale(draw.of([5, 4, 3, 2, 1]), EITHER),
        "Województwo": label(draw.of(["mazowieckie", "śląskie", "podlaskie"])),
        "Notatka": note(
            draw.with_missing(
                draw.of(["dzwoni syn, pan Rafał, tel. 601 222 333", "oddzwonić", "klientka płacze po śmierci męża"]),
                0.4,
            ),
            ("pan Rafał", "601 222 333"),
        ),
    }


@corpus_table(rows=240)
def fleet_telematics(draw: Draw) -> dict[str, Truth]:
    """Trips of company cars: who drives by tag and nickname, braking, speed, where it went."""
    return {
        "vehicle": identifier(
            draw.even([f"WVWZZZ1KZ{v}" for v in draw.sample(range(10**7, 10**8), 30)]), repeats=True
        ),
        "drivertag": identifier(draw.even([f"{v:08X}" for v in draw.sample(range(16**7, 16**8), 30)]), repeats=True),
        "assigned": identifier(draw.even(["big Steve", "Anneke", "pool", "Raj"]), repeats=True),
        "start": date([d.isoformat() for d in draw.moments("2024-02-01", "2024-03-31")], "%Y-%m-%dT%H:%M:%S"),
        "km": number(draw.around(42, 25, 1, 260, 1)),
        "vmax": number(draw.whole(42, 178)),
        "harsh": count(draw.of([0, 0, 1, 2, 5])),
        "idle_pct": number(draw.around(11, 6, 0, 60, 1)),
        "purpose": label(draw.of(["business", "private", "commute"])),
        "from": identifier(
            draw.cells(lambda: f"{draw.randint(1, 80)} {draw.choice(['Mill Lane', 'High St', 'Quay Rd'])}")
        ),
        "dispatcher": identifier(draw.even(["OK", "JL", "HB"]), repeats=True),
    }


@corpus_table(rows=200, separator="\t")
def family_tree(draw: Draw) -> dict[str, Truth]:
    """Ancestors of a German family: names, parents, places, the source of each line."""
    family = ["Brodersen", "Lassen", "Petersen", "Momsen"]
    given = ["Boy", "Antje", "Momme", "Keike", "Sönke", "Wiebke"]

    def person() -> str:
        return f"{draw.choice(given)} {draw.choice(family)}"

    return {
        "Nr": identifier([str(at + 1) for at in range(draw.n)]),
        "Person": identifier(draw.cells(person)),
        "V": identifier(draw.cells(person), repeats=True),
        "M": identifier(draw.cells(person), repeats=True),
        "oo mit": identifier(draw.with_missing(draw.cells(person), 0.3), repeats=True),
        "geb": year(draw.whole(1680, 1890)),
        "gest": year(draw.whole(1730, 1960)),
        "Ort": label(draw.of(["Oland", "Langeneß", "Gröde", "Hooge"])),
        "Stand": label(draw.of(["Seefahrer", "Bauer", "Magd", "Küster"])),
        "Kinder": count(draw.of([0, 2, 4, 6, 9])),
        "Quelle": identifier(draw.even(["Kirchenbuch", "Tante Frauke", "Nachlass Momsen"]), repeats=True),
    }


@corpus_table(rows=230)
def crm_export(draw: Draw) -> dict[str, Truth]:
    """Opportunities out of a CRM: owners, contacts, stages, amounts, the next step."""
    return {
        "Opportunity ID": identifier(draw.cells(lambda: f"0065g00000{draw.randint(10**7, 10**8 - 1):X}AAC")),
        "Owner": identifier(draw.even(["Bronwyn", "Casper Holt", "unassigned", "Deepa"]), repeats=True),
        "SDR": identifier(draw.even(["bh", "dp", "ch2"]), repeats=True),
        "Primary Contact": identifier(
            draw.cells(
                lambda: f"{draw.choice(['Ivo', 'Lena', 'Marcin'])} {draw.choice(['Draxl', 'Oyelaran', 'Sato'])}"
            ),
            repeats=True,
        ),
        "Lead Source": label(draw.of(["Web", "Referral", "Trade show", "Partner"])),
        "Stage": scale(draw.of(["Prospecting", "Qualified", "Proposal", "Closed Won", "Closed Lost"])),
        "Amount": number([f"${int(v):,}" for v in draw.whole(900, 240_000)], EITHER, format="$12,000"),
        "Probability": number([f"{v}%" for v in draw.even([10, 25, 50, 75, 90])], EITHER, format="50%"),
        "Close Date": date(written(draw.days("2024-01-01", "2024-12-31"), "%m/%d/%Y"), "%m/%d/%Y"),
        "Region": label(draw.of(["EMEA", "AMER", "APAC"])),
        "Next Step": note(
            draw.with_missing(draw.of(["Lena to send MSA", "demo w/ CFO Marcin", "ping again in Q3"]), 0.3),
            ("Lena to send", "CFO Marcin"),
        ),
    }


@corpus_table(rows=210, separator=";")
def hr_appraisals(draw: Draw) -> dict[str, Truth]:
    """Appraisals of a company: managers, mentors, ratings, goals in words, who saw it."""
    return {
        "PersNr": identifier(draw.digits(6)),
        "Appraiser": identifier(draw.even(["Hollenbeck", "Vandersteen", "Nakagawa"]), repeats=True),
        "Buddy": identifier(draw.even(["Jo", "Mattis", "Ines", "keiner"]), repeats=True),
        "2nd signature": identifier(draw.even(["hv", "kn", "br"]), repeats=True),
        "Grade": label(draw.of(["T4", "T5", "M1", "M2"])),
        "Tenure (y)": number(draw.around(6, 4, 0, 32, 1)),
        "Rating": scale(draw.of(["meets", "exceeds", "below"]), EITHER),
        "Potential": rating(draw.of([3, 4, 2, 5, 1])),
        "Bonus": number(with_comma(draw.around(3200, 1400, 0, 11_000, 2)), EITHER, format="3200,00"),
        "Flight risk": scale(draw.of(["low", "medium", "high"]), EITHER),
        "Goals": note(
            draw.of(["take over Mattis's clients", "finish MBA", "less conflict with Ines", "lead the Graz team"]),
            ("Mattis's", "with Ines"),
        ),
    }


@corpus_table(rows=220, separator="\t")
def lab_journal(draw: Draw) -> dict[str, Truth]:
    """Runs of a laboratory: donors, who pipetted, who signed, readings, remarks."""
    return {
        "run": identifier(draw.digits(5, "R-")),
        "donor": identifier(draw.even([f"D{v}" for v in draw.sample(range(100, 999), 40)]), repeats=True),
        "hands": identifier(draw.even(["lk", "lk/mo", "mo", "ÅS"]), repeats=True),
        "countersigned": identifier(draw.even(["Prof. Engl", "Åsa", "-"]), repeats=True),
        "date": date(written(draw.days("2023-06-01", "2024-02-28"), "%y%m%d"), "%y%m%d"),
        "pH": number(draw.around(7.2, 0.2, 6.4, 7.9, 2), EITHER),
        "OD600": number(draw.around(0.62, 0.2, 0.05, 1.8, 3), EITHER),
        "CD4": number(draw.with_missing(draw.whole(40, 1400), 0.1, "n.d."), EITHER, ("n.d.",)),
        "plate": label(draw.of(["A", "B", "C", "D"])),
        "virus load": number(draw.whole(20, 90_000), EITHER),
        "remark": note(
            draw.with_missing(draw.of(["Åsa repeated col 3", "bubbles", "freezer opened by M.O."]), 0.5),
            ("Åsa repeated",),
        ),
    }


@corpus_table(rows=210)
def japanese_home_help(draw: Draw) -> dict[str, Truth]:
    """Visits of Japanese home help: clients, helpers by family name, key persons, level of care."""
    family = ["鮫島", "五十嵐", "小笠原", "東海林"]
    return {
        "利用者番号": identifier(draw.even([str(v) for v in draw.sample(range(10**6, 10**7), 60)]), repeats=True),
        "利用者": identifier(
            draw.cells(lambda: f"{draw.choice(family)} {draw.choice(['ハナ', 'トメ', '正夫'])}"), repeats=True
        ),
        "担当": identifier(draw.even(["鮫島", "五十嵐", "小笠原"]), repeats=True),
        "キーパーソン": identifier(draw.even(["長女", "長男 健一", "妻", "姪 美代子"]), repeats=True),
        "要介護度": scale(draw.of(["要介護1", "要介護2", "要介護3", "要支援2"]), EITHER),
        "訪問日": date(written(draw.days("2023-04-01", "2024-03-31"), "%Y/%m/%d"), "%Y/%m/%d"),
        "体温": number(draw.around(36.5, 0.4, 35.1, 38.9, 1), EITHER),
        "血圧上": number(draw.whole(95, 180), EITHER),
        "サービス": label(draw.of(["身体", "生活", "通院"])),
        "記録": note(
            draw.of(["食事全量摂取", "長男の健一様より電話あり", "入浴見守り、変わりなし", "転倒、五十嵐が対応した"]),
            ("健一様", "五十嵐が"),
        ),
    }


@corpus_table(rows=210)
def arabic_orphans(draw: Draw) -> dict[str, Truth]:
    """Sponsored children of a charity: sponsors, guardians, supervisors, school, needs."""
    given = ["سلمى", "يزن", "تيم", "لجين", "قصي"]
    family = ["الزعبي", "الخصاونة", "العبادي"]
    return {
        "رقم الملف": identifier(draw.digits(6)),
        "اسم اليتيم": identifier(draw.cells(lambda: f"{draw.choice(given)} {draw.choice(family)}"), repeats=True),
        "الكافل": identifier(draw.even(["أبو يزن", "الحاجة فوزية", "فاعل خير"]), repeats=True),
        "ولي الأمر": identifier(draw.even(["الأم", "العم زياد", "الجدة"]), repeats=True),
        "المشرف": identifier(draw.even(["رائد", "هنادي"]), repeats=True),
        "تاريخ الميلاد": date(written(draw.days("2009-01-01", "2019-12-31"), "%Y/%m/%d"), "%Y/%m/%d"),
        "الصف": label(draw.of(["الأول", "الثاني", "الثالث"]), ("quasi",)),
        "مبلغ الكفالة": number(draw.of([30, 40, 50, 75]), EITHER),
        "المحافظة": label(draw.of(["إربد", "عجلون", "جرش"])),
        "الحالة الصحية": label(draw.of(["جيدة", "ربو", "إعاقة"]), ("sensitive", "quasi")),
        "ملاحظات": note(
            draw.with_missing(draw.of(["الأم هنادي تعمل في مصنع", "بحاجة إلى نظارة", "انتقل إلى بيت عمه"]), 0.4),
            ("الأم هنادي",),
        ),
    }


@corpus_table(rows=220)
def visitor_survey(draw: Draw) -> dict[str, Truth]:
    """Open answers of visitors of a museum: who helped, what to change, with whom they came."""
    return {
        "ResponseId": identifier(draw.cells(lambda: f"R_{draw.randint(16**9, 16**10 - 1):x}")),
        "Q1": scale(draw.of(["Very good", "Good", "Fair", "Poor"])),
        "Q2_1": rating(draw.of([9, 10, 8, 7, 5])),
        "Who helped you today?": identifier(
            draw.with_missing(draw.even(["Imelda", "the man with the beard", "Jorge at the desk", "nobody"]), 0.4),
            repeats=True,
        ),
        "Who did you come with?": identifier(
            draw.even(["partner", "kids", "my sister Ana", "on my own"]), repeats=True
        ),
        "One thing to change": note(
            draw.with_missing(draw.of(["more seats", "Jorge should get a raise!", "cheaper cafe"]), 0.3),
            ("Jorge should",),
        ),
        "Age group": scale(draw.of(["18-24", "25-34", "35-49", "50-64", "65+"])),
        "Household income": scale(draw.of(["<20k", "20-40k", "40-80k", ">80k"]), EITHER),
        "Postcode district": code(draw.of(["LE1", "LE2", "NG7", "CV6"])),
        "StartDate": date(
            [d.isoformat(sep=" ") for d in draw.moments("2024-05-01", "2024-05-31")], "%Y-%m-%d %H:%M:%S"
        ),
        "Finished": label(draw.of(["True", "False"])),
    }


@corpus_table(rows=220, separator=";")
def romanian_outpatients(draw: Draw) -> dict[str, Truth]:
    """Patients of a Romanian health center: doctors, who brought them, revenue, diagnoses."""
    return {
        "Nr. fișă": identifier(draw.digits(6)),
        "Nume și prenume": identifier(
            draw.cells(
                lambda: f"{draw.choice(['Rotaru', 'Ciobanu', 'Ursache'])} {draw.choice(['Sorin', 'Anca', 'Doru'])}"
            ),
            repeats=True,
        ),
        "Medic curant": identifier(draw.even(["dr. Ursache", "dr. Pop A.", "rezident Ilinca"]), repeats=True),
        "Asistentă": identifier(draw.even(["Viorica", "Mioara"]), repeats=True),
        "Însoțitor": identifier(
            draw.with_missing(draw.even(["fiica", "soțul Doru", "vecina Tanți"]), 0.5), repeats=True
        ),
        "Vârsta": number(draw.whole(1, 93)),
        "Sex": label(draw.of(["M", "F"])),
        "Venit lunar": number([f"{v} lei" for v in draw.whole(1200, 9800)], EITHER, format="3200 lei"),
        "Diagnostic": label(draw.of(["HTA", "diabet", "astm"]), ("sensitive",)),
        "Data consult": date(written(draw.days("2023-01-01", "2023-12-31"), "%d.%m.%Y"), "%d.%m.%Y"),
        "Obs": note(
            draw.with_missing(draw.of(["alergie penicilină", "revine cu fiica Anca", "bilet trimitere"]), 0.5),
            ("fiica Anca",),
        ),
    }
