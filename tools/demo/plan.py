"""Which matches the demo plays, and how each feed errs and corrects itself on the way to the facts."""

from dataclasses import dataclass, field, replace

from tools.demo.facts import Facts, Incident

Version = tuple[float, Incident | None]
"""From so many seconds after the happening the feed shows this, or nothing."""


@dataclass(frozen=True, kw_only=True)
class Corrected:
    """Shown as something else until `after`; empty names keep the fact, `assist=False` leaves the assist out."""

    after: float
    kind: str = ""
    minute: int = 0
    team: str = ""
    person: str = ""
    assist: bool = True

    def first(self, fact: Incident, facts: Facts) -> Incident:
        side = {"home": facts.home, "away": facts.away}.get(self.team, facts.team(fact.team))
        return replace(
            fact,
            kind=self.kind or fact.kind,
            minute=self.minute or fact.minute,
            team=side.id,
            person=side.player(self.person) if self.person else fact.person,
            other=fact.other if self.assist else None,
        )


@dataclass(frozen=True, kw_only=True)
class Gone:
    """Taken off the feed `after` seconds; `back` seconds after the happening it is there again, None = never."""

    after: float
    back: float | None = None


@dataclass(frozen=True, kw_only=True)
class Late:
    """Entered only so many seconds after it happened."""

    by: float


Life = Corrected | Gone | Late


@dataclass(frozen=True, kw_only=True)
class Invented:
    """A goal that never was: shown and withdrawn, so that it can be seen how a withdrawal looks."""

    team: str
    surname: str
    kind: str
    period: str
    second: float
    minute: int
    gone_after: float


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One match of the demo: ids of our own, and the life of its feed by incident key."""

    name: str
    stem: str
    match_id: str
    round_id: str
    round: str
    round_order: str
    group_matchday: str = "0"
    lives: dict[str, tuple[Life, ...]] = field(default_factory=dict)
    invented: Invented | None = None
    game_end_taken_back: bool = False

    @property
    def first_id(self) -> int:
        """Ids of rows and texts count from here; each match has ten thousand."""
        return 9_900_000 + int(self.match_id) % 100 * 10_000


PLANS = (
    Plan(
        name="croatia-denmark",
        stem="2058005_WC2018_Croatia-Denmark",
        match_id="9900001",
        round_id="9900116",
        round="16",
        round_order="9",
        lives={
            "goal-1-Jørgensen": (
                Corrected(after=65, person="Delaney", assist=False),
                Corrected(after=190, assist=False),
            ),
            "goal-4-Mandžukić": (Corrected(after=120, kind="goal"),),
            "yellow-115-Jørgensen": (Corrected(after=420, minute=114),),
        },
        invented=Invented(
            team="home", surname="Perišić", kind="right-foot", period="2H", second=760, minute=58, gone_after=150
        ),
    ),
    Plan(
        name="uruguay-russia",
        stem="2057958_WC2018_Uruguay-Russia",
        match_id="9900002",
        round_id="9900101",
        round="A",
        round_order="1",
        group_matchday="3",
        lives={
            "goal-10-Suárez": (Corrected(after=900, minute=9),),
            "goal-23-Cheryshev": (Corrected(after=75, kind="left-foot", team="home", person="Laxalt"),),
            "yellow-28-Smolnikov": (Gone(after=1700),),
            "goal-90-Cavani": (Gone(after=60, back=150),),
            "yellow-59-Bentancur": (Late(by=2950),),
        },
    ),
    Plan(
        name="colombia-japan",
        stem="2057997_WC2018_Colombia-Japan",
        match_id="9900003",
        round_id="9900108",
        round="H",
        round_order="8",
        group_matchday="1",
        lives={
            "goal-6-Kagawa": (Corrected(after=80, kind="right-foot"),),
            "goal-39-Quintero": (Corrected(after=150, kind="left-foot", minute=38),),
            "goal-73-Ōsako": (Corrected(after=200, assist=False),),
            "yellow-94-Kawashima": (Late(by=840),),
        },
        game_end_taken_back=True,
    ),
)


def versions(fact: Incident, plan: Plan, facts: Facts) -> list[Version]:
    """What the feed shows of an incident, from when; one life follows the other, and the fact comes last."""
    shown: list[Version] = []
    since = 0.0
    for life in plan.lives.get(fact.key, ()):
        match life:
            case Corrected():
                shown.append((since, life.first(fact, facts)))
                since = life.after
            case Gone(after=after, back=back):
                shown += [(since, fact), (after, None)]
                if back is None:
                    return shown
                since = back
            case Late(by=by):
                since = by
    return [*shown, (since, fact)]
