"""The head of a page: teams, score, state of play and its clock, how the match ended, the kicks of its shoot-out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from api.http.json_path import Json, node, nodes, number, text
from api.page.icons import KICK_MARKS, mark
from api.page.page_context import CREST, PageContext, whole_scores
from api.page.page_frame import moment
from api.page.standings import podium, progress, sets_table
from api.view.key_moments import interruption_of, result_of, state_of
from api.view.post_content import tally
from api.view.references import sport_of
from mapping.documents.state import BEFORE, ENDED, RUNNING, SHOOTOUT
from mapping.liveblog.display_clock import display, phase_length, played_before
from mapping.locales import Translator
from mapping.locales.labels import INTERRUPTED, KICK_BEYOND, KICK_OPEN, PERIODS, SCORE_CONTEXT, Label
from mapping.match.match import SideName
from mapping.posts.key_moments import Kick, tally_of
from mapping.posts.wording import KICKS
from mapping.rules.rich_text import isolate, without_isolates

LABELS = {BEFORE: Label.NOT_STARTED, SHOOTOUT: Label.SHOOTOUT, ENDED: Label.FINISHED}
STOPS = ("u", "d")
"""Timing types of sports whose clock stands still at each whistle."""
ON_GOING = ("au", "aui", "aud")
"""Timing types whose clock is a running minute, which a script can continue."""
LONGEST_ADDED = 30
"""Minutes of added time beyond which no clock is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownClock:
    """What to show: a label, the reading of the clock, and how it goes on."""

    label: str
    live: bool = False
    reading: str = ""
    started: int | None = None
    """Unix seconds at which the phase began, None where the clock does not go on."""
    base: int = 0
    """Minutes played in the phases before."""
    length: int = 0
    """Minutes of the phase after which added time is counted apart, 0 where it is not."""


def clock(game: Json, translator: Translator, now: float) -> ShownClock | None:
    """The state of play of a game's document, None where it has none."""
    gamestate = number(game, "state_info", "gamestate")
    if gamestate is None:
        return None
    if gamestate != RUNNING:
        became = interruption_of(game, translator)
        label = LABELS.get(gamestate, Label.LIVE) if became is None else INTERRUPTED[became]
        return ShownClock(label=translator.text(label), live=gamestate == SHOOTOUT)
    return _of_play(game, translator, now)


def _of_play(game: Json, translator: Translator, now: float) -> ShownClock:
    """The clock of a match that is being played or in a break."""
    state, options = node(game, "state_info"), node(game, "options")
    phase, regular = number(state, "recurrence") or 0, number(options, "num_regular_phases") or 0
    if state.get("is_break") is True:
        halfway = phase * 2 == regular
        return ShownClock(label=translator.text(Label.HALF_TIME if halfway else Label.BREAK), live=True)
    label = translator.text(Label.EXTRA_TIME if regular and phase > regular else Label.LIVE)
    going_on = _going_on(options, state, phase)
    if _unknown(options, state):
        return ShownClock(label=translator.text(sport_of(game).phase(phase) or Label.LIVE), live=True)
    if _has_run_out(going_on, now):
        return ShownClock(label=label, live=True)
    return ShownClock(label=label, live=True, reading=display(options, state, int(now)), **going_on)


def has_stopped(game: Json, now: float) -> bool:
    """Whether the match is being played, and its clock has run on for so long that the state must be an old one."""
    state, options = node(game, "state_info"), node(game, "options")
    if state.get("gamestate") != RUNNING or state.get("is_break") is True:
        return False
    return _has_run_out(_going_on(options, state, number(state, "recurrence") or 0), now)


def _unknown(options: Json, state: Json) -> bool:
    """Whether the clock has run since the phase began, which it does in no such sport: an import knows the beginning alone."""
    kept = state.get("timeout") is True or (number(state, "check_seconds") or 0) > 0
    return text(options, "timing_type") in STOPS and not kept


def _has_run_out(going_on: dict[str, int], now: float) -> bool:
    """Whether a clock ran on for so long that the state must be an old one."""
    length = going_on.get("length", 0)
    return bool(length) and now - going_on["started"] >= (length + LONGEST_ADDED) * 60


