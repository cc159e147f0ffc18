"""A recorded match with a second source: the first one fails again and again, editors write, the process dies; all is well."""

import json
import random
from collections import Counter
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

import pytest

from ingest.daemon.build import standby_rules
from ingest.sync.followed_match import everybody
from mapping.match.match import Match
from tests.kit.corrected_match import edit
from tests.kit.hand_driven import FAILURES, Failing, HandDriven, steady_by
from tests.kit.scripted import Bodies, Clock
from tests.kit.settings import configured
from tests.kit.soccer_courses import Course
from tests.kit.wire_forms.forms import WireForm
from tests.simulation.inline_store import InlineStore
from tests.simulation.sources.differing import Differences, without

WAYS = ("silent", "frozen", "older", *FAILURES)
QUIET, CYCLE = 90.0, 500.0
SECOND_KEY = "incident:second/"
RULES = standby_rules(configured(quiet_time=QUIET), everybody, ())
PACE = {"backoff_max": 20.0, "breaker_pause": 10.0}
"""Failures are noticed to be over sooner than with the defaults, so that a match has room for many."""
PLACES = frozenset({"local_id", "updated_at"})
"""What posts of two liveblogs need not have in common."""
UNKNOWN = "nothing"
"""Begins what a post is about that the first source has never had."""


class TakingBack(Failing):
    """The first source. It takes back the goals whose keys stand in its answer beside the match."""

    def translate(self, match_id: str, bodies: Bodies) -> Match:
        gone = json.loads(bodies["match"]).get("taken back", ())
        return without(super().translate(match_id, bodies), set(gone))


