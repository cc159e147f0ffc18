"""What is true in a history: what the provider says of a match, and what people and their settings want of its posts.

A small model, written apart: it knows nothing of keys, ledgers, beliefs, versions or statuses of posts that were withdrawn.
"""

import copy
import random
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from tests.providers.heim.feed import AWAY, BERLIN, HOME, MATCH_ID, encoded, item, match, person, results, row

Bodies = dict[str, bytes]
LEFT_NOTES = {"soccer.goal": "soccer.disallowed-goal", "soccer.red-card": "soccer.withdrawn-card",
              "soccer.yellow-red-card": "soccer.withdrawn-card"}  # fmt: skip
"""Event type → the one of the note that is left once it is taken back."""
SECOND_YELLOW, SUBSTITUTION = "card/yellow-red", "playing/substitute-in"
TYPES = {"goal/head": "soccer.goal", "goal/left-foot": "soccer.goal", "card/yellow": "soccer.yellow-card",
         "card/red": "soccer.red-card", SECOND_YELLOW: "soccer.yellow-red-card",
         SUBSTITUTION: "soccer.substitution", "match/game-start": "soccer.start",
         "match/first-half-end": "soccer.pause-halves", "match/second-half-start": "soccer.resume-halves",
         "match/game-end": "soccer.end"}  # fmt: skip
WHISTLES = {"match/game-start": 1, "match/first-half-end": 45, "match/second-half-start": 46, "match/game-end": 90}
"""Keyword → minute; the uids of these facts are 1 to 4."""
START, END = 1, 4
SPACE = 4
"""Minutes between two incidents, so that none is taken for another."""
APART_IDS = 10_000


@dataclass(frozen=True)
class Fact:
    """One incident, or one standalone text (without a keyword), as it is at the moment.

    `odd`: the answers say otherwise. Not sent is what is there all the same: a first yellow card that is dropped for the second,
    a whistle that the state implies, a goal whose row goes with a score by decision. Sent is a goal that does not count.
    """

    uid: int
    keyword: str
    minute: int
    side: str
    who: int
    number: int
    """The provider's id of its row, which may be given anew."""
    there: bool = True
    odd: bool = False
    corrected: bool = False
    """It has come corrected under another id."""
    words: str = ""
    """What the provider's editors write about it."""
    words_number: int = 0

    @property
    def kind(self) -> str:
        return TYPES.get(self.keyword, "text")

    @property
    def whistle(self) -> bool:
        return self.keyword in WHISTLES

    @property
    def sent(self) -> bool:
        return self.there is not self.odd

    @property
    def name(self) -> str:
        """What a post of it names and no other one does."""
        return person(self.who)["name"] if self.keyword else f"Text {self.uid}:"

    @property
    def names(self) -> list[str]:
        """Whom a post of it names."""
        leaving = [person(self.who + 500)["name"]] if self.keyword == SUBSTITUTION else []
        return [] if self.whistle else [self.name, *leaving]

    def is_said(self, minute: str) -> bool:
        """Whether a post of this minute is about it: a correction moves it within two, a person gives it one of its own."""
        return minute.rstrip("'") in {str(self.minute), str(self.minute ^ 1), str(self.by_hand)}

    @property
    def by_hand(self) -> int:
        return 200 + self.uid


