"""The table of matches as HTML: one row a liveblog, the trouble in words, and what one may do."""

from __future__ import annotations

from enum import StrEnum
from html import escape
from urllib.parse import quote, urlencode

from api.desk.desk_frame import DeskPage, pager_html
from api.desk.match_overview import MatchTable, TableFilter, TableRow
from api.desk.source_words import brief_disagreements, kind_name, reason_text
from api.http.json_path import Json, node, text
from api.page.scoreboard import clock, clock_html, scores, title
from mapping.desk.desk_text import DeskText
from mapping.desk.match_trouble import Trouble
from mapping.desk.matches_text import TROUBLE_TEXTS, MatchesText
from mapping.desk.own_path import HOME
from mapping.documents.import_options import ImportOptions
from mapping.locales import Translator
from mapping.locales.labels import Label

NAMED = 3
"""Types that are named in a row; more are counted."""


def table_html(
    page: DeskPage, table: MatchTable, wanted: TableFilter, *, now: float, allowed: float, may_act: bool
) -> str:
    """The fragment that open desks put in anew: what is wrong with deliveries, the rows, the way to the next page."""
    rows = "".join(_row(page, each, now=now, allowed=allowed, may_act=may_act) for each in table.rows)
    heads = [
        Label.KICK_OFF,
        MatchesText.MATCH,
        MatchesText.STATE,
        MatchesText.HEALTH,
        MatchesText.LAST_ANSWER,
        MatchesText.LAST_POST,
        MatchesText.DRAFTS,
        MatchesText.AUTOMATIC,
        *([MatchesText.ACTIONS] if may_act else []),
    ]
    named = "".join(f'<th scope="col">{page.text(each)}</th>' for each in heads)
    shown = (
        f'<table class="card matches"><thead><tr>{named}</tr></thead><tbody>{rows}</tbody></table>'
        if rows
        else f"<p>{page.text(MatchesText.NO_MATCH)}</p>"
    )
    return f"{_deliveries(page, table)}{_counted(page, table)}{shown}{_pager(page, table, wanted)}"


def automatic_text(texts: Translator, terms: ImportOptions) -> str:
    """What is posted automatically, in words."""
    if terms.paused:
        return texts.text(MatchesText.PAUSED)
    if not terms.auto_post:
        return texts.text(MatchesText.NOTHING)
    kinds = [kind_name(texts, each) for each in sorted(terms.exclude_events)]
    left_out = [*kinds, *([texts.text(MatchesText.NO_SCOREBOARD)] if terms.exclude_scoreboard else [])]
    if not left_out:
        return texts.text(MatchesText.EVERYTHING)
    if len(left_out) > NAMED:
        return texts.text(MatchesText.ALL_BUT_MANY, count=len(left_out))
    return texts.text(MatchesText.ALL_BUT, kinds=", ".join(left_out))


def _deliveries(page: DeskPage, table: MatchTable) -> str:
    counts = {
        MatchesText.RECEIVERS_FAIL: table.receivers_failing,
        MatchesText.RECEIVERS_DISABLED: table.receivers_disabled,
    }
    return "".join(f'<p class="alert">{page.text(name, count=count)}</p>' for name, count in counts.items() if count)


def _counted(page: DeskPage, table: MatchTable) -> str:
    if table.total is None:
        return ""
    return f'<p class="hint">{page.text(MatchesText.COUNTED, count=table.total, trouble=table.troubled)}</p>'


def _row(page: DeskPage, row: TableRow, *, now: float, allowed: float, may_act: bool) -> str:
    game = row.liveblog.game
    document = game.as_document()
    name = title(document)
    cells = [
        (Label.KICK_OFF, "" if game.starts_at is None else page.time(game.starts_at)),
        (MatchesText.MATCH, _named(page, document, name)),
        (MatchesText.STATE, _state(page, document, row, now)),
        (MatchesText.HEALTH, _health(page, row)),
        (MatchesText.LAST_ANSWER, _answer(page, row, now, allowed)),
        (MatchesText.LAST_POST, _time(page, row.liveblog.posted_at)),
        (MatchesText.DRAFTS, str(row.liveblog.drafts) if row.liveblog.drafts else ""),
        (MatchesText.AUTOMATIC, _automatic(page, row)),
        *([(MatchesText.ACTIONS, _actions(page, row, name))] if may_act else []),
    ]
    shown = "".join(_cell(page, label, html) for label, html in cells)
    worst = f' data-trouble="{row.troubles[0]}"' if row.troubles else ""
    return f'<tr data-key="{escape(game.local_id)}"{worst}>{shown}</tr>'


