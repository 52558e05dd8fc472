"""The forms of a page with the fields that a browser would send if nobody touched them."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser


@dataclass
class PageForm:
    """Where a form goes, and the names and texts of its fields."""

    action: str
    fields: dict[str, str] = field(default_factory=dict)


class _Reader(HTMLParser):
    """Collects fields as browsers do: chosen options, checked boxes, the text of text areas, no buttons."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.forms: list[PageForm] = []
        self._select: tuple[str, list[tuple[str, bool]]] | None = None
        self._area: tuple[str, list[str]] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "form":
            self.forms.append(PageForm(given.get("action") or ""))
        if not self.forms or "disabled" in given:
            return
        name, value = given.get("name"), given.get("value") or ""
        if tag == "input" and name:
            kind = given.get("type", "text")
            if kind not in ("radio", "checkbox") or "checked" in given:
                self.forms[-1].fields[name] = value  # as the server: of several with one name the last counts
        elif tag == "select" and name:
            self._select = (name, [])
        elif tag == "option" and self._select:
            self._select[1].append((value, "selected" in given))
        elif tag == "textarea" and name:
            self._area = (name, [])

    def handle_data(self, data: str) -> None:
        if self._area:
            self._area[1].append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "select" and self._select:
            name, options = self._select
            chosen = [value for value, selected in options if selected] or [options[0][0]]
            self.forms[-1].fields[name], self._select = chosen[-1], None
        elif tag == "textarea" and self._area:
            text = "".join(self._area[1]).removeprefix("\n")
            self.forms[-1].fields[self._area[0]] = text.replace("\n", "\r\n")
            self._area = None


def forms_of(page: str) -> list[PageForm]:
    """Return the forms of a page in their order."""
    reader = _Reader()
    reader.feed(page)
    return reader.forms
