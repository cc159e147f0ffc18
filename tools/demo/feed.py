"""What the provider's three resources of a match hold at a moment, as the story of the match fills them."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from tools.demo.facts import Facts, Incident
from tools.demo.wire import Wire, period_start, shown_minute

SHOOTOUT_ORDER = 1000


@dataclass(frozen=True)
class Row:
    """An incident that is on the feed; a substitution takes two ids, the one going off first."""

    row_id: str
    incident: Incident
    created: datetime


@dataclass(frozen=True)
class Text:
    """A commentary post, bound to the incident `key` or standing alone."""

    item_id: str
    at: datetime
    minute: str
    content: str = ""
    key: str | None = None


@dataclass
class Feed:
    """The state of one match on the feed; `documents` reads it out."""

    wire: Wire
    opened: datetime
    squads: bool = False
    rows: dict[str, Row] = field(default_factory=dict)
    texts: dict[str, Text] = field(default_factory=dict)
    period: str = ""
    period_at: datetime | None = None
    minute: str = "0"
    finished: bool = False
    attendance: str = ""
    score: tuple[int, int] = (0, 0)
    results: dict[str, tuple[int, int]] = field(default_factory=dict)
    incident: str = ""

    @property
    def facts(self) -> Facts:
        return self.wire.facts

    def tally(self, action: str, *, until: Row | None = None) -> tuple[int, int]:
        """Goals home and away on the feed, up to a row; `action` is `goal` for the match, `pso` for the shoot-out."""
        rows = self._played()
        rows = rows if until is None else rows[: rows.index(until) + 1]
        scorers = [
            side for row in rows if row.incident.action == action and (side := scoring_side(row.incident, self.facts))
        ]
        return scorers.count("home"), scorers.count("away")

    def documents(self) -> dict[str, Any]:
        """The answers of the three resources by kind."""
        rendered = {row.incident.key: self._render(row) for row in self._played()}
        return {
            "match": self.wire.match(self._state()),
            "match-event": [
                *self._squad_rows(),
                *(line for lines in rendered.values() for line in lines),
                *self._coaches(),
            ],
            "liveticker": [
                item for text in sorted(self.texts.values(), key=_text_order) for item in self._items(text, rendered)
            ],
        }

    def _played(self) -> list[Row]:
        return sorted(self.rows.values(), key=_row_order)

    def _render(self, row: Row) -> list[dict[str, Any]]:
        if row.incident.kind != "substitute-in":
            return [self.wire.row(row.row_id, row.incident, self._content(row), row.created)]
        leaving = replace(row.incident, kind="substitute-out", person=row.incident.other, other=None)
        rows = ((row.row_id, leaving), (str(int(row.row_id) + 1), row.incident))
        return [self.wire.row(row_id, incident, "", row.created) for row_id, incident in rows]

    def _content(self, row: Row) -> str:
        if row.incident.action in {"goal", "pso"} and row.incident.kind != "miss":
            return "{}:{}".format(*self.tally(row.incident.action, until=row))
        return "{}:{}".format(*self.score) if row.incident.kind == "game-end" else ""

    def _items(self, text: Text, rendered: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
        if text.key is None:
            return [self.wire.ticker_item(text.item_id, text.minute, text.at, text.content, None)]
        return [
            self.wire.ticker_item(
                str(int(text.item_id) + place),
                line["minute"],
                text.at,
                _above(self._headline(text.key, line), text.content),
                line,
            )
            for place, line in enumerate(rendered.get(text.key, []))
        ]

    def _headline(self, key: str, line: dict[str, Any]) -> str:
        incident = self.rows[key].incident
        if line["kind"] == "substitute-out":
            incident = replace(incident, kind="substitute-out", person=incident.other)
        return self.wire.headline(incident, line["content"])

    def _squad_rows(self) -> list[dict[str, Any]]:
        if not self.squads:
            return []
        created = self.facts.kickoff - timedelta(seconds=3563)
        people = [
            (team, person, kind)
            for team in (self.facts.home, self.facts.away)
            for kind, group in (("lineup", team.lineup), ("bench", team.bench))
            for person in group
        ]
        first = self.wire.plan.first_id + 5000
        return [
            self.wire.squad_row(str(first + place), team, person, kind, created)
            for place, (team, person, kind) in enumerate(people)
        ]

    def _coaches(self) -> list[dict[str, Any]]:
        first = self.wire.plan.first_id + 6000
        sides = enumerate((self.facts.home, self.facts.away))
        return [self.wire.coach_row(str(first + place), team, self.opened) for place, team in sides]

    def _state(self) -> dict[str, Any]:
        state: dict[str, Any] = {
            "finished": "yes" if self.finished else "no",
            "current_period": self.period,
            "current_period_start": period_start(self.period_at) if self.period_at else "",
            "current_minute": self.minute,
            "attendance": self.attendance,
            "winner_team_id": self._winner(),
            "match_result": [
                {"match_result": str(goals), "match_result_at": at, "place": place}
                for at, score in {"0": self.score, **self.results}.items()
                for place, goals in zip(("none_home", "none_away"), score, strict=True)
            ],
        }
        return state | ({"match_incident": self.wire.incident(self.incident)} if self.incident else {})

    def _winner(self) -> str:
        home, away = self.score
        if not self.finished or home == away:
            return "0"
        return (self.facts.home if home > away else self.facts.away).id


def scoring_side(incident: Incident, facts: Facts) -> str:
    """Which side a goal counts for: an own goal for the other one; empty for what is no goal."""
    if incident.action not in {"goal", "pso"} or incident.kind == "miss":
        return ""
    home = (incident.team == facts.home.id) != (incident.kind == "own-goal")
    return "home" if home else "away"


def _row_order(row: Row) -> tuple[int, int, datetime]:
    """By minute, as the provider sorts; in one minute by instant, the shoot-out's end after its kicks."""
    return int(shown_minute(row.incident)), SHOOTOUT_ORDER if row.incident.period == "P" else 0, row.created


def _text_order(text: Text) -> tuple[int, datetime, int]:
    return int(text.minute), text.at, int(text.item_id)


def _above(headline: str, content: str) -> str:
    """The headline on a line of its own."""
    return f"{headline} <br/>{content}" if content and not headline.endswith("<br/>") else headline + content
