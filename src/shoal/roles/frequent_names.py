"""Frequent given names and family names of many countries, and the characters with which East Asian names begin.

They are used to recognize a column of names. No list of names is complete, so a column counts as one of names if a
share of its values is listed, and a name that is not listed proves nothing. Words that are also months, states,
colors or everyday words are left out.
"""

from __future__ import annotations

_GIVEN = """
james john robert michael william david richard joseph thomas charles christopher daniel matthew anthony donald
steven paul andrew joshua kenneth kevin brian george edward ronald timothy jason jeffrey ryan jacob gary nicholas
eric jonathan stephen larry justin scott brandon benjamin samuel gregory alexander frank patrick raymond dennis
jerry tyler aaron jose adam henry nathan douglas zachary peter kyle walter ethan jeremy harold keith roger noah
gerald terry sean arthur lawrence dylan jesse bryan billy bruce gabriel willie logan alan juan wayne roy ralph randy
eugene vincent russell louis philip bobby liam oliver harry oscar archie leo mary patricia jennifer linda elizabeth
barbara susan jessica sarah karen lisa nancy betty margaret sandra ashley kimberly emily donna michelle carol amanda
dorothy melissa deborah stephanie rebecca sharon laura cynthia kathleen amy angela shirley anna brenda pamela emma
nicole helen samantha katherine christine debra rachel carolyn janet catherine maria heather diane ruth julie olivia
joyce kelly lauren christina joan evelyn judith megan andrea cheryl hannah jacqueline martha gloria teresa ann sara
frances kathryn janice jean abigail alice julia judy sophia denise doris marilyn danielle beverly isabella theresa
diana natalie brittany charlotte marie kayla alexis lori amelia ava isla mia ella chloe lucy freya hans klaus
wolfgang jürgen juergen dieter manfred uwe horst heinz günter guenter gerhard helmut bernd rainer werner jörg joerg
stefan matthias andreas markus christian sebastian florian jan felix lukas leon finn jonas maximilian moritz niklas
tim tobias dirk karl friedrich otto hermann kurt rolf ulrich volker ralf sven jens torsten holger ursula karin helga
sabine ingrid renate monika petra gisela susanne brigitte claudia christa elke birgit heike anja silke gabriele
angelika katrin martina stefanie kerstin marion anke ulrike cornelia jutta hannelore ilse gertrud erika hildegard
lieselotte lena lea leonie johanna greta frieda klara mathilda pierre michel philippe alain nicolas christophe
laurent frédéric frederic sébastien sebastien julien thierry olivier stéphane stephane françois francois gérard
gerard bernard jacques rené rene andré andre claude marcel didier pascal bruno guillaume mathieu antoine hugo lucas
théo theo émile emile nathalie isabelle sylvie françoise francoise valérie valerie monique véronique veronique
céline celine sandrine chantal sophie aurélie aurelie camille léa chloé manon inès ines juliette élodie elodie
hélène helene antonio josé manuel francisco luis carlos javier miguel ángel angel jesús jesus pedro alejandro rafael
fernando pablo sergio jorge alberto álvaro alvaro diego adrián adrian raúl raul enrique ramón ramon vicente andrés
andres ignacio carmen josefa isabel dolores pilar ana francisca antonia lucía lucia cristina concepción elena rosa
rocío mercè núria nuria guadalupe juana verónica gabriela ximena camila valentina mateo thiago santiago joão joao
antónio antônio paulo tiago rui nuno gonçalo marcos rodrigo felipe gustavo beatriz mariana inês fernanda juliana
aline letícia leticia bruna larissa giuseppe giovanni mario luigi francesco angelo vincenzo pietro salvatore
domenico franco alessandro marco matteo lorenzo davide riccardo stefano roberto giulia chiara francesca federica
alessia giorgia elisa silvia paola giovanna caterina antonella piotr krzysztof andrzej tomasz paweł pawel michał
michal marcin stanisław stanislaw jakub łukasz lukasz zbigniew jerzy tadeusz mateusz dariusz mariusz wojciech
ryszard kacper szymon katarzyna małgorzata malgorzata agnieszka krystyna ewa elżbieta zofia janina joanna magdalena
jadwiga danuta irena halina helena zuzanna jiří jiri josef pavel jaroslav miroslav petr václav vaclav tomáš tomas
zdeněk zdenek jana hana eva lenka kateřina lucie věra vera alena veronika lars anders johan per nils erik mikael
olof gunnar björn bjorn magnus fredrik henrik emil axel kristina birgitta elisabeth margareta linnea astrid elsa
maja ole kjell bjørn knut arne svein søren soren niels mette kirsten hanne lene ingeborg solveig kari liv juhani
johannes olavi antero tapani matti pekka jukka timo annikki kaarina anneli päivi daan sem jeroen bart pieter
cornelis willem hendrik gerrit wouter maarten sanne fleur anouk femke lotte istván istvan lászló laszlo zoltán
zoltan attila gábor gabor katalin erzsébet ilona ion gheorghe vasile mihai andrei ioana georgios dimitrios
konstantinos ioannis eleni katerina mehmet mustafa ahmet ali hüseyin huseyin hasan ibrahim ismail osman yusuf murat
emre fatma ayşe ayse emine hatice zeynep elif meryem mohamed mohammed muhammad ahmed omar youssef hassan khaled
fatima aisha khadija zainab mariam layla abdullah abdul raj rahul amit sanjay vijay suresh ramesh anil sunil deepak
priya anjali pooja neha sunita anita kavita lakshmi rajesh wei fang min jing hiroshi takashi kenji yuki yoko keiko
minjun jiwoo nguyen thi иван александр сергей дмитрий андрей алексей максим евгений михаил владимир николай анна
мария елена ольга наталья татьяна ирина екатерина светлана анастасия юлия людмила виктор павел олег محمد أحمد احمد
علي حسن حسين عمر خالد يوسف إبراهيم عبدالله فاطمة مريم عائشة زينب خديجة سارة نور ليلى דוד משה יוסף אברהם שרה רחל מרים
יעקב γιώργος μαρία δημήτρης κώστας ελένη νίκος detlef friedhelm hartmut gudrun anneliese ekkehard günther siegfried
reinhard waltraud edeltraud irmgard elfriede gerda hedwig heinrich wilhelm ernst rudolf alfred erwin egon norbert
hubert lothar winfried joachim detlev ingo carsten thorsten kai heiko anton theodor ludwig rosemarie margarete
annegret hiltrud sigrid roswitha bärbel dagmar heidi regina ute marlies wilfried ottmar gottfried eberhard wolfram
augusta beatrix cornelius bartholomew desmond gwendolyn leopold marjorie percival winifred reginald millicent agatha
edith florence mabel ethel albert ernest herbert cecil cyril geoffrey nigel graham trevor clive hilary gillian beryl
maureen moira fiona eileen siobhan niamh aoife declan eamon sinead callum hamish ewan isobel
"""
_FAMILY = """
smith johnson williams jones garcia miller davis rodriguez martinez hernandez lopez gonzalez wilson anderson thomas
taylor moore jackson martin lee perez thompson harris sanchez clark ramirez lewis robinson walker allen king wright
torres nguyen flores adams nelson baker hall rivera campbell mitchell carter roberts gomez phillips evans turner
diaz parker cruz edwards collins reyes stewart morris morales murphy cook rogers gutierrez ortiz morgan cooper
peterson bailey reed kelly howard ramos kim cox ward richardson watson brooks chavez james bennett mendoza ruiz
hughes alvarez castillo sanders patel myers ross foster jimenez davies walsh wilkinson thomson o'brien o'connor
müller mueller schmidt schneider fischer weber meyer wagner becker schulz hoffmann schäfer schaefer koch bauer
richter wolf schröder schroeder neumann zimmermann krüger krueger hofmann hartmann schmitt werner schmitz krause
meier lehmann schmid schulze maier köhler koehler herrmann könig koenig walter mayer huber kaiser fuchs peters
scholz möller moeller hahn schubert vogel friedrich keller günther frank berger winkler roth beck lorenz baumann
franke albrecht schuster simon ludwig böhm kraus schumacher krämer vogt stein jäger otto gruber steiner moser egger
bernard dubois durand moreau laurent lefebvre leroy roux david bertrand morel fournier girard bonnet dupont lambert
fontaine rousseau mercier blanc guerin boyer garnier chevalier garcía fernández fernandez gonzález rodríguez lópez
martínez sánchez pérez gómez martín jiménez hernández díaz moreno muñoz munoz álvarez romero gutiérrez alonso
navarro domínguez dominguez vázquez vazquez ramírez serrano blanco molina silva santos oliveira souza sousa pereira
lima carvalho ferreira rodrigues almeida costa gomes martins araújo araujo ribeiro alves cardoso fernandes rossi
russo ferrari esposito bianchi romano colombo ricci marino greco bruno gallo conti mancini lombardi barbieri moretti
jansen janssen de vries van den berg bakker visser smit meijer mulder bos peeters janssens maes jacobs mertens
willems nowak kowalski kowalska wiśniewski wisniewski wójcik wojcik kowalczyk kamiński kaminski lewandowski
zieliński szymański woźniak dąbrowski novák novak svoboda novotný dvořák dvorak černý procházka kučera horváth
kovács kovacs szabó nagy tóth andersson johansson karlsson nilsson eriksson larsson olsson persson svensson
gustafsson hansen johansen olsen larsen andersen pedersen nilsen jensen nielsen christensen rasmussen sørensen
sorensen korhonen virtanen mäkinen nieminen yılmaz yilmaz kaya demir çelik celik şahin sahin yıldız yildiz öztürk
ozturk aydın popescu ionescu papadopoulos khan singh kumar sharma gupta shah reddy rao ali hussain ahmed wang zhang
liu chen yang huang zhao zhou sato suzuki takahashi tanaka watanabe ito yamamoto nakamura park choi kang tran иванов
иванова смирнов смирнова кузнецов кузнецова попов попова васильев петров петрова соколов михайлов новиков фёдоров
морозов волков алексеев лебедев семёнов шевченко мельник коваленко бондаренко
"""
_MORE_GIVEN = """
sari jouni tuula ritva leena pirjo seppo heikki markku marja minna riitta eeva aino veikko jari mika teemu rein tiit
urmas toomas tiina piret aivar janis juris andris inga ilze dace liga vytautas jonas antanas rasa daiva jurga rūta
egle milda ivana ivan marko luka petra katarina dragana milica jelena goran zoran dragan branka snežana mojca
urška matej jure gheorghiță elena mihaela adriana cristian gabriel bogdan ferenc jános józsef sándor éva judit ágnes
zsuzsanna mária ayşegül özlem burak cem serkan selin hülya gamze oksana taras bohdan iryna natalia volodymyr mykola
olena оксана тарас богдан ірина наталія володимир микола олена галина раиса валентина нина георги димитър стоян мария
siti budi dewi agus sri wayan nur putri joko bambang rizal jose maricel rodel nena juma amina wanjiku otieno
achieng chinedu ngozi emeka oluwaseun adaeze fatou mamadou aminata ousmane thabo sipho nomsa zanele kwame kofi abena
linh huong tuan somchai malee niran yael itai tamar eitan reza hossein maryam zahra fatemeh
siobhan aoife niamh ciaran padraig gareth rhys sian angharad ewan hamish morag gudrun sigurdur olafur anna maria
"""
GIVEN = frozenset(_GIVEN.split()) | frozenset(_MORE_GIVEN.split())
"""Given names in lower case."""
FAMILY = frozenset(name for name in _FAMILY.split() if name not in ("de", "van", "den"))
"""Family names in lower case."""
CHINESE = (
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎"
    "余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段钱汤尹黎易常武乔贺赖龚文張"
    "劉陳楊趙黃吳孫馬羅鄭謝韓馮蕭鄧許蘇盧蔣賈葉閻鐘譚鄒陸"
)
"""First characters of frequent Chinese family names, simplified and traditional."""
_JAPANESE = """
佐藤 鈴木 高橋 田中 伊藤 渡辺 山本 中村 小林 加藤 吉田 山田 佐々木 山口 松本 井上 木村 斎藤
清水 山崎 阿部 森 池田 橋本 山下 石川 中島 前田 藤田 後藤 小川 岡田 村上 長谷川 近藤 石井
斉藤 坂本 遠藤 青木 藤井 西村 福田 太田 三浦 藤原 岡本 松田 中野 中川 原田 小野 竹内 金子
和田 中山 石田 上田 森田
"""
JAPANESE = tuple(_JAPANESE.split())
"""Frequent Japanese family names."""
KOREAN = "김이박최정강조윤장임한오서신권황안송류홍전고문손양배백허남심노하곽성차주우구민진나엄채원천방공"
"""First syllables of frequent Korean family names."""
