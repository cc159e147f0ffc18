"""Makes one match of two sources: what the leading one says, completed by the other, under keys of the match's own.

A source may fail, and the other one leads from then on: nothing is posted twice, because an incident keeps the key under which it
became known, whoever reports it; and nothing is lost, because what only the other source has stays as long as that one has it.
What the leading source took back stays taken back, also while the other one is late to do so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from mapping.belief.goals import covers, credited_side
from mapping.fusion.disagreements import NOTHING_KNOWN, Disagreement, can_give_whistles, differences, progress
from mapping.fusion.joined_people import in_ids_of, join_people, people_of
from mapping.fusion.paired_incidents import (
    INCIDENT_KEY,
    fused_incident,
    in_order,
    is_shared,
    kind_class,
    pair_incidents,
)
from mapping.match.match import Comment, Incident, Match, Score, Side

SourceName = Literal["first", "second"]
"""The two sources of a match: the one that it was made from, whose ids the match has, and the standby."""
OTHER: Mapping[SourceName, SourceName] = {"first": "second", "second": "first"}
SECOND_KEY = "incident:second/"
"""Prefix of the key of an incident that a standby reported first; its provider and its key there follow."""
MOST_KEYS = 512
"""Incidents of a match whose keys are known, the latest."""
OF_FIRST = ("kickoff", "tournament", "location", "title")
"""Facts of a match that are the first source's, whoever leads; the second one's where that has none."""
OF_LEADING = ("shootout", "winner", "decided", "award")
"""Facts of a match that come from the other source where the leading one has none."""


@dataclass(frozen=True, slots=True)
class FusedKey:
    """An incident of the match, and its keys in both sources, empty where a source has never had it.

    `taken_back`: the source that took it back while it led. It stays away until that source has it again; where that is the
    second one, also until the first one has it and has settled. `older`: the source that leads lost it together with others
    which the other one has still: its answers are of before, and it took nothing back. `was`: a goal as one source had it last
    for the same side: the other one may be late with what that one has taken back, or given to the other side.
    """

    key: str
    first: str = ""
    second: str = ""
    taken_back: SourceName | Literal[""] = ""
    older: bool = False
    was: Incident | None = None

    @property
    def origin(self) -> SourceName:
        """The source that `was` is of."""
        return "first" if self.first else "second"

    def of(self, source: SourceName) -> str:
        """The key in one source."""
        return self.first if source == "first" else self.second


@dataclass(frozen=True, slots=True)
class FusedMatch:
    """The match as both sources say it, and what has to be known of it the next time."""

    match: Match
    keys: tuple[FusedKey, ...] = ()
    differences: frozenset[Disagreement] = frozenset()
    """What both contradict each other in."""
    counted: Mapping[SourceName, Score | None] = field(default_factory=dict)
    """Each source's score, without the goals that the match has not any more."""
    rows: Mapping[SourceName, Score] = field(default_factory=dict)
    """The goals that each source names, without those."""


@dataclass(frozen=True, slots=True)
class _Sources:
    """Both matches in the ids of the first one. `settled`: the leading source has led for so long that its word is enough."""

    first: Match
    second: Match
    leads: SourceName
    settled: bool
    incidents: Mapping[SourceName, Mapping[str, Incident]]
    people: frozenset[str]
    """Ids of the first one's."""

    @property
    def leading(self) -> Match:
        return self.first if self.leads == "first" else self.second

    @property
    def other(self) -> Match:
        return self.second if self.leads == "first" else self.first

    def has(self, source: SourceName, row: FusedKey) -> bool:
        """Whether a source has the incident now."""
        return row.of(source) in self.incidents[source]

    def fused(self, row: FusedKey) -> Incident:
        """The incident of a row that one of both has."""
        one, two = (self.incidents[name].get(row.of(name)) for name in OTHER)
        return fused_incident(row.key, one, two, self.people, second_leads=self.leads == "second")


