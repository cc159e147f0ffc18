"""The key moments of a match and its recap, made of what the published posts and the head of the liveblog say.

No text is kept: a post that is corrected, edited or withdrawn changes the moments of the next read.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from mapping.belief.goals import side_with_enough_sets
from mapping.documents.state import ENDED, SHOOTOUT
from mapping.locales import Translator
from mapping.locales.labels import ENDINGS, ON_PITCH, PERIODS, SCORE_CONTEXT, Label, Recap, Result
from mapping.match.match import Decided, Score, SideName
from mapping.posts import wording
from mapping.posts.wording import can_be_kick, is_of_shootout, phase_of_shootout
from mapping.sports.base import Kind, MomentType, Sport

END_OF_PLAY = frozenset({"full-time", "extra-time"})
"""Parts whose end says nothing beside the result, where that comes right after it."""
UNDECIDED = frozenset({Decided.RETIRED, Decided.WALKOVER, Decided.ABANDONED, Decided.UNKNOWN})
"""Ends of which the sets do not say who won."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Play:
    """What a post says happened; `roles` are (role, name) pairs, `score` the one that it shows, `text` is plain.

    `milestone`: people have made the post one; it need not name an incident then, and `kind` is empty.
    """

    local_id: str
    kind: str
    title: str = ""
    headline: str = ""
    text: str = ""
    minute: str = ""
    phase: str = ""
    team: str = ""
    roles: tuple[tuple[str, str], ...] = ()
    score: Score | None = None
    milestone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchState:
    """The match as the head of its liveblog shows it.

    `decided` stands beside the score, `parts` are titles and scores of halves, sets or periods, `phase` counts from 1,
    `ranking` names the first places of a race, or of a session that is none (`timed`). `winner`: where it is said, as the sets
    may not say it; `interrupted`: what became of a match that was not played as planned.
    """

    home: str = ""
    away: str = ""
    score: Score | None = None
    decided: str = ""
    parts: tuple[tuple[str, Score], ...] = ()
    gamestate: int | None = None
    in_break: bool = False
    phase: int = 0
    ranking: tuple[str, ...] = ()
    timed: bool = False
    lap: str = ""
    winner: SideName | None = None
    interrupted: Label | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Kick:
    """A kick of the shoot-out, as its post has it; `player` is empty where the post names nobody."""

    side: SideName
    scored: bool
    player: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyMoment:
    """A moment that readers look for; `local_id` names its post, `score` is the one after it, None where it is not known."""

    type: MomentType
    event_type: str
    local_id: str
    minute: str
    phase: str
    score: Score | None
    team: str
    player: str
    text: str


def key_moments(sport: Sport, state: MatchState, plays: Sequence[Play], texts: Translator) -> tuple[KeyMoment, ...]:
    """The key moments among all plays of a liveblog, which come in their order."""
    sets = _won_sets(sport, state, plays, texts)
    found = [_moment(sport, state, each, type_, texts) for each, type_ in _key(sport, plays, sets, texts)]
    return tuple(
        each
        for each, following in zip_longest(found, found[1:])
        if not (following and _is_repeated(sport, each, following))
    )


def shootout_kicks(sport: Sport, state: MatchState, plays: Sequence[Play], texts: Translator) -> tuple[Kick, ...]:
    """The kicks of the shoot-out in their order.

    None where the posts do not add up to the tally that the head shows, or do not say whose a kick was: then the tally is
    what is known.
    """
    sides: Mapping[str, SideName] = {state.home: "home", state.away: "away"}
    kicks = [each for each in _with_scores(sport, plays, texts) if each.is_kick]
    if any(each.play.team not in sides for each in kicks):
        return ()
    found = tuple(
        Kick(side=sides[each.play.team], scored=each.kind.scores, player=_first_name(each.play)) for each in kicks
    )
    scored = [each.side for each in found if each.scored]
    added_up = Score(scored.count("home"), scored.count("away"))
    return found if tally_of(state, texts) in {None, added_up} else ()


def _first_name(play: Play) -> str:
    return play.roles[0][1] if play.roles else ""


def tally_of(state: MatchState, texts: Translator) -> Score | None:
    """The kicks of the shoot-out that went in, by the head of the liveblog."""
    return dict(state.parts).get(texts.text(PERIODS["shootout"], context=SCORE_CONTEXT))


def _is_repeated(sport: Sport, moment: KeyMoment, following: KeyMoment) -> bool:
    """Whether play ends here for good, which the result says right after it."""
    return following.type is MomentType.RESULT and sport.kind(moment.event_type).score_of in END_OF_PLAY


@dataclass(frozen=True, slots=True)
class _At:
    """A play with what the plays before it have come to."""

    play: Play
    kind: Kind
    score: Score | None
    is_kick: bool
    has_begun: bool = False
    """Whether the shoot-out was there before the play."""
    reviewed: bool = False
    """Whether it is a goal under review, which counts nothing."""


def _key(
    sport: Sport, plays: Sequence[Play], sets: Container[str], texts: Translator
) -> Iterator[tuple[_At, MomentType]]:
    for each in _with_scores(sport, plays, texts):
        type_ = _type(each)
        if type_ is not None and (type_ is not MomentType.SET or each.play.local_id in sets):
            yield each, type_


