"""What those who write rules ask: whether one can be, what all would make, and to look at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from config import Settings
from ingest.sync.declared_matches import DeclaredMatches
from ingest.sync.fixture_lists import FixtureLists
from ingest.sync.follow_rules import Reader, RulePlans
from ingest.sync.provider_source import ProviderSource, endpoint_names
from ingest.sync.rule_book import RuleBook, rules_of
from mapping.follow.cost import fullest_hours
from mapping.follow.plan import Planned
from mapping.follow.preview import EndpointOutlook, RulePreview

TOPIC = "rules"
"""What processes announce to each other under: that the rules of an organization have changed."""


class RuleDesk:
    """Answers those who write rules; `read` runs a query on the database, `look_again` has an organization's rules looked at."""

    def __init__(
        self,
        book: RuleBook,
        lists: FixtureLists,
        *,
        read: Reader,
        clock: Callable[[], float],
        look_again: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.faults, self.look_again = book.faults, look_again
        self._book, self._lists, self._read, self._clock = book, lists, read, clock

    async def preview(self, organization_id: str | None = None, *, days: int = 7) -> RulePreview:
        """What becomes of the matches of an organization's rules, or of all, today and so many days ahead."""

        def is_meant(organization: str) -> bool:
            return organization_id in {None, organization}

        settings, sources = self._book.settings, self._book.sources
        plans = RulePlans(
            rules_of(each for each in settings.follow if is_meant(each.organization)),
            read=self._read,
            lists=self._lists,
            sources=sources,
            declared=DeclaredMatches(settings.liveblogs),
            clock=self._clock,
            more=lambda conn: [each for each in self._book.in_force(conn) if is_meant(each.organization_id)],
        )
        planned = await plans.plan(days=days)
        names, failures = endpoint_names(sources), {key: each.cause for key, each in plans.seen.items() if each.bad}
        by_endpoint: dict[str, list[Planned]] = {}
        for each in planned:
            key = sources[each.rule.organization_id, each.rule.provider].adapter.endpoint.key
            by_endpoint.setdefault(key, []).append(each)

        outlook = partial(_outlook, settings, by_endpoint, failures, names)
        used = {(rule.organization_id, rule.provider) for rule in plans.rules}
        return RulePreview(plans.rules, planned, {access: outlook(sources[access]) for access in sorted(used)})


def _outlook(
    settings: Settings,
    planned: Mapping[str, list[Planned]],
    failures: Mapping[str, str],
    names: Mapping[str, str],
    source: ProviderSource,
) -> EndpointOutlook:
    endpoint = source.adapter.endpoint
    return EndpointOutlook(
        name=names[endpoint.key],
        timezone=endpoint.timezone,
        hours=fullest_hours(planned.get(endpoint.key, ()), settings.polling.live),
        allowed=settings.polling.rate,
        failure=failures.get(endpoint.key, ""),
    )