def _cell(page: DeskPage, label: StrEnum, html: str) -> str:
    if label is MatchesText.MATCH:
        return f'<th scope="row" dir="auto">{html}</th>'
    empty = "" if html else ' class="empty"'
    return f'<td data-label="{page.text(label)}"{empty}>{html or "–"}</td>'


def _named(page: DeskPage, document: Json, name: str) -> str:
    local_id = str(document["local_id"])
    address = page.link(f"/desk/liveblogs/{quote(local_id, safe='')}")
    score = scores(document)
    shown = f' <b class="score">{escape(score[0])}:{escape(score[1])}</b>' if score else ""
    competition = text(node(document, "meta_info"), "tournament", "name")
    fact = f'<span class="hint"><bdi>{escape(competition)}</bdi></span>' if competition else ""
    return f'<a href="{address}">{escape(name)}</a>{shown}{fact}'


def _state(page: DeskPage, document: Json, row: TableRow, now: float) -> str:
    hidden = "" if row.liveblog.game.public else f'<p class="state">{page.text(DeskText.HIDDEN)}</p>'
    return clock_html(clock(document, page.texts, now)) + hidden


def _health(page: DeskPage, row: TableRow) -> str:
    if not row.troubles:
        return page.text(MatchesText.ALL_WELL) if row.followed is not None else ""
    words = "".join(
        f'<li class="{"waits" if each is Trouble.DRAFTS else "bad"}">{page.text(TROUBLE_TEXTS[each])}'
        f"{_details(page, row, each)}</li>"
        for each in row.troubles
    )
    return f"<ul>{words}</ul>"


def _details(page: DeskPage, row: TableRow, trouble: Trouble) -> str:
    """What is to be said of a trouble with the sources: which one leads and why, what each of them says."""
    sources, said = row.sources, ""
    if sources is not None and trouble is Trouble.STANDBY_LEADS:
        said = f"{sources.provider} – {reason_text(page.texts, sources.reason, pinned=True)}"
    if sources is not None and trouble is Trouble.SOURCES_DISAGREE:
        said = brief_disagreements(page.texts, sources.disagreements)
    return f': <bdi class="why">{escape(said)}</bdi>' if said else ""


def _answer(page: DeskPage, row: TableRow, now: float, allowed: float) -> str:
    """When the provider answered; while it does so as expected no time is named, so that the fragment stays the same."""
    if row.followed is None:
        return ""
    if row.answered_at is not None and now - row.answered_at <= allowed:
        return page.text(MatchesText.JUST_NOW)
    known = row.followed.good_at if row.answered_at is None else row.answered_at
    return _time(page, known)


def _time(page: DeskPage, at: float | None) -> str:
    return "" if at is None else f'<span class="age">{page.time(at)}</span>'


def _automatic(page: DeskPage, row: TableRow) -> str:
    terms = terms_of(row)
    return "" if terms is None else escape(automatic_text(page.texts, terms))


def terms_of(row: TableRow) -> ImportOptions | None:
    """The terms of the row's liveblog, None without a match, and where they are in a form that cannot be read."""
    if row.followed is None:
        return None
    try:
        return ImportOptions.from_dict(row.followed.terms)
    except ValueError:
        return None


def _actions(page: DeskPage, row: TableRow, name: str) -> str:
    local_id, terms = row.liveblog.game.local_id, terms_of(row)
    pause = ""
    if terms is not None:
        field, label = ("resume", MatchesText.RESUME) if terms.paused else ("pause", MatchesText.PAUSE)
        pause = (
            f'<button class="plain" form="act" name="{field}" value="{escape(local_id)}"'
            f' aria-label="{page.text(label)}: {escape(name)}">{page.text(label)}</button>'
        )
    address = page.link(f"/desk/matches/{quote(local_id, safe='')}")
    about = page.text(MatchesText.SETTINGS_OF, title=name)
    settings = f'<a class="button plain" href="{address}" aria-label="{about}">{page.text(MatchesText.SETTINGS)}</a>'
    return f'<span class="acts">{pause}{settings}</span>'


def _pager(page: DeskPage, table: MatchTable, wanted: TableFilter) -> str:
    ways = [
        *([(wanted.page - 1, DeskText.PREVIOUS_PAGE)] if wanted.page > 1 else []),
        *([(wanted.page + 1, DeskText.NEXT_PAGE)] if table.more else []),
    ]
    return pager_html(
        (f"{page.link(HOME)}?{escape(query_text(wanted._replace(page=number)))}", page.text(name))
        for number, name in ways
    )


def query_text(wanted: TableFilter) -> str:
    """The filter as the query of an address."""
    return urlencode({name: value for name, value in wanted._asdict().items() if value != ""})