def fuse(
    first: Match,
    second: Match,
    keys: Sequence[FusedKey] = (),
    *,
    leads: SourceName = "first",
    settled: bool = True,
    alone: bool = False,
    named: Mapping[str, str] | None = None,
    kinds: Mapping[str, frozenset[str]] = NOTHING_KNOWN,
) -> FusedMatch:
    """What is believed of a match of two sources, of what is believed of each.

    `keys`: those of the last time. `leads`: the source whose word counts; `settled`: it has led for longer than the other one may
    be ahead of it, so what the other one said before does not hold any more; `alone`: the other one does not answer. `named`:
    people whom somebody has joined by hand, id in the second source → id in the first one. `kinds`: what each provider gives
    (mapping.fusion.leading_source). Identity, teams and their ids are always the first source's.
    """
    second = in_ids_of(second, first, join_people(first, second, named))
    by_key = {
        name: {each.key: each for each in match.incidents} for name, match in zip(OTHER, (first, second), strict=True)
    }
    people = frozenset(each.ext_id for each in people_of(first))
    sources = _Sources(first, second, leads, settled, by_key, people)
    known = [(each.first, each.second) for each in keys if each.first and each.second]
    pairs = pair_incidents(
        first, second, known, _gone_goals("first", keys, sources), _gone_goals("second", keys, sources)
    )
    found = _rows(keys, pairs, sources)
    older = frozenset[str]() if alone else _older(found, sources)
    sources = replace(sources, settled=settled and not older)
    rows = tuple(_with_taken_back(replace(row, older=row.key in older), sources) for row in found)
    counted: dict[SourceName, Score | None] = {name: _counted_score(name, rows, sources) for name in OTHER}
    score, state = _score(counted, sources), _further(sources, kinds)
    match = replace(
        sources.leading,
        **{name: getattr(sources.other, name) for name in OF_LEADING if getattr(sources.leading, name) is None},
        **{name: getattr(first if getattr(first, name) is not None else second, name) for name in OF_FIRST},
        kickoff_open=(first if first.kickoff is not None else second).kickoff_open,
        provider=first.provider,
        match_id=first.match_id,
        status=state.status,
        clock=state.clock,
        home=_with_squad(first.home, second.home),
        away=_with_squad(first.away, second.away),
        incidents=in_order(_incidents(rows, sources, score)),
        score=score,
        periods=sources.leading.periods or sources.other.periods,
        comments=_comments(first.comments, rows),
        text=first.text,
        posts_alone=first.posts_alone,
        faults=(),
        unreadable_keys=frozenset(),
    )
    there = {one: two for one, two in pairs.items() if one in by_key["first"] and two in by_key["second"]}
    contradictions = frozenset(differences(first, second, there, kinds))
    return FusedMatch(match, rows, contradictions, counted, {name: _goals(name, rows, sources) for name in OTHER})


def _further(sources: _Sources, kinds: Mapping[str, frozenset[str]]) -> Match:
    """Whose status and clock count: the leading source's, or the first one's where that says the same.

    The other one's, where that is further, until the leading one has settled, and where it gives no whistles.
    """
    is_enough = sources.settled and can_give_whistles(kinds, sources.leading)
    further = progress(sources.other) > progress(sources.leading)
    state, first = (sources.other if further and not is_enough else sources.leading), sources.first
    stopped = (state.status, state.clock.stopped) != (first.status, first.clock.stopped)
    return first if progress(first) == progress(state) and not stopped else state


def _goals(source: SourceName, rows: Iterable[FusedKey], sources: _Sources) -> Score:
    """How many goals of each side a source names, without those that were taken back."""
    gone = {row.of(source) for row in rows if row.taken_back}
    there = (each for key, each in sources.incidents[source].items() if key not in gone and kind_class(each) == "goal")
    sides = [credited_side(each) for each in there]
    return Score(sides.count("home"), sides.count("away"))


def _gone_goals(source: SourceName, keys: Iterable[FusedKey], sources: _Sources) -> list[Incident]:
    """The goals that a source has no more, or gives to the other side."""
    had = [row.was for row in keys if row.was is not None and row.origin == source and row.was.key == row.of(source)]
    now = sources.incidents[source]
    return [each for each in had if each.key not in now or credited_side(now[each.key]) != credited_side(each)]


def _rows(keys: Iterable[FusedKey], pairs: Mapping[str, str], sources: _Sources) -> list[FusedKey]:
    """The keys of all that was ever in the match, and of what the leading source has added: what is given again is the same.

    Two that turn out to be the same are one: that of the first source's incident.
    """
    firsts = {second: first for first, second in pairs.items()}
    found: list[FusedKey] = []
    taken: dict[SourceName, set[str]] = {"first": set(), "second": set()}
    had, used = {row.first for row in keys if row.first}, {row.key for row in keys}
    for known in (*keys, *(_new_row(key, sources, used) for key in sources.incidents[sources.leads])):
        row = _repair_key(known, pairs, firsts)
        is_other = not known.first and row.first in had
        if is_other or row.first in taken["first"] or row.second in taken["second"]:
            continue
        found.append(row)
        taken["first"].update(filter(None, [row.first]))
        taken["second"].update(filter(None, [row.second]))
    return found[-MOST_KEYS:]


