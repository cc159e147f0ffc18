"""Titles and sentences for incidents, in the language of the liveblog, where the provider gives no text.

Kicks of a shoot-out are numbered, and have titles of their own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from string import Formatter

from mapping.belief.goals import SHOOTOUT
from mapping.locales import Translator
from mapping.locales.labels import (
    BETWEEN_SETS,
    DECIMAL_MARK,
    KICK,
    KICK_BEYOND,
    KICK_UNNUMBERED,
    SCORE,
    SCORE_CONTEXT,
    UNDER_REVIEW,
)
from mapping.match.match import Decided, Incident, Match, Person, Score, Side, SideName, Status
from mapping.rules.rich_text import isolate
from mapping.sports import Kind, Sport, sport_of
from mapping.sports.base import MomentType

OVER = "over"
"""What was in force on the track is so no more."""
FINAL, FULL_TIME, EXTRA_HALF = "final", "full-time", "extra-half"

SECONDS = re.compile(r"[0-9]{1,4}(?:\.[0-9]{1,3})?")
LAP_TIME = re.compile(r"(?:[0-9]{1,2}:)?[0-9]{1,2}:[0-9]{2}\.[0-9]{1,3}")

OPENING = re.compile(r"((?:^|[.!?\u3002\uff01\uff1f])\s*)\{")
"""A placeholder that opens a sentence."""

PAIR = "/"
"""Between the names of two players who are one side."""

UNTRANSLATED = ("{title}: {player} ({team})", "{title}: {team}", "{title}: {player}")
"""For event types without sentences of their own."""


KICKS = 5
"""Kicks of each side before the next one may decide."""


def title(sport: Sport, incident: Incident, translator: Translator) -> str:
    """The name of the incident's type, marked where it is under review."""
    kind, method = sport.kind(incident.kind), incident.method or ""
    name = translator.text("Abandoned" if method == Decided.ABANDONED else kind.titles.get(method, kind.title))
    return under_review(name, translator) if incident.under_review else name


def under_review(name: str, translator: Translator) -> str:
    """The title of a goal that the score does not count any more, though nobody has taken it back."""
    return translator.text(UNDER_REVIEW, title=name)


def sentence(sport: Sport, match: Match, incident: Incident, translator: Translator) -> str:
    """One sentence as plain text, as specific as what is known allows."""
    kind = sport.kind(incident.kind)
    values = {**_values(match, incident, translator), **_score(kind, match, incident, translator)}
    own = next(filled_sentences(_templates(sport, kind, match, incident), values, translator), None)
    if own is not None:
        return own
    named = {**values, "title": title(sport, incident, translator)}
    return _fill(next(_fitting(() if kind.sentences else UNTRANSLATED, named), "{title}"), named)


def filled_sentences(templates: Iterable[str], values: Mapping[str, str], translator: Translator) -> Iterator[str]:
    """The sentences whose placeholders are all known, in their order, in the language of the translator."""
    return (_fill(translator.text(each), values) for each in _fitting(templates, values))


def _fill(template: str, values: Mapping[str, str]) -> str:
    """The sentence: a value that opens one has a capital, and a name that ends with a full stop needs no second one.

    A name that runs from right to left is isolated.
    """
    opening = {f"^{name}": isolate(value[:1].upper() + value[1:]) for name, value in values.items()}
    shown = {name: isolate(value) for name, value in values.items()}
    text = OPENING.sub(r"\1{^", template).format(**shown, **opening)
    return text[:-1] if text.endswith("..") else text


def ending(sport: Sport, match: Match) -> Decided | None:
    """How the match was decided, and of one that is played how far it has come beyond regular time; None: not known, or not far."""
    if match.award is not None:
        return Decided.AWARD
    if match.decided is not None or match.status.over:
        return match.decided
    if match.shootout is not None or match.status is Status.SHOOTOUT:
        return Decided.SHOOTOUT
    timing, phase = sport.timing, max(match.clock.phase, *(incident.phase or 0 for incident in match.incidents), 0)
    if timing is None or phase <= timing.num_regular_phases:
        return None
    return Decided.SHOOTOUT if phase > timing.phases else Decided.OVERTIME


