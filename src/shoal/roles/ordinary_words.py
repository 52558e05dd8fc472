"""Ordinary words of answers and categories in several languages, and the codes of countries and currencies."""

from __future__ import annotations

from shoal.roles.recognize import plain

_WORDS = """
    refused declined applicable answer asked know don mother father parent parents son daughter child children sister
    brother spouse husband wife sibling friend relative guardian grandparent neighbor neighbour alone
    mutter vater eltern sohn tochter kind geschwister ehemann ehefrau mère père fils fille madre padre hijo hija
    mãe pai filho filha moeder vader zoon dochter mor far sønn datter barn matka ojciec syn córka anne baba oğul kız
    yes no true false y n t f x none other others unknown missing na null nil any all both neither either some
    male female man woman men women boy girl diverse nonbinary m w d single married divorced widowed separated
    engaged partner cohabiting low medium high very minimum maximum normal abnormal mild moderate severe
    critical good better best bad poor fair excellent average above below meets exceeds outstanding satisfactory
    expected expectations small large big short long tall light heavy old new young early late fast slow hot
    cold warm dry wet open closed close own owned rent rented renter shared public private personal business
    commercial residential mixed free paid unpaid active inactive current former past present future pending
    done finished complete completed incomplete cancelled canceled accepted rejected approved denied passed
    failed pass fail won lost draw win loss started stopped positive negative neutral reactive left right center
    front back upper lower inner outer top bottom north south east west northern southern eastern western
    central urban rural suburban local regional national international global domestic foreign home work school
    office hospital clinic shop store street road car bus train tram bike bicycle walk taxi truck van boat plane
    foot red green blue yellow black white gray grey brown orange purple pink silver gold beige basic plus
    premium standard regular special extra full part time half quarter monthly weekly daily yearly annual hourly
    once never rarely sometimes often always usually seldom occasionally morning noon afternoon evening night
    day week month year monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun
    january february march april may june july august september october november december jan feb mar apr jun
    jul aug sep oct nov dec spring summer autumn fall winter primary secondary tertiary elementary middle
    college university bachelor master doctorate phd degree diploma certificate vocational graduate
    undergraduate literate illiterate employed unemployed retired student homemaker disabled self sick leave
    permanent temporary contract intern trainee junior senior lead manager worker skilled unskilled technical
    sales marketing finance research development support service services operations production administration
    human resources legal security web online phone mail email letter cash card check transfer credit debit loan
    insurance health care medical surgical mental physical nursing emergency elective urgent routine inpatient
    outpatient discharge discharged admitted transferred expired dead alive died living english french german
    spanish italian chinese arabic russian portuguese dutch turkish polish mobile desktop tablet android windows
    linux mac app video audio text image print trade show referral campaign advertising organic direct social
    media search prospecting qualified proposal negotiation strongly agree disagree certain likely unlikely
    house apartment flat room bed farm land garden pool water wood coal gas oil electric electricity solar wind
    ja nein andere anderer sonstige sonstiges keine keiner unbekannt männlich weiblich ledig verheiratet
    geschieden verwitwet niedrig mittel hoch gut schlecht sehr neu alt groß klein offen geschlossen privat
    gesetzlich öffentlich frei stadt dorf nord süd ost nordost links rechts montag dienstag mittwoch donnerstag
    freitag samstag sonntag januar februar märz mai juni juli oktober dezember vollzeit teilzeit ambulant
    stationär notaufnahme ambulanz station krank ferien rot grün blau gelb schwarz weiß grau barzahlung rechnung
    deutsch englisch französisch oui non autre aucun aucune inconnu inconnue masculin féminin homme femme
    célibataire marié divorcé veuf bas moyen haut bon mauvais très nouveau nouvelle ouvert fermé privé sud est
    ouest lundi mardi mercredi jeudi vendredi samedi dimanche si sí otro otra ninguno ninguna desconocido hombre
    mujer soltero soltera casado casada divorciado viudo bajo medio alto bueno malo muy nuevo abierto cerrado
    privado norte sur este oeste lunes martes miércoles jueves viernes sábado domingo sim não nao outro outra
    nenhum desconhecido homem mulher masculino feminino solteiro baixo médio particular público altro nessuno
    uomo donna maschio femmina celibe nubile coniugato basso buono nee anders geen onbekend vrouw laag hoog goed
    slecht nei ingen annen mann kvinne lav høy nej anden mand kvinde høj annan kvinna låg hög kyllä ei muu mies
    nainen tak nie inny inne brak kobieta mężczyzna ano ne jiný žádný žádná muž žena áno iné igen nem egyéb
    férfi nő da nu altul bărbat femeie drugo muškarac evet hayır diğer yok var erkek kadın özel да нет мужской
    женский другое так ні ya tidak lain laki perempuan oo hindi có không nam nữ ndiyo hapana taip vyras moteris
    jā nē неизвестно ναι όχι άνδρας γυναίκα άλλο نعم لا ذكر أنثى כן לא זכר נקבה ชาย หญิง ใช่ ไม่ 男 女 是 否 有
    无 無 有り なし はい いいえ 男性 女性 남 여 남성 여성 예 아니오 arabisch nederlands pools turks engels frans
    duits spaans marokkaans
"""
ORDINARY = frozenset(word for text in _WORDS.split() for word in (text.casefold(), plain(text).casefold()))
"""Words that stand for a category, in lower case; the second form is without accents."""