def _new_row(key: str, sources: _Sources, used: Container[str]) -> FusedKey:
    """The row of an incident that the leading source alone is known to have. Some sources give an id again for another one."""
    if sources.leads == "first":
        return FusedKey(key, first=key)
    own = key if is_shared(key) else f"{SECOND_KEY}{sources.second.provider}/{key.removeprefix(INCIDENT_KEY)}"
    while own in used and not is_shared(key):
        own += "+"
    return FusedKey(own, second=key)


def _repair_key(row: FusedKey, pairs: Mapping[str, str], firsts: Mapping[str, str]) -> FusedKey:
    """The row with the key of the other source as it is paired now; a pair that has come apart is none."""
    if row.first in pairs:
        return replace(row, second=pairs[row.first])
    if row.second in firsts:
        return replace(row, first=firsts[row.second]) if not row.first else replace(row, second="")
    return row


def _older(rows: Iterable[FusedKey], sources: _Sources) -> frozenset[str]:
    """Keys of what the leading source has lost together with other incidents, and the other one has still."""
    leads = sources.leads
    lost = [row for row in rows if row.of(leads) and not row.taken_back and not sources.has(leads, row)]
    several = sources.settled and len(lost) > 1
    return frozenset(row.key for row in lost if (several or row.older) and sources.has(OTHER[leads], row))


def _with_taken_back(row: FusedKey, sources: _Sources) -> FusedKey:
    """The row, marked where the leading source has just taken it back, or free of a mark that does not hold any more."""
    leads, now = sources.leads, sources.incidents[row.origin].get(row.of(row.origin))
    if now is not None and kind_class(now) == "goal" and not _gone_goals(row.origin, [row], sources):
        row = replace(row, was=now)
    if row.of(leads) and not row.older and not sources.has(leads, row):
        return replace(row, taken_back="first" if row.taken_back == "first" else leads)
    source = row.taken_back
    if source and (sources.has(source, row) or (leads == "first" and sources.settled and sources.has(leads, row))):
        return replace(row, taken_back="")
    return row


def _incidents(rows: Iterable[FusedKey], sources: _Sources, score: Score | None) -> Iterator[Incident]:
    """What the leading source has, and what has been in the match by the other one's word; of its goals what the score counts."""
    there = [row for row in rows if not row.taken_back and (sources.has("first", row) or sources.has("second", row))]
    there.sort(key=lambda row: not sources.has(sources.leads, row))
    counted: Counter[str | None] = Counter()
    for row in there:
        each = sources.fused(row)
        side = credited_side(each) if kind_class(each) == "goal" else None
        if sources.has(sources.leads, row) or side is None or score is None or counted[side] < getattr(score, side):
            counted[side] += not each.under_review
            yield each


def _score(counted: Mapping[SourceName, Score | None], sources: _Sources) -> Score | None:
    """The leading source's score; until it has settled the other one's where that covers it; without what was taken back."""
    leading, other = (counted[name] for name in (sources.leads, OTHER[sources.leads]))
    if leading is None or other is None:
        return leading or other
    return other if not sources.settled and covers(other, leading) else leading


def _counted_score(source: SourceName, rows: Iterable[FusedKey], sources: _Sources) -> Score | None:
    """A source's score without the goals that it still has and the match has not any more."""
    score = sources.first.score if source == "first" else sources.second.score
    if score is None:
        return None
    there = sources.incidents[source]
    gone = [there[row.of(source)] for row in rows if row.taken_back and row.of(source) in there]
    lost = [credited_side(each) for each in gone if kind_class(each) == "goal"]
    return Score(max(0, score.home - lost.count("home")), max(0, score.away - lost.count("away")))


def _comments(comments: Iterable[Comment], rows: Iterable[FusedKey]) -> tuple[Comment, ...]:
    """The first source's texts, bound to the incidents under the match's keys."""
    keys = {row.first: row.key for row in rows if row.first and row.first != row.key}
    return tuple(replace(each, incident_key=keys.get(each.incident_key or "", each.incident_key)) for each in comments)


def _with_squad(ours: Side | None, theirs: Side | None) -> Side | None:
    """The first source's team; where it names no squad, with the other one's."""
    if ours is None or theirs is None or ours.lineup or ours.bench:
        return ours or theirs
    return replace(ours, lineup=theirs.lineup, bench=theirs.bench)
