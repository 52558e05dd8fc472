"""Words for people in the headings of columns, in many languages, as `recognize.words` gives them.

They are lower case and without accents. A heading that is such a word, or two of them (`father/husband`), means a
person; `mother tongue` and `patient type` do not.
"""

from __future__ import annotations

from shoal.roles import people_of_languages as languages

SUBJECTS = (
    r"(?:patient|person|people|subject|participant|proband|member|customer|client|kunde|user|employee|mitarbeiter|"
    r"worker|student|pupil|citizen|resident|respondent|donor|holder|contact|paciente|paziente|persona|cliente|"
    r"beneficiar|insured|claimant|applicant|passenger|subscriber|defendant|offender|inmate|borrower|voter|athlete|"
    r"enrollee|bene|versicherte|beneficiaire|salarie|empleado|trabajador|funcionario|dipendente|pracownik|klient|"
    r"pacjent|pacient|pasient|potilas|asiakas|hasta|musteri|calisan|ogrenci|alumn[oa]|aluno|alunno|eleve|leerling|"
    r"uczen|elev|oppilas|werknemer|klant|medewerker|medarbejder|borger|medarbeider|anstalld|ansatt|tyontekija)\w{0,2}"
)
"""People whom the rows of a table may be about; up to two letters may follow, such as those of a plural."""

OTHERS = (
    r"(?:managers?|supervisors?|agents?|interviewers?|iwr|intvwr|intvr|providers?|prvdrs?|physicians?|physn|"
    r"doctors?|surgeons?|nurses?|teachers?|tutors?|instructors?|professors?|drivers?|hosts?|guides?|raters?|"
    r"coders?|examiners?|officers?|clerks?|cashiers?|operators?|adjusters?|brokers?|assessors?|therapists?|staff|"
    r"enumerators?|encuestador(?:a)?|enqueteur|arzt|aerzte|medecin|medico|lehrer|docente|profesor(?:a)?|lekarz|hekim|"
    r"doktor|lakare|laege|lege|laakari|huisarts)"
)
"""People who appear in a table because they treat, teach, serve or ask others."""

_FAMILY = (
    r"next of kin|bezugsperson|vormund|guardians?|parents?|mothers?|mutter|fathers?|vater|husbands?|wi(?:fe|ves)|"
    r"spouses?|partners?|sons?|daughters?|siblings?|relatives?|carers?|caregivers?|angeho(?:e)?rige[rn]?|"
    r"ehe(?:mann|frau|partner)|erziehungsberechtigte[rn]?|pere|mere|conjoint|tuteur|padres?|madres?|conyuge|"
    r"representante|pai|mae|responsavel|ojciec|matka|opiekun|anne|baba|veli|esi|malzonek|far|mor|vader|moeder|"
    r"保護者|父|母|배우자|보호자|мать|отец|супруг\w*|мама"
)
_MORE = (
    r"\w*(?:patient(?:in|en|s)?|mitglied(?:er)?)|inhaber(?:in)?|kontakt(?:person)?|pazient[ei]|personas?|"
    r"mieter(?:in)?|tenants?|landlords?|owners?|besitzer(?:in)?|eigent(?:u|ue)mer|titular(?:es)?|"
    r"policy ?holders?|account ?holders?|card ?holders?|asegurad[oa]|assure[es]?|assicurat[oi]|intestatario|segurado|"
    r"ubezpieczony|sigortali|locataire|proprietaire|propietario|arrendatario|inquilin[oa]|huurder|najemca|"
    r"midwi(?:fe|ves)|hebamme|therapeut(?:in)?|(?:haus|fach|ober|chef|stations)?a(?:e)?rzt(?:in)?|operateur(?:in)?|"
    r"pflegekraft|pfleger(?:in)?|medecins?|infirmiere?s?|medicos?|enfermer[ao]s?|lehrer(?:in)?|lehrkraft|"
    r"schu(?:e)?ler(?:in)?|fahrer(?:in)?|conducteur|conductor(?:a)?|chauffeur|kierowca|kierownik|nauczyciel|"
    r"wychowawca|profesores|maestr[oa]|tutor(?:a|es)?|ogretmen|opettaja|larare|authors?|autor(?:in|es)?|reviewers?|"
    r"trainers?|coach(?:es)?|mentors?|caseworkers?|counsell?ors?|advisors?|advisers?|lawyers?|attorneys?|solicitors?|"
    r"judges?|richter(?:in)?|juez|anwalt|abogad[oa]|avocat|witness(?:es)?|zeuge|victims?|opfer|suspects?|accused|"
    r"defendants?|plaintiffs?|petitioners?|complainants?|callers?|senders?|recipients?|empfa(?:e)?nger|absender|"
    r"sellers?|buyers?|vendors?|verka(?:e)?ufer(?:in)?|ka(?:e)?ufer|vendeur|acheteur|vendedor|comprador|guests?|gast|"
    r"hosts?|renters?|runners?|players?|spieler(?:in)?|candidates?|kandidat(?:in)?|nominees?|winners?|speakers?|"
    r"betreuer(?:in)?|sachbearbeiter(?:in)?|bearbeiter(?:in)?|ansprechpartner(?:in)?|unterschrift|signature|"
    r"principal investigator|pi|assignees?|requesters?|reporters?|approvers?|"
    r"assigned to|zuname|decedents?|"
    r"deceased|担当者|担当医|主治医|患者|教師|学生|社員|医生|医师|经办人|联系人|负责人|담당자|환자|пациент|врач|учитель|"
    r"сотрудник|клиент|ученик|водитель|ιατρος|γιατρος|ασθενης|\w*arbeiter(?:in)?|\w+person(?:en)?|\w*berater(?:in)?|\w*leiter(?:in)?"
)
_BY = r"(?:\w+ ){0,2}(?!paid|pay|payment|payee?)\w+ (?:by|von|durch|av|af|par|por|door|przez|tarafindan|altal|mukaan)"
"""Who did something: `entered by`, `erfasst von`, `Reservert av`. How something was paid is no person."""
_WHICH = (
    r"traitante?|referent|responsable|tratante|responsavel|curante|asignad[oa]|encargad[oa]|principal|titular|"
    r"المعالج|المسؤول|kandung|penanggung|prowadzacy|curant|behandelnd"
)
"""Which of the people it is, in languages that say so after the word: `médico responsable`."""
_ONE = (
    rf"(?:(?:\w+ ){{0,2}}(?:{SUBJECTS}|{OTHERS}|{_FAMILY}|{_MORE}|{languages.STAFF}|{languages.FAMILY})"
    rf"(?: (?:{_WHICH}))?|{_BY})"
)
_BOTH = r"(?: (?:a|o|e|in|innen|or|oder|and|und|y|ou|et|i) | )"
HEADING = rf"{_ONE}(?:{_BOTH}{_ONE})?(?: (?:a|o|e|in|innen))?(?: ?\d+)?"
"""A whole heading that means a person: it ends with a word for people, as `attending physician` and `Tutor/a` do."""

