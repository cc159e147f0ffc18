"""Who is who in the forms of real feeds: nearly every starter is joined without a person, and nobody and no team falsely."""

import random
from dataclasses import replace

import pytest

from mapping.fusion.joined_people import join_people
from mapping.fusion.same_match import why_other_match
from tests.kit.recordings import required
from tests.kit.soccer_courses import course_files, final_match
from tests.kit.wire_forms.forms import FORMS
from tests.kit.wire_forms.other_words import base_36, digits

SEEDS = 4
SQUADS = {name: form for name, form in FORMS.items() if name != "openligadb"}
IDS = {"pa": digits, "statsperform": base_36}
OTHER_TEAMS = [
    "{} Women", "{} Ladies", "{} Frauen", "{} Femenino", "{} Féminines", "{} Femminile", "{} Vrouwen", "{} Women's", "{} WFC",
    "{} Damen", "{} Feminino", "{} (W)", "{} W", "{} U19", "{} U-21", "{} Under 23", "{} Sub-20", "{} Youth", "{} Juvenil",
    "{} Primavera", "{} Academy", "{} II", "{} 2", "{} B", "{} Reserves", "{} Castilla", "{} Amateure", "Jong {}", "{} U 17",
    "{} III", "{} A-Junioren",
]  # fmt: skip


def matches():
    return [final_match(path) for path in required(course_files())]


@pytest.mark.parametrize("name", SQUADS)
def test_nearly_every_starter_is_joined_and_nobody_falsely(name):
    """As many names are spelt apart as in matches that were compared (3.2 %), a quarter of those in the surname."""
    starters = found = 0
    for match in matches():
        for seed in range(SEEDS):
            other = SQUADS[name].read(SQUADS[name].ident(match.match_id), SQUADS[name].write(match, seed))
            joined = join_people(match, other)
            assert [pair for pair in joined.items() if pair[0] != IDS[name]("person", pair[1])] == []
            lineup = [each.ext_id for side in match.sides for each in side.lineup]
            starters += len(lineup)
            found += len(set(lineup) & set(joined.values()))
    assert found >= 0.98 * starters


def with_brothers(match, rng):
    """Four of each side have the surname of one of them, and one of the other side has it too; a third has no number."""
    surname = rng.choice(match.home.lineup).name.split()[-1]

    def renamed(side, number):
        chosen = {each.ext_id for each in rng.sample(side.lineup, number)}
        people = (
            replace(each, name=f"{each.name.split()[0]} {surname}") if each.ext_id in chosen else each
            for each in side.lineup
        )
        lineup = tuple(replace(each, number=None) if rng.random() < 0.3 else each for each in people)
        return replace(side, lineup=lineup)

    return replace(match, home=renamed(match.home, 4), away=renamed(match.away, 1), incidents=())


@pytest.mark.parametrize("name", SQUADS)
def test_brothers_are_joined_with_nobody_else(name):
    """The other feed lacks one of them now and then, and gives an initial alone."""
    for match in matches():
        for seed in range(SEEDS):
            rng = random.Random(seed)
            first = with_brothers(match, rng)
            missing = rng.choice(first.home.lineup).ext_id
            lineup = tuple(each for each in first.home.lineup if each.ext_id != missing)
            without = replace(first, home=replace(first.home, lineup=lineup))
            other = SQUADS[name].read(SQUADS[name].ident(match.match_id), SQUADS[name].write(without, seed))
            joined = join_people(first, other)
            assert [pair for pair in joined.items() if pair[0] != IDS[name]("person", pair[1])] == [], (
                match.match_id,
                seed,
            )


@pytest.mark.parametrize("form", OTHER_TEAMS)
def test_no_other_team_of_a_club_is_taken_for_it(form):
    """Women's, youth and reserve teams play on the days of the first team, often against the same club."""
    for match in matches():
        others = {
            side: replace(getattr(match, side), name=form.format(getattr(match, side).name), short_name=None)
            for side in ("home", "away")
        }
        assert why_other_match(match, replace(match, **others)) is not None
        assert why_other_match(replace(match, **others), match) is not None
        assert why_other_match(match, replace(match, home=others["home"])) is not None
        assert why_other_match(replace(match, **others), replace(match, **others)) is None