@dataclass(kw_only=True)
class FailOver:
    """One match with a second source in one form, or a third one too, and a seed for all that happens in it.

    `failures`: how often the first source has failed; `fail_times`: how often it is to. Where there is a third source, the
    second one fails now and then too, with the first one or alone. `differing`: until all is well the second source says goals
    otherwise, and the first one takes one back.
    """

    course: Course
    form: WireForm
    third: WireForm | None = None
    differing: bool = False
    seed: int
    fail_times: int
    failures: int = 0
    edits: dict[str, str] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    """Keys of the posts that an editor has hidden or deleted."""
    withdrawn: set[str] = field(default_factory=set)
    """What the first source took back while it led, by its keys; not what is `older`."""
    older: set[str] = field(default_factory=set)
    about: dict[str, str] = field(default_factory=dict)
    """Key of a post → the key that the first source has for it: no other incident becomes it."""
    names: dict[str, str | None] = field(default_factory=dict)
    """Key of a post → its `local_id`."""
    found: list[str] = field(default_factory=list)
    """What went wrong."""

    async def play(self, patch: pytest.MonkeyPatch) -> None:
        """The match from its first running version to some time after its last."""
        self.rng = random.Random(f"{self.course.match_id} {self.form.provider} {self.seed}")
        clock = Clock(float(self.course.truth[0].kickoff or 0))
        steady_by(patch, clock)
        store = InlineStore(lambda: clock.now, lambda _: None)
        self.process = HandDriven(
            store, self.course.match_id, form=self.form, third=self.third, clock=clock, rules=RULES, pace=PACE,
            adapter=TakingBack(),
        )  # fmt: skip
        self.differences = Differences(self.course, self.rng, self.seed)
        if not self.differing:
            self.differences.end()
        self.late, self.began, self.frozen = self.rng.uniform(5, 90), clock.now, None
        self.later = self.rng.uniform(5, 90)
        self.gap = self.fail_times * CYCLE / (len(self.course.bodies) - self.course.running)
        self._say()
        self.alone, self.paired = await self.process.create(), await self.process.create()
        await self.process.stand_by(self.paired)
        for _ in range(self.fail_times):
            await self._cycle()
        self.process.crashing.fuse = None
        self.frozen = None
        self.process.fail(None)
        self.differences.end()
        while self._at(0) < len(self.course.bodies) - 1:
            await self._pass(30)
        await self._pass(700)

    async def _cycle(self) -> None:
        await self._pass(self.rng.uniform(5, 150))
        await self._edit()
        how = self.rng.choice(WAYS)
        self.failures += 1
        back = {"frozen": 0, "older": self.rng.randrange(1, 6)}.get(how)
        self.frozen = None if back is None else max(self.course.running, self._at(0) - back)
        self.process.fail(how, self._who_fails())
        self.process.crashing.fuse = self.rng.choice([None, self.rng.randrange(400)])
        await self._pass(self.rng.uniform(20, 220))
        await self._edit()
        self.process.fail(None)
        self.frozen = None
        self.process.crashing.fuse = self.rng.choice([None, self.rng.randrange(400)])
        await self._pass(self.rng.uniform(20, 300))

    def _who_fails(self) -> tuple[int, ...]:
        return (0,) if self.third is None else self.rng.choice([(0,), (0, 1), (0, 1), (1,)])

    def _at(self, late: float) -> int:
        passed = max(0.0, self.process.clock.now - self.began - late)
        return min(len(self.course.bodies) - 1, self.course.running + int(passed / self.gap))

    def _say(self) -> None:
        first = self._at(0) if self.frozen is None else self.frozen
        second, third = (self.course.kept[self._at(late)] for late in (self.late, self.later))
        played = self._at(0) / len(self.course.bodies)
        bodies = {**self.course.bodies[first]}
        if gone := self.differences.gone(played):
            bodies["match"] = json.dumps({**json.loads(bodies["match"]), "taken back": sorted(gone)}).encode()
        if self.differences.changes:
            second = self.differences.second(second, played)
        self.process.says(bodies, second, self.seed, third)

    async def _pass(self, seconds: float) -> None:
        for _ in range(round(seconds / 5)):
            self._say()
            await self.process.pass_seconds(5)
            if self.process.clock.now % 20 < 5:
                await self.check()

    async def _edit(self) -> None:
        """An editor gives a post a headline, or hides or deletes it; not every post is one of the match's own key."""
        posted = sorted(key for key in await self.process.posted(self.paired) if key.startswith("incident:"))
        if posted:
            key = self.rng.choice(posted)
            fuse, self.process.crashing.fuse = self.process.crashing.fuse, None
            if self.rng.random() < 0.3:
                self.gone.add(key)
                await edit(self.process, self.paired, key, local_status=self.rng.choice([60, 100]))
                self.edits.pop(key, None)
            else:
                self.edits[key] = headline = f"edited {len(self.edits)}"
                await edit(self.process, self.paired, key, headline=headline)
            self.process.crashing.fuse = fuse

    async def truths(self) -> dict[str, str]:
        """Key in the match → the key that the first source has for it. One that says goals otherwise has keys of its own."""
        forms = [self.form] if self.third is None else [self.form, self.third]
        rows: dict[str, str] = {}
        for state, form in zip(await self.process.states(self.paired), forms, strict=True):
            theirs, before = {} if self.differing else second_keys(self.course, form), rows
            rows = {
                row.key: before.get(row.first, row.first) or theirs.get(row.second, f"{UNKNOWN} ({row.second})")
                for row in state.keys
            }
            self.older = {row.first for row in state.keys if row.older}
        return rows

    async def check(self) -> None:
        """Nothing stands twice or beyond the score, nothing that has never happened, and nothing comes back."""
        truths = await self.truths()
        posted, alone = await self.process.posted(self.paired), await self.process.posted(self.alone)
        by_truth: dict[str, str] = {}
        ever = {each.key for match in self.course.kept[: self._at(0) + 1] for each in match.incidents}
        for key in (each for each in posted if each.startswith(("incident:", "period:"))):
            truth = truths.get(key, key)
            if truth in by_truth:
                self.found.append(f"twice: {key} and {by_truth[truth]} are {truth}")
            by_truth[truth] = key
            if truth not in ever and not (self.differing and truth.startswith(UNKNOWN)):
                self.found.append(f"ghost: {key} is {truth}")
            if truth in alone and self.about.setdefault(key, truth) != truth:
                self.found.append(f"another one: {key} is {truth}, and was {self.about[key]}")
        self._check_gone(truths, by_truth, alone.keys())
        for key, row in (await self.process.ledger(self.paired)).items():
            if self.names.setdefault(key, row.local_id) != row.local_id:
                self.found.append(f"{key} is another post")
        board = (await self.process.game(self.paired)).document["scoreboard"]
        goals, most = (_goals(each.values(), board["home_team"]["name"]) for each in (posted, alone))
        for side in ("home", "away"):
            if goals[side] > max(int(board["score"][f"{side}_score"]), most[side]):
                self.found.append(f"beyond the score: {dict(goals)} {board['score']} {sorted(by_truth)}")

    def _check_gone(self, truths: Mapping[str, str], posted: Mapping[str, str], alone: AbstractSet[str]) -> None:
        """What an editor took down stays down, and what the first source took back while it led, until it has it again."""
        gone = self._gone(truths)
        self.withdrawn -= alone
        for truth, key in posted.items():
            if truth in gone or key in self.gone or truth in self.withdrawn:
                self.found.append(f"back: {key} is {truth}")
        if self.process.leads == 0:
            self.withdrawn |= set(self.about.values()) - alone - posted.keys() - self.older - gone

    def _gone(self, truths: Mapping[str, str]) -> set[str]:
        return {truths[key] for key in self.gone & truths.keys()}

    async def compare(self) -> None:
        """At the end the posts are those of the liveblog with the first source alone, but for what editors wrote."""
        truths = await self.truths()
        posted, alone = await self.process.posted(self.paired), await self.process.posted(self.alone)
        gone = self._gone(truths)
        expected = {key: document for key, document in alone.items() if key not in gone}
        now = {truths.get(key, key): (key, document) for key, document in posted.items()}
        self.found += [f"ghost at the end: {now[key][0]} {_said(now[key][1])}" for key in now.keys() - expected.keys()]
        self.found += [f"lost at the end: {key} {_said(expected[key])}" for key in expected.keys() - now.keys()]
        for truth, (key, document) in now.items():
            wanted = {**expected.get(truth, document)}
            if key in self.edits:
                wanted["headline"] = self.edits[key]
            if _plain(document) != _plain(wanted):
                self.found.append(f"other words: {key} {_difference(document, wanted)}")
        for key in self.edits.keys() - posted.keys():
            if key in expected:
                self.found.append(f"edit lost: {key}")
        boards = [(await self.process.game(each)).document for each in (self.paired, self.alone)]
        for name in ("scoreboard", "state_info"):
            if _plain(boards[0].get(name)) != _plain(boards[1].get(name)):
                self.found.append(f"{name}: {_difference(boards[0][name], boards[1][name])}")
        steps = 2 if self.third is None else 3  # to each source that is well for a while, and back to the first one
        if self.process.lead_changes > steps * self.failures:
            self.found.append(f"{self.process.lead_changes} changes of the lead in {self.failures} failures")


