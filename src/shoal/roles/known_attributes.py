"""Recognizers of attributes that others may know of a person (places, dates, ages) and of sensitive attributes.

Entries have the form of those in `known_identifiers`. A column that no entry matches is suggested as a
quasi-identifier, which is the safe choice.
"""

from __future__ import annotations

from shoal.roles.known_identifiers import NUMBER
from shoal.roles.recognize import Recognizer

PLACES: tuple[Recognizer, ...] = (
    Recognizer(
        "postal code",
        "B",
        r"zip ?\d?|zip ?code|zcta|post(?:al)? ?code|plz|postleitzahl|code postal|codigo postal|^c[ae]?p$|cep|"
        r"pin ?code|postnummer|postinumero|psc|iranyitoszam|posta kodu|kod pocztowy|"
        r"郵便番号|邮政编码|邮编|우편번호|индекс",
        r"(?=.*\d)[A-Za-z\d][A-Za-z\d \-]{2,9}",
        role="quasi",
        prefix=True,
    ),
    Recognizer(
        "postal code",
        "B",
        values=r"\d{5}-\d{4}|[A-Z]\d[A-Z] ?\d[A-Z]\d|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}",
        alone=0.9,
        least=3,
        role="quasi",
        prefix=True,
    ),
    Recognizer(
        "geographic coordinate",
        "B",
        r"lat|latitude|lon|lng|^long$|longitude|gps|breitengrad|langengrad",
        r"-?\d+(?:\.\d+)?",
        role="quasi",
    ),
    Recognizer(
        "place smaller than a state",
        "B",
        r"city|town|village|municipality|county|district|parish|precinct|commune|ville|stadt|(?:wohn|geburts)?ort|"
        r"gemeinde|(?:land)?kreis|ciudad|municipio|provincia|comune|citta|cidade|woonplaats|gemeente|miasto|kommun|"
        r"census ?tract|block ?group|neighbou?rhood|suburb|fips|birth ?place|geoid|город",
        role="quasi",
    ),
)

DATE = Recognizer(
    "date of a person's life",
    "C",
    r"birth\w*|born|dob|geb|geburt\w*|geboren|naissance|nacimiento|nascita|nascimento|geboorte\w*|fodel\w*|"
    r"admi(?:ssion|tted|t)|aufnahme\w*|discharged?|entlass\w*|death|died|deceased|dod|sterbe\w*|todes\w*|deces|"
    r"visit|encounter|surgery|operation|procedure|treatment|event|accident|arrest|hired?|eintritt\w*",
    role="quasi",
)

AGE = Recognizer(
    "age", "C", r"ages?|alter|edad|eta|idade|leeftijd|wiek|alder|ika|возраст|年龄|年齢|나이", role="quasi"
)

SENSITIVE: tuple[Recognizer, ...] = tuple(
    Recognizer(what, names=names, role="sensitive")
    for what, names in (
        (
            "health",
            r"\w*diagnos\w*|(?:primary|secondary|main|principal) ?dx|dx ?\d*|icd(?: ?\d+)?|icpc\d?|cid|atc|"
            r"rozpoznanie|farmac\w*|wirkstoff|arzneimittel|aeterm|adverse events?|transmission|"
            r"cause(?: of death)?|todesursache|诊断|病名|"
            r"disease\w*|illness|condition|disorder|symptoms?|medications?|drugs?|"
            r"prescriptions?|treatments?|therap\w+|hiv|aids|cancer|tumou?r|diabet\w*|pregnan\w*|disab\w*|mental|"
            r"psych\w*|allerg\w*|genetic\w*|mutation|genotype|blood ?type|lab ?results?|krankheit\w*|erkrankung\w*|"
            r"transmission|infections?|infected|exposure ?category|risk ?group|"
            r"maladie|enfermedad|malattia|doenca|ziekte|choroba|диагноз|疾病|診断\w*|tani(?: kodu)?|teshis|hastalik|"
            r"sairaus|sjukdom|sygdom|sykdom|betegseg|nemoc|boala|διαγνωση|진단\w*|질병",
        ),
        (
            "money",
            r"income|salar(?:y|ies)|wages?|pay|earnings|net ?worth|wealth|debts?|credit ?score|balance|benefits?|"
            r"einkommen|gehalt|entgelt|verdienst|lohn|vermogen|schulden|revenus?|salaire|ingresos?|salario|sueldo|reddito|stipendio|"
            r"inkomen|salaris|dochod|zarobki|wynagrodzeni\w*|inkomst\w*|loner?|lon|palkka|tulot|maas|gelir|fizetes|jovedelem|plat|mzda|"
            r"venit(?:ul|uri)?|salariul?|prijem|prijmy|dohodak|prihod|indkomst|inntekt|pajamos|ienakumi|sissetulek|"
            r"penghasilan|pendapatan|gaji|thu nhap|sahod|mapato|mshahara|εισοδημα|μισθος|дохід|доходи|заплата|"
            r"الدخل|دخل|الراتب|راتب|درآمد|حقوق|הכנסה|שכר|משכורת|आय|वेतन|รายได้|เงินเดือน|所得|薪资|월급|연봉|"
            r"renda|rendimento|зарплата|доход|收入|年収|月給|給与|工资|급여|소득",
        ),
        (
            "belief or opinion",
            r"religio\w*|faith|denomination|confession|konfession|politic\w*|party|votes?|voted|union ?member\w*|"
            r"gewerkschaft\w*",
        ),
        ("sexual life", r"sexual\w*|orientation"),
        ("offence", r"crimes?|criminal\w*|offen[cs]es?|convict\w*|arrests?|straftat\w*|delit"),
    )
)

CODE_NAME = Recognizer("code", "R", rf"{NUMBER}|guid|uuid|uid|token|index|row|record|lfd")
