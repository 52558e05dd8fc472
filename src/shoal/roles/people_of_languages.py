"""Words of headings in more languages: who is meant, what a name is called, and where people write freely.

Each line has the words of one language or of a few related ones, as they are written; `words_of` removes the accents,
as `recognize.words` does with a heading. Words that also mean something else (Danish `mor`, Turkish `ad`) count only
as a whole heading, which is how the patterns of `people_words` use them.
"""

from __future__ import annotations

import re

from shoal.roles.recognize import plain


def words_of(lines: str) -> str:
    """Return the words of the lines, between bars, as a pattern of alternatives; a blank in a word stays a blank."""
    found = [plain(word.strip()).casefold() for line in lines.splitlines() for word in line.split("|")]
    return "|".join(
        sorted({re.escape(word).replace(r"\ ", " ") for word in found if word}, key=lambda w: (-len(w), w))
    )


STAFF = words_of("""
    lead | leader | head | chief | boss | mgr | rep | representative | buddy | friend | neighbor | neighbour | mate
    colleague | peer | helper | keyworker | key worker | key person | appraiser | assessor | evaluator | dispatcher
    scheduler | planner | marshal | steward | usher | warden | caretaker | housekeeper | groomer | stylist | barber
    handler | keeper | breeder | handlers | escort | chaperone | companion | sitter | nanny | childminder | godparent
    celebrant | priest | vicar | pastor | minister | rabbi | imam | clergy | registrar | notary | magistrate
    coroner | vet | veterinarian | veterinary surgeon | dentist | hygienist | pharmacist | optometrist | paramedic
    consultant | anaesthetist | anesthesiologist | radiologist | pathologist | psychologist | psychiatrist
    clinician | carer | crew | pilot | captain | conductor | courier | technician | inspector | auditor
    investigator | detective | sheriff | deputy | foreman | treasurer | secretary | sponsor | godfather
    godmother | godparents | donor | bidder | lender | lessee | lessor | heir | beneficiary | executor | trustee
    collector | fundraiser | volunteer | referee | umpire | artist | composer | editor | translator | tierarzt
    tierarztin | zahnarzt | zahnarztin | pfarrer | pfarrerin | notar | schaffner | gutachter | prufer | trauzeuge
    taufpate | paten | halter | halterin | auftraggeber | begunstigter | zahlungsempfanger | beguenstigter
    vermieter | vorgesetzter | vorgesetzte | dozent | dozentin | referent | ersteller | verfasser | melder
    praticien | veterinaire | dentiste | chirurgien | pharmacien | notaire | juge | greffier | enqueteur
    equipage | pretre | parrain | marraine | temoin | requerant | demandeur | defendeur | appelant | beneficiaire
    bailleur | enseignant | instituteur | formateur | responsable | auteur | redacteur | donneur d ordre
    veterinario | veterinaria | dentista | odontologo | cirujano | farmaceutico | notario | jueza | sacerdote
    parroco | padrino | madrina | testigo | demandante | demandado | denunciante | imputado | arrendador | jefe
    jefa | autor | maestra | instructor | asesor | asesora | gestor | gestora | supervisora | encargado
    encargada | remitente | destinatario | emisor | pagador | ordenante | tutor legal | apoderado | apoderada
    conviviente | acompanante | cirurgiao | dentista responsavel | medico responsavel | juiz | juiza | padre
    autor da acao | reu | testemunha | professora | professor | orientador | orientadora | atendente | corretor
    vendedora | motorista | locatario | locador | inquilina | acompanhante | cuidador | cuidadora | chefe
    gerente | coordenador | coordenadora | medico curante | infermiere | farmacista | notaio | giudice | testimone
    ricorrente | convenuto | insegnante | autista | conducente | inquilino | locatore | affittuario | mittente
    beneficiario | dierenarts | tandarts | apotheker | notaris | rechter | priester | pastoor | getuige | eiser
    gedaagde | verdachte | leraar | leerkracht | docent | mentor | begeleider | chauffeur | verhuurder | afzender
    ontvanger | contactpersoon | behandelaar | hulpverlener | zorgverlener | aanvrager | eigenaar | houder
    veterinar | tandlakare | prast | domare | vittne | karande | svarande | forare | chaufför | hyresvard
    avsandare | mottagare | handlaggare | kontaktperson | behandlare | agare | tandlaege | praest | dommer | vidne
    sagsoger | sagsogt | chauffor | udlejer | afsender | modtager | sagsbehandler | ejer | tannlege | prest
    vitne | saksoker | saksokt | sjafor | utleier | avsender | mottaker | saksbehandler | behandler | eier | kunde
    elainlaakari | hammaslaakari | pappi | tuomari | todistaja | kantaja | vastaaja | kuljettaja | vuokranantaja
    lahettaja | vastaanottaja | kasittelija | yhteyshenkilo | omistaja | hoitaja | opettaja | ohjaaja | huoltaja
    arst | opetaja | juht | tunnistaja | kohtunik | omanik | kontaktisik | arsts | skolotajs | tiesnesis
    liecinieks | ipasnieks | vaditajs | gydytojas | gydytoja | mokytojas | mokytoja | teisejas | liudytojas
    savininkas | vadovas | vairuotojas | lekarz prowadzacy | stomatolog | weterynarz | aptekarz | notariusz
    sedzia | swiadek | powod | pozwany | ksiadz | wlasciciel | wynajmujacy | nadawca | odbiorca | opiekunka
    prowadzacy | lekar | lekarka | osetrujici lekar | zubar | zverolekar | soudce | svedek | zalobce | zalovany
    ridic | majitel | pronajimatel | odesilatel | prijemce | ucitel | ucitelka | vedouci | drzitel | osetrovatel
    lekarnik | sudca | svedok | vodic | veduci | zdravnik | zdravnica | sodnik | prica | voznik | lastnik
    ucitelj | uciteljica | vodja | lijecnik | lijecnica | doktorica | sudac | svjedok | vozac | vlasnik
    nastavnik | voditelj | tuzitelj | tuzenik | roditelj | skrbnik | sudija | tuzilac | tuzeni | orvos
    kezeloorvos | haziorvos | fogorvos | allatorvos | biro | tanu | felperes | alperes | sofor | tulajdonos
    berbeado | feladó | cimzett | tanar | tanarno | vezeto | ugyintezo | gondviselo | eltarto | medic
    medic curant | judecator | martor | reclamant | parat | sofer | proprietar | chirias | expeditor | destinatar
    profesor | profesoara | preot | invatator | diriginte | mjek | mjeku | gjyqtar | deshmitar | pronar | shofer
    mesues | læknir | dómari | vitni | kennari | eigandi | doktor | hekim | dis hekimi | veteriner | hakim | tanik
    davaci | davali | surucu | ev sahibi | kiraci | gonderen | alici | ogretmen | danisman | mudur | sorumlu
    yetkili | hekimi | hoca | врач | лечащий врач | доктор | стоматолог | ветеринар | судья | свидетель | истец
    ответчик | заявитель | потерпевший | подозреваемый | обвиняемый | водитель | владелец | собственник
    арендатор | отправитель | получатель | плательщик | учитель | преподаватель | классный руководитель
    руководитель | начальник | менеджер | исполнитель | ответственный | куратор | воспитатель | священник
    нотариус | сотрудник | кассир | продавец | покупатель | автор | опекун | родитель | медсестра | оператор
    инспектор | следователь | лікар | лікуючий лікар | суддя | свідок | позивач | відповідач | заявник | водій
    власник | орендар | відправник | отримувач | платник | вчитель | викладач | керівник | відповідальний | опікун
    священик | виконавець | лекар | лекуващ лекар | съдия | свидетел | ищец | ответник | шофьор | собственик
    наемател | учител | ръководител | родител | судија | сведок | наставник | ιατρός | γιατρός | οδοντίατρος
    κτηνίατρος | δικαστής | μάρτυρας | ενάγων | εναγόμενος | οδηγός | ιδιοκτήτης | ενοικιαστής | αποστολέας
    παραλήπτης | καθηγητής | δάσκαλος | υπεύθυνος | προϊστάμενος | κηδεμόνας | الطبيب | طبيب | الطبيب المعالج
    القاضي | الشاهد | المدعي | المدعى عليه | السائق | المالك | المستأجر | المؤجر | المرسل | المستلم | المعلم
    المدرس | المشرف | المدير | الموظف | ولي الأمر | الممرض | الممرضة | المسؤول | الكفيل | پزشک | پزشک معالج | قاضی
    شاهد | راننده | مالک | معلم | مدیر | سرپرست | ڈاکٹر | רופא | רופאה | רופא מטפל | שופט | תובע | נתבע | נהג
    בעלים | שוכר | מורה | מחנך | מנהל | אחראי | אפוטרופוס | מטפל | מטפלת | डॉक्टर | चिकित्सक | न्यायाधीश | गवाह
    चालक | मालिक | शिक्षक | प्रबंधक | अभिभावक | ডাক্তার | শিক্ষক | மருத்துவர் | แพทย์ | แพทย์ผู้รักษา | หมอ
    พยาบาล | ผู้พิพากษา | พยาน | โจทก์ | จำเลย | คนขับ | เจ้าของ | ผู้เช่า | ครู | อาจารย์ | หัวหน้า | ผู้จัดการ
    ผู้ปกครอง | ผู้ดูแล | ผู้ติดต่อ | ผู้รับ | ผู้ส่ง | ผู้บันทึก | เจ้าหน้าที่ | bac si | bac si dieu tri
    tham phan | nhan chung | nguyen don | bi don | tai xe | chu ho | giao vien | quan ly | nguoi than
    nguoi giam ho | nguoi lien he | nguoi nhan | nguoi gui | nguoi lap | nhan vien | dokter | dokter gigi
    perawat | bidan | saksi | penggugat | tergugat | sopir | pengemudi | pemilik | penyewa | pengirim | penerima
    guru | wali kelas | wali | atasan | petugas | penanggung jawab | pengasuh | jururawat | pegawai | pemandu
    penjaga | manggagamot | may ari | guro | tagapangalaga | daktari | muuguzi | hakimu | shahidi | dereva
    mmiliki | mwalimu | mlezi | msimamizi | mpangaji | 医師 | 担当医師 | 看護師 | 獣医 | 裁判官 | 証人 | 原告
    被告 | 運転手 | 所有者 | 借主 | 貸主 | 差出人 | 受取人 | 教員 | 担任 | 上司 | 責任者 | 担当 | 記録者 | 連絡先
    緊急連絡先 | 医生姓名 | 主治医生 | 护士 | 法官 | 证人 | 司机 | 业主 | 租客 | 房东 | 寄件人 | 收件人 | 老师
    班主任 | 主管 | 经理 | 监护人 | 操作员 | 责任人 | 开户人 | 付款人 | 收款人 | 의사 | 담당의 | 주치의 | 간호사
    판사 | 증인 | 원고 | 피고 | 기사 | 운전자 | 소유자 | 임차인 | 임대인 | 발신인 | 수신인 | 교사 | 선생님 | 담임
    상사 | 팀장 | 책임자 | 담당 | 작성자 | 보증인
""")
"""People who treat, teach, judge, drive, own, pay or sign, each as a heading."""