def _templates(sport: Sport, kind: Kind, match: Match, incident: Incident) -> tuple[str, ...]:
    """The sentences of the incident's method, then of the part of the match it belongs to, then those of the type."""
    timing = sport.timing
    in_shootout = timing is not None and incident.phase is not None and incident.phase > timing.phases
    part = ending(sport, match) if kind.score_of == FINAL else Decided.SHOOTOUT if in_shootout else None
    return (*kind.variants.get(incident.method or "", ()), *kind.variants.get(part or "", ()), *kind.sentences)


def _fitting(templates: Iterable[str], values: Mapping[str, str]) -> Iterator[str]:
    return (template for template in templates if placeholders(template) <= values.keys())


@cache
def placeholders(template: str) -> frozenset[str]:
    """The names in braces. Of `{player} scores for {team}`: `player` and `team`."""
    return frozenset(name for _, name, _, _ in Formatter().parse(template) if name)


def _values(match: Match, incident: Incident, translator: Translator) -> Mapping[str, str]:
    """What is known for a sentence: the teams, the acting one, its opponent, people by role, the shoot-out's tally."""
    acting = match.side(incident.side) or incident.team
    other = next((side for side in match.sides if side is not acting), None) if acting is not None else None
    sides = {"home": match.home, "away": match.away, "team": acting, "opponent": other}
    people = {involved.role: _distinct_surname(involved.person, match) for involved in incident.people}
    anybody = {"player": _distinct_surname(incident.people[0].person, match)} if incident.people else {}
    teams = {name: _name(side) for name, side in sides.items() if side is not None}
    tally = {} if match.shootout is None else {"shootout": spoken_score(match.shootout, translator)}
    award = {} if match.award is None else {"award": spoken_score(match.award, translator)}
    return {
        **teams,
        **anybody,
        **people,
        **tally,
        **award,
        **_of_sets(match, incident, translator),
        **_details(incident, translator),
    }


def _of_sets(match: Match, incident: Incident, translator: Translator) -> Mapping[str, str]:
    """Sets and games as they are said aloud: the better side's number first, without a winner the home side's."""
    won = match.winner
    set_ = {} if incident.phase is None else {"set": str(incident.phase)}
    if incident.score is not None and incident.side is not None:
        set_["won"] = spoken_score(_seen_from(incident.side, incident.score), translator)
    sets = [spoken_score(_seen_from(won or "home", part.score), translator) for part in match.periods]
    if sets:
        set_["sets"] = join_scores(sets, translator)
    return {**set_, **_winner_and_loser(match)}


def join_scores(scores: Iterable[str], translator: Translator) -> str:
    """Scores one after the other, as those of sets. `6:3, 6:4`."""
    return translator.text(BETWEEN_SETS, context=SCORE_CONTEXT).join(scores)


def _winner_and_loser(match: Match) -> Mapping[str, str]:
    if match.winner is None or match.home is None or match.away is None:
        return {}
    home, away = _name(match.home), _name(match.away)
    return winner_and_loser(home, away) if match.winner == "home" else winner_and_loser(away, home)


def winner_and_loser(winner: str, loser: str) -> dict[str, str]:
    """Both as sentences call them: `winner` and `loser`, of pairs `winners` and `losers`."""
    plural = "s" if PAIR in winner else ""
    return {f"winner{plural}": winner, f"loser{plural}": loser}


def _seen_from(side: SideName, score: Score) -> Score:
    return score if side == "home" else Score(score.away, score.home)


def _details(incident: Incident, translator: Translator) -> Mapping[str, str]:
    """What the provider adds; seconds and lap times with the language's decimal mark."""
    detail = incident.detail
    if detail is None:
        return {}
    seconds = SECONDS.fullmatch(detail)
    if seconds or LAP_TIME.fullmatch(detail):
        detail = detail.replace(".", translator.text(DECIMAL_MARK, context=SCORE_CONTEXT))
    return {"detail": detail, **({"seconds": detail} if seconds else {})}


def _distinct_surname(person: Person, match: Match) -> str:
    """The surname, distinguished from those of the others in the match."""
    everybody = (each for side in match.sides for each in (*side.lineup, *side.bench))
    others = [(_name(each), each.name) for each in everybody if each.ext_id != person.ext_id]
    return distinguish_name(_name(person), person.name, others)


