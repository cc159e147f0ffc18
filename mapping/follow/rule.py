"""A rule: which matches of a provider's lists become liveblogs of an organization, how long before kick-off, on which terms."""

from __future__ import annotations

from dataclasses import dataclass

from mapping.documents.import_options import ImportOptions
from mapping.match.fixture import Fixture


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowRule:
    """`competition`, `team`: ids of the provider, one of them at least. `lead`: seconds before kick-off.

    `sport` and `gender` narrow what is followed. `most_a_day`: matches of one day of kick-off. `standby`: the providers whose
    same match is to stand by, in their order; `tags`: labels of the liveblogs.
    """

    key: str
    organization_id: str
    provider: str
    terms: ImportOptions
    competition: str | None = None
    team: str | None = None
    sport: str | None = None
    gender: str | None = None
    lead: float
    editorial_publishing: bool
    most_a_day: int
    standby: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    def names(self, fixture: Fixture) -> bool:
        """Whether the rule is about this match; one whose gender no list says is, if the rule asks for one.

        >>> rule = FollowRule(key="k", organization_id="o", provider="heim", terms=ImportOptions(sport="soccer"), team="9")
        >>> rule.names(Fixture(match_id="1", home=NamedId("9", "FC Südtor")))
        True
        """
        sides = {side.id for side in (fixture.home, fixture.away) if side is not None}
        return (
            (
                self.competition is None
                or (fixture.competition is not None and fixture.competition.id == self.competition)
            )
            and (self.team is None or self.team in sides)
            and (self.sport is None or fixture.sport == self.sport)
            and (self.gender is None or fixture.gender in {None, self.gender})
        )
