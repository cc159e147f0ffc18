"""A recorded match in two sources: the second one lacks goals, has others, and says all in its own way, while both fail."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from mapping.belief.belief import ConfirmedMatch
from mapping.belief.confirm import confirm_answer
from mapping.belief.goals import credited_side, goals_of
from mapping.fusion.leading_source import LeadRules, SourceHealth
from mapping.fusion.source_pair import PairRules, PairState, fuse_pair, look
from mapping.match.match import ALL_PARTS
from providers.heim.adapter import HEIM
from tests.kit.soccer_courses import Course
from tests.kit.wire_forms.forms import WireForm
from tests.simulation.sources.differing import Differences, in_play
from tests.simulation.sources.fail_over import second_keys

LEAD = LeadRules(silence=60.0, stall=60.0, implausible=120.0, quiet_time=300.0)
LOST = ("well", "well", "well", "failing", "refused", "silent", "stalled", "older")
STEPS = 9


@dataclass
class PairHistory:
    """One history by its seed. `found`: what went wrong in it."""

    course: Course
    form: WireForm
    seed: int
    found: list[str] = field(default_factory=list)
    lead_changes: int = 0
    shown: dict[str, str] = field(default_factory=dict)
    """Key of a goal at the first source → the key under which it stands in the match."""
    about: dict[str, str] = field(default_factory=dict)
    """The other way round: whatever a person does to a post, no other incident becomes it."""
    withdrawn: set[str] = field(default_factory=set)

    def play(self) -> PairHistory:
        """From the first whistle to some time after the last one, when both sources are well and agree."""
        rng = self.rng = random.Random(f"{self.course.match_id} {self.form.provider} {self.seed}")
        kinds = {each.id: frozenset(each.catalog["soccer"]) for each in (HEIM, self.form.vendor)}
        self.rules = PairRules(lead=LEAD, hold=0.0, kinds=kinds)
        self.truths = second_keys(self.course, self.form)
        self.state, self.now = PairState(), 1000.0
        self.answered = {"first": self.now, "second": self.now}
        self.believed: dict[str, ConfirmedMatch] = {}
        self.differences = Differences(self.course, rng, self.seed)
        versions = sorted(rng.sample(range(self.course.running, len(self.course.kept)), STEPS - 1))
        late, frozen = rng.randrange(4), {"first": 0, "second": 0}
        for at in range(len(versions)):
            ways = {name: rng.choice(LOST) for name in ("first", "second")}
            places = {"first": at, "second": max(0, at - late)}
            for name, how in ways.items():
                older = max(0, places[name] - 3) if how == "older" else places[name]
                frozen[name] = older if how in {"well", "older"} else frozen[name]
            self._step(versions[frozen["first"]], versions[frozen["second"]], ways, at / len(versions))
        self.differences.end()
        for _ in range(8):
            self._step(len(self.course.kept) - 1, len(self.course.kept) - 1, {}, 1.0)
        self._compare()
        return self

    def _step(self, first: int, second: int, ways: dict[str, str], played: float) -> None:
        """Both answer, or do not, for a while; then who leads is decided."""
        said = {"first": self.differences.first(self.course.kept[first], played)}
        bodies = self.form.write(self.differences.second(self.course.kept[second], played), self.seed)
        said["second"] = self.form.read(self.form.ident(self.course.match_id), bodies)
        dead = {name for name, how in ways.items() if how in {"failing", "refused", "silent"}}
        for name in said.keys() - dead:
            for _ in range(2):
                self.believed[name] = confirm_answer(self.believed.get(name), said[name], good=ALL_PARTS)
        for name, answer in said.items():
            self.believed.setdefault(name, confirm_answer(None, answer, good=ALL_PARTS))
        self._fuse()
        for _ in range(self.rng.randrange(2, 4)):
            self.now += self.rng.choice([30.0, 70.0])
            health = {name: self._health(name, ways.get(name, "well")) for name in ("first", "second")}
            before = self.state.lead.source
            self.state = look(self.state, health, self.rules, self.now)
            self.lead_changes += self.state.lead.source != before
            self._fuse()
            self._check()

    def _health(self, name: str, how: str) -> SourceHealth:
        if how not in {"failing", "refused", "silent"}:
            self.answered[name] = self.now
        return SourceHealth(answered_at=self.answered[name], failing=how == "failing", refused=how == "refused")

    def _fuse(self) -> None:
        first, second = (self.believed[name].match for name in ("first", "second"))
        self.match, self.state = fuse_pair(self.state, first, second, self.rules, self.now)

    def _check(self) -> None:
        """No more goals than the score has, each one that the leading source has, none twice, none that was withdrawn."""
        leads = self.state.lead.source
        own = self.believed[leads].match
        taken = {row.of(leads) for row in self.state.keys if row.taken_back}
        goals = Counter(credited_side(each) for each in self.match.incidents if in_play(each) and not each.under_review)
        for side in ("home", "away"):
            known = [each for each in goals_of(own, side) if each.key not in taken and not each.under_review]
            most = max(len(known), getattr(self.match.score, side) if self.match.score else 0)
            if not len(known) <= goals[side] <= most:
                self._wrong(f"{goals[side]} posts of {side}, {len(known)} of the leader, score {self.match.score}")
        there = [each.key for each in self.match.incidents]
        if len(set(there)) != len(there):
            self._wrong("a key twice")
        others = {each.key for each in self.match.incidents if not (in_play(each) or each.marks_period)}
        truths = Counter(row.first or self.truths.get(row.second, "") for row in self.state.keys if row.key in others)
        if twice := {truth for truth, number in truths.items() if truth and number > 1}:
            self._wrong(f"twice: {twice}")
        self._follow(set(there), {each.key for each in self.believed["first"].match.incidents})

    def _follow(self, there: set[str], firsts: set[str]) -> None:
        """What the first source withdrew while it led stays away, and each goal keeps its key."""
        for row in self.state.keys:
            if row.key not in there or row.key.startswith("period:"):
                continue
            if row.first in firsts:
                self.withdrawn.discard(row.first)
                if self.shown.setdefault(row.first, row.key) != row.key:
                    self._wrong(f"{row.first} is {row.key}, and was {self.shown[row.first]}")
                if self.about.setdefault(row.key, row.first) != row.first:
                    self._wrong(f"{row.key} is {row.first}, and was {self.about[row.key]}")
            elif row.first in self.withdrawn:
                self._wrong(f"{row.key} came back")
        if self.state.lead.source == "first":
            gone = [row.first for row in self.state.keys if row.first not in firsts and not row.older]
            self.withdrawn.update(filter(None, gone))

    def _compare(self) -> None:
        """In the end the match is the first source's, incident by incident, by whichever key."""
        first = self.believed["first"].match
        rows = {row.key: row.first for row in self.state.keys}
        shown = Counter(rows.get(each.key, each.key) for each in self.match.incidents)
        wanted = Counter(each.key for each in first.incidents)
        if (shown, self.match.score, self.state.lead.source) != (wanted, first.score, "first"):
            self._wrong(f"ends with {self.state.lead.source} {self.match.score} {shown - wanted} {wanted - shown}")

    def _wrong(self, what: str) -> None:
        self.found.append(f"{self.course.match_id} {self.form.provider} {self.seed} at {self.now}: {what}")


def histories(courses: Sequence[Course], forms: Sequence[WireForm], seeds: range) -> Iterator[PairHistory]:
    """A history for each seed; matches and forms take turns."""
    for seed in seeds:
        yield PairHistory(courses[seed % len(courses)], forms[seed // len(courses) % len(forms)], seed).play()
