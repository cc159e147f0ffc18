"""How the second source of a match says it otherwise, and what both take back: drawn by a seed."""

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from random import Random

from mapping.belief.goals import credited_side
from mapping.fusion.paired_incidents import kind_class
from mapping.match.match import OPPONENT, Incident, Involved, Match, Person, Score
from tests.kit.soccer_courses import Course

SCRIPT = str.maketrans({"c": "tsch", "k": "c", "y": "j", "w": "v", "z": "s", "i": "y", "j": "dsch", "o": "ö"})


def in_play(incident: Incident) -> bool:
    """Whether it is a goal that the score counts."""
    return kind_class(incident) == "goal"


def numbered(match: Match, goals: Sequence[Incident]) -> Match:
    """The match with these goals, in this order, and the score that they make."""
    home = away = 0
    rows = [each for each in match.incidents if not in_play(each)]
    for at, each in enumerate(goals):
        home, away = home + (credited_side(each) == "home"), away + (credited_side(each) == "away")
        rows.append(replace(each, score=Score(home, away), order=1000 + at))
    return replace(match, incidents=tuple(rows), score=None if match.score is None else Score(home, away))


def without(match: Match, gone: AbstractSet[str]) -> Match:
    """The match without these goals, numbered anew."""
    goals = [each for each in match.incidents if in_play(each) and each.key not in gone]
    return numbered(match, goals) if gone else match


class Differences:
    """One to three goals that the second source lacks, others, extra ones and one that is taken back, until the `end`."""

    def __init__(self, course: Course, rng: Random, seed: int) -> None:
        self.rng, self.seed = rng, seed
        goals = [each for each in course.kept[-1].incidents if in_play(each)]
        self.missing = {each.key for each in rng.sample(goals, min(len(goals), rng.randrange(4)))}
        self.back = {each.key for each in rng.sample(goals, min(len(goals), rng.choice([0, 0, 1])))}
        self.back_in_both = rng.random() < 0.6
        self.changes: dict[str, Callable[[Incident], Incident]] = {each.key: self._change() for each in goals}

    def end(self) -> None:
        """Both agree from now on."""
        self.missing, self.back, self.changes = set(), set(), {}

    def gone(self, played: float) -> set[str]:
        """Keys of the goals that the first source has taken back, once so much of the match has been played."""
        return self.back if played > 0.7 else set()

    def first(self, match: Match, played: float) -> Match:
        """What the first source says."""
        return without(match, self.gone(played))

    def second(self, match: Match, played: float) -> Match:
        """What the second one says, in the words of the first one."""
        gone = self.missing | (self.back if played > 0.8 and self.back_in_both else set())
        there = [each for each in match.incidents if in_play(each) and each.key not in gone]
        goals = [self.changes[each.key](each) if each.key in self.changes else each for each in there]
        if self.changes and self.seed % 5 == 0 and len(goals) > 1:
            goals[-2:] = goals[:-3:-1]
        if self.changes and self.seed % 7 == 0 and 0.3 < played < 0.6 and goals:
            goals.append(replace(goals[-1], key="incident:extra", minute=(goals[-1].minute or 0) + 20))
        return numbered(match, goals)

    def _change(self) -> Callable[[Incident], Incident]:
        """How the second source says a goal."""
        rng = self.rng
        minutes, people = rng.randrange(-8, 9), rng.random()
        ways = (
            lambda each: each,
            lambda each: replace(each, minute=max(1, (each.minute or 1) + minutes), added=None),
            lambda each: replace(each, minute=None, added=None),
            lambda each: replace(each, people=()),
            lambda each: replace(each, people=tuple(_transliterated(who) for who in each.people)),
            lambda each: replace(each, minute=min(each.minute or 1, 45 if each.phase == 1 else 90), added=None),
            lambda each: (
                replace(each, kind="soccer.goal", side=credited_side(each))
                if each.kind == "soccer.own-goal"
                else replace(each, kind="soccer.own-goal", side=OPPONENT[each.side] if each.side else None, people=())
            ),
        )
        chosen = [rng.choice(ways), *([rng.choice(ways)] if people < 0.3 else [])]

        def changed(each: Incident) -> Incident:
            for way in chosen:
                each = way(each)
            return each

        return changed


def _transliterated(who: Involved) -> Involved:
    """The person in another script, whom no squad names."""
    name = who.person.name.lower().translate(SCRIPT).title()
    return replace(who, person=Person(ext_id=f"other {who.person.ext_id}", name=name))