def distinguish_name(name: str, full: str, others: Iterable[tuple[str, str]]) -> str:
    """A surname; with an initial, or the whole name, where one of the `others` (surname, whole name) has the same one.

    `Müller` beside another Müller is `T. Müller`.
    """
    given = full.removesuffix(name).strip()
    namesakes = [whole for surname, whole in others if surname == name or whole.endswith(f" {name}")]
    if not namesakes or not given:
        return name
    return full if any(each.startswith(given[0]) for each in namesakes) else f"{given[0]}. {name}"


def spoken_name(short: str, name: str) -> str:
    """The short name, unless it is an abbreviation, which does not read well within a sentence."""
    return short if short and not short.endswith(".") else name


def _name(named: Person | Side) -> str:
    return spoken_name(named.short_name or "", named.name)


def _score(kind: Kind, match: Match, incident: Incident, translator: Translator) -> Mapping[str, str]:
    """The score after a goal, or of the part of the match that ends here."""
    of_parts = {part.title: part.score for part in match.periods} | {FINAL: match.score, EXTRA_HALF: extra_half(match)}
    known = of_parts.get(kind.score_of or "") or incident.score
    return {} if known is None else {"score": spoken_score(known, translator)}


def extra_half(match: Match) -> Score | None:
    """The score between the halves of extra time, which no feed gives; None unless the goals of extra time add up."""
    full_time = next((part.score for part in match.periods if part.title == FULL_TIME), None)
    if full_time is None or match.score is None:
        return None
    first, second = _scores(match, 3), _scores(match, 4)
    missing = match.score.total - full_time.total - len(first) - len(second)
    return None if missing else max((full_time, *first), key=lambda score: score.total)


def _scores(match: Match, phase: int) -> list[Score]:
    """The score after each goal of the phase."""
    return [each.score for each in match.incidents if each.score is not None and each.phase == phase]


def spoken_score(value: Score, translator: Translator) -> str:
    """A score as the language writes it within a sentence: `1-0`, `1:0`."""
    return translator.text(SCORE, context=SCORE_CONTEXT, home=value.home, away=value.away)


def can_be_kick(kind: Kind) -> bool:
    """Whether an incident of the type is a kick where it belongs to a shoot-out."""
    return kind.moment in {MomentType.GOAL, MomentType.PENALTY_MISSED}


def phase_of_shootout(sport: Sport) -> str:
    """The msgid of the phase in which kicks are taken, empty for a sport that has none."""
    return (sport.phase(sport.timing.phases + 1) or "") if sport.timing is not None else ""


def is_of_shootout(sport: Sport, phase: str, texts: Translator) -> bool:
    """Whether a post whose phase has that name belongs to the shoot-out; `texts` are those of its language."""
    shootout = phase_of_shootout(sport)
    return bool(shootout) and phase == texts.text(shootout)


def is_kick(sport: Sport, incident: Incident) -> bool:
    """Whether the incident is a kick of the shoot-out."""
    timing = sport.timing
    after_play = timing is not None and incident.phase is not None and incident.phase > timing.phases
    return (after_play or incident.method == SHOOTOUT) and can_be_kick(sport.kind(incident.kind))


def kick_numbers(match: Match) -> Mapping[str, int]:
    """Key of each kick → which of its side's it is, from 1; kicks of no known side have none.

    The tally after the kicks says their order, as feeds repeat theirs in any: a kick that went in comes before those that
    left its tally as it was.
    """
    sport = sport_of(match)
    kicks = [each for each in match.incidents if each.side is not None and is_kick(sport, each)]
    kicks.sort(key=lambda each: each.order)
    if all(each.score is not None for each in kicks):
        kicks.sort(key=lambda each: (each.score.total if each.score else 0, not sport.kind(each.kind).scores))
    taken: Counter[str | None] = Counter()
    found = {}
    for each in kicks:
        taken[each.side] += 1
        found[each.key] = taken[each.side]
    return found


def kick_title(number: int | None, texts: Translator, *, scored: bool) -> str:
    """`Penalty 2 of 5: scored`, without the number where nobody knows it; nobody knows how many follow the fifth."""
    if number is None:
        return texts.text(KICK_UNNUMBERED[scored])
    if number > KICKS:
        return texts.text(KICK_BEYOND[scored], number=number)
    return texts.text(KICK[scored], number=number, count=KICKS)
