"""What is true in a history: what the provider says of a match, and what people and their settings want of its posts.

A small model, written apart: it knows nothing of keys, ledgers, beliefs, versions or statuses of posts that were withdrawn.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tests.providers.heim.feed import AWAY, HOME, encoded, item, match, person, results, row

if TYPE_CHECKING:
    import random

Bodies = dict[str, bytes]
LEFT_NOTES = {"soccer.goal": "soccer.disallowed-goal", "soccer.red-card": "soccer.withdrawn-card"}
"""Event type → the one of the note that is left once it is taken back."""
TYPES = {"goal/head": "soccer.goal", "goal/left-foot": "soccer.goal", "card/yellow": "soccer.yellow-card",
         "card/red": "soccer.red-card"}  # fmt: skip
SPACE = 4
"""Minutes between two incidents, so that none is taken for another."""
APART_IDS = 10_000


@dataclass(frozen=True)
class Fact:
    """One incident, or one standalone text (without a keyword), as the provider has it at the moment."""

    uid: int
    keyword: str
    minute: int
    side: str
    who: int
    number: int
    """The provider's id of its row, which may be given anew."""
    there: bool = True
    words: str = ""
    """What the provider's editors write about it."""
    words_number: int = 0

    @property
    def kind(self) -> str:
        return TYPES.get(self.keyword, "text")

    @property
    def name(self) -> str:
        """What a post of it names and no other one does."""
        return person(self.who)["name"] if self.keyword else f"Text {self.uid}:"

    def is_said(self, minute: str) -> bool:
        """Whether a post of this minute is about it: a correction moves it within two."""
        return minute.rstrip("'") in {str(self.minute), str(self.minute ^ 1)}


@dataclass
class Truth:
    """The match. `facts` by uid; `another`: the provider uses the id for another match by now."""

    seeded: random.Random
    facts: dict[int, Fact] = field(default_factory=dict)
    over: bool = False
    another: bool = False
    stamp: int = 0
    """Changes the bodies and says nothing."""
    _minutes: list[int] = field(default_factory=list)
    _numbers: int = APART_IDS

    def __post_init__(self) -> None:
        self._minutes = self.seeded.sample(range(2, 90, SPACE), 22)

    def new(self) -> Fact:
        keyword = self.seeded.choice(("goal/head", "goal/head", "card/yellow", "card/red", ""))
        uid = len(self.facts) + 1
        words = f"Text {uid}: and more of it" if not keyword else ""
        side, who = self.seeded.choice(("home", "away")), uid
        scorers = [(each.side, each.who) for each in self.facts.values() if each.keyword == keyword == "goal/head"]
        if scorers and self.seeded.random() < 0.4:
            side, who = self.seeded.choice(scorers)
        cards = [each.minute & ~1 for each in self.facts.values() if each.keyword.startswith("card")]
        near = keyword.startswith("card") and cards and self.seeded.random() < 0.5
        minute = self.seeded.choice(cards) + 1 if near else self._minutes.pop()
        fact = Fact(uid, keyword, minute, side, who, self.number(), words=words, words_number=self.number())
        self.facts[uid] = fact
        return fact

    def number(self) -> int:
        self._numbers += 1
        return self._numbers

    def change(self, uid: int, **changes: object) -> None:
        self.facts[uid] = replace(self.facts[uid], **changes)  # type: ignore[arg-type]

    def there(self, *, play: bool | None = None) -> list[Fact]:
        found = [each for each in self.facts.values() if each.there and play in {None, bool(each.keyword)}]
        return sorted(found, key=lambda each: each.minute)

    def score(self, until: int = 999) -> str:
        goals = [each.side for each in self.there() if each.kind == "soccer.goal" and each.minute <= until]
        return f"{goals.count('home')}:{goals.count('away')}"

    def bodies(self, *, without: int | None = None, score: str | None = None) -> Bodies:
        """The answers; as one bad answer has them, without a row or with another score."""
        if self.another:
            return another_match()
        shown = [each for each in self.there() if each.uid != without]
        rows = [row(1, "match/game-start", 1), *(self._row(each) for each in shown if each.keyword)]
        texts = [
            item(each.words_number, each.minute % 60, f"<p>{each.words}</p>", self._row(each) if each.keyword else None)
            for each in shown
            if each.words
        ]
        ending = {"finished": "yes", "current_period": "game-end"} if self.over else {"current_period": "game-start"}
        body = match(match_result=results(p0=score or self.score()), match_number=str(self.stamp), **ending)
        return {"match": encoded({"match": body}), "match-event": encoded(rows), "liveticker": encoded(texts)}

    def _row(self, fact: Fact) -> dict[str, object]:
        content = self.score(fact.minute) if fact.kind == "soccer.goal" else ""
        return row(fact.number, fact.keyword, fact.minute, fact.side, fact.who, content=content)


def another_match() -> Bodies:
    """Other teams, another day, under the same id."""
    teams = {"home": {**HOME, "id": "601", "name": "TSV Berg"}, "away": {**AWAY, "id": "602", "name": "SC Tal"}}
    body = match(
        match_result=results(p0="0:1"), current_period="game-start", match_date="01.07.2026", match_number="1", **teams
    )
    rows = [row(1, "match/game-start", 1), row(99_999, "goal/head", 5, "away", 99, content="0:1", team=None)]
    return {"match": encoded({"match": body}), "match-event": encoded(rows), "liveticker": b"[]"}


@dataclass(frozen=True)
class Wish:
    """What people want of one post: the status that somebody chose, the headline that somebody wrote.

    `scheduled`: it is or was to be shown at `due`, and stands at that time from then on.
    """

    deleted: bool = False
    status: int | None = None
    headline: str | None = None
    due: float | None = None
    scheduled: bool = False


NOTHING = Wish()


@dataclass
class Expected:
    """What a liveblog has to say, by what people and settings want. `open`: it follows its match."""

    auto_post: bool = True
    text: bool = True
    excluded: frozenset[str] = frozenset()
    paused: bool = False
    locale: str = "en"
    attached: bool = True
    closed: bool = False
    wishes: dict[int, Wish] = field(default_factory=dict)
    own: set[str] = field(default_factory=set)
    """`local_id`s of posts that people wrote."""
    seen: set[int] = field(default_factory=set)
    """uids of the facts that readers saw when they last looked."""
    noted: set[int] = field(default_factory=set)
    """uids of what has a note that says that it was taken back, also while the terms hide it."""

    @property
    def open(self) -> bool:
        return self.attached and not self.paused and not self.closed

    def leaves(self, fact: Fact) -> bool:
        """Whether a note is left of a fact that readers have seen."""
        return fact.kind in LEFT_NOTES and not fact.there and not self.wish(fact.uid).deleted

    def shows_note(self, uid: int) -> bool:
        """Whether a note that is left is public: the terms hide it as they hide posts, unless a person chose its status."""
        return self.auto_post or self.wish(uid).status == 0

    def wish(self, uid: int) -> Wish:
        return self.wishes.get(uid, NOTHING)

    def public(self, fact: Fact, now: float) -> bool:
        """Whether readers see the post of the fact, while the liveblog follows its match."""
        wish = self.wish(fact.uid)
        if wish.deleted or not fact.there or (wish.due is not None and wish.due > now):
            return False
        if wish.status is not None:
            return wish.status == 0
        return self.auto_post and fact.kind not in self.excluded and (self.text or bool(fact.keyword))
