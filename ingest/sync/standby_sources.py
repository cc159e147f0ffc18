"""Combines what is believed of each source of a match into what is believed of the match, for liveblogs with standbys.

Who is who at several providers an operator's table says: a CSV file with a column a provider and a row a person.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import permutations
from pathlib import Path

from config import Settings
from config.errors import StartError
from ingest.sync.ledger_posts import LedgerPosts
from ingest.sync.snapshot import Snapshot
from mapping.documents.import_options import ImportOptions
from mapping.fusion.fused_match import SourceName
from mapping.fusion.leading_source import LeadRules, SourceHealth
from mapping.fusion.source_chain import fuse_sources, held_goals, look_at_sources
from mapping.fusion.source_pair import PairRules, PairState
from mapping.match.match import Match, Status
from mapping.posts.reconcile import State, with_deletion
from store.engine.errors import UnreadableRow
from store.engine.unit import Unit
from store.following import follow_rows, standbys

LOOK = 2.0
"""Seconds between two looks at who is to lead."""
NOTHING = Match(provider="", match_id="", sport="", status=Status.SCHEDULED)
"""A match of which nothing is known."""


MOST = 500_000
"""People in one file."""
Names = dict[str, str]
Crosswalk = dict[tuple[str, str], Names]
"""(provider, provider of the standby) → id of a person at the second → the same person's id at the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StandbyRules:
    """How matches of several sources are treated (`[standby]`, in seconds).

    `hold`: for how long a goal that one source alone has waits where a liveblog wants both; `slower`: by how much a standby is
    polled less often while it is not needed. `crosswalks`: (organization, provider, provider of the standby) → id of a person at
    the second → the same person's id at the first. `kinds`: provider → the event types that it may give. `serves`: whether an
    organization has an endpoint.
    """

    lead: LeadRules
    hold: float
    slower: float
    crosswalks: Mapping[tuple[str, str, str], Mapping[str, str]]
    kinds: Mapping[str, frozenset[str]]
    serves: Callable[[str, str], bool]

    def watched(self, pinned: SourceName | None, terms: ImportOptions) -> PairRules:
        """The rules for a pair of sources, as far as who leads and what waits goes by them."""
        return PairRules(lead=self.lead.sooner(LOOK), pinned=pinned, hold=self.hold if terms.confirm == "two" else 0.0)

    def of_pair(
        self, liveblog: follow_rows.Attachment, standby: standbys.StandbyRow, terms: ImportOptions
    ) -> PairRules:
        """The rules for a liveblog's standby beside the sources before it."""
        owner, first, second = liveblog.organization_id, liveblog.provider, standby.provider
        named = self.crosswalks.get((owner, first, second), {})
        return replace(self.watched(standby.pinned, terms), named=named, kinds=self.kinds)


def with_standbys(  # noqa: PLR0917 -- what all sources are made of
    unit: Unit,
    liveblog: follow_rows.WrittenLiveblog,
    snapshot: Snapshot,
    terms: ImportOptions,
    rules: StandbyRules,
    health: Mapping[str, SourceHealth] | None = None,
) -> tuple[Snapshot, ImportOptions]:
    """The snapshot as all sources of the liveblog say it, and the terms with the goals that wait for another source.

    What is known of each pair is saved in this unit. `health`: how sources answer, by the ids of their follows, where it is to be
    decided who leads. A liveblog without a standby gets what it gave.
    """
    beside = standbys.of_liveblog(unit.conn, liveblog.game_id)
    pairs = [rules.of_pair(liveblog, each, terms) for each in beside]
    states = before = [each.known() for each in beside]
    if health is not None:
        answering = health_of([liveblog.follow_id, *(each.follow_id for each in beside)], health)
        states = [*look_at_sources(states, answering, pairs, unit.now)]
    others = [_match_of(each, snapshot.match, rules, liveblog.organization_id) for each in beside]
    match, after = fuse_sources(states, snapshot.match, others, pairs, unit.now)
    if deleted := _deleted_doubles(unit, liveblog.game_id, states, after):
        states = [replace(each, keys=tuple(row for row in each.keys if row.key not in deleted)) for each in states]
        match, after = fuse_sources(states, snapshot.match, others, pairs, unit.now)
    changed = (each for each in zip(beside, before, after, strict=True) if each[1] != each[2])
    standbys.save_states(unit, [(row, state) for row, _, state in changed])
    return snapshot.of_match(match), replace(terms, held=held_goals(after))


