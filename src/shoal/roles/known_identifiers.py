"""Recognizers of direct identifiers, one entry each: extend this table to recognize more.

An entry has words of a column's name in several languages, the form of a value, and the share of values that must
have it. The letters are those of HIPAA's Safe Harbor list, 45 CFR 164.514(b)(2)(i). The first match decides, and
names are tried before forms, so specific entries come before general ones.
"""

from __future__ import annotations

from shoal.roles import check_digits as checksums
from shoal.roles.national_numbers import NATIONAL_NUMBERS, bare
from shoal.roles.people_of_languages import USERS
from shoal.roles.people_words import HEADING, NAMES, OTHERS, SUBJECTS
from shoal.roles.recognize import Recognizer

CODE = r"(?=.*\d)[\w .\-/]{4,40}"  # a code contains a digit
LETTERS = r"(?s).*[^\W\d_]{2}.*|\D*[^\W\d_]\D*"  # digits are allowed: generated tables have names such as Müller12
PHONE = r"\+?[\d\s().\-/]{6,22}"

PERSON = SUBJECTS
NUMBER = r"(?:id|ids|no|nr|num|number|nummer|numero|code|key|ref|pseudonym|kennung|hash)"

IDENTIFIERS: tuple[Recognizer, ...] = (
    Recognizer(
        "e-mail address",
        "F",
        r"e ?mails?|mail(?: address)?|courriel|correo(?: electronico)?|e ?post",
        r"[^@\s]+@[^@\s]+\.[^@\s]{2,}",
        alone=0.5,
        person=True,
    ),
    Recognizer(
        "web address",
        "N",
        r"ur[li]|web ?(?:site|page|address)|home ?page|link",
        r"(?i)(?:https?|ftp)://\S+|www\.\S+\.\S+",
        alone=0.5,
    ),
    Recognizer(
        "IP address",
        "O",
        r"ip|ip ?v?[46]|ip ?addr(?:ess)?",
        r"\d{1,3}(?:\.\d{1,3}){3}|(?i:[\da-f]*:[\da-f:.]+)",
        alone=0.9,
        check=checksums.ip_address,
    ),
    Recognizer(
        "name of a person",
        "A",
        rf"{NAMES}|(?:{SUBJECTS}|{OTHERS}|mothers?|fathers?|spouses?|guardians?|parents?|guests?|owners?) ?names?",
        LETTERS,
    ),
    Recognizer(
        "name of a person",
        "A",
        rf"^(?:{HEADING})$",
        r"[^\W\d_][^\W\d_'’.\-]*,? [^\W\d_][^\d_@]*",
        share=0.8,
    ),
    Recognizer(
        "user name",
        "R",
        r"logins?|(?:twitter|instagram|facebook|skype|telegram|mastodon|github|screen|social media) ?"
        rf"(?:handle|name|id|account)|benutzer(?:name|kennung)?|nutzername|pseudo|nickname|alias|"
        rf"^(?:\w+ )?(?:{USERS}|slug)$|e ?mail (?:local|prefix|user|name|part|local part|alias)",
        r"@?[^\W\d_][\w.\-#]{1,39}",
        person=True,
    ),
    Recognizer(
        "user name",
        "R",
        values=r"@[A-Za-z]\w{2,30}|[a-z][a-z\-]*\.[a-z\-]{2,}\d*",
        alone=0.9,
        least=5,
        person=True,
    ),
    Recognizer("fax number", "E", r"(?:tele)?fax|telecopie", PHONE),
    Recognizer(
        "telephone number",
        "D",
        r"(?:tele)?phones?|tel|mobile?|handy|cell ?phone|telefono?|telefone|telefoon|telefonnummer|gsm|"
        r"movil|celular|cellulare|telemovel|telefonia|komorka|mobil(?:nummer|nr|telefon)|rufnummer|msisdn|"
        r"телефон|电话|電話|전화",
        PHONE,
    ),
    Recognizer(
        "US social security number",
        "G",
        r"ssn|soc(?:ial)? ?sec(?:urity)?",
        r"\d{3}-\d{2}-\d{4}|\d{7,9}",
        person=True,
    ),
    Recognizer(
        "US social security number",
        "G",
        values=r"\d{3}-\d{2}-\d{4}",
        alone=0.9,
        check=bare(checksums.us_ssn),
        person=True,
    ),
    Recognizer(
        "national number",
        "R",
        r"national (?:id|identity|insurance)|nin|nino|nhs|passport|reisepass|personalausweis|tax ?(?:id|number)|tin|"
        r"steuer ?(?:id|nr|nummer)|sozialversicherungs ?(?:nr|nummer)|svnr|insee|nir|securite sociale|dni|nif|"
        r"codice fiscale|bsn|burgerservicenummer|personnummer|fodselsnummer|cpr|hetu|henkilotunnus|pesel|"
        r"rodne cislo|cpf|sin|aadhaar|curp|rut|ahv|身份证(?:号)?|マイナンバー|주민등록번호",
        r"(?=.*\d)[\w .\-/+]{7,25}",
        person=True,
    ),
    *NATIONAL_NUMBERS,
    Recognizer(
        "telephone number",
        "D",
        values=r"\+\d[\d\s().\-/]{6,20}|\(?\d{3}\)?[-. ]\d{3}[-. ]\d{4}",
        alone=0.9,
    ),
    Recognizer(
        "medical record number",
        "H",
        r"mrn|medical ?record|(?:record|chart|case|fall|akten) ?(?:no|nr|num|number|nummer|id)|krankenakte|"
        r"prontuario|historia clinica|cartella clinica|dossier medical|journal ?n(?:umme)?r|fis[ae] medicala",
        CODE,
        person=True,
    ),
    Recognizer(
        "health plan number",
        "I",
        r"health ?plan|(?:insurance|policy|beneficiary|subscriber) ?(?:no|nr|num|number|id)|medicare|medicaid|"
        r"versicherten ?(?:nr|nummer|id)|kvnr|krankenversicherten\w*|mutuelle",
        CODE,
        person=True,
    ),
    Recognizer(
        "account number",
        "J",
        r"acc(?:oun)?t(?: ?(?:no|nr|num|number|id))?|konto(?: ?(?:nr|nummer))?|iban|(?:credit|debit|bank) ?card|"
        r"card ?(?:no|num|number)|kreditkarte|numero de (?:cuenta|compte)",
        r"(?=.*\d)[\w \-]{6,40}",
    ),
    Recognizer(
        "bank account (IBAN)",
        "J",
        values=r"[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,3})?",
        alone=0.9,
        check=bare(checksums.iban),
    ),
    Recognizer(
        "payment card number",
        "J",
        values=r"[3-6]\d{3}[ -]?\d{4,6}[ -]?\d{4,5}[ -]?\d{0,4}",
        alone=0.9,
        least=10,
        check=bare(checksums.luhn),
    ),
    Recognizer(
        "vehicle identifier or plate",
        "L",
        r"vin|vehicle ?(?:id|identification|no|number)|(?:licen[cs]e|number) ?plate|plate ?(?:no|nr|number)?|"
        r"kennzeichen|immatriculation|matricula|targa",
        CODE,
    ),
    Recognizer(
        "vehicle identifier",
        "L",
        values=r"[A-HJ-NPR-Z\d]{8}[\dX][A-HJ-NPR-Z\d]{8}",
        alone=0.9,
        least=3,
        check=checksums.vehicle,
    ),
    Recognizer(
        "certificate or license number",
        "K",
        r"(?:driv(?:er|ing)\w* )?licen[cs]e(?: ?(?:no|nr|num|number|id))?|certificate(?: ?(?:no|number|id))?|"
        r"fuhrerschein\w*|permis",
        CODE,
    ),
    Recognizer(
        "device identifier or serial number",
        "M",
        r"serial(?: ?(?:no|nr|num|number))?|seriennummer|device ?(?:id|serial|no|number)|imei|imsi|udid|udi|"
        r"mac(?: ?addr(?:ess)?)?",
        r"(?=.*\d)[\w .:\-/]{4,40}",
    ),
    Recognizer(
        "vehicle identifier or plate",
        "L",
        values=r"[A-ZÄÖÜ]{1,3}-[A-ZÄÖÜ]{1,2} ?\d{1,4}[EH]?|[A-Z]{2}\d{2} [A-Z]{3}|[A-Z]{2}-\d{3}-[A-Z]{2}|"
        r"\d{4}[ -][B-DF-HJ-NP-TV-Z]{3}",
        alone=0.9,
        least=5,
    ),
    Recognizer("device address (MAC)", "M", values=r"(?i)[\da-f]{2}(?:[:-][\da-f]{2}){5}", alone=0.9),
    Recognizer("device identifier (IMEI)", "M", values=r"\d{15}", alone=0.9, least=10, check=checksums.luhn),
    Recognizer(
        "biometric reference",
        "P",
        r"finger ?print\w*|iris|retina|voice ?print|biometric\w*|face ?(?:id|print)|genome",
        r"\S{12,}",
    ),
    Recognizer(
        "photograph or recording",
        "Q",
        r"photo\w*|picture|image|portrait|foto|bild|selfie|video",
        r"(?=.*[\d./\\])\S{6,}",
    ),
    Recognizer(
        "photograph or recording",
        "Q",
        values=r"(?i)\S.*\.(?:jpe?g|png|gif|bmp|tiff?|heic|dcm|wav|mp3|mp4|avi|mov|wsq)",
        alone=0.9,
    ),
    Recognizer(
        "street address",
        "B",
        r"address(?: line)?(?: ?\d)?(?! (?:state|country|region|type))|street|"
        r"addr(?! (?:state|country|region|type))|adresse|anschrift|strasse|rue|calle|direccion|indirizzo|endereco|"
        r"straat|adres|house ?(?:no|number)|haus ?(?:nr|nummer)|住所|地址|адрес|주소",
    ),
    Recognizer(
        "identifying code (UUID)",
        "R",
        values=r"(?i)[\da-f]{8}-?(?:[\da-f]{4}-?){3}[\da-f]{12}",
        alone=0.9,
        person=True,
    ),
    Recognizer(
        "code of a person",
        "R",
        rf"{PERSON} ?(?:(?:pseudo|anon|unique|study|internal|external|master|global)\w* )?{NUMBER}|pid|"
        rf"^(?:id|nr|no|num|numer|numero|nummer|n) (?:de |del |du |da |do |di |de la |van )?{PERSON}$|"
        r"\w*(?:利用者|顧客|お客様|受給者|被保険者|入居者|生徒|児童|申請者|加入者|客户|用户|会员|患者|学生|员工|居民|고객|회원|이용자|수급자|학생)"
        r" ?(?:番号|コード|id|no|编号|号码|号|번호)|"
        r"pseudonym|pseudo ?id|"
        r"(?:bib|badge)(?: ?(?:no|nr|num|number|id))?|"
        r"(?:shirt|jersey|inmate|prisoner|roll|registration|enrol?ment) ?(?:no|nr|num|number|id)|"
        r"^u?id$|^ident\w*$|"
        r"u?subj ?id|(?:pat|pers|emp|cust|stud|resp) ?(?:id|nr|no)|impfling(?: ?(?:nr|nummer|id))?|"
        r"matri(?:kel|culation|cola)(?: ?(?:nr|no|nummer|number))?|matrikel(?:nr|nummer)|"
        r"社員番号|職員番号|従業員番号|患者番号|会員番号|学籍番号|"
        r"住院号|病历号|病案号|门诊号|就诊号|学号|工号|员工编号|환자번호|사번|학번",
        r"[\w.\-/]+",
        person=True,
    ),
    Recognizer(
        "code of a person",
        "R",
        rf"^(?:{PERSON}|volunteer)$|int(?:erview)? ?(?:nr|no|id)",
        r"(?=.*\d)[\w.\-/]{4,}",
        person=True,
    ),
    Recognizer(
        "number of a household",  # never the person column: the people of one household are counted separately
        "R",
        rf"hh ?id|household ?{NUMBER}|haushalts ?(?:nr|nummer|id)",
        r"(?=.*\d)[\w.\-/]{4,}",
    ),
    Recognizer(
        "code of another person",
        "R",
        rf"{OTHERS} ?(?:{NUMBER}|npi)|npi|"
        rf"(?:provider|physician|doctor|license|licence) (?:license|licence) ?{NUMBER}",
        r"(?=.*\d)[\w.\-/]{4,}",
    ),
)
