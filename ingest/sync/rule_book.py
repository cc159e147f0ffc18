"""The rules that are kept, in the file and in the database, and the matches that count as made whatever there is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import structlog
from sqlalchemy import Connection

from config import Settings
from config.cross_checks import Vocabulary, rule_faults
from config.errors import Path
from config.organizations import FollowEntry
from ingest.sync.provider_source import ProviderSource
from mapping.documents.import_options import ImportOptions
from mapping.follow.rule import FollowRule
from providers.base import FixtureLister
from store.following.rules import stored_rules

log = structlog.get_logger()


class RuleBook:
    """Knows which rules can be kept: those of the configuration, and beside them those that people and clients have made."""

    def __init__(
        self, settings: Settings, vocabulary: Vocabulary, sources: Mapping[tuple[str, str], ProviderSource]
    ) -> None:
        self.settings, self.sources = settings, sources
        self._vocabulary = vocabulary
        self._in_file = frozenset((each.organization, each.key) for each in settings.follow)
        self._resting: frozenset[tuple[str, str, str]] = frozenset()

    def faults(self, entry: FollowEntry) -> Iterator[tuple[Path, str]]:
        """What keeps a rule that stands in no file from its work, by the field at fault."""
        yield from rule_faults(self.settings, entry, self._vocabulary)
        source = self.sources.get((entry.organization, entry.provider))
        if source is not None and not isinstance(source.adapter, FixtureLister):
            lists = [name for (owner, name), each in self.sources.items() if _lists(owner, each, entry)]
            yield ("provider",), f"{entry.provider} has no lists of matches; lists has {', '.join(lists) or 'none'}"
        if (entry.organization, entry.key) in self._in_file:
            yield ("key",), "the configuration has a rule of this key, which counts"

    def in_force(self, conn: Connection) -> list[FollowRule]:
        """The rules that people and clients have made, without those that rest; why one rests is logged when that changes."""
        entries, resting = [], []
        for each in stored_rules(conn):
            entry = FollowEntry.of_fields(each.organization_id, each.key, each.fields)
            fault = "it cannot be read" if entry is None else next((text for _, text in self.faults(entry)), None)
            if entry is not None and fault is None:
                entries.append(entry)
            else:
                resting.append((each.organization_id, each.key, fault or ""))
        for organization_id, key, fault in set(resting) - self._resting:
            log.warning("rule.rests", organization=organization_id, rule=key, cause=fault)
        self._resting = frozenset(resting)
        return rules_of(entries)


def rules_of(entries: Iterable[FollowEntry]) -> list[FollowRule]:
    """The rules that the configuration declares, in its order."""
    return [
        FollowRule(
            key=each.key,
            organization_id=each.organization,
            provider=each.provider,
            competition=each.competition,
            team=each.team,
            sport=each.sport,
            gender=each.gender,
            lead=each.lead,
            editorial_publishing=each.editorial_publishing,
            most_a_day=each.most_a_day,
            standby=each.standby,
            tags=each.tags,
            terms=ImportOptions(
                sport=each.sport or "",
                locale=each.locale,
                auto_post=each.auto_post,
                exclude_events=frozenset(each.exclude_events),
                exclude_scoreboard=each.exclude_scoreboard,
                text=each.include_text_content,
                confirm=each.confirm,
            ),
        )
        for each in entries
    ]


def _lists(owner: str, source: ProviderSource, entry: FollowEntry) -> bool:
    return owner == entry.organization and isinstance(source.adapter, FixtureLister)