CODES = frozenset(
    """
    AF AL DZ AD AO AR AM AU AT AZ BS BH BD BB BY BE BZ BJ BT BO BA BW BR BN BG BF BI KH CM CA CV CF TD CL CN CO KM CG
    CD CR CI HR CU CY CZ DK DJ DM DO EC EG SV GQ ER EE SZ ET FJ FI FR GA GM GE DE GH GR GD GT GN GW GY HT HN HU IS IN
    ID IR IQ IE IL IT JM JP JO KZ KE KI KP KR KW KG LA LV LB LS LR LY LI LT LU MG MW MY MV ML MT MH MR MU MX FM MD MC
    MN ME MA MZ MM NA NR NP NL NZ NI NE NG MK NO OM PK PW PS PA PG PY PE PH PL PT QA RO RU RW KN LC VC WS SM ST SA SN
    RS SC SL SG SK SI SB SO ZA SS ES LK SD SR SE CH SY TW TJ TZ TH TL TG TO TT TN TR TM TV UG UA AE GB UK US UY UZ VU
    VA VE VN YE ZM ZW XK HK MO PR GL FO EU
    AFG ALB DZA AND AGO ARG ARM AUS AUT AZE BHS BHR BGD BRB BLR BEL BLZ BEN BTN BOL BIH BWA BRA BRN BGR BFA BDI KHM
    CMR CAN CPV CAF TCD CHL CHN COL COM COG COD CRI CIV HRV CUB CYP CZE DNK DJI DMA DOM ECU EGY SLV GNQ ERI EST SWZ
    ETH FJI FIN FRA GAB GMB GEO DEU GHA GRC GRD GTM GIN GNB GUY HTI HND HUN ISL IND IDN IRN IRQ IRL ISR ITA JAM JPN
    JOR KAZ KEN KIR PRK KOR KWT KGZ LAO LVA LBN LSO LBR LBY LIE LTU LUX MDG MWI MYS MDV MLI MLT MHL MRT MUS MEX FSM
    MDA MCO MNG MNE MAR MOZ MMR NAM NRU NPL NLD NZL NIC NER NGA MKD NOR OMN PAK PLW PSE PAN PNG PRY PER PHL POL PRT
    QAT ROU RUS RWA KNA LCA VCT WSM SMR STP SAU SEN SRB SYC SLE SGP SVK SVN SLB SOM ZAF SSD ESP LKA SDN SUR SWE CHE
    SYR TWN TJK TZA THA TLS TGO TON TTO TUN TUR TKM TUV UGA UKR ARE GBR USA URY UZB VUT VEN VNM YEM ZMB ZWE
    EUR USD GBP CHF JPY CNY SEK NOK DKK PLN CZK HUF RON BGN TRY RUB UAH INR BRL MXN ARS CLP COP PEN ZAR NGN KES EGP
    SAR AED ILS KRW TWD THB VND IDR MYR SGD PHP AUD NZD CAD HKD ISK
    EMEA AMER APAC LATAM DACH EN FR DE ES IT PT NL PL RU ZH JA KO AR TR A B AB O M F W D X U S I II III IV V VI
    """.split()  # noqa: SIM905 (a list of so many words is read more easily so)
)
"""Codes of countries, currencies, languages and parts of the world, blood groups, and Roman numbers."""
