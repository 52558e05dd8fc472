"""Made-up people: given and family names of several countries in any mixture, their addresses and e-mail."""

from __future__ import annotations

import unicodedata

from tests.corpus.draw import Draw

NAMES: dict[str, tuple[str, str]] = {
    "de": (
        "Anneliese Jürgen Hannelore Detlef Käthe Wolfgang Gudrun Ottokar Sieglinde Günther Irmtraud Friedhelm "
        "Heidrun Björn Traudel Ekkehard Mechthild Lothar Waltraut Hartmut",
        "Brüggemann Schöllhorn Kratzenstein Wüstenhagen Dornbusch Mühlenbeck Achterberg Grünwaldt Pfeilsticker "
        "Oesterreich Zwickenpflug Rabenhorst Köttgen Eschweiler Niedermayer Hufnagl Vogelsänger Tannhäuser",
    ),
    "en": (
        "Marjorie Desmond Philippa Clarence Rosalind Thaddeus Winifred Bartholomew Millicent Cornelius Gwendolyn "
        "Montgomery Henrietta Percival Augusta Leopold Beatrix Reginald",
        "Hathersage Pemberley Wolverton Cholmondsey Featherstonehaugh Ravenscroft Thistlewood Braithwaite Oglethorpe "
        "Winterbourne Applegarth Fairweather Lockridge Stonebridge Marchbanks Quillfeather Underhay",
    ),
    "fr": (
        "Françoise Étienne Geneviève Thibault Solène Anaïs Bérénice Guillaume Clémence Régis Éloïse Barnabé Hélène",
        "Desrochers Lavigerie Beaumanoir Châtelain Fontanelle Grandpré Hautecœur Montravel Rochebrune Vauquelin",
    ),
    "es": (
        "Concepción Íñigo Begoña Joaquín Rocío Leocadio Macarena Saturnino Nieves Eulogio Asunción Hernán",
        "Zubizarreta Montealegre Villaseñor Echeverría Cienfuegos Valdepeñas Peñaranda Altamirano Urdaneta",
    ),
    "it": (
        "Annunziata Gioacchino Loredana Ercole Fiammetta Raimondo Ginevra Torquato Ornella Nicolò Immacolata",
        "Bevilacqua Quattrocchi Mastrangelo Passalacqua Sforzini Tagliaferri Cantalupo Pietrangeli Buonarrivo",
    ),
    "pl": (
        "Grażyna Zbigniew Małgorzata Wiesław Żaneta Bogumił Jadwiga Świętosław Halina Przemysław Łucja",
        "Wąsowski Brzęczyszczykiewicz Zielińska-Kot Gołębiowska Sędziak Jabłonowska Kościelny Trzebiatowski",
    ),
    "nl": (
        "Marijke Diederik Geertruida Joost Wilhelmina Sjoerd Annemieke Bartholomeus Hendrikje Floris",
        "van der Waterloo|de Wilgenhof|Hoogeboom|van Steenbergen|Kuipershoek|ter Braakhuis|Zwanenburgh|Oosterdijk",
    ),
    "sv": (
        "Ingegärd Göran Märta Åke Ragnhild Östen Solveig Torbjörn Gunborg Sixten",
        "Lindqvister Bergåker Söderhamnsson Ekströmmer Åkerblomster Hjelmgrenius Öhrstedt Nordanväg",
    ),
    "pt": (
        "Conceição Joaquim Aparecida Sebastião Benedita Raimundo Fátima Valdir Iolanda Cícero",
        "Albuquerques Figueiroa Guimarãesinho Nascimentel Vasconcelado Cavalcantiel Magalhanes Assunção",
    ),
    "zh": ("伟芳 秀英梅 敏静 志强国 丽娟华 建军平 玉兰香 晓东明", "欧阳 司马 诸葛 上官 慕容 端木 皇甫 令狐"),
    "ja": (
        "太郎左 花子美 健一郎 由美恵 大輔介 陽子香 翔太朗 美咲希",
        "勅使河原 武者小路 五十嵐 長谷部川 小野寺 東海林 宇都宮 西園寺",
    ),
}
STREETS: dict[str, tuple[str, ...]] = {
    "de": ("Lindenallee #", "Am Mühlbach ##", "Goethestraße ##", "Hinter den Höfen #", "Kastanienweg ##a"),
    "en": (
        "## Elderberry Lane",
        "### Old Mill Road",
        "# Copperfield Close",
        "#### Quarry Street",
        "## Birchwood Ave",
    ),
    "fr": ("## rue des Tilleuls", "# place du Marché", "### avenue de la Gare", "## chemin des Vignes"),
    "es": ("Calle del Olmo ##", "Avda. de la Estación ###", "Plaza Mayor #", "Camino Real ##"),
    "it": ("Via dei Mille ##", "Piazza Garibaldi #", "Corso Umberto ###", "Vicolo Stretto #"),
    "pl": ("ul. Lipowa ##", "ul. Kościuszki ##/#", "al. Zwycięstwa ###", "ul. Młyńska #"),
    "nl": ("Dorpsstraat ##", "Kerkweg ###", "Molenlaan #", "Prinsengrachtje ##"),
    "sv": ("Storgatan ##", "Björkvägen #", "Skolgatan ## A", "Kyrkbacken #"),
    "pt": ("Rua das Acácias, ###", "Av. Brasil, ####", "Travessa do Sol, ##", "Rua XV de Novembro, ###"),
    "zh": ("中山路###号", "人民大道##号", "解放街#号", "新华路##弄#号"),
    "ja": ("青葉#丁目#-##", "本町#丁目##-#", "緑ヶ丘##-#", "桜台#丁目#-#"),
}


def _split(names: str) -> list[str]:
    return names.split("|") if "|" in names else names.split()


def given(draw: Draw, country: str) -> str:
    return draw.choice(_split(NAMES[country][0]))


def family(draw: Draw, country: str) -> str:
    return draw.choice(_split(NAMES[country][1]))


def full(draw: Draw, country: str) -> str:
    """Return given and family name as the country writes them."""
    if country in ("zh", "ja"):
        return family(draw, country) + given(draw, country)
    return f"{given(draw, country)} {family(draw, country)}"


def street(draw: Draw, country: str) -> str:
    form = draw.choice(STREETS[country])
    return "".join(draw.choice("123456789") if letter == "#" else letter for letter in form)


def email(draw: Draw, country: str, host: str) -> str:
    """Return an address at a host that is reserved for examples."""
    name = unicodedata.normalize("NFKD", f"{given(draw, country)}.{family(draw, country)}")
    bare = "".join(letter for letter in name if letter.isascii() and (letter.isalnum() or letter in ".-"))
    return f"{bare.lower()}{draw.randint(1, 99)}@{host}"


def notes(draw: Draw, phrases: tuple[str, ...], country: str, telephone: str) -> tuple[list[str], tuple[str, ...]]:
    """Return a text per row out of the phrases, and the names and numbers that were put into them.

    In a phrase, NAME stands for a person and PHONE for a number of the given form.
    """
    cells, planted = [], []
    for _ in range(draw.n):
        text = draw.choice(phrases)
        if "NAME" in text:
            planted.append(name := full(draw, country))
            text = text.replace("NAME", name)
        if "PHONE" in text:
            planted.append(number := "".join(draw.choice("0123456789") if c == "#" else c for c in telephone))
            text = text.replace("PHONE", number)
        if "DAY" in text:
            text = text.replace("DAY", f"{draw.randint(1, 28)}.{draw.randint(1, 12)}.")
        cells.append(text)
    return cells, tuple(planted)
