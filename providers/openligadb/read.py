"""Reading one value of the feed: plain JSON, much of it null, and what is not as documented is named, never guessed."""

from __future__ import annotations

import re
from datetime import datetime, tzinfo

from providers.fault_collector import ValueMismatch
from providers.json_row import JsonRow

DATED = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T.+", re.ASCII)


class Row(JsonRow):
    """An object of this feed."""

    __slots__ = ()

    def ident(self, name: str) -> str | None:
        """An id; 0 stands for none."""
        value = self.number(name)
        return str(value) if value else None

    def flag(self, name: str) -> bool | None:
        value = self.data.get(name)
        if value is None or isinstance(value, bool):
            return value
        raise ValueMismatch(self.at(name), "true or false expected")

    def moment(self, name: str, zone: tzinfo) -> int | None:
        """ISO 8601 → Unix seconds; in `zone` where the text names none."""
        value = self.text(name)
        if value is None:
            return None
        try:
            moment = datetime.fromisoformat(value) if DATED.fullmatch(value) else None
            if moment is not None:
                return int((moment if moment.tzinfo else moment.replace(tzinfo=zone)).timestamp())
        except (ValueError, OverflowError):
            pass
        raise ValueMismatch(self.at(name), f"date and time expected, not {value[:30]!r}")