def _going_on(options: Json, state: Json, phase: int) -> dict[str, int]:
    checked = number(state, "check_time")
    timing = text(options, "timing_type")
    if checked is None or timing not in ON_GOING or state.get("timeout") is True:
        return {}
    return {
        "started": checked - max(number(state, "check_seconds") or 0, 0),
        "base": played_before(options, phase) // 60,
        "length": phase_length(options, phase) // 60 if timing == "aui" else 0,
    }


SIDES: tuple[SideName, ...] = ("home", "away")


def title(game: Json) -> str:
    """The liveblog's title, not escaped."""
    return text(game, "meta_info", "title") or pairing(game) or "Liveblog"


def pairing(game: Json) -> str:
    """Home and away with a dash, empty unless both are known."""
    teams = [text(team_of(game, side), "name") for side in SIDES]
    return " \N{EN DASH} ".join(map(isolate, teams)) if all(teams) else ""


def team_of(game: Json, side: str) -> Json:
    """What the game says of one side's team: the scoreboard before the meta info."""
    meta, board = node(game, "meta_info", f"{side}_team"), node(game, "scoreboard", f"{side}_team")
    return {**meta, **{name: value for name, value in board.items() if value is not None}}


def scores(game: Json) -> tuple[str, str] | None:
    """The score as text, None before anything is known or the match began. One that is postponed during play has a part of it."""
    score, state = node(game, "scoreboard", "score"), node(game, "state_info")
    home, away = text(score, "home_score"), text(score, "away_score")
    begun = number(state, "gamestate") != BEFORE or (number(state, "recurrence") or 0) > 0
    return (home, away) if home and away and begun else None


def scoreboard(game: Json, page: PageContext, now: float, kicks: Sequence[Kick] = ()) -> str:
    """The header element of the page; `kicks` of the shoot-out stand in it as marks."""
    meta = node(game, "meta_info")
    place = [text(meta, "tournament", "name"), text(meta, "location", "name")]
    facts = [f"<bdi>{escape(fact)}</bdi>" for fact in place if fact]
    if (starts := number(meta, "starts_at")) is not None:
        facts.append(moment(starts, "date", page.zone, page.texts.locale))
    # Where the teams say it all, the heading is there for those who listen.
    seen = ' class="unseen"' if without_isolates(title(game)) == without_isolates(pairing(game)) else ""
    shown = " ".join(f"<span>{each}</span>" for each in facts)
    heading = f'<h1{seen} dir="auto">{escape(title(game))}</h1><p class="facts">{shown}</p>'
    return f'<header class="board" part="board">{heading}{_match(game, page, now, kicks)}</header>'


def clock_html(shown: ShownClock | None) -> str:
    """The state of play; with data for the page's script, so that the minute goes on between two responses."""
    if shown is None:
        return ""
    name = "state live" if shown.live else "state"
    ticking = f" {ticking_clock(shown)}" if shown.reading else ""
    return f'<p class="{name}">{escape(shown.label)}{ticking}</p>'


def ticking_clock(shown: ShownClock) -> str:
    """The reading alone."""
    goes_on = f' data-started="{shown.started}" data-base="{shown.base}" data-length="{shown.length}"'
    data, mark = (goes_on, "'") if shown.started is not None else ("", "")
    return f'<b class="clock"{data}>{escape(shown.reading)}{mark}</b>'


def _match(game: Json, page: PageContext, now: float, kicks: Sequence[Kick]) -> str:
    translator = page.texts
    home, away = (team_of(game, side) for side in SIDES)
    if not text(home, "name") or not text(away, "name"):
        ended = result_html(game) + progress(game, translator) + podium(game, translator)
        return clock_html(clock(game, translator, now)) + ended
    score = scores(game)
    shown = (
        f'<p class="score"><span>{escape(score[0])}</span><i>:</i><span>{escape(score[1])}</span></p>'
        if score
        else '<p class="score none"><i>&ndash;</i></p>'
    )
    decided = escape(text(game, "scoreboard", "score", "title"))
    ended = result_html(game) or (f'<p class="decided">{decided}</p>' if decided else "")
    short = list(initials(home, away))
    marks = shootout_html(game, kicks, translator, short)
    tally_title = translator.text(PERIODS["shootout"], context=SCORE_CONTEXT) if marks else ""
    shown += f"{marks}{ended}{_parts_of(game, short, translator, without=tally_title)}"
    middle = f'<div class="middle">{shown}{clock_html(clock(game, translator, now))}</div>'
    label = escape(translator.text(Label.SCOREBOARD))
    teams = [_team(*each, page) for each in zip((home, away), SIDES, short, strict=True)]
    return f'<section class="teams" aria-label="{label}">{teams[0]}{middle}{teams[1]}</section>'