@dataclass
class Truth:
    """The match. `facts` by uid; `another`: the provider uses the id for another match by now, of other teams or another day."""

    seeded: random.Random
    facts: dict[int, Fact] = field(default_factory=dict)
    squads: dict[str, tuple[int, ...]] = field(default_factory=lambda: {"home": (801, 802), "away": (851, 852)})
    kickoff: int = 0
    """Minutes after 18:00."""
    reviewed: frozenset[int] = frozenset()
    """Goals that the score has lost, though their rows are there."""
    award: str = ""
    another: str = ""
    stamp: int = 0
    """Changes the bodies and says nothing."""
    said: str = ""
    """The score where an answer has another one; so have the next three what is wrong in one answer."""
    state: str | None = ""
    spoilt: int = 0
    halved: int = 0
    match_id: str = MATCH_ID
    _minutes: list[int] = field(default_factory=list)
    _numbers: int = APART_IDS

    def __post_init__(self) -> None:
        self._minutes = self.seeded.sample(range(2, 90, SPACE), 22)
        for uid, (keyword, minute) in enumerate(WHISTLES.items(), START):
            self.facts[uid] = Fact(uid, keyword, minute, "", 0, self.number(), there=uid == START)

    def new(self) -> Fact:
        kinds = ("goal/head", "goal/head", "card/yellow", "card/red", SUBSTITUTION, "")
        keyword = self.seeded.choice(kinds)
        uid = len(self.facts) + 1
        words = f"Text {uid}: and more of it" if not keyword else ""
        side, who = self.seeded.choice(("home", "away")), uid
        scorers = [(each.side, each.who) for each in self.facts.values() if each.keyword == keyword == "goal/head"]
        if scorers and self.seeded.random() < 0.4:
            side, who = self.seeded.choice(scorers)
        cards = [each.minute & ~1 for each in self.facts.values() if each.keyword in {"card/yellow", "card/red"}]
        near = keyword.startswith("card") and cards and self.seeded.random() < 0.5
        minute = self.seeded.choice(cards) + 1 if near else self._minutes.pop()
        return self.add(keyword, minute, side, who, words)

    def second_yellow(self, uid: int, *, dropped: bool) -> None:
        """He is sent off; the row of the first one may go with that."""
        self.change(uid, odd=dropped)
        self.add(SECOND_YELLOW, self._minutes.pop(), self.facts[uid].side, self.facts[uid].who)

    def another_one(self, fact: Fact) -> None:
        goal = fact.kind == "soccer.goal"
        minute, who = (self._minutes.pop(), fact.who) if goal else (fact.minute ^ 1, len(self.facts) + 1)
        self.add(fact.keyword, minute, fact.side, who)

    def add(self, keyword: str, minute: int, side: str, who: int, words: str = "") -> Fact:
        uid = len(self.facts) + 1
        fact = Fact(uid, keyword, minute, side, who, self.number(), words=words, words_number=self.number())
        self.facts[uid] = fact
        return fact

    def number(self) -> int:
        self._numbers += 1
        return self._numbers

    def change(self, uid: int, **changes: object) -> None:
        self.facts[uid] = replace(self.facts[uid], **changes)  # type: ignore[arg-type]

    def number_anew(self) -> None:
        for uid in self.facts:
            self.change(uid, number=self.number(), words_number=self.number())

    def rebuild(self) -> None:
        """Match, rows and texts have other ids."""
        self.match_id = str(int(self.match_id) + 1)
        self.number_anew()

    def withdraw(self, uid: int) -> None:
        """It is taken back; with a second yellow card the first one is there again."""
        fact, self.reviewed = self.facts[uid], self.reviewed - {uid}
        self.change(uid, there=False)
        if fact.keyword == SECOND_YELLOW:
            for first in [each for each in self.facts.values() if each.odd and each.who == fact.who]:
                self.change(first.uid, odd=False)

    def settle(self) -> None:
        """The answers say all that is so: nothing under review, no first yellow card that is dropped."""
        self.reviewed = frozenset()
        for each in [each for each in self.facts.values() if each.keyword == "card/yellow"]:
            self.change(each.uid, odd=False)

    def end(self) -> None:
        """The last whistle: it implies those before it, and what is under review does not count."""
        for uid in range(START, END + 1):
            self.change(uid, there=True, odd=not self.facts[uid].sent)
        for uid in self.reviewed:
            self.change(uid, there=False, odd=True)
        self.reviewed = frozenset()

    def decide(self, award: str) -> None:
        """The score is one by decision, and the rows of goals go."""
        self.award = award
        for goal in self.goals():
            self.change(goal.uid, odd=True)

    def there(self, *, play: bool | None = None) -> list[Fact]:
        """What is there and sent, and may go: no first yellow card beside its second, and no whistle."""
        off = {each.who for each in self.facts.values() if each.keyword == SECOND_YELLOW and each.there}
        found = [
            each
            for each in self.facts.values()
            if each.there and each.sent and not each.whistle and play in {None, bool(each.keyword)}
            and not (each.keyword == "card/yellow" and each.who in off)
        ]  # fmt: skip
        return sorted(found, key=lambda each: each.minute)

    def goals(self, side: str = "") -> list[Fact]:
        """Those that are there, in the order of play."""
        found = [each for each in self.facts.values() if each.there and each.kind == "soccer.goal"]
        return sorted((each for each in found if side in {"", each.side}), key=lambda each: each.minute)

    @property
    def whistled(self) -> int:
        """The uid of the last whistle."""
        return max(uid for uid in range(START, END + 1) if self.facts[uid].there)

    @property
    def over(self) -> bool:
        return self.whistled == END

    @property
    def starts_at(self) -> int:
        return int(datetime(2025, 6, 14, 18, self.kickoff, tzinfo=BERLIN).timestamp())

    def score(self, until: int = 999) -> str:
        """As rows have it, which go on counting what is under review."""
        goals = [each for each in self.facts.values() if each.kind == "soccer.goal" and (each.there or each.odd)]
        return _counted([each for each in goals if each.minute <= until])

    def board(self) -> str:
        return _counted([each for each in self.goals() if each.uid not in self.reviewed])

    def but(self, **changes: Any) -> Bodies:
        """The answers with something wrong in them."""
        other = copy.copy(self)
        vars(other).update(changes)
        return other.bodies()

    def without(self, *uids: int) -> dict[int, Fact]:
        return {**self.facts, **{uid: replace(self.facts[uid], there=False, odd=False) for uid in uids}}

    def bodies(self) -> Bodies:
        """The answers."""
        if self.another:
            return another_match(self.another, self.match_id)
        sent = sorted((each for each in self.facts.values() if each.sent), key=lambda each: (each.minute, each.uid))
        rows = [one for each in sent if each.keyword for one in self._rows(each)]
        rows += [row(60_000 + who, "playing/lineup", 0, side, who) for side in self.squads for who in self.squads[side]]
        texts = [
            item(
                each.words_number, each.minute % 60, f"<p>{each.words}<script>x</script></p>",
                self._rows(each)[0] if each.keyword else None,
            )
            for each in sent
            if each.words
        ]  # fmt: skip
        state = [*WHISTLES][self.whistled - 1].partition("/")[2] if self.state == "" else self.state
        body = match(
            id=self.match_id, match_result=results(p0=self.said or self.award or self.board()), match_number=str(self.stamp),
            match_time=f"18:{self.kickoff:02}", current_period=state or "", current_period_start=None,
            finished="yes" if state == "game-end" else "no",
        )  # fmt: skip
        return {"match": encoded({"match": body}), "match-event": encoded(rows), "liveticker": encoded(texts)}

    def _rows(self, fact: Fact) -> list[dict[str, object]]:
        content = self.score(fact.minute) if fact.kind == "soccer.goal" else ""
        if fact.whistle:
            return [row(fact.number, fact.keyword, fact.minute)]
        minute = "soon" if self.spoilt == fact.uid else fact.minute
        rows = [row(fact.number, fact.keyword, minute, fact.side, fact.who, content=content)]
        if fact.keyword == SUBSTITUTION and self.halved != fact.uid:
            rows.append(row(fact.number + 30_000, "playing/substitute-out", minute, fact.side, fact.who + 500))
        return rows


