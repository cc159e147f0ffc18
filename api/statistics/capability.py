"""The capability of statistics of readers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from api.http.capability import Capability, PagePart, Purge
from api.http.json_path import Json
from api.http.routing import Route
from api.statistics import endpoint as statistics
from api.statistics.beacon_writer import count_readers
from config import Settings
from mapping.locales import Translator
from store.statistics import statistics as stored

# fmt: off
ROUTES = (
    Route("POST", statistics.COLLECT_PATH, statistics.collect, "reader", statistics.COLLECT, statistics.BODY_BYTES),
    Route("GET", f"{statistics.PATH}/overview.json", statistics.overview, "stats", statistics.OVERVIEW),
    Route("GET", f"{statistics.PATH}/{{date}}/periods.json", statistics.periods, "stats", statistics.PERIODS),
    Route("GET", f"{statistics.PATH}/all/origins.json", statistics.origins, "stats", statistics.ORIGINS),
    Route("GET", f"{statistics.PATH}/all/origin/{{origin}}/locations.json", statistics.locations, "stats",
          statistics.LOCATIONS),
    Route("GET", statistics.EXPORT_PATH, statistics.export, "stats", statistics.EXPORT),
)
# fmt: on


def page_data(settings: Settings, organization_id: str, _game: Json, _texts: Translator) -> Mapping[str, object]:
    """Whether readers of this organization are counted."""
    return {"counted": 1} if settings.counts_readers(organization_id) else {}


STATISTICS = Capability(
    name="statistics",
    routes=ROUTES,
    page=PagePart(data=page_data),
    export=lambda read, game_id, form, _content: statistics.export_statistics(read, game_id, form),
    purges=(
        Purge(
            "roll up statistics",
            "*/10 * * * *",
            lambda settings, now: (
                partial(stored.roll_up_day, now=int(now)),
                partial(stored.roll_up, before=int(now - settings.statistics.minutes_kept)),
                partial(stored.purge, before=int(now - settings.statistics.kept)),
            ),
        ),
    ),
    run=count_readers,
)
