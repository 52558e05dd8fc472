"""A fifth round of strangers' tables: schools, clubs, churches and charities, with few people who look after many."""

from __future__ import annotations

from tests.corpus.draw import Draw, with_comma, written
from tests.corpus.registry import corpus_table
from tests.corpus.truth import EITHER, Truth, count, date, identifier, label, note, number, rating, scale, year


@corpus_table(rows=220)
def dog_groomer(draw: Draw) -> dict[str, Truth]:
    """Appointments of a dog groomer: owners by first name, who fetches the dog, the vet to ring."""
    owners = ["Priya", "Gethin", "Maud", "Tobias", "Orla", "Winston", "Saoirse", "Dilys", "Hamza", "Beth"]
    return {
        "booking": identifier(draw.digits(6, "BK")),
        "owner": identifier(draw.even(owners), repeats=True),
        "dog": label(draw.of(["Biscuit", "Luna", "Rex", "Teddy", "Poppy", "Milo"]), ("quasi", "identifier")),
        "breed": label(draw.of(["cockapoo", "lurcher", "shih tzu", "border terrier"])),
        "groomer": identifier(draw.even(["Kel", "Sandra", "Yaz"]), repeats=True),
        "pick up by": identifier(draw.even(["owner's mum", "Gethin", "Tobias", "neighbour Maud"]), repeats=True),
        "vet": identifier(draw.even(["Dr Bowen", "Ms Achterberg", "Dr Lal"]), repeats=True),
        "last visit": date(written(draw.days("2023-01-01", "2024-03-31"), "%d/%m/%y"), "%d/%m/%y"),
        "weight kg": number(draw.around(14, 7, 2, 48, 1)),
        "temperament": scale(draw.of(["calm", "nervous", "bites"])),
        "price": number([f"£{v}" for v in draw.around(38, 9, 18, 75, 2)], EITHER, format="£38.00"),
    }


@corpus_table(rows=240, separator=";")
def german_school_reports(draw: Draw) -> dict[str, Truth]:
    """Reports of a German school: class teachers, tutors, marks, behavior in words."""
    given = ["Jonte", "Femke", "Malik", "Romy", "Cosima", "Bjarne"]
    return {
        "SchülerIn": identifier(draw.cells(lambda: f"{draw.choice(given)} {draw.choice('ABDGKMW')}."), repeats=True),
        "Schüler-ID": identifier(draw.digits(7)),
        "Klasse": label(draw.of(["5a", "5b", "6a", "6c", "7b"])),
        "KL": identifier(draw.even(["Wm", "Hz", "Ösl", "Tk"]), repeats=True),
        "Klassenleitung": identifier(draw.even(["Fr. Wurmbach", "Hr. Hinze", "Fr. Öslem"]), repeats=True),
        "Lernbegleitung": identifier(draw.even(["Thekla", "Hannes", "Ulf"]), repeats=True),
        "Note Deutsch": scale(draw.of([2, 3, 1, 4, 5]), EITHER),
        "Note Mathe": scale(draw.of(["2+", "3", "3-", "1", "4"]), EITHER),
        "Arbeitsverhalten": scale(draw.of(["entspricht den Erwartungen", "verdient besondere Anerkennung"]), EITHER),
        "Fehltage": count(draw.whole(0, 31), EITHER),
        "davon unentsch.": count(draw.of([0, 0, 1, 2, 5]), EITHER),
        "Bemerkungen": note(
            draw.with_missing(
                draw.of(
                    [
                        "Cosima hat sich sehr gut in die Klasse eingelebt.",
                        "Gespräch mit Mutter (Frau Dahlhoff) am 12.3.",
                        "versetzt",
                    ]
                ),
                0.4,
            ),
            ("Cosima", "Frau Dahlhoff"),
        ),
    }