FAMILY = words_of("""
    mother | father | mum | dad | grandmother | grandfather | aunt | uncle | bride | groom | fiance | fiancee
    widow | widower | ancestor | head of household | name of head | relation of | s o d o w o | s o | d o | w o
    c o | kin | nok | household head | mutter | vater | braut | brautigam | mere | pere | frere | soeur | epoux
    epouse | conjointe | chef de famille | madre | padre | hermano | hermana | esposo | esposa | jefe de hogar
    abuelo | abuela | mae | pai | filho | filha | irmao | irma | conjuge | avo | figlio | figlia | fratello
    sorella | coniuge | marito | moglie | vader | moeder | echtgenoot | echtgenote | broer | zus | maka | aiti
    lapsi | puoliso | tevs | berns | motina | tevas | vaikas | matka | ojciec | dziecko | malzonek | malzonka
    otec | dite | manzel | manzelka | mati | oce | otrok | majka | otac | dijete | suprug | supruga | anya | apa
    anyja neve | apja neve | gyermek | hazastars | tata | copil | sotie | nena | modir | fadir | anne | baba
    anne adi | baba adi | cocuk | мать | отец | ребенок | муж | жена | брат | сестра | бабушка | мати | батько
    дитина | чоловік | дружина | майка | баща | дете | съпруг | съпруга | мајка | отац | μητέρα | πατέρας
    μητρώνυμο | πατρώνυμο | όνομα πατρός | σύζυγος | τέκνο | الأم | الأب | اسم الأم | اسم الأب | الزوج | الزوجة
    الابن | پدر | مادر | نام پدر | همسر | שם האב | שם האם | בן זוג | ילד | माता | पिता | पति | पत्नी | पिता का नाम
    বাবা | บิดา | มารดา | คู่สมรส | ญาติ | ho ten cha | ho ten me | ayah | ibu | ibu kandung | suami | istri
    anak | orang tua | asawa | mzazi | 父親 | 母親 | 配偶者 | 父亲 | 母亲 | 配偶 | 子女 | 아버지 | 어머니 | 배우자
    자녀
""")
"""Relatives, each as a heading."""