def _team(team: Json, side: str, initials: str, page: PageContext) -> str:
    crest = page.icon(text(team, "image"), CREST, "crest") or (
        f'<span class="crest" aria-hidden="true">{escape(initials)}</span>'
    )
    return f'<div class="team of-{side}">{crest}<p class="name" dir="auto">{escape(text(team, "name"))}</p></div>'


def initials(home: Json, away: Json) -> Iterator[str]:
    """Up to three letters for each of the teams, different where their names do."""
    names = [text(team, "name") for team in (home, away)]
    short = [text(team, "short_name") for team in (home, away)]
    ways = (
        list(map(_abbreviate, short, names)),
        ["".join(word[0] for word in name.split())[:3] for name in names],
        [name[:1] + name[-2:] for name in names],
    )
    different = (way for way in ways if way[0].upper() != way[1].upper())
    return map(str.upper, next(different, ways[0]))


def _abbreviate(short_name: str, name: str) -> str:
    """The short name where it is one, else the first letters of the name, without the number of `1. FC Köln`.

    Of a person, whose short name is like `R. Federer`, those of the surname.
    """
    if 0 < len(short_name) <= 3:
        return short_name
    surname = short_name[3:] if short_name[1:3] == ". " else ""
    return (surname or name.lstrip("0123456789. "))[:3].strip()


def _parts_of(game: Json, short: list[str], translator: Translator, without: str) -> str:
    if not sport_of(game).sets:
        return _parts(game, without)
    names = (text(team_of(game, side), "name") for side in SIDES)
    return sets_table(game, list(zip(short, names, strict=True)), translator)


def _parts(game: Json, without: str) -> str:
    """The scores of halves or periods; `without`: the title of one that stands elsewhere."""
    parts = [
        (escape(text(each, "title")), tally(each, text(game, "locale") or "en"))
        for each in nodes(game, "scoreboard", "scores")
        if not without or text(each, "title") != without
    ]
    shown = [f"<span>{name} <b>{escape(score)}</b></span>" for name, score in parts if score]
    return f'<p class="parts">{"".join(shown)}</p>' if shown else ""


def result_html(game: Json) -> str:
    """Who won and by what; empty before the end."""
    line = result_of(game)
    return f'<p class="result">{whole_scores(escape(line))}</p>' if line else ""


def shootout_html(game: Json, kicks: Sequence[Kick], texts: Translator, initials: Sequence[str]) -> str:
    """A row of marks for each side, at least five: kicks that went in, those that did not, those that are open.

    `initials` stand for home and away where there is no room for long names; whoever listens hears the names.
    Empty without a shoot-out, and where no post says anything of its kicks but others have counted some.
    """
    state = state_of(game, texts)
    tally = tally_of(state, texts)
    begins = state.gamestate == SHOOTOUT and (tally is None or not tally.total)
    if not (kicks or begins):
        return ""
    marks = max(KICKS, *(sum(each.side == side for each in kicks) for side in SIDES))
    rows = "".join(
        _row(name, short, [each for each in kicks if each.side == side], marks, texts)
        for side, name, short in zip(SIDES, (state.home, state.away), initials, strict=True)
    )
    return f'<div class="shootout" role="group" aria-label="{escape(texts.text(Label.SHOOTOUT))}">{rows}</div>'


def _row(name: str, initials: str, kicks: Sequence[Kick], marks: int, texts: Translator) -> str:
    taken = [*kicks, *[None] * (marks - len(kicks))]
    items = "".join(_mark(at, each, texts) for at, each in enumerate(taken, 1))
    scored = sum(each.scored for each in kicks)
    return (
        f'<span aria-hidden="true">{escape(initials)}</span><ol aria-label="{escape(name)}">{items}</ol><b>{scored}</b>'
    )


def _mark(number: int, kick: Kick | None, texts: Translator) -> str:
    """The drawing, and in words what it says and who took the kick."""
    form = KICK_OPEN if kick is None else KICK_BEYOND[kick.scored]
    words = " – ".join(filter(None, (texts.text(form, number=number), kick.player if kick else "")))
    name = "open" if kick is None else "scored" if kick.scored else "missed"
    return f'<li class="{name}">{mark(KICK_MARKS[name])}<span class="unseen">{escape(words)}</span></li>'
