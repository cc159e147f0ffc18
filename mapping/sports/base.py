"""What a sport is: rows of event types, roles and phases, so that a new type is a line and not a branch."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from enum import StrEnum
from typing import Any

from mapping.match.match import Decided

_SPORT = re.compile(r"[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*")
_OBJECT_ID = re.compile(r"[0-9a-f]{24}")
LONGEST_ID = 64


class MomentType(StrEnum):
    """What a key moment is, in every sport."""

    GOAL = "goal"
    SCORE = "score"
    """Of a sport in which no provider reports what scores."""
    SENT_OFF = "sent-off"
    PENALTY_MISSED = "penalty-missed"
    SET = "set"
    START = "start"
    INCIDENT = "incident"
    FLAG = "flag"
    BREAK = "break"
    SHOOTOUT = "shoot-out"
    RESULT = "result"
    MILESTONE = "milestone"
    """A post that people have made one, whatever it is about."""
    REVIEW = "review"
    """What scored is not counted any more, and not taken back yet."""
    DISALLOWED = "disallowed"
    """What scored was taken back."""


@dataclass(frozen=True, slots=True)
class Kind:
    """An event type. All texts are English source texts (msgids) of the catalogues.

    `sentences` go from the most specific to the least: the first whose placeholders are all known is used. `variants`
    are tried before them where the incident's method or part of the match has that name. A type without sentences is one
    that no provider reports, and people post.
    """

    id: str
    _: KW_ONLY
    title: str
    sentences: tuple[str, ...] = ()
    variants: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    """Titles of incidents with a method of this name, where they are not the type's."""
    scores: bool = False
    """The incident changes the score."""
    roles: Mapping[str, str] = field(default_factory=dict)
    """Titles of roles, where they are not the sport's."""
    score_of: str | None = None
    """The part of the match (title of a `PeriodScore`, `final` or `extra-half`) whose score the text gives."""
    enters: int | None = None
    """The `gamestate` that the incident leads into, where that is not simply the next phase."""
    moment: MomentType | None = None
    """What the incident is among the key moments of a match, None for one that is none. A `SET` is the game that wins one."""
    absorbed_by: str | None = None
    """The type that makes providers drop this incident of the same player without taking it back."""
    withdrawn_as: str | None = None
    """The type that its post becomes when the provider takes the incident back; None: the post goes."""
    note: bool = False
    """No provider reports it, and people do not post it: it is made of another post (`withdrawn_as`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """The clock's rules; lengths are minutes (interface: TimedGameOptions)."""

    timing_type: str
    regular_phase_length: int
    num_regular_phases: int
    overtime_phase_length: int
    num_overtime_phases: int

    @property
    def phases(self) -> int:
        return self.num_regular_phases + self.num_overtime_phases

    def document(self) -> dict[str, Any]:
        return {
            "_type": "Svc::Model::Options::TimedGameOptions",
            "timing_type": self.timing_type,
            "regular_phase_length": self.regular_phase_length,
            "num_regular_phases": self.num_regular_phases,
            "overtime_phase_length": self.overtime_phase_length,
            "num_overtime_phases": self.num_overtime_phases,
        }


STEP = "step"
"""The variant of what is read off the score and the clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """What scored by the points that it brought: points → (event type, variant), of a sport whose providers do not report it.

    `conversions` are those right after the side's step of `converted` points. `other`, `part_end` and `half_time` are event
    types: of any other step, of the end of a part, and of the one in the middle.
    """

    points: Mapping[int, tuple[str, str]]
    conversions: Mapping[int, tuple[str, str]]
    converted: int
    other: str
    part_end: str
    half_time: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sport:
    """A sport: `name`, `roles`, `phases` and `endings` hold msgids, `phases` in the order of play with a shoot-out last."""

    id: str
    scoreboard: bool
    name: str = ""
    """In the context `sport`; empty for a sport without rows."""
    kinds: tuple[Kind, ...] = ()
    roles: Mapping[str, str] = field(default_factory=dict)
    phases: tuple[str, ...] = ()
    positions: tuple[str, ...] = ()
    timing: Timing | None = None
    break_minutes: int = 0
    """Usual length of the break in the middle, to estimate when something happened."""
    sets: bool = False
    """Sets are won, and games in them: the scoreboard and the state of tennis."""
    ranked: bool = False
    """Everybody against everybody: the state is a ranking."""
    steps: Steps | None = None
    """What the steps of the score say, where providers report nothing else."""
    endings: Mapping[Decided, str] = field(default_factory=dict)
    """How a match was decided → msgid in the context `score`, where it is not soccer's."""

    @property
    def reported(self) -> tuple[Kind, ...]:
        """The event types that a provider reports, so that they need not be posted by people."""
        return tuple(kind for kind in self.kinds if kind.sentences and not kind.note)

    @property
    def catalog(self) -> tuple[str, ...]:
        """The event types that the interface promises, in its order."""
        return tuple(kind.id for kind in self.reported)

    def kind(self, kind_id: str) -> Kind:
        """The row of an event type; for a type without a row, one whose title is made of its id."""
        return next((kind for kind in self.kinds if kind.id == kind_id), None) or Kind(kind_id, title=spoken(kind_id))

    def role(self, role: str) -> str:
        """The msgid of a role's title."""
        return self.roles.get(role) or spoken(role)

    def phase(self, number: int | None) -> str | None:
        """The msgid of a phase's name; phases count from 1."""
        return self.phases[number - 1] if number is not None and 1 <= number <= len(self.phases) else None


def spoken(name: str) -> str:
    """`soccer.corner-kick` as people say it: `Corner kick`."""
    plain = name.rpartition(".")[2].replace("-", " ").replace("_", " ").strip()
    return plain[:1].upper() + plain[1:]


def is_sport(template_id: str) -> bool:
    """Whether a template's name can be a Sportstype, such as `american_football`, listed here or not; an ObjectId cannot."""
    return (
        len(template_id) <= LONGEST_ID and bool(_SPORT.fullmatch(template_id)) and not _OBJECT_ID.fullmatch(template_id)
    )