@corpus_table(rows=210, separator=";")
def french_baptisms(draw: Draw) -> dict[str, Truth]:
    """Baptisms of a French parish: children, godparents, the priest, marginal notes."""
    family = ["Le Goff", "Kervella", "Tanguy", "Quéméneur", "Guivarc'h"]
    given = ["Maël", "Enora", "Yann", "Soizic", "Gwenaëlle", "Erwan"]
    return {
        "Acte": identifier([f"{1950 + at % 40}/{at + 1}" for at in range(draw.n)]),
        "Enfant": identifier(draw.cells(lambda: f"{draw.choice(family).upper()} {draw.choice(given)}")),
        "Parrain": identifier(draw.cells(lambda: f"{draw.choice(given)} {draw.choice(family)}"), repeats=True),
        "Marraine": identifier(draw.cells(lambda: f"{draw.choice(given)} {draw.choice(family)}"), repeats=True),
        "Célébrant": identifier(draw.even(["abbé Tanguy", "P. Jaouen", "Mgr Fauvel"]), repeats=True),
        "Baptême": date(written(draw.days("1950-01-01", "1989-12-31"), "%d/%m/%Y"), "%d/%m/%Y"),
        "Filiation": label(draw.of(["légitime", "naturelle", "inconnue"], [9, 2, 1]), EITHER, ("inconnue",)),
        "Paroisse": label(draw.of(["Saint-Pol", "Plouescat", "Cléder"])),
        "Mention marginale": note(
            draw.with_missing(
                draw.of(["mariée à Brest avec Yann Kervella", "décédé en 1971", "confirmée 1962", "m. 4.8.1975"]), 0.6
            ),
            ("Yann Kervella",),
        ),
    }


@corpus_table(rows=230, separator=";", encoding="cp1252")
def portuguese_football_club(draw: Draw) -> dict[str, Truth]:
    """Youth players of a Portuguese club: trainers by nickname, guardians, quotas, injuries."""
    return {
        "Nº Sócio": identifier(draw.digits(5)),
        "Atleta": identifier(
            draw.cells(
                lambda: (
                    f"{draw.choice(['Tomás', 'Rafa', 'Leonor', 'Dinis', 'Íris'])} "
                    f"{draw.choice(['Bragança', 'Cotrim', 'Falcão'])}"
                )
            ),
            repeats=True,
        ),
        "Escalão": scale(draw.of(["benjamins", "infantis", "iniciados", "juvenis"])),
        "Treinador": identifier(draw.even(["mister Quim", "Zeca", "Prof. Anselmo"]), repeats=True),
        "Enc. Educação": identifier(
            draw.cells(
                lambda: f"{draw.choice(['Sónia', 'Rui', 'Fátima'])} {draw.choice(['Bragança', 'Cotrim', 'Falcão'])}"
            ),
            repeats=True,
        ),
        "Boleia": identifier(draw.with_missing(draw.even(["pai do Dinis", "Zeca", "avó"]), 0.5), repeats=True),
        "Telemóvel": identifier(draw.cells(lambda: f"9{draw.randint(10**7, 10**8 - 1)}")),
        "Nasc.": date(written(draw.days("2008-01-01", "2016-12-31"), "%d-%m-%Y"), "%d-%m-%Y"),
        "Posição": label(draw.of(["médio", "avançado", "defesa", "GR"])),
        "Quota": number([v + " €" for v in with_comma(draw.around(25, 4, 15, 40, 2))], EITHER, format="25,00 €"),
        "Lesão": label(draw.with_missing(draw.of(["tornozelo", "joelho", "ombro"]), 0.7), ("sensitive", "quasi")),
    }