def _counted(goals: list[Fact]) -> str:
    sides = [each.side for each in goals]
    return f"{sides.count('home')}:{sides.count('away')}"


def another_match(differs: str, match_id: str) -> Bodies:
    """Other teams, or another day, under the same id."""
    teams = {"home": {**HOME, "id": "601", "name": "TSV Berg"}, "away": {**AWAY, "id": "602", "name": "SC Tal"}}
    other = teams if differs == "teams" else {"match_date": "01.07.2026"}
    body = match(id=match_id, match_result=results(p0="0:1"), current_period="game-start", match_number="1", **other)
    rows = [row(1, "match/game-start", 1), row(99_999, "goal/head", 5, "away", 99, content="0:1", team=None)]
    return {"match": encoded({"match": body}), "match-event": encoded(rows), "liveticker": b"[]"}


@dataclass(frozen=True)
class Wish:
    """What people want of one post: the status that somebody chose, the headline, minute and blocks that somebody wrote.

    `scheduled`: it is or was to be shown at `due`, and stands at that time from then on. `bare`: without the provider's words.
    """

    deleted: bool = False
    status: int | None = None
    headline: str | None = None
    due: float | None = None
    scheduled: bool = False
    minute: bool = False
    blocks: tuple[str, ...] = ()
    bare: bool = False