NAMES = words_of("""
    full names | name in full | other names | known as | aka | a k a | alias | aliases | nickname | apodo
    sobriquet | pseudonym | pen name | stage name | roepnaam | voornamen | tussenvoegsel | rufname | spitzname
    kunstlername | kosename | surnom | sobrenombre | soprannome | apelido | alcunha | eesnimi | perekonnanimi
    perenimi | vards | uzvards | vards uzvards | vards un uzvards | vardas | pavarde | vardas pavarde
    vardas ir pavarde | ime | ime i prezime | ime in priimek | priimek | prezime i ime | imie i nazwisko
    nazwisko i imie | jmeno a prijmeni | prijmeni a jmeno | meno a priezvisko | priezvisko a meno | nev
    teljes nev | vezetek nev | kereszt nev | szuletesi nev | nume si prenume | nume prenume | numele | mbiemri
    emri mbiemri | nafn | fullt nafn | kunjom | ainm | sloinne | enw | cyfenw | izena | abizena | nom i cognoms
    cognoms | ad soyad | adi soyadi | soyad | isim soyisim | soyisim | soyadi | adı | ism | familiya | fio | фио
    ф и о | имя | отчество | фамилия имя отчество | фамилия имя | піб | п і б | прізвище | ім я | по батькові
    прізвище ім я | прізвище та ім я | прозвішча | имя пациента | име | презиме | фамилия | трите имена
    име и презиме | име презиме | ονοματεπώνυμο | όνομα | επώνυμο | επίθετο | όνομα επώνυμο | გვარი | სახელი
    անուն | ազգանուն | الاسم | اسم | الاسم الكامل | الاسم الرباعي | اسم المريض | اسم الطالب | اسم الموظف
    اسم العائلة | اللقب | الكنية | نام | نام خانوادگی | نام و نام خانوادگی | نام کامل | שם | שם מלא | שם פרטי
    שם משפחה | שם ומשפחה | כינוי | नाम | पूरा नाम | उपनाम | নাম | பெயர் | పేరు | ಹೆಸರು | പേര് | નામ | ਨਾਮ
    نام مریض | ชื่อ | นามสกุล | ชื่อ สกุล | ชื่อ นามสกุล | ชื่อสกุล | ชื่อผู้ป่วย | ชื่อเล่น | ឈ្មោះ | ຊື່ | အမည်
    ho ten | ho va ten | ten day du | nama | nama lengkap | nama pasien | nama siswa | nama panggilan | pangalan
    buong pangalan | apelyido | jina | jina kamili | majina | igama | isibongo | oruko | ስም | 姓 | 名 | 姓名
    氏名 | 名前 | 患者名 | 患者姓名 | 学生姓名 | 员工姓名 | 客户姓名 | 이름 | 성명 | 성함 | 환자명 | 고객명 | 별명
""")
"""What a name, or a part of it, is called, each as a whole heading."""