def _deleted_doubles(
    unit: Unit, game_id: str, before: Iterable[PairState], after: Iterable[PairState]
) -> frozenset[str]:
    """Keys of posts that a person has deleted, and whose incident turns out to be that of another post, which stands."""
    same = {one: other for was, now in zip(before, after, strict=True) for one, other in _merged_keys(was, now)}
    if not same:
        return frozenset()
    posts = LedgerPosts.read(unit.conn, game_id, same.keys() | same.values())
    states = {key: with_deletion(each, posts.stored.get(each.local_id)).state for key, each in posts.entries.items()}
    return frozenset(
        other for one, other in same.items() if (states.get(one), states.get(other)) == (State.POSTED, State.GONE)
    )


def _merged_keys(before: PairState, after: PairState) -> Iterator[tuple[str, str]]:
    """Each key that is none any more, with the key of the same incident."""
    known, now = {row.key for row in after.keys}, {row.second: row.key for row in after.keys if row.second}
    yield from ((row.key, now[row.second]) for row in before.keys if row.key not in known and row.second in now)


def health_of(follow_ids: Iterable[str], health: Mapping[str, SourceHealth]) -> list[SourceHealth]:
    """How these sources answer; one that never did is silent."""
    return [health.get(each, SourceHealth(answered_at=None)) for each in follow_ids]


def _match_of(standby: standbys.StandbySource, first: Match, rules: StandbyRules, organization_id: str) -> Match:
    """What is believed of the standby's match; of one that the organization does not get, or that says nothing yet, nothing."""
    match = _read_belief(standby) if rules.serves(standby.endpoint, organization_id) else None
    return match or replace(NOTHING, provider=standby.provider, match_id=standby.match_id, sport=first.sport)


def _read_belief(standby: standbys.StandbySource) -> Match | None:
    """What is believed of the standby's match; None where that is nothing yet, or cannot be read: its next poll writes it anew."""
    try:
        return None if standby.belief is None else follow_rows.unpacked_belief(standby.belief).match
    except UnreadableRow:
        return None


def crosswalks_of(settings: Settings) -> Mapping[tuple[str, str, str], Names]:
    """The tables of all organizations: (organization, provider, provider of the standby) → ids. Raises StartError."""
    return {
        (owner, *providers): names
        for owner, organization in settings.organizations.items()
        if organization.crosswalk is not None
        for providers, names in read_crosswalk(Path(organization.crosswalk)).items()
    }


def read_crosswalk(path: Path) -> Crosswalk:
    """The file's people for each two of its providers. Raises StartError, naming the line, for what is no such table."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            return _read(path, csv.reader(lines, strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise StartError(f"{path}: cannot be read: {error}") from error


def _read(path: Path, rows: Iterator[list[str]]) -> Crosswalk:
    providers = next(rows, [])
    if len(providers) < 2 or len(set(providers)) < len(providers) or not all(providers):
        raise StartError(f"{path}: the first line should name two providers or more, each once")
    found: Crosswalk = {pair: {} for pair in permutations(providers, 2)}
    for number, row in enumerate(rows, start=2):
        if number > MOST:
            raise StartError(f"{path}: has more than {MOST} lines")
        if row and len(row) != len(providers):
            raise StartError(f"{path}, line {number}: {len(providers)} ids expected, separated by commas")
        twice = _add(found, dict(zip(providers, map(str.strip, row), strict=False)))
        if twice is not None:
            raise StartError(f"{path}, line {number}: {twice} stands in another line with another id")
    return found


def _add(found: Crosswalk, person: Mapping[str, str]) -> str | None:
    """Add a person by the ids that are given; the id that is somebody else's already, None where none is."""
    known = {provider: ident for provider, ident in person.items() if ident}
    for first, second in permutations(known, 2):
        if found[first, second].setdefault(known[second], known[first]) != known[first]:
            return known[second]
    return None
