"""Words in the names of columns of whole numbers: what is measured or counted, what is a scale, what is only a code.

The words are searched in a column's name as `recognize.words` gives it: lower case, without accents. Extend these
tables to recognize more.
"""

from __future__ import annotations

from shoal.roles.recognize import Recognizer

MEASURED = Recognizer(
    "measured or counted",
    names=(
        # counts
        r"counts?|^(?:n|num|nb|anz) [a-z]\w*|anzahl|numbers? of|n[or] of|nombre de|numero de|antal|liczba|times|"
        r"frequency count|"
        r"dependents?|dependants?|falls|seats|reports|eltartottak|tanggungan|incidents|accidents|claims|"
        r"children|kids|kinder\w*|nchild|nchlt5|enfants|hijos|figli|siblings|geschwister|sib ?sp|parch|persons|"
        r"people|members|personen(?:zahl)?|\w*grosse|\w*groesse|\w*size|visits?|besuche|admissions|episodes|pregnancies|parity|gravida|"
        r"errors?|mistakes|fehler|quantite|quantita|cantidad|ilosc|mnozstvi|adet|maara|ποσοτητα|"
        r"births|rooms|bedrooms|bathrooms|floors|cars|vehicles|employees|cigarettes|zigaretten|drinks|calls|orders|"
        r"purchases|clicks|steps|items|products|produkte|visitnum|attempts?|versuche?|hw(?:usual|actual)|quantity|qty|menge|stuckzahl|fallzahl|"
        # time
        r"ages?|\w*alter|edad|eta|idade|leeftijd|wiek|alder|agep|years?|yrs?|yob|\w*jahre?|annees?|anos?|anni|rok|\w*vuosi|jg|jahrgang|leto|godina|"
        r"days?|tage|jours|dias|weeks|wochen|months|monate|mois|meses|hours?|hrs?|\w*stunden|heures|horas|uhrwk\w*|"
        r"uhrswork\w*|minutes?|mins?|minuten|seconds?|secs?|duration|\w*dauer|duree|duracion|length|lange|los|stay|"
        r"tenure|seniority|experience|exper|exp|schooling|schuljahre|since|"
        # money
        r"income|inc|\w*einkommen|einkunfte|salar(?:y|ies)|wages?|pay|earnings|\w*gehalt|\w*lohn|revenus?|ingresos?|"
        r"price|\w*preis|prix|precio|costs?|\w*kosten|charges?|amount|betrag|montant|importe|rent|\w*miete|value|wert|"
        r"capital|gain|loss|balance|debts?|loan|credit|tax|steuern|budget|premium|fee|sum|summe|total|"
        # bodies and laboratories
        r"height|taille|estatura|altezza|weight|\w*gewicht|poids|peso|bmi|waist|hip|girth|\w*umfang|"
        r"bp|blood ?pressure|pressure|\w*druck|rr|systolic|diastolic|systolisch|diastolisch|sbp|dbp|sys|dia|"
        r"pulse|puls|"
        r"heart ?rate|hr|herzfrequenz|respiratory|spo2|saturation|temp(?:erature)?|temperatur|glucose|glukose|"
        r"cholesterol|chol|ldl|hdl|triglycerides?|hba1c|hemoglobin|haemoglobin|hb|creatinine|kreatinin|crp|egfr|gfr|"
        r"sodium|potassium|calcium|platelets|leukocytes|leukozyten|wbc|rbc|alt|ast|ggt|tsh|psa|bilirubin|albumin|"
        r"insulin|ferritin|dose|dosis|units|kcal|calories|"
        # other measures
        r"distance|distanz|entfernung|km|kilometers?|meters?|cm|mm|kg|mg|ml|width|breite|depth|tiefe|volume|speed|"
        r"sqft|sqm|qm|m2|square|area sq\w*|mileage|percent|pct|prozent|percentage|share|anteil|rate|quote|ratio|"
        r"population|einwohner|latitude|longitude|lat|lon|lng|power|horsepower|consumption|\w*verbrauch|"
        r"probability|odds|density|gpa"
    ),
)

BANDED = Recognizer(
    "groups of a measure",
    names=(
        r"groups?|grp|\w*gruppen?|class(?:es)?|\w*klassen?|categor(?:y|ies)|kategorien?|cat|bands?|brackets?|buckets?|"
        r"bins?|ranges?|\w*stufen?|tranches?|tramos?|recode|coded|code|cd|cod"
    ),
)
LEVEL = Recognizer("level of a measure", names=r"levels?|\w*niveau")
FLAG = Recognizer(
    "state of something that may be measured as well",
    names=r"status|\w*status|flags?|indicator|dummy|yn|^(?:is|has|ever|any)|region|state|country|sex|gender|race|city|county",
)