def _won_sets(sport: Sport, state: MatchState, plays: Sequence[Play], texts: Translator) -> frozenset[str]:
    """The posts of the games that won a set: the last of each set after which another began, or which the sets won count."""
    numbers = {texts.text(name): number for number, name in enumerate(sport.phases, 1)} if sport.sets else {}
    last = {numbers[each.phase]: each.local_id for each in plays if each.score is not None and each.phase in numbers}
    counted = 0 if state.score is None else state.score.total
    return frozenset(name for number, name in last.items() if number <= counted or number < max(last))


def _with_scores(sport: Sport, plays: Sequence[Play], texts: Translator) -> Iterator[_At]:
    """The plays with the score after each of them; a kick of the shoot-out leaves it alone.

    Where people post what scores, they may leave some out: only the score that a play shows is certain then.
    """
    if not _is_complete(sport):
        return (_At(play, sport.kind(play.kind), play.score, is_kick=False) for play in plays)
    return _added_up(sport, plays, texts)


def _is_complete(sport: Sport) -> bool:
    return sport.timing is None or any(kind.scores for kind in sport.reported)


def _added_up(sport: Sport, plays: Sequence[Play], texts: Translator) -> Iterator[_At]:
    score = Score(0, 0) if sport.timing is not None else None
    has_begun = False
    for play in plays:
        kind = sport.kind(play.kind)
        is_kick = can_be_kick(kind) and _is_within_shootout(sport, play, texts, has_begun=has_begun)
        reviewed = kind.scores and play.title == wording.under_review(texts.text(kind.title), texts)
        if not (kind.note or reviewed) and (play.score is not None or (kind.scores and not is_kick)):
            score = play.score
        yield _At(play, kind, score, is_kick, has_begun, reviewed)
        has_begun = has_begun or is_kick or kind.enters == SHOOTOUT


def _is_within_shootout(sport: Sport, play: Play, texts: Translator, *, has_begun: bool) -> bool:
    """Whether the play belongs to the shoot-out by its post's phase, or for want of one by its place."""
    return is_of_shootout(sport, play.phase, texts) if play.phase else has_begun


def _type(at: _At) -> MomentType | None:
    """What the play is as a key moment; an event type without a row is one where its post shows a score.

    Of the kicks of a shoot-out the first one stands for all where nothing else does. Whatever else is no key moment is one
    as a milestone.
    """
    return _own_type(at) or (MomentType.MILESTONE if at.play.milestone else None)


def _own_type(at: _At) -> MomentType | None:
    if at.is_kick:
        return None if at.has_begun else MomentType.SHOOTOUT
    if at.reviewed:
        return MomentType.REVIEW
    shows_score = at.play.score is not None and not at.kind.sentences
    return at.kind.moment or (MomentType.SCORE if shows_score else None)


def _moment(sport: Sport, state: MatchState, at: _At, type_: MomentType, texts: Translator) -> KeyMoment:
    play, score = at.play, at.score
    if type_ is MomentType.SHOOTOUT:
        return _shootout(sport, state, at, texts)
    if type_ is MomentType.RESULT and state.gamestate == ENDED and state.score is not None:
        score = state.score
    return KeyMoment(
        type=type_,
        event_type=play.kind,
        local_id=play.local_id,
        minute=play.minute,
        phase=play.phase,
        score=score,
        team=play.team,
        player=_first_name(play),
        text=play.headline or _text(sport, state, at, score, texts),
    )


def _shootout(sport: Sport, state: MatchState, at: _At, texts: Translator) -> KeyMoment:
    """The one line for all kicks, which stands where the shoot-out begins and says where it stands."""
    play, phase = at.play, texts.text(phase_of_shootout(sport) or at.kind.title)
    start = next((kind.id for kind in sport.kinds if kind.enters == SHOOTOUT), play.kind)
    tally = tally_of(state, texts)
    values = {"phase": phase, "home": state.home, "away": state.away}
    values |= {} if tally is None else {"score": wording.spoken_score(tally, texts)}
    stands = next(
        wording.filled_sentences([Recap.SCORE], {name: each for name, each in values.items() if each}, texts), ""
    )
    return KeyMoment(
        type=MomentType.SHOOTOUT,
        event_type=start,
        local_id=play.local_id,
        minute=play.minute,
        phase=phase,
        score=at.score,
        team="",
        player="",
        text=play.headline or stands or (phase if at.is_kick else _text(sport, state, at, at.score, texts)),
    )


def _text(sport: Sport, state: MatchState, at: _At, score: Score | None, texts: Translator) -> str:
    """The sentence of the play: the one that its post has, else as specific as what the post shows allows."""
    kind, title = at.kind, at.play.title or texts.text(at.kind.title) or at.play.text
    values = {**_values(sport, state, at, score, texts), "title": title}
    if at.reviewed:
        return next(wording.filled_sentences((*wording.UNTRANSLATED, "{title}"), values, texts), title)
    if own := _own_sentence(kind, at.play, values, texts):
        return own
    if wording.OVER in kind.variants:  # whether it begins or ends, only the words of the post could say
        return title
    templates = [each for name in _variants(sport, state, at, texts) for each in kind.variants.get(name, ())]
    templates += kind.sentences or (*wording.UNTRANSLATED, "{title}")
    return next(wording.filled_sentences(templates, values, texts), title)