@corpus_table(rows=240)
def food_bank(draw: Draw) -> dict[str, Truth]:
    """Parcels of a food bank: who leads the household, who sent them, volunteers, what they told."""
    return {
        "voucher": identifier(draw.cells(lambda: f"{draw.choice('EHS')}-{draw.randint(10000, 99999)}-{draw.n % 7}")),
        "household lead": identifier(
            draw.cells(lambda: f"{draw.choice(['S', 'T', 'M', 'A'])} {draw.choice(['Okafor', 'Pryce', 'Lund'])}"),
            repeats=True,
        ),
        "referred by": identifier(
            draw.even(["Jan at the surgery", "social worker - Denise", "St Mary's", "self"]), repeats=True
        ),
        "packed by": identifier(draw.even(["Moira", "the twins", "Len"]), repeats=True),
        "adults": count(draw.of([1, 2, 3])),
        "children": count(draw.of([0, 1, 2, 3, 4])),
        "reason": label(draw.of(["benefit delay", "low income", "debt", "illness"]), ("sensitive", "quasi")),
        "date": date(written(draw.days("2023-04-01", "2024-03-31"), "%d %b %Y"), "%d %b %Y"),
        "diet": label(draw.of(["none", "halal", "vegan", "gluten free"]), EITHER, ("none",)),
        "kg": number(draw.around(19, 6, 4, 52, 1), EITHER),
        "their story": note(
            draw.with_missing(
                draw.of(
                    [
                        "husband left in May, she is caring for her father Ted",
                        "lost job at the mill",
                        "waiting for UC; landlord Mr Pryce patient so far",
                    ]
                ),
                0.3,
            ),
            ("her father Ted", "Mr Pryce"),
        ),
    }


@corpus_table(rows=220, separator=";")
def dutch_hospice(draw: Draw) -> dict[str, Truth]:
    """Visits of volunteers of a Dutch hospice: buddy, coordinator, first contact, belief."""
    return {
        "Cliëntnr": identifier(draw.even([f"H{v}" for v in draw.sample(range(1000, 9999), 70)]), repeats=True),
        "Maatje": identifier(draw.even(["Truus", "Wim v.d. Berg", "Fatma", "Joke"]), repeats=True),
        "Coördinator": identifier(draw.even(["AvL", "MdG", "SK"]), repeats=True),
        "1e contact": identifier(draw.even(["dochter Els", "zoon", "buurvrouw Annie", "zus Riet"]), repeats=True),
        "Geb. jaar": year(draw.whole(1930, 1965)),
        "Levensbeschouwing": label(draw.of(["geen", "rk", "pkn", "islam"]), EITHER, ("geen",)),
        "Bezoek": date(written(draw.days("2023-01-01", "2023-12-31"), "%d-%m-%Y"), "%d-%m-%Y"),
        "Duur (min)": number(draw.whole(15, 240)),
        "Diagnose": label(draw.of(["longkanker", "ALS", "hartfalen", "onbekend"]), ("sensitive",), ("onbekend",)),
        "Stemming": rating(draw.whole(1, 10)),
        "Verslagje": note(
            draw.of(["mevrouw was moe, met Els gebeld", "gewandeld", "samen foto's van Riet bekeken", "rustig"]),
            ("met Els", "van Riet"),
        ),
    }


@corpus_table(rows=220, separator=";")
def norwegian_choir(draw: Draw) -> dict[str, Truth]:
    """Members of a Norwegian choir: voices, conductors, section leaders, dues."""
    return {
        "Medl.nr": identifier(draw.digits(4)),
        "Sanger": identifier(
            draw.cells(
                lambda: f"{draw.choice(['Ragnhild', 'Torstein', 'Synnøve', 'Odd'])} {draw.choice('ABDHKLMS')}"
            ),
            repeats=True,
        ),
        "Stemme": label(draw.of(["sopran 1", "sopran 2", "alt 1", "tenor", "bass 2"])),
        "Stemmeleder": identifier(draw.even(["Ragnhild", "Torstein", "Odd"]), repeats=True),
        "Vervet av": identifier(
            draw.with_missing(draw.even(["Synnøve", "ingen", "Odd", "mamma"]), 0.2), repeats=True
        ),
        "Født": date(written(draw.days("1945-01-01", "2004-12-31"), "%d.%m.%Y"), "%d.%m.%Y"),
        "Innmeldt": year(draw.whole(1998, 2024)),
        "Kontingent": number([f"kr {v},-" for v in draw.even([1200, 1450, 600])], EITHER, format="kr 1200,-"),
        "Betalt": label(draw.of(["ja", "nei", "purret"])),
        "Oppmøte": number([f"{v} %" for v in draw.whole(35, 100)], EITHER, format="80 %"),
    }
