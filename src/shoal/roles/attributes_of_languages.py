"""Whole headings of attributes in more languages: sex, place, job, class, reason, result and the like.

Under such a heading, values are labels. Each line has the words of one language or of a few related ones, as they are
written; `words_of` removes the accents. They count only as the whole heading: `zespół` is a team, and `lider zespołu`
is a person.
"""

from __future__ import annotations

from shoal.roles.people_of_languages import words_of

HEADINGS = words_of("""
    tier | performance | custody | literacy | disposition | patient disposition | discharge disposition | purpose
    trip purpose | contract | decision | outcome | result | results | cover | coverage | delivery | manner
    manner of death | diet | meal | seat | cabin | lane | term | promo | merchant | currency | firmware | premise
    temperament | position | meal plan | weather | season | transport | ticket type | time zone | timezone | tz
    injury | injuries | side | laterality | specialty | speciality | subject area | topic | theme | format
    medium
    toilet | latrine | water source | roof | wall | floor type | occasion | destination | embarked | deck
    fault | resolution | severity level | shape | size | finish | style | pattern | direction | surface
    allergies | vaccine brand | batch | embarkation | size class | policy type | claim type | payment method
    payment type | internet service | business travel | education field | over time | device | browser | platform
    os
    reaction | genre | membership | branch office | reading level | mood | skill | skills | hobby | hobbies
    interest
    interests | activity | event type | food | drink | lunch | snack | menu | dish | crop | soil | habitat
    blood group
    abo rh | rh | shirt | shirt size | shoe size | hair | hair color | eye color | handedness | arm | leg | eye
    ear
    gangart | mitgliedschaft | halle | abzeichen | pferderasse | rasse | geschlecht | anrede | sparte | verein
    gem | bundesland | wohnform | ergebnis | entscheidung | urteil | betreff | thema | rubrik | verfahren
    schulform | schulart | zweig | lehrgang | bekenntnis | währung | versicherungsart | tarif | vertragsart
    einrichtung | bereich | lage | richtung | witterung | zahlungsart | zahlungsweise | verhalten
    arbeitsverhalten
    sozialverhalten | mahlzeit | kostform | erkrankung | befund kategorie | zustand | ausgang | abgangsart
    club | succursale | agence | quartier | arrondissement | hameau | loisirs | race | plat | repas | sexe
    civilité | statut matrimonial | situation familiale | paroisse | motif | devenir | gravité
    filiation | ville | village | canton | département | région | profession | niveau d etudes | résultat
    décision
    issue | nature | catégorie | catégorie socioprofessionnelle | csp | type de contrat | contrat | discipline
    matière
    sucursal | deporte | afición | comida | vereda | corregimiento | especie | raza | sexo | género | estado civil
    materia | fallo | sala | grupo | turno | beca
    parentesco | barrio | localidad | colonia | departamento | región | motivo | resultado | nivel
    nivel educativo
    procedencia | modalidad | asignatura | especialidad | diagnóstico | convenio | ocupación | situación laboral
    raça | cor | escalão | posição | lesão | convênio | procedimento | turma | série | período
    escolaridade | bairro | freguesia | concelho | distrito | município | situação | motivo de alta
    especialidade
    esenzione | sesso | genere | stato civile | comune | provincia | regione | esito | reparto | titolo di studio
    vereniging | filiaal | wijk | dorp | buurt | gerecht | ras | geslacht | thuistaal | taal | dyslexie | advies
    groep | levensbeschouwing | burgerlijke staat
    woonplaats | gemeente | provincie | uitslag | reden | afdeling | opleiding | beroep | nationaliteit
    forening | klub | filial | bydel | landsby | ret | køn | ydelse | civilstand | by | kommune | stilling
    uddannelse | resultat | årsag | sprog | afgørelse
    kjønn | stemme | betalt | tittel | sivilstand | fylke | avdeling | utdanning | yrke
    förening | stadsdel | matval | kost | allergi | aktivitet | kön | civilstånd | län | kommun | avdelning
    utbildning | språk | orsak | beslut | ämne | årskurs | kurs
    sukupuoli | ikäryhmä | viikonpäivä | toiminta | koulu | siviilisääty | kunta | maakunta | osasto | koulutus
    luokka
    kieli | syy | tulos | päätös | kotikunta | äidinkieli
    gatunek | filia | dzielnica | wieś | gmina | dieta | rasa | sport | płeć | temat | stopień niepełnosprawności
    stan cywilny | miasto | powiat | województwo | oddział
    wykształcenie | zawód | klasa | wynik | powód | decyzja | kategoria | rodzaj | przedmiot | narodowość
    žánr | pobočka | čtvrť | vesnice | jídlo | plemeno | jazyk | pohlaví | šarže | reakce | okres | kraj
    oddělení | vzdělání | rodinný stav | výsledek | důvod | třída | obec
    žáner | pohlavie | značka | farba | oddelenie | vzdelanie | výsledok | dôvod | trieda
    nem | neme | születési hely | munkakör | családi állapot | megye | település | osztály | végzettség
    eredmény | ok
    sex | gen | stare civilă | județ | localitate | secție | studii | profesie | ocupație | rezultat | motiv
    diagnostic
    spol | titula | razred | županija | općina | odjel | stručna sprema | bračni status | razlog
    lytis | savivaldybė | miestas | skyrius | išsilavinimas | šeiminė padėtis | rezultatas | priežastis
    dzimums | pilsēta | novads | nodaļa | izglītība | ģimenes stāvoklis | sugu | linn | maakond | osakond
    haridus
    kulüp | mahalle | köy | şube | semt | dil | tür | yemek | servis | cinsiyet | sigorta | il | ilçe | bölüm
    medeni hal | medeni durum | eğitim | sonuç | neden | sınıf | uyruk
    branş
    пол | категория | решение | город | область | район | отделение | образование | семейное положение
    причина | результат | класс | группа крови | вид | тип | предмет | национальность | специальность | статус
    стать | посада | інвалідність | місто | відділення | освіта | сімейний стан | рішення
    град | община | семейно положение | резултат
    φύλο | πόλη | νομός | τμήμα | εκπαίδευση | οικογενειακή κατάσταση | αποτέλεσμα | αιτία | τάξη | επάγγελμα
    الجنس | المدينة | التشخيص | الصف | المحافظة | الحالة الصحية | الحالة الاجتماعية | القسم | الوظيفة | المهنة
    الحي
    النوع | الفئة | السبب | النتيجة | الجنسية | المرحلة | المستوى | المنطقة | البلد | الدولة | المؤهل | القرية
    المدرسة
    جنسیت | شغل | شهر | استان | رشته | تحصیلات | وضعیت تاهل | نتیجه | علت | بخش | پایه | ملیت
    מגדר | מין | עיר | מגמה | התאמות | מחלקה | מקצוע | השכלה | מצב משפחתי | תוצאה | סיבה | כיתה | אזור | סוג
    ישוב
    लिंग | जिला | राज्य | शहर | गांव | जाति | धर्म | शिक्षा | व्यवसाय | वर्ग | श्रेणी | विषय | परिणाम | कारण
    เพศ | สิทธิ | โรค | จังหวัด | อำเภอ | ตำบล | แผนก | อาชีพ | การศึกษา | สถานภาพ | ผล | สาเหตุ | ชั้น | ประเภท
    xã | phường | thôn | ấp | câu lạc bộ | môn học | loại hình | bảo hiểm | giới tính | chẩn đoán | gioi tinh
    chan doan | tỉnh | thành phố | quận | huyện | khoa | nghề nghiệp
    trình độ
    dân tộc | tôn giáo | kết quả | lý do | lớp | loại
    dusun | cabang | hobi | olahraga | mata pelajaran | jenis kelamin | desa | kelurahan | kecamatan | kabupaten
    provinsi | pekerjaan | difabel | pendidikan
    agama | status perkawinan | hasil | alasan | kelas | jenis | jantina | negeri | daerah
    kasarian | hanapbuhay | lungsod | barangay | lalawigan | trabaho | jinsia | mkoa | wilaya | kazi | elimu
    性别 | 科室 | 民族 | 婚姻状况 | 文化程度 | 职业 | 省份 | 城市 | 地区 | 类别 | 类型 | 原因 | 结果 | 班级 | 年级
    部门
    性別 | 年代 | 判定 | 健診判定 | 満足度 | サービス | サービス種別 | 要介護度 | 介護度 | 種別 | 区分 | 分類
    結果 | 理由
    診療科 | 学年 | 組 | 部署 | 役職 | 雇用形態 | 血液型 | 市町村 | 地域 | 婚姻 | 学歴 | 状態 | 病棟 | 科目
    保険種別
    성별 | 부서 | 직급 | 혈액형 | 직책 | 지역 | 학년 | 반 | 결과 | 사유 | 유형 | 구분 | 진료과 | 학력 | 결혼여부
    종교
""")

ENDINGS = (
    r"\w{4,}art|\w{3,}(?:weise|form|farbe|zweck|marke|zustand|richtung|klasse|rasse|sorte|soort|vorm|kleur|wijze|slag|"
    r"farve|farge|farg|val|nivel|niva)"
)
"""How compound words end that name the kind, form or color of something, in languages that write them in one."""