NOTHING = Wish()


@dataclass
class Expected:
    """What a liveblog has to say, by what people and settings want. `open`: it follows its match."""

    owner: str
    notes: bool
    """Whether what readers have seen for a while leaves a note."""
    auto_post: bool = True
    text: bool = True
    excluded: frozenset[str] = frozenset()
    board_excluded: bool = False
    paused: bool = False
    editorial: bool = False
    locale: str = "en"
    attached: bool = True
    away: bool = False
    """Its organization is not in the configuration."""
    closed: bool = False
    wishes: dict[int, Wish] = field(default_factory=dict)
    own: set[str] = field(default_factory=set)
    """`local_id`s of posts that people wrote."""
    board: str = ""
    """The score that it shows."""
    seen: set[int] = field(default_factory=set)
    """uids of the facts that readers saw when they last looked."""
    since: dict[int, int] = field(default_factory=dict)
    """After how many waits the sync had made a post public; what a person did counts as long ago."""
    noted: set[int] = field(default_factory=set)
    """uids of what has a note that says that it was taken back, also while the terms hide it."""
    there: set[int] = field(default_factory=set)
    known: set[int] = field(default_factory=set)
    drafts: set[int] = field(default_factory=set)
    """Of what is known, what the terms hid when the sync last looked."""

    @property
    def open(self) -> bool:
        return self.attached and not (self.paused or self.away or self.closed)

    def look(self, facts: list[Fact]) -> None:
        """The sync looks: where editors publish, what is new or was hidden by the terms waits for them."""
        for each in facts:
            new = each.uid not in self.known or each.uid in self.drafts
            if self.editorial and new and self.wants(each) and self.wish(each.uid).status is None:
                self.wishes[each.uid] = replace(self.wish(each.uid), status=60)
        self.known |= {each.uid for each in facts if self.text or each.keyword}
        self.drafts = {each.uid for each in facts if each.uid in self.known and not self.wants(each)}

    def show(self, public: Collection[int], facts: Mapping[int, Fact], now: int) -> None:
        """Readers look: these are public."""
        shown = {*public, *filter(self.shows_note, self.noted)}
        hidden = {uid for uid in self.since if uid not in shown and self.wish(uid).status != 60}
        for uid in [uid for uid in hidden if not facts[uid].there or self.wish(uid).status is None]:
            del self.since[uid]
        for uid in public:
            wish = self.wish(uid)
            by_person = (
                wish.status == 0 and not wish.scheduled and uid in self.there
            )  # a schedule publishes at its time
            self.since.setdefault(uid, -1 if by_person else now)
        self.seen, self.there = set(public), {uid for uid in facts if facts[uid].there}

    def leaves(self, fact: Fact, now: int) -> bool:
        """Whether a note is left of a fact that readers have seen for a while, or that a person published."""
        wish = self.wish(fact.uid)
        long = fact.uid in self.noted or self.since[fact.uid] < now
        return self.notes and fact.kind in LEFT_NOTES and not fact.there and not wish.deleted and long

    def shows_note(self, uid: int) -> bool:
        """Whether a note that is left is public: the terms hide it as they hide posts, unless a person chose its status."""
        return self.auto_post or self.wish(uid).status == 0

    def wish(self, uid: int) -> Wish:
        return self.wishes.get(uid, NOTHING)

    def wants(self, fact: Fact) -> bool:
        return self.auto_post and fact.kind not in self.excluded and (self.text or bool(fact.keyword))

    def public(self, fact: Fact, now: float) -> bool:
        """Whether readers see the post of the fact, while the liveblog follows its match."""
        wish = self.wish(fact.uid)
        if wish.deleted or not fact.there or (wish.due is not None and wish.due > now):
            return False
        return self.wants(fact) if wish.status is None else wish.status == 0