SCALE = Recognizer(
    "scale",
    names=(
        r"likert|ratings?|rated|stars|bewertung|grades?|(?:schul|end|abschluss)?noten?|scores?|levels?|\w*stufen?|"
        r"\w*niveau|stages?|stadium|severity|schweregrad|\w*grad|degree of|satisfaction|satisfied|\w*zufriedenheit|"
        r"zufrieden|agreement|agree|zustimmung|self ?rated\w*|srh|general health|genhlth|gen ?health|"
        r"health(?: status)?|"
        r"\w*gesundheit(?:szustand)?|pain|schmerz\w*|nrs|vas|asa|nyha|ecog|karnofsky|apgar|gcs|gleason|killip|ccs|rankin|"
        r"mrs|triage|esi|education\w*|educ\w*|edu|schl|school ?level|bildung\w*|isced|casmin|schulabschluss|"
        r"bildungsabschluss|abschluss|qualification|attainment|p ?class|passenger class|social class|schicht|"
        r"rank|rang|"
        r"priority|prioritat|importance|wichtigkeit|trust|vertrauen|likelihood|confidence|happiness|wellbeing|"
        r"quality|qualitat|frequency|ha(?:e)?ufigkeit|how often|quintiles?|quartiles?|deciles?|terciles?|"
        r"tertiles?|percentiles?|"
        r"month|monat|mes|mese|mois|weekday|wochentag|day of week|dayofweek|dow|quarter|quartal|trimestre|"
        r"socio ?economic\w*|ses|deprivation|imd|fitness|difficulty|schwierigkeit|semester|wave|welle"
    ),
)

ITEM = Recognizer(
    "item of a questionnaire",
    names=r"q\d+\w?|q|items?(?: ?\d+)?|item\d+|frage ?\d*|question ?\d*|statement ?\d*|aussage ?\d*",
)

NOMINAL = Recognizer(
    "kind of something",
    names=(
        r"types?|typ|\w*typ|tipo|art|\w+sart|kinds?|fields?|major|fach|\w*fach|reasons?|\w*grund|causes?|\w*ursache|sources?|"
        r"modes?|methods?|languages?|\w*sprache|relation\w*"
    ),
)

CODED = Recognizer(
    "code",
    names=(
        r"codes?|cd|cod|\w*code|\w*kode|codigo|codice|kod|status|\w*status|stat|etat civil|estado civil|"
        r"sex|sexe|sexo|sesso|gender|geschlecht|kon|kjonn|plec|pol|gen|female|male|woman|weiblich|mannlich|"
        r"regions?|\w*region|reg|regiao|bundesland|\w*land|land|lander|kanton|canton|provin[cz]\w*|prov|state|states|"
        r"statefips?|fips|countyfips?|county|kreis|\w*kreis|landkreis|bezirk|district|distrikt|gemeinde|commune|"
        r"municipality|city|town|village|dept|department|departement|departamento|country|countries|nation|nationality|"
        r"staat|\w*angeh(?:o|oe)rigkeit|citizen\w*|bpl\w*|birth ?place|pob|pobp|waob|powsp|puma\d*|metro|"
        r"metarea|msa|cbsa|tract|"
        r"block|zone|gebiet|\w*gebiet|area|areal|location|loc|ort|place|site|"
        r"occ\w*|occupations?|\w*beruf|beruf\w*|profession|metier|ocupacion|job|jobs|cowp?|classwkr|"
        r"ind|indp|ind\d+\w*|industry|industries|branche|\w*zweig|sector|sektor|secteur|workclass|work ?class|"
        r"employer|"
        r"race\w*|rac\d?p|rac1p|ethnic\w*|hispan\w*|hisp|hisorigin|origin|herkunft|ancestry|migration\w*|"
        r"marital\w*|marst|mar|married|(?:familien|personen|zivil)stand|civil|partner|spouse|esr|empstat\w*|labforce|lfs\w*|employment|"
        r"employed|erwerb\w*|relate\w*|relp|relshipp|rel|religion|relig|konfession|party|partei|vote|"
        r"insurance|versicherung\w*|kasse|krankenkasse|payer|hicov|plan|coverage|ward|station|practice|praxis|clinic|klinik|hospital|"
        r"krankenhaus|abteilung|unit|room|zimmer|bed|bett|doctor|arzt|physician|provider|facility|school|schule|"
        r"faculty|fakultat|course|klasse|class|group|grp|gruppe|\w*gruppe|cluster|stratum|strata|psu|cohort|kohorte|arm|"
        r"treatment|behandlung|therapy|drg|procedure|diagnosis|dx|drug|brand|marke|model|modell|product|produkt|color|"
        r"colour|farbe|channel|kanal|store|filiale|branch|agency|shift|schicht|team|category|kategorie|cat|flag|ind|"
        r"indicator|dummy|yn|yes|^(?:is|has|ever|any)|smok\w*|rauch\w*|alcohol|diabet\w*|hypertension|"
        r"blood ?(?:type|group)|"
        r"blutgruppe|species|breed|ownershp|own|owner\w*|farm|gq|urban|rural|veteran|vetstat|disab\w*|mil|"
        r"moved?|tenure type|dwelling|housing|heating|fuel|version|survey|"
        r"naics\w*|nace\w*|isco\w*|soc\w*|kldb\w*|icd\w*|atc|cpt|ops|nuts\w*|ags|\w*schlussel|kennziffer"
    ),
)
