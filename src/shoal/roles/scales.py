"""Scales in words, with their order: low, medium, high; never, rarely, sometimes, often, always; and so on.

The proposed order lists a whole scale of this module, never the values of a table, so it reveals only which of the
well-known scales a column uses. A column is a scale only if each of its values is a word of the scale, in one
spelling, and at least three of the words occur.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from shoal.roles.scales_of_languages import SCALES as OF_LANGUAGES

FEWEST = 3

SCALES: tuple[str, ...] = (
    "low < medium < high",
    "low < moderate < high",
    "low < normal < high",
    "low < middle < high",
    "very low < low < medium < high < very high",
    "very low < low < moderate < high < very high",
    "none < low < medium < high",
    "niedrig < mittel < hoch",
    "gering < mittel < hoch",
    "sehr niedrig < niedrig < mittel < hoch < sehr hoch",
    "sehr gering < gering < mittel < hoch < sehr hoch",
    "never < rarely < sometimes < often < always",
    "never < seldom < sometimes < often < always",
    "never < rarely < occasionally < often < always",
    "never < rarely < occasionally < frequently < always",
    "never < rarely < sometimes < usually < always",
    "never < almost never < sometimes < fairly often < very often",
    "never < rarely < sometimes < often < very often < always",
    "nie < selten < manchmal < oft < immer",
    "nie < selten < manchmal < häufig < immer",
    "nie < selten < gelegentlich < häufig < immer",
    "nie < selten < gelegentlich < oft < immer",
    "nie < selten < manchmal < oft < sehr oft < immer",
    "niemals < selten < manchmal < oft < immer",
    "never < yearly < monthly < weekly < daily",
    "never < less than monthly < monthly < weekly < daily or almost daily",
    "nie < jährlich < monatlich < wöchentlich < täglich",
    "strongly disagree < disagree < neutral < agree < strongly agree",
    "strongly disagree < disagree < undecided < agree < strongly agree",
    "strongly disagree < disagree < neither agree nor disagree < agree < strongly agree",
    "strongly disagree < disagree < somewhat disagree < neutral < somewhat agree < agree < strongly agree",
    "strongly disagree < somewhat disagree < neutral < somewhat agree < strongly agree",
    "strongly disagree < somewhat disagree < neither agree nor disagree < somewhat agree < strongly agree",
    "completely disagree < disagree < neutral < agree < completely agree",
    "stimme überhaupt nicht zu < stimme eher nicht zu < teils/teils < stimme eher zu < stimme voll und ganz zu",
    "stimme gar nicht zu < stimme eher nicht zu < teils/teils < stimme eher zu < stimme voll zu",
    "stimme nicht zu < stimme eher nicht zu < teils/teils < stimme eher zu < stimme zu",
    "stimme nicht zu < stimme eher nicht zu < weder noch < stimme eher zu < stimme zu",
    "stimme überhaupt nicht zu < stimme nicht zu < weder noch < stimme zu < stimme voll und ganz zu",
    "stimme überhaupt nicht zu < stimme nicht zu < neutral < stimme zu < stimme voll und ganz zu",
    "trifft nicht zu < trifft eher nicht zu < teils/teils < trifft eher zu < trifft zu",
    "trifft gar nicht zu < trifft eher nicht zu < teils/teils < trifft eher zu < trifft voll zu",
    "trifft überhaupt nicht zu < trifft eher nicht zu < teils/teils < trifft eher zu < trifft voll und ganz zu",
    "very poor < poor < fair < good < very good",
    "poor < fair < good < very good < excellent",
    "very bad < bad < fair < good < very good",
    "very bad < bad < neutral < good < very good",
    "sehr schlecht < schlecht < mittel < gut < sehr gut",
    "sehr schlecht < schlecht < mittelmäßig < gut < sehr gut",
    "sehr schlecht < schlecht < zufriedenstellend < gut < sehr gut",
    "schlecht < weniger gut < gut < sehr gut < ausgezeichnet",
    "ungenügend < mangelhaft < ausreichend < befriedigend < gut < sehr gut",
    "very dissatisfied < dissatisfied < neutral < satisfied < very satisfied",
    "very unsatisfied < unsatisfied < neutral < satisfied < very satisfied",
    "very dissatisfied < somewhat dissatisfied < neutral < somewhat satisfied < very satisfied",
    "sehr unzufrieden < unzufrieden < neutral < zufrieden < sehr zufrieden",
    "sehr unzufrieden < eher unzufrieden < teils/teils < eher zufrieden < sehr zufrieden",
    "very unlikely < unlikely < neutral < likely < very likely",
    "sehr unwahrscheinlich < unwahrscheinlich < neutral < wahrscheinlich < sehr wahrscheinlich",
    "not at all < a little < somewhat < quite a bit < very much",
    "not at all < a little bit < somewhat < quite a bit < very much",
    "not at all < slightly < moderately < very < extremely",
    "not at all < slightly < moderately < quite < extremely",
    "not important < slightly important < moderately important < important < very important",
    "gar nicht < wenig < mittelmäßig < ziemlich < sehr",
    "überhaupt nicht < wenig < etwas < ziemlich < sehr",
    "unwichtig < eher unwichtig < teils/teils < eher wichtig < sehr wichtig",
    "none < mild < moderate < severe < very severe",
    "no pain < mild < moderate < severe < worst",
    "mild < moderate < severe < critical",
    "minor < moderate < major < critical",
    "minor < moderate < severe < extreme",
    "keine < leicht < mittel < schwer < sehr schwer",
    "keine < leicht < mäßig < stark < sehr stark",
    "leicht < mittel < schwer",
    "leicht < mittelschwer < schwer",
    "leicht < mäßig < schwer",
    "xs < s < m < l < xl < xxl",
    "small < medium < large",
    "klein < mittel < groß",
    "i < ii < iii < iv < v",
    "stage i < stage ii < stage iii < stage iv",
    "nyha i < nyha ii < nyha iii < nyha iv",
    "asa i < asa ii < asa iii < asa iv < asa v",
    "asa 1 < asa 2 < asa 3 < asa 4 < asa 5",
    "grade 1 < grade 2 < grade 3 < grade 4",
    "grade i < grade ii < grade iii < grade iv",
    "g1 < g2 < g3 < g4",
    "none < primary < secondary < tertiary",
    "none < primary < secondary < higher",
    "no education < primary < secondary < higher",
    "primary < lower secondary < upper secondary < tertiary",
    "less than high school < high school < some college < bachelor < master < doctorate",
    "less than high school < high school < some college < bachelor's < master's < doctorate",
    "high school < college < bachelor < master < phd",
    "high school < bachelor < master < phd",
    "high school < associate < bachelor < master < doctorate",
    "kein abschluss < hauptschule < realschule < abitur",
    "kein abschluss < hauptschule < realschule < fachhochschulreife < abitur",
    "ohne abschluss < hauptschulabschluss < realschulabschluss < fachhochschulreife < abitur",
    "hauptschule < realschule < gymnasium",
    "bachelor < master < promotion",
    "beginner < intermediate < advanced < expert",
    "junior < intermediate < senior < lead",
    "bronze < silver < gold < platinum",
    "lower class < middle class < upper class",
    "worse < same < better",
    "much worse < worse < same < better < much better",
)

_BLANKS = re.compile(r"\s+")


def order_of(values: Iterable[str]) -> tuple[str, ...] | None:
    """Return the smallest scale that has all the different `values`, in their spelling; None if there is none."""
    spelled = list(values)
    bare = {_bare(value): value for value in spelled}
    if len(spelled) < FEWEST or len(bare) < len(spelled):
        return None
    for scale in _BY_LENGTH:
        if bare.keys() <= scale.keys():
            style = _style(spelled)
            return tuple(bare[word] if word in bare else style(usual) for word, usual in scale.items())
    return None


def _bare(value: str) -> str:
    return _BLANKS.sub(" ", value.strip()).casefold()


def _style(spelled: Sequence[str]) -> Callable[[str], str]:
    """Return a function that writes the other words of the scale in the upper or lower case of `spelled`."""
    if all(value.isupper() for value in spelled):
        return str.upper
    if all(value.strip()[:1].isupper() for value in spelled):
        return lambda word: word[:1].upper() + word[1:]
    return str


_BY_LENGTH: tuple[dict[str, str], ...] = tuple(
    sorted(({_bare(word): word for word in scale.split(" < ")} for scale in (*SCALES, *OF_LANGUAGES)), key=len)
)
