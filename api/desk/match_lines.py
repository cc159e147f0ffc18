"""A match on one line: its minute, score and competition, what is wrong with it or was posted last, and who is there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Any, NamedTuple

from markupsafe import Markup

from api.desk.desk_frame import DeskPage
from api.desk.match_overview import MatchVerdict, TableRow
from api.desk.shared_texts import automatic_text, brief_disagreements, reason_text
from api.http.json_path import Json, local, node, text
from api.page.page_frame import Form, moment
from api.page.scoreboard import clock, scores, ticking_clock, title
from api.view.post_content import headline
from mapping.desk.match_trouble import TROUBLE_TEXTS, Trouble
from mapping.documents.import_options import ImportOptions
from mapping.fusion.leading_source import Reason
from mapping.locales import msgid
from mapping.locales.labels import Label

SHORT = {Label.HALF_TIME: msgid("HT"), Label.FINISHED: msgid("FT")}
"""States of a match where there is room for five letters."""
SIGNS = {
    Trouble.FROZEN_CLOCK: "clock",
    Trouble.SOURCES_DISAGREE: "ask",
    Trouble.STANDBY_LEADS: "swap",
    Trouble.DISAGREEING: "ask",
}
"""The drawings of troubles that wait for a person; all others are of a provider that is lost."""
SEEN = 2
"""People who are named by their letters; more are counted."""


class LineMaker(NamedTuple):
    """Makes lines. `allowed`: seconds for which a match may be without an answer; `people`: who has a liveblog open, by its id."""

    page: DeskPage
    now: float
    allowed: float
    people: Callable[[str], Sequence[str]]

    def line(self, row: TableRow) -> dict[str, Any]:
        """What the template shows of a liveblog. What is well names no time that passes, so that it stays the same."""
        game, document, terms = row.game, row.game.as_document(), terms_of(row)
        signs = [(each, self.trouble(row, each)) for each in row.troubles if each is not Trouble.DRAFTS]
        score = scores(document)
        people = self.people(game.id)
        return {
            "id": game.local_id,
            "title": title(document),
            "sport": game.sportstype,
            "when": self._when(row, document),
            "score": "" if score is None else self.page.score(*score),
            "competition": text(node(document, "meta_info"), "tournament", "name"),
            "sign": (SIGNS.get(signs[0][0], "lost") if signs else "") or None,
            "said": " · ".join(words for _, words in signs) or self._remarkable(row, terms),
            "latest": "" if row.latest is None else headline(dict(row.latest.document), self.page.texts.locale),
            "posted_at": None if row.latest is None else self.page.time_of_day(row.latest.created_at, self.page.zone),
            "drafts": row.drafts,
            "people": people[:SEEN],
            "more_people": people[SEEN:],
            "paused": None if terms is None else terms.paused,
        }

    def _when(self, row: TableRow, document: Json) -> Markup:
        """The minute of a match that runs, how one that is over ended, and when any other begins."""
        texts, game = self.page.texts, row.game
        if row.group in {"running", "over"} and (shown := clock(document, texts, self.now)) is not None:
            short = next((words for label, words in SHORT.items() if texts.text(label) == shown.label), None)
            if shown.reading:
                return Markup(ticking_clock(shown))  # noqa: S704 -- escapes what it writes
            brief = escape(shown.label if short is None else self.page.text(short))
            return Markup(f'<span title="{escape(shown.label)}">{brief}</span>')  # noqa: S704 -- escaped here
        if game.starts_at is None:
            return Markup()
        here, today = (local(int(each), self.page.zone) for each in (game.starts_at, self.now))
        form: Form = "time" if here.date() == today.date() else "day"
        return Markup(moment(game.starts_at, form, self.page.zone, texts.locale))  # noqa: S704 -- escapes what it writes

    def trouble(self, row: TableRow | MatchVerdict, trouble: Trouble) -> str:
        """What is said of a trouble: since when, which source leads and why, what each of them says."""
        words, sources = self.page.text(TROUBLE_TEXTS[trouble]), row.sources
        if trouble is Trouble.SILENT and row.answered_at is not None:
            at = local(int(row.answered_at), self.page.zone)
            return self.page.text("No answer since {time}", time=at.strftime("%H:%M"))
        if sources is not None and trouble is Trouble.STANDBY_LEADS:
            why = (
                ""
                if sources.reason is Reason.PINNED
                else f" – {reason_text(self.page.texts, sources.reason, pinned=True)}"
            )
            return f"{words}: {sources.provider}{why}"
        if sources is not None and trouble is Trouble.SOURCES_DISAGREE:
            return f"{words}: {brief_disagreements(self.page.texts, sources.disagreements)}"
        return words

    def _remarkable(self, row: TableRow, terms: ImportOptions | None) -> str:
        """What is no trouble and not as usual: readers do not see it, or not all of it is posted."""
        hidden = "" if row.game.public else self.page.text("Not published")
        usual = terms is None or (terms.auto_post and not terms.paused)
        return " · ".join(
            filter(None, (hidden, "" if usual or terms is None else automatic_text(self.page.texts, terms)))
        )


def terms_of(row: TableRow) -> ImportOptions | None:
    """The terms of the row's liveblog, None without a match, and where they are in a form that cannot be read."""
    if row.followed is None:
        return None
    try:
        return ImportOptions.from_dict(row.followed.terms)
    except ValueError:
        return None
