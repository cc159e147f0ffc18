"""What may be wrong with a liveblog on a match, the worst first, and the rules that say when it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from mapping.locales import msgid
from mapping.match.match import Status


class Trouble(StrEnum):
    """One thing that is wrong; the order is that of the table."""

    REFUSED = "refused"
    """The provider does not take the organization's credentials."""
    LOST = "lost"
    """The provider's endpoint cannot be reached."""
    STANDING_STILL = "standing-still"
    """The match or the liveblog is left out of the sync, for a reason of its own."""
    SILENT = "silent"
    """A running match without a good answer for longer than expected."""
    FROZEN_CLOCK = "frozen-clock"
    """The match runs, and its clock has run past any end that it could have."""
    SOURCES_DISAGREE = "sources-disagree"
    """Both sources of the match have answered twice with something else than the other one."""
    STANDBY_LEADS = "standby-leads"
    """The match's second source leads, because the first one fails."""
    FAILING = "failing"
    """The last answer for one of the match's resources was bad."""
    DISAGREEING = "disagreeing"
    """The answers of one source contradict each other: something waits for another one."""
    DRAFTS = "drafts"
    """Posts wait for a person."""


TROUBLE_TEXTS: Mapping[Trouble, str] = {
    Trouble.REFUSED: msgid("The provider refuses the credentials"),
    Trouble.LOST: msgid("The provider cannot be reached"),
    Trouble.STANDING_STILL: msgid("Stands still, and is tried again"),
    Trouble.SILENT: msgid("No answer from the provider for too long"),
    Trouble.FROZEN_CLOCK: msgid("The clock has stopped"),
    Trouble.SOURCES_DISAGREE: msgid("The sources disagree"),
    Trouble.STANDBY_LEADS: msgid("Running on backup"),
    Trouble.FAILING: msgid("A part of the provider's data fails"),
    Trouble.DISAGREEING: msgid("The provider contradicts itself; the next answer decides"),
    Trouble.DRAFTS: msgid("Drafts are waiting"),
}
"""What the desk says of each."""
RANKS: Mapping[Trouble, int] = {trouble: rank for rank, trouble in enumerate(Trouble)}
WELL = len(RANKS)
"""The rank of what has no trouble."""
GROUPS: Mapping[str, frozenset[str]] = {
    "running": frozenset(each for each in Status if each.running),
    "coming": frozenset({Status.SCHEDULED, Status.POSTPONED}),
    "over": frozenset(each for each in Status if each.over),
}
"""States of matches as people look for them."""
ORDER = tuple(GROUPS)
COVERED = frozenset({Trouble.REFUSED, Trouble.LOST, Trouble.SILENT, Trouble.FAILING})
"""What is wrong with the first source alone, and less urgent while the standby leads in its place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchFacts:
    """What is known of a liveblog's match. `answered_at`: its last good answer (Unix seconds); `alarms`: kinds of open ones."""

    status: str
    kickoff: int | None
    answered_at: float | None
    alarms: frozenset[str]
    refused: bool
    left_out: bool
    failing: bool
    pending: bool
    clock_stopped: bool
    drafts: int
    sources: SourcesFacts | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcesFacts:
    """What is known of both sources of a match that has two.

    `by_person`: a person has chosen who leads; `silent`: the standby leads, and has not answered for too long itself.
    """

    standby_leads: bool
    by_person: bool
    disagree: bool
    silent: bool

    def stands_in(self, first_fails: bool) -> bool:
        """Whether the standby leads and that is trouble: a person's choice alone is none."""
        return self.standby_leads and (first_fails or not self.by_person)

    def placed(self, troubles: Iterable[Trouble]) -> tuple[Trouble, ...]:
        """The troubles, those behind the others that the standby makes good."""
        covers = self.standby_leads and not self.silent
        return tuple(sorted(troubles, key=lambda each: covers and each in COVERED))


ONE_SOURCE = SourcesFacts(standby_leads=False, by_person=False, disagree=False, silent=False)


def is_silent(facts: MatchFacts, *, now: float, allowed: float) -> bool:
    """Whether a running match has had no good answer for more than `allowed` seconds."""
    running = facts.status in GROUPS["running"]
    late = facts.answered_at is not None and now - facts.answered_at > allowed
    return "feed_silent" in facts.alarms or (running and late)


def troubles_of(facts: MatchFacts, *, now: float, allowed: float) -> tuple[Trouble, ...]:
    """List what is wrong, the worst first. `allowed`: seconds for which a running match may go without an answer."""
    lost, sources = "provider_lost" in facts.alarms, facts.sources or ONE_SOURCE
    first_silent = is_silent(facts, now=now, allowed=allowed)
    holds = {
        Trouble.REFUSED: lost and facts.refused,
        Trouble.LOST: lost and not facts.refused,
        Trouble.STANDING_STILL: facts.left_out or "frozen" in facts.alarms,
        Trouble.SILENT: any((first_silent, sources.silent)),
        Trouble.FROZEN_CLOCK: facts.clock_stopped,
        Trouble.SOURCES_DISAGREE: sources.disagree,
        Trouble.STANDBY_LEADS: sources.stands_in(any((lost, first_silent, facts.failing))),
        Trouble.FAILING: facts.failing and not lost,
        Trouble.DISAGREEING: facts.pending,
        Trouble.DRAFTS: facts.drafts > 0,
    }
    return sources.placed(trouble for trouble, is_so in holds.items() if is_so)


def group_of(status: str) -> str:
    """The group of a match in this state."""
    return next(name for name, statuses in GROUPS.items() if status in statuses)


def place_of(troubles: tuple[Trouble, ...], status: str, kickoff: int | None, title: str) -> tuple[int, int, int, str]:
    """Where a liveblog stands in the list: what runs, what comes, what is over; in each the worst trouble, then the kick-off.

    Of those that are over the last one comes first.
    """
    worst, group = RANKS[troubles[0]] if troubles else WELL, group_of(status)
    return ORDER.index(group), worst, (-1 if group == "over" else 1) * (kickoff or 0), title


def contains_words(text: str, words: str) -> bool:
    """Whether each of the words is in the text, whatever their case."""
    plain = text.casefold()
    return all(word in plain for word in words.casefold().split())