USERS = words_of("""
    handle | username | user name | login | account name | screen name | gamertag | gamer tag | player tag
    discord tag | steam id | psn | xbox live | twitch | tiktok | insta | instagram | twitter | facebook | linkedin
    github | reddit | snapchat | telegram | whatsapp | skype | wechat | weixin | kakao | benutzer | benutzername
    kennung | identifiant | utilisateur | usuario | usuaria | utente | gebruiker | gebruikersnaam | anvandare
    anvandarnamn | brugernavn | brukernavn | kayttaja | kayttajatunnus | kasutaja | lietotajs | vartotojas
    uzytkownik | nazwa uzytkownika | uzivatel | uporabnik | korisnik | korisnicko ime | felhasznalo
    felhasznalonev | utilizator | kullanici | kullanici adi | пользователь | логин | ник | користувач | потребител
    χρήστης | όνομα χρήστη | المستخدم | اسم المستخدم | کاربر | משתמש | שם משתמש | ผู้ใช้ | ten dang nhap
    nguoi dung | pengguna | nama pengguna | ユーザー | ユーザー名 | ユーザid | 用户 | 用户名 | 账号 | 사용자
    아이디 | 닉네임
""")
"""What the name of a user is called, each as a whole heading."""

NOTES = words_of("""
    note | notes | comment | comments | remark | remarks | observations | free text | memo | narrative
    other specify | please specify | reason details | text | message | bem | bemerk | bemerkung | verwendungszweck
    sonstige angaben | begrundung | hinweis | hinweise | vermerk | remarque | remarques | rem | commentaire
    observation | precisions | nota | notas | observacion | observaciones | obs | comentario | comentarios
    motivo de la visita | observacao | observacoes | anotacoes | annotazioni | note varie | osservazioni | bijz
    bijzonderheden | opm | opmerking | opmerkingen | toelichting | notitie | notities | aantekening | anteckning
    anteckningar | kommentar | kommentarer | ovrigt | bemaerkning | bemaerkninger | notat | merknad | merknader
    huomio | huomautus | huomautukset | lisatiedot | kommentti | markus | markused | kommentaar | piezimes
    komentars | pastabos | pastaba | komentaras | uwaga | uwagi | komentarz | poznamka | poznamky | komentar
    opomba | opombe | napomena | napomene | primedba | megj | megjegyzes | megjegyzesek | indoklas | observatii
    mentiuni | shenime | athugasemd | athugasemdir | aciklama | aciklamalar | not | notlar | gorus | примечание
    примечания | прим | комментарий | комментарии | замечания | дополнительно | назначение платежа | примітка
    примітки | коментар | зауваження | призначення платежу | забележка | забележки | бележки | коментари
    напомена | σχόλια | σχόλιο | παρατηρήσεις | σημειώσεις | ملاحظات | ملاحظة | تعليق | تعليقات | توضیحات
    یادداشت | شرح | הערות | הערה | פירוט | टिप्पणी | মন্তব্য | குறிப்பு | หมายเหตุ | บันทึก | ghi chu | nhan xet
    dien giai | keterangan | catatan | puna | maelezo | maoni | tala | paliwanag | 備考 | メモ | コメント | 備註
    备注 | 评论 | 自由記述 | 自由回答 | 비고 | 메모 | 의견 | 특이사항 | 적요
""")
"""Where people write freely, each as a whole heading."""
