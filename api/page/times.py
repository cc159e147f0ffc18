"""Dates and times on pages: as the liveblog's language writes them, in the service's zone until a script has the reader's."""

from __future__ import annotations

from functools import lru_cache
from html import escape
from typing import Literal
from zoneinfo import ZoneInfo

from api.http.json_path import instant, local

Form = Literal["date", "time"]
KEPT = 4096
"""Moments that stay written."""


def moment(seconds: int, form: Form, zone: ZoneInfo, locale: str) -> str:
    """A time element in the time of `zone`, which the page's script turns into the reader's own; `form` is `date` or `time`.

    A date has its time beside it. Its zone is named where no script runs.
    """
    at = instant(seconds).strftime("%Y-%m-%dT%H:%M:%SZ")
    shown, zone_name = _written(seconds, form, zone, locale)
    named = f'<span class="zone"> {escape(zone_name)}</span>' if form == "date" else ""
    return f'<time datetime="{at}" data-form="{form}">{escape(shown)}</time>{named}'


@lru_cache(maxsize=KEPT)
def _written(seconds: int, form: Form, zone: ZoneInfo, locale: str) -> tuple[str, str]:
    """The text, and the name of the zone at that time."""
    at = local(seconds, zone)
    time = at.strftime("%H:%M")
    if form == "time":
        return time, ""
    from babel.dates import format_date, get_datetime_format  # a start that renders nothing needs no calendar

    calendar = territorial(locale)
    pattern = str(get_datetime_format("medium", locale=calendar))
    return pattern.format(time, format_date(at, "medium", locale=calendar)).replace("'", ""), at.strftime("%Z")


def territorial(locale: str) -> str:
    """A locale as calendars write it: `de`, `fr_FR`."""
    spoken, _, territory = locale.partition("-")
    return f"{spoken}_{territory.upper()}" if territory else spoken


def with_territory(locale: str) -> str:
    """A locale as social networks want it, which know no language alone: `de_DE`, that of most who speak it."""
    from babel.core import get_global  # a start that renders nothing needs no calendar

    found = territorial(locale)
    likely = None if "_" in found else get_global("likely_subtags").get(found)
    return f"{found}_{likely.rpartition('_')[2]}" if likely else found