def _goals(documents: Iterable[Any], home: str) -> Counter[str]:
    """How many posts of goals in play there are for each side; `home` is the name of one."""
    events = [each["sport_event"] for each in documents if "score" in (each.get("sport_event") or {})]
    return Counter(
        "home" if (each["team"]["name"] == home) is (each["event_type"] == "soccer.goal") else "away" for each in events
    )


def second_keys(course: Course, form: WireForm) -> dict[str, str]:
    """Key of an incident in the second source → its key in the first one."""
    name = (course.match_id, form.provider)
    if name not in _KEYS:
        _KEYS[name] = {}
        for match in course.kept:
            _KEYS[name].update(_keys_of(match, form))
    return _KEYS[name]


_KEYS: dict[tuple[str, str], dict[str, str]] = {}


def _keys_of(match: Any, form: WireForm) -> dict[str, str]:
    from tests.kit.wire_forms.other_words import base_36, digits

    found = {}
    for each in match.incidents:
        found[each.key] = each.key
        people = {who.role: base_36("person", who.person.ext_id) for who in each.people}
        if form.provider == "openligadb" and each.score is not None and each.phase != 5:
            found[f"incident:{each.score.home}-{each.score.away}"] = each.key
        elif form.provider == "statsperform" and each.kind == "soccer.substitution":
            found[f"incident:sub-{people.get('out')}-{people.get('in')}"] = each.key
        else:
            found[f"incident:{digits('event', each.key)}"] = each.key
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items() if key not in PLACES}
    return [_plain(each) for each in value] if isinstance(value, list) else value


def _said(document: Any) -> str:
    event = document.get("sport_event") or {}
    players = [each["player"].get("name") for each in event.get("players", ())]
    return f"{event.get('event_type') or event.get('title')} {event.get('time_of_play')} {players}"


def _difference(one: Any, two: Any) -> str:
    both = {**(one or {}), **(two or {})}
    parts = {key: (_plain((one or {}).get(key)), _plain((two or {}).get(key))) for key in both}
    return str({key: each for key, each in parts.items() if each[0] != each[1]})[:600]
