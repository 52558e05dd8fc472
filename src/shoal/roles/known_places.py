"""Names of well-known places: a column with many of them holds places, not names of people."""

from __future__ import annotations

import polars as pl

from shoal.roles.recognize import share

_PLACES = """
afghanistan|albania|algeria|angola|argentina|armenia|australia|austria|azerbaijan|bangladesh|belarus|belgium|benin|
bolivia|bosnia|brazil|bulgaria|burundi|cambodia|cameroon|canada|chad|chile|china|colombia|congo|croatia|cuba|cyprus|
czechia|czech republic|denmark|ecuador|egypt|eritrea|estonia|ethiopia|finland|france|gabon|georgia|germany|ghana|
greece|guatemala|guinea|guyana|haiti|honduras|hungary|iceland|india|indonesia|iran|iraq|ireland|israel|italy|jamaica|
japan|jordan|kazakhstan|kenya|korea|north korea|south korea|kosovo|kuwait|laos|latvia|lebanon|liberia|libya|
lithuania|luxembourg|malaysia|mali|malta|mexico|moldova|mongolia|montenegro|morocco|mozambique|myanmar|namibia|nepal|
netherlands|new zealand|nicaragua|niger|nigeria|norway|oman|pakistan|palestine|panama|paraguay|peru|philippines|
poland|portugal|puerto rico|qatar|romania|russia|rwanda|saudi arabia|senegal|serbia|sierra leone|singapore|slovakia|
slovenia|somalia|south africa|spain|sri lanka|sudan|suriname|sweden|switzerland|syria|taiwan|tanzania|thailand|togo|
tunisia|turkey|uganda|ukraine|united kingdom|england|scotland|wales|united states|uruguay|usa|uzbekistan|venezuela|
vietnam|yemen|zambia|zimbabwe|ägypten|albanien|algerien|argentinien|belgien|bosnien|brasilien|bulgarien|chile|
dänemark|deutschland|estland|finnland|frankreich|griechenland|großbritannien|indien|indonesien|irak|irland|italien|
kanada|kroatien|lettland|litauen|luxemburg|marokko|mexiko|niederlande|norwegen|österreich|polen|rumänien|russland|
schweden|schweiz|serbien|slowakei|slowenien|spanien|syrien|tschechien|türkei|tunesien|ukraine|ungarn|
allemagne|belgique|espagne|italie|pays-bas|suisse|royaume-uni|maroc|algérie|tunisie|alemania|francia|españa|italia|
alabama|alaska|arizona|arkansas|california|colorado|connecticut|delaware|florida|hawaii|idaho|illinois|indiana|iowa|
kansas|kentucky|louisiana|maine|maryland|massachusetts|michigan|minnesota|mississippi|missouri|montana|nebraska|
nevada|new hampshire|new jersey|new mexico|new york|north carolina|north dakota|ohio|oklahoma|oregon|pennsylvania|
rhode island|south carolina|south dakota|tennessee|texas|utah|vermont|virginia|washington|west virginia|wisconsin|
wyoming|bayern|hessen|sachsen|thüringen|saarland|brandenburg|niedersachsen|bremen|hamburg|berlin|münchen|munich|köln|
cologne|frankfurt|stuttgart|düsseldorf|leipzig|dortmund|essen|dresden|hannover|nürnberg|duisburg|bochum|wuppertal|
bielefeld|bonn|münster|mannheim|karlsruhe|augsburg|wiesbaden|mainz|kassel|freiburg|lübeck|erfurt|rostock|ulm|kiel|
wien|vienna|graz|linz|salzburg|innsbruck|zürich|genf|basel|bern|lausanne|paris|marseille|lyon|toulouse|nice|nantes|
strasbourg|bordeaux|lille|rennes|london|birmingham|manchester|leeds|glasgow|liverpool|bristol|sheffield|edinburgh|
cardiff|belfast|dublin|cork|madrid|barcelona|valencia|sevilla|zaragoza|málaga|bilbao|roma|rome|milano|milan|napoli|
torino|palermo|genova|bologna|firenze|lisboa|lisbon|porto|amsterdam|rotterdam|utrecht|den haag|bruxelles|brussels|
antwerpen|gent|københavn|copenhagen|stockholm|göteborg|malmö|oslo|bergen|helsinki|tampere|warszawa|warsaw|kraków|łódź|
wrocław|poznań|gdańsk|praha|prague|brno|budapest|bucurești|sofia|athens|istanbul|ankara|izmir|moscow|kyiv|minsk|riga|
vilnius|tallinn|new york|los angeles|chicago|houston|phoenix|philadelphia|san antonio|san diego|dallas|san jose|
austin|jacksonville|columbus|charlotte|san francisco|indianapolis|seattle|denver|boston|nashville|detroit|portland|
las vegas|memphis|baltimore|milwaukee|albuquerque|tucson|fresno|sacramento|atlanta|miami|oakland|minneapolis|tulsa|
cleveland|new orleans|honolulu|toronto|montreal|vancouver|calgary|ottawa|sydney|melbourne|brisbane|perth|auckland|
tokyo|osaka|beijing|shanghai|delhi|mumbai|kolkata|chennai|bangalore|cairo|lagos|nairobi|johannesburg|cape town|
são paulo|rio de janeiro|buenos aires|lima|bogotá|santiago|caracas|mexico city|guadalajara|havana|
москва|санкт-петербург|новосибирск|екатеринбург|казань|омск|самара|челябинск|ростов|уфа|волгоград|пермь|красноярск|
воронеж|саратов|краснодар|тюмень|тула|псков|киев|минск|харьков|одесса|россия|украина|беларусь
"""
PLACES = frozenset(name.strip() for name in _PLACES.replace("\n", "").split("|"))
"""Countries, states and large cities in lower case."""
SHARE = 0.3
"""A column holds places if at least this share of its different values are in the list."""


def holds_places(values: pl.Series) -> bool:
    """Return whether many of the different values are places that most people know."""
    plain = values.str.to_lowercase().str.replace_all("-", " ", literal=True).str.strip_chars()
    known = pl.Series(sorted(name.replace("-", " ") for name in PLACES))
    return share(plain.is_in(known.implode())) >= SHARE