OF_THINGS = (
    r"tongue|makes?|brands?|marque|marca|marka|models?|titles?|titel|titre|titulo|compan(?:y|ies)|firma|firm|organi[sz]ations?|"
    r"employers?|empresa|entreprise|societe|azienda|bedrijf|foretag|yritys|institut\w*|airlines?|teams?|clubs?|hotels?|"
    r"restaurants?|stations?|stops?|events?|courses?|subjects?|products?|items?|languages?|langue|idioma|lingua|jezyk|"
    r"sprak|kieli|majors?|genres?|categor\w+|species|animals?|crops?|materials?|colou?rs?|sports?|instruments?|"
    r"vaccines?|vakcin\w*|impfstoff|rokote|drugs?|pharmac\w*|leki?|ilac|φαρμακο|obec|mesto|miejscowosc|powiat|"
    r"wojewodztwo|gmina|lan|fylke|kunta|maakunta|ilce|sehir|ulke|pays|pais|paese|kraj|estado|comuna|bairro|barrio|"
    r"quartier|(?:wohn|heimat|geburts)?ort|metier|poste|fonction|funktion|stanowisko|yrke|ammatti|meslek|povolani|"
    r"foglalkozas|profesion|profissao|professione|cargo|puesto|position|role|roles|dzial|servicio|service|services|"
    r"kostenstelle|projekt|projects?|programs?|programmes?|buildings?|campus|venues?|races?|tribes?|castes?|ethnie|"
    r"都道府県|市区町村|部署|職業|国籍|国|省|市|县|行业|职业|민족|직업|지역|город|регион|область|страна|профессия|должность|πολη"
)
"""Words of headings of things that have names as people do: makes of cars, companies, towns, medicines, jobs."""

NAMES = (
    r"^names?$|(?:first|last|full|given|family|middle|maiden|nick|sur|fore|birth|user|christian|legal|preferred|"
    r"display|contact) ?names?|initials|"
    r"(?:nach|vor|familien|geburts|ruf)name|^nom$|nom (?:de )?(?:famille|naissance|usage)|nom (?:et )?prenoms?|"
    r"prenoms?|"
    r"^nombres?$|nombre (?:completo|y apellidos?)|apellidos?|^nome$|nome completo|cognome|sobrenome|apelido|^naam$|"
    r"(?:achter|voor)naam|imie|imiona|nazwisk[oa]|(?:efter|for|till?tals)namn|^namn$|^navn$|(?:etter|for)navn|"
    r"etunimi|sukunimi|^nimi$|jmeno|prijmeni|^meno$|priezvisko|^nume$|prenume|"
    r"^nev$|vezeteknev|keresztnev|^ime$|prezime|^adi$|soyadi?|adi? soyadi?|isim|^nama$|ho ten|ho va ten|"
    r"ονομα|επωνυμο|фамилия|имя|отчество|фио|姓名|氏名|名前|お名前|姓|名|"
    r"フリガナ|ふりがな|よみがな|カナ|氏名 ?カナ|カナ ?氏名|"
    rf"이름|성명|^(?:{languages.NAMES})$"
)
"""Headings of names themselves, and of their parts."""