def _own_sentence(kind: Kind, play: Play, values: Mapping[str, str], texts: Translator) -> str:
    """The sentence of its type that the post has as its text, which knows more than the rest of it; empty where it has another."""
    templates = [each for group in (*kind.variants.values(), kind.sentences) for each in group]
    return next((each for each in wording.filled_sentences(templates, values, texts) if each == play.text), "")


def _variants(sport: Sport, state: MatchState, at: _At, texts: Translator) -> Iterator[str]:
    """The names of variants that fit: the part of the match, the way it was decided, the roles that the post names."""
    if at.kind.moment is MomentType.SET:
        yield "set"
    if at.kind.score_of == wording.FINAL:
        yield decided_how(sport, state.decided, texts) or ""
    if at.kind.enters == ENDED and state.interrupted is Label.ABANDONED:
        yield Decided.ABANDONED
    yield from (role for role, _ in at.play.roles)


def pitch_score(label: str, texts: Translator) -> Score | None:
    """The score on the pitch, by the label that stands beside a score by decision; None where it is another one."""
    before, _, after = texts.text(ON_PITCH, context=SCORE_CONTEXT).partition("{score}")
    numbers = re.findall("[0-9]+", label) if label.startswith(before) and label.endswith(after) else []
    return Score(*map(int, numbers)) if len(numbers) == 2 else None


def decided_how(sport: Sport, label: str, texts: Translator) -> Decided | None:
    """How a match was decided, by the label that stands beside its score; None where the label says nothing of it."""
    if pitch_score(label, texts) is not None:
        return Decided.AWARD
    known: Mapping[Decided, str] = {**ENDINGS, **sport.endings}
    return next(
        (how for how, msgid in known.items() if label and texts.text(msgid, context=SCORE_CONTEXT) == label), None
    )


def _values(sport: Sport, state: MatchState, at: _At, score: Score | None, texts: Translator) -> dict[str, str]:
    """What is known for a sentence."""
    play = at.play
    other = {state.home: state.away, state.away: state.home}.get(play.team, "")
    values = {"home": state.home, "away": state.away, "team": play.team, "opponent": other}
    values |= {"player": play.roles[0][1]} if play.roles else {}
    values |= dict(play.roles)
    if score is not None:
        values["score"] = wording.spoken_score(score, texts)
    if play.score is not None:
        values["won"] = wording.spoken_score(_better_first(play.score), texts)
    if (tally := tally_of(state, texts)) is not None:
        values["shootout"] = wording.spoken_score(tally, texts)
    if sport.sets:
        values |= _of_sets(sport, state, texts)
    if at.kind.score_of == wording.FINAL and decided_how(sport, state.decided, texts) is Decided.AWARD:
        values |= awarded_scores(state, texts)
    return {name: each for name, each in values.items() if each}


def awarded_scores(state: MatchState, texts: Translator) -> dict[str, str]:
    """The score by decision, and the one on the pitch; empty what is not known."""
    scores = {"award": state.score, "score": pitch_score(state.decided, texts)}
    return {name: "" if each is None else wording.spoken_score(each, texts) for name, each in scores.items()}


def awarded_line(sport: Sport, state: MatchState, texts: Translator) -> str:
    """What is said of a score by decision in a few words; empty where there is none."""
    if decided_how(sport, state.decided, texts) is not Decided.AWARD:
        return ""
    values = {name: each for name, each in awarded_scores(state, texts).items() if each}
    return next(wording.filled_sentences([Result.AWARDED, Result.AWARDED_ALONE], values, texts), "")


def _of_sets(sport: Sport, state: MatchState, texts: Translator) -> dict[str, str]:
    """Who won, where the sets say it, and the sets as the winner sees them."""
    won = winner_of_sets(sport, state, texts)
    values = {"sets": set_scores(state, won, texts)}
    if won is None:
        return values
    names = (state.home, state.away) if won == "home" else (state.away, state.home)
    return values | wording.winner_and_loser(*names)


def set_scores(state: MatchState, seen_by: SideName | None, texts: Translator) -> str:
    """The scores of the sets one after the other, as that side sees them; empty where there is none."""
    seen = [Score(each.away, each.home) if seen_by == "away" else each for _, each in state.parts]
    return wording.join_scores((wording.spoken_score(each, texts) for each in seen), texts)


def winner_of_sets(sport: Sport, state: MatchState, texts: Translator) -> SideName | None:
    """Who has won more sets, and enough of them; None where that does not say who won."""
    return None if decided_how(sport, state.decided, texts) in UNDECIDED else side_with_enough_sets(state.score)


def _better_first(score: Score) -> Score:
    return Score(max(score.home, score.away), min(score.home, score.away))
