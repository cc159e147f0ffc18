"""The story of a football match, whatever feed has it: what is known of it at each moment, and the ways in which it may end."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Literal

Word = Literal["planned", "running", "over", "suspended", "abandoned", "cancelled", "postponed", "awarded"]
Results = Literal["all", "half", "none", "twice"]
Score = tuple[int, int]

KICK_OFF = datetime(2025, 6, 14, 16, 0, tzinfo=UTC)
TEAMS = {"home": ("501", "Nordhafen"), "away": ("502", "Südtor")}
"""Side → id and name, which is a short one, as some feeds have no other."""
SQUADS = {"home": (1, 7, 9), "away": (51, 59, 60)}
"""Numbers of the players whom the feeds with line-ups name."""
CAPS = {1: 45, 2: 90, 3: 105, 4: 120, 5: 120}
"""The last minute of each part."""
STARTS = {1: 0, 2: 62, 3: 115, 4: 133, 5: 155}
ENDS = {1: 46, 2: 110, 3: 131, 4: 149, 5: 165}
"""Minutes by the wall clock from kick-off to the whistles of each part."""


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal of open play; `by` is the number of who scored it."""

    side: Literal["home", "away"]
    minute: int
    part: int
    by: int

    @property
    def name(self) -> str:
        return f"Muster{self.by}"

    @property
    def at(self) -> int:
        """Minutes by the wall clock from kick-off."""
        return STARTS[self.part] + self.minute - {1: 0, 2: 45, 3: 90, 4: 105}[self.part]


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """What a feed knows. `part`: runs or ran last; `pause`: it is over; `results`: which scores the feed has beside the goals.

    `kicks` of the shoot-out are (side, went in). `award`: the score that was decided afterwards.
    """

    word: Word = "planned"
    part: int = 0
    pause: bool = False
    goals: tuple[Goal, ...] = ()
    kicks: tuple[tuple[Literal["home", "away"], bool], ...] = ()
    results: Results = "all"
    award: Score | None = None

    @property
    def played(self) -> bool:
        return self.part > 0

    @property
    def over(self) -> bool:
        return self.word in {"over", "awarded"}

    @property
    def ended(self) -> int:
        """The last part that is over."""
        return self.part if self.pause or self.over else self.part - 1

    @property
    def at(self) -> int:
        """Minutes by the wall clock from kick-off, at which a feed says so."""
        if not self.played:
            return -30
        return ENDS[self.part] if self.pause or self.over else STARTS[self.part] + 40 // max(1, self.part - 1)

    def score(self, part: int = 5) -> Score:
        """The score on the pitch after so many parts."""
        sides = [each.side for each in self.goals if each.part <= part]
        return sides.count("home"), sides.count("away")

    @property
    def total(self) -> Score:
        """The score that the feed has for the match."""
        return self.award or self.score()

    @property
    def tally(self) -> Score:
        """The shoot-out's kicks that went in."""
        return self.kicks.count(("home", True)), self.kicks.count(("away", True))

    def running(self) -> list[Score]:
        """The score after each goal."""
        return [replace(self, goals=self.goals[: at + 1]).score() for at in range(len(self.goals))]


def clock(minutes: float) -> datetime:
    """The instant so many minutes after kick-off."""
    return KICK_OFF + timedelta(minutes=minutes)


FIRST, LEVEL, LATE = Goal("home", 15, 1, 9), Goal("away", 58, 2, 59), Goal("home", 80, 2, 7)
EXTRA, REPLY, LOST = Goal("away", 98, 3, 60), Goal("home", 110, 4, 7), Goal("away", 85, 2, 60)
KICKS = tuple((side, went_in) for went_in in (True, True, False) for side in ("home", "away"))

PLANNED = Moment()
FIRST_HALF = Moment(word="running", part=1, goals=(FIRST,))
HALF_TIME = replace(FIRST_HALF, pause=True)
SECOND_HALF = Moment(word="running", part=2, goals=(FIRST, LEVEL))
OVER = Moment(word="over", part=2, goals=(FIRST, LEVEL, LATE))
DRAWN = replace(SECOND_HALF, pause=True)
EXTRA_TIME = Moment(word="running", part=3, goals=(FIRST, LEVEL, EXTRA))
EXTRA_OVER = Moment(word="over", part=4, goals=(FIRST, LEVEL, EXTRA))
EXTRA_DRAWN = Moment(word="running", part=4, pause=True, goals=(FIRST, LEVEL, EXTRA, REPLY))
HOME_WINS = (
    ("home", True), ("away", True), ("home", True), ("away", False), ("home", True), ("away", False), ("home", True),
)  # fmt: skip
SHOOT_OUT = replace(EXTRA_DRAWN, part=5, pause=False, kicks=HOME_WINS[:3])
SHOT_OUT = replace(SHOOT_OUT, word="over", kicks=HOME_WINS)
LOST_LATE = Moment(word="over", part=2, goals=(FIRST, LEVEL, LOST))
FLAGGED = replace(SECOND_HALF, word="over", goals=(FIRST,))
"""Over by its flag, and the goals of the second half are not entered."""

HALVES = (PLANNED, FIRST_HALF, HALF_TIME, SECOND_HALF)
ENDINGS: dict[str, tuple[Moment, ...]] = {
    "before-start": (PLANNED,),
    "live": HALVES,
    "regular-time": (*HALVES, OVER),
    "extra-time": (*HALVES, DRAWN, EXTRA_TIME, EXTRA_OVER),
    "shoot-out": (*HALVES, DRAWN, EXTRA_TIME, EXTRA_DRAWN, SHOOT_OUT, SHOT_OUT),
    "abandoned": (*HALVES, replace(SECOND_HALF, word="abandoned")),
    "cancelled": (PLANNED, Moment(word="cancelled")),
    "postponed": (PLANNED, Moment(word="postponed")),
    "awarded": (*HALVES, OVER, replace(OVER, word="awarded", award=(0, 2))),
    "result-missing": (*HALVES[:3], replace(FLAGGED, results="half")),
    "flag-first": (*HALVES[:3], replace(FLAGGED, results="none"), LOST_LATE),
    "entered-twice": (*HALVES, replace(LOST_LATE, results="twice")),
    "suspended": (*HALVES, replace(SECOND_HALF, word="suspended")),
    "cancelled-in-play": (*HALVES, replace(SECOND_HALF, word="cancelled")),
    "postponed-in-play": (*HALVES, replace(SECOND_HALF, word="postponed")),
}  # fmt: skip
"""Ending → what the feed says until then, the last moment being the one that is looked at."""
