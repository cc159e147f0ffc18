"""What is believed of a match of two sources, for a liveblog that has one standing by: made of what is believed of each source."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mapping.fusion.leading_source import LeadRules, SourceHealth
from mapping.fusion.source_pair import PairRules, fuse_pair, look
from mapping.match import Match
from store.engine.errors import UnreadableRow
from store.following import standbys, sync

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ingest.sync.snapshot import Snapshot
    from mapping.fusion.fused_match import SourceName
    from mapping.import_options import ImportOptions
    from store.engine.unit import Unit


LOOK = 2.0
"""Seconds between two looks at who is to lead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StandbyRules:
    """How matches of two sources are treated (`[standby]`, in seconds).

    `hold`: for how long a goal that one source alone has waits where a liveblog wants both; `slower`: by how much the standby is
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
        """The rules for a liveblog's pair of sources, as far as who leads and what waits goes by them."""
        return PairRules(lead=self.lead.sooner(LOOK), pinned=pinned, hold=self.hold if terms.confirm == "two" else 0.0)

    def of_pair(self, liveblog: sync.Attachment, standby: standbys.StandbySource, terms: ImportOptions) -> PairRules:
        """The rules for a liveblog's pair of sources."""
        owner, first, second = liveblog.organization_id, liveblog.provider, standby.provider
        named = self.crosswalks.get((owner, first, second), {})
        return replace(self.watched(standby.pinned, terms), named=named, kinds=self.kinds)


def with_standby(  # noqa: PLR0917 -- what both sources are made of
    unit: Unit,
    liveblog: sync.WrittenLiveblog,
    snapshot: Snapshot,
    terms: ImportOptions,
    rules: StandbyRules,
    health: Mapping[str, SourceHealth] | None = None,
) -> tuple[Snapshot, ImportOptions]:
    """The snapshot as both sources of the liveblog say it, and the terms with the goals that wait for the other source.

    What is known of both is saved in this unit. `health`: how sources answer, by the ids of their follows, where it is to be
    decided who leads. A liveblog without a standby gets what it gave.
    """
    standby = standbys.of_liveblog(unit.conn, liveblog.game_id)
    if standby is None:
        return snapshot, terms
    state, pair = standby.known(), rules.of_pair(liveblog, standby, terms)
    second = _believed(standby) if rules.serves(standby.endpoint, liveblog.organization_id) else None
    second = _nothing_of(snapshot.match, standby) if second is None else second
    now = state if health is None else look(state, health_of_pair(health, liveblog.follow_id, standby), pair, unit.now)
    match, after = fuse_pair(now, snapshot.match, second, pair, unit.now)
    if after != state:
        standbys.save_state(unit, standby, after)
    return snapshot.of_match(match), replace(terms, held=frozenset(after.held))


def health_of_pair(
    health: Mapping[str, SourceHealth], follow_id: str, standby: standbys.StandbyRow
) -> dict[SourceName, SourceHealth]:
    """How both sources answer; one that never did is silent."""
    never = SourceHealth(answered_at=None)
    return {"first": health.get(follow_id, never), "second": health.get(standby.follow_id, never)}


def _believed(standby: standbys.StandbySource) -> Match | None:
    """What is believed of the standby's match; None where that is nothing yet, or cannot be read: its next poll writes it anew."""
    try:
        return None if standby.belief is None else sync.unpacked_belief(standby.belief).match
    except UnreadableRow:
        return None


def _nothing_of(first: Match, standby: standbys.StandbySource) -> Match:
    """A match of which nothing is known: it is no further and no less far than the first source has it."""
    return Match(
        provider=standby.provider, match_id=standby.match_id, sport=first.sport, status=first.status, clock=first.clock
    )
