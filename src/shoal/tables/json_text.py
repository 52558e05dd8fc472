"""Reading JSON whose texts can be written again."""

from __future__ import annotations

import json
from typing import Any


def read_json(text: str) -> Any:
    """Return the value of a JSON text; a ValueError for half of a surrogate pair, which no file can hold as text."""
    found = json.loads(text)
    if "\\ud" in text.lower():
        json.dumps(found, ensure_ascii=False).encode()
    return found
