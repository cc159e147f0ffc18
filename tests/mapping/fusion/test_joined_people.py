"""Who is who in two sources, by numbers and words of their names: nobody is joined with another one."""

from dataclasses import replace

import pytest

from mapping.fusion.joined_people import in_ids_of, join_people, name_tokens, share_beginning, team_tokens, which_team
from mapping.fusion.same_match import why_other_match
from mapping.match.match import Incident, Involved, Person, Side
from tests.mapping.soccer_builders import KICKOFF, MATCH


def person(ext_id, name, number=None, short_name=None):
    return Person(ext_id=ext_id, name=name, number=number, short_name=short_name)


def joined(ours, theirs, theirs_away=()):
    """Pairs of the home sides of these people; the other side of the second source has the rest."""
    first = replace(MATCH, home=replace(MATCH.home, lineup=tuple(ours), bench=()))
    second = replace(
        MATCH,
        home=Side(ext_id="t1", name="Schalke", lineup=tuple(theirs)),
        away=Side(ext_id="t2", name="Salzburg", lineup=tuple(theirs_away)),
    )
    return join_people(first, second)


SAME = [
    ("surname first, without marks", person("1", "Duje Ćaleta-Car"), person("a", "Caleta-Car Duje")),
    ("an initial", person("1", "Tim Leibold"), person("a", "T. Leibold")),
    ("another first name", person("1", "Moreto Cassamá", "8"), person("a", "Moro Cassama", "8")),
    ("an umlaut spelt out", person("1", "Thomas Müller"), person("a", "Mueller Thomas")),
    ("an artist's name with its number", person("1", "Manuel Agudo Durán", "9"), person("a", "Nolito Agudo", "9")),
]


@pytest.mark.parametrize(("ours", "theirs"), [pytest.param(*each[1:], id=each[0]) for each in SAME])
def test_the_same_person_in_another_spelling(ours, theirs):
    assert joined([ours], [theirs]) == {"a": "1"}


BROTHERS = [person("1", "Lautaro Martínez", "10"), person("2", "Lisandro Martínez", "25")]
MEYERS = [person("a", "M. Meyer", "7"), person("b", "Meyer M.", "7")]
DOUBT = [
    ("brothers without a number", BROTHERS, [person("a", "L. Martinez")]),
    ("a brother whom the other source alone names", BROTHERS[:1], [person("a", "L. Martinez", "25")]),
    ("a number that two have", [person("1", "Marin Pongračić", "40")], [person("a", "Luka Sučić", "40")]),
    ("a number alone", [person("1", "Max Meyer", "7")], [person("a", "Johannes Geis", "7")]),
    ("a particle", [person("1", "Kevin De Bruyne")], [person("a", "Frenkie de Jong")]),
    ("nobody's name", [person("1", "Max Meyer")], [person("a", "")]),
    ("two with the number and the name", [person("1", "Max Meyer", "7")], MEYERS),
    ("two of ours with the number and the name", MEYERS, [person("1", "Max Meyer", "7")]),
    ("a word of each of two", [person("1", "Max Meyer")], [person("a", "Max"), person("b", "Meyer")]),
    ("a word of each of two of ours", [person("a", "Max"), person("b", "Meyer")], [person("1", "Max Meyer")]),
]


@pytest.mark.parametrize(("ours", "theirs"), [pytest.param(*each[1:], id=each[0]) for each in DOUBT])
def test_whoever_is_in_doubt_is_joined_with_nobody(ours, theirs):
    assert joined(ours, theirs) == {}


def test_brothers_with_numbers_are_kept_apart():
    theirs = [person("a", "L. Martinez", "25"), person("b", "L. Martinez", "10")]
    assert joined(BROTHERS, theirs) == {"a": "2", "b": "1"}


def test_a_name_joins_nobody_of_the_other_side():
    assert joined([person("1", "David Kinsombi", "6")], [], [person("a", "D. Kinsombi", "6")]) == {}


def test_whoever_is_joined_by_hand_stays_so():
    first = replace(MATCH, home=replace(MATCH.home, lineup=tuple(BROTHERS), bench=()))
    second = replace(MATCH, home=Side(ext_id="t", name="Schalke", lineup=(person("a", "L. Martinez"),)))
    assert join_people(first, second, {"a": "2"})["a"] == "2"


def test_people_of_one_source_alone_get_an_id_that_says_whose_it_is():
    """Two providers number their people alike now and then."""
    theirs = person("1", "Somebody Else")
    second = replace(MATCH, provider="pa", home=Side(ext_id="694", name="Schalke", lineup=(theirs,)), incidents=())
    assert in_ids_of(second, MATCH, {}).home.lineup == (replace(theirs, ext_id="pa/1"),)


def test_scorers_of_a_source_without_squads_are_joined_with_the_squad():
    """Two of one surname are two, as far as the source says more than the surname."""
    ours = (person("1", "Mathias Jørgensen", "13"), person("2", "Nicolai Jørgensen", "9"))
    first = replace(MATCH, home=replace(MATCH.home, lineup=ours, bench=()))
    for said, wanted in (("Nicolai Jorgensen", {"name:x": "2"}), ("Jørgensen", {})):
        scorer = Involved(role="scorer", person=person("name:x", said))
        goal = Incident(key="incident:1-0", kind="soccer.goal", order=1, side="home", people=(scorer,))
        second = replace(MATCH, home=Side(ext_id="t", name="Schalke"), away=None, incidents=(goal,))
        assert join_people(first, second) == wanted


def named(home, away, **facts):
    sides = {
        name: replace(getattr(MATCH, name), name=said, short_name=None)
        for name, said in (("home", home), ("away", away))
    }
    return replace(MATCH, **sides, **facts)


@pytest.mark.parametrize(
    ("home", "away", "facts", "why"),
    [
        ("FC Schalke 04", "RB Salzburg", {}, None),
        ("Schalke", "Salzburg", {"kickoff": KICKOFF + 7200}, None),
        ("Schalke", "Salzburg", {"kickoff": KICKOFF + 86_400, "kickoff_open": True}, None),
        ("Schalke", "Salzburg", {"kickoff": KICKOFF + 3 * 3600}, None),
        ("Schalke", "Salzburg", {"kickoff": KICKOFF - 3 * 3600}, None),
        ("Schalke", "Salzburg", {"kickoff": None}, None),
        ("Schalke", "Salzburg", {"kickoff": KICKOFF + 3 * 3600 + 1}, "more than three hours apart"),
        ("Schalke", "Salzburg", {"kickoff": KICKOFF - 3 * 3600 - 1}, "more than three hours apart"),
        ("Schalke", "Salzburg", {"sport": "tennis"}, "one is soccer, the other one tennis"),
        ("Salzburg", "Schalke", {}, "the other way round"),
        ("Schalke", "Sturm Graz", {}, "the teams differ"),
        ("Schalke 04 U19", "Salzburg", {}, "the teams differ"),
        ("Schalke Frauen", "Salzburg Frauen", {}, "the teams differ"),
        ("Schalke 04 II", "Salzburg", {}, "the teams differ"),
        ("Schalke 04 B", "Salzburg", {}, "the teams differ"),
    ],
)
def test_only_the_same_match_is_taken_for_it(home, away, facts, why):
    """Its women, its young and its second team are other teams of a club."""
    found = why_other_match(MATCH, named(home, away, **facts))
    assert found is None if why is None else why in str(found)


def test_a_team_is_the_same_by_the_beginning_of_a_word():
    first = named("Manchester United FC", "FC Bayern München")
    assert why_other_match(first, named("Man Utd", "Bayern Munich")) is None
    assert why_other_match(named("Arsenal Women", "Chelsea FC Women"), named("Arsenal Ladies", "Chelsea W")) is None


def test_what_is_not_known_contradicts_nothing():
    """An hour of the first one that is open, a side that one does not name; the short name says it too."""
    open_ = replace(MATCH, kickoff_open=True)
    assert why_other_match(open_, named("Schalke", "Salzburg", kickoff=KICKOFF + 9 * 3600)) is None
    assert why_other_match(MATCH, replace(named("Graz", "Linz"), away=None)) is None
    assert why_other_match(replace(MATCH, home=None), named("Graz", "Linz")) is None
    short = replace(named("S04", "RBS"), home=replace(MATCH.home, name="S04", short_name="Schalke"), away=MATCH.away)
    assert why_other_match(short, named("Schalke", "Salzburg")) is None
    assert why_other_match(named("Schalke", "Salzburg"), short) is None


def test_a_contradiction_says_whom_both_mean():
    assert str(why_other_match(MATCH, named("Sturm Graz", "Linz"))) == (
        "the teams differ: FC Schalke 04 – Red Bull Salzburg and Sturm Graz – Linz"
    )


def test_incidents_name_the_people_of_the_leading_source():
    """Whoever is joined with nobody has an id that says whose it is, and so has a team that the leading one does not know."""
    ours = MATCH.home.lineup[0]
    theirs, stranger = person("z1", "L. Goretzka"), person("z2", "Somebody Else")
    goal = Incident(
        key="incident:1", kind="soccer.goal", order=1, side="home",
        people=(Involved(role="scorer", person=theirs), Involved(role="assist", person=stranger)),
    )  # fmt: skip
    side = Side(ext_id="t1", name="Schalke", lineup=(theirs,), bench=(stranger,))
    second = replace(
        MATCH, provider="pa", home=side, away=replace(side, ext_id="t2", lineup=(), bench=()), incidents=(goal,)
    )
    found = in_ids_of(second, replace(MATCH, away=None), {"z1": ours.ext_id})
    assert [each.person for each in found.incidents[0].people] == [ours, replace(stranger, ext_id="pa/z2")]
    assert (found.home.lineup, found.home.bench) == ((ours,), (replace(stranger, ext_id="pa/z2"),))
    assert (found.home.ext_id, found.away.ext_id) == (MATCH.home.ext_id, "pa/t2")
    assert in_ids_of(replace(second, home=None), MATCH, {}).home is None


ONE_TO_ONE = {
    "a number and a word": (("Max Meyer", "7"), ("Meyer M.", "7"), True),
    "a number and another word": (("Max Meyer", "7"), ("Geis J.", "7"), False),
    "a word and another number": (("Max Meyer", "7"), ("Meyer M.", "8"), False),
    "a word alone": (("Max Meyer", None), ("Meyer M.", "8"), True),
    "a word and no number there": (("Max Meyer", "7"), ("Meyer M.", None), True),
}


@pytest.mark.parametrize(("one", "other", "same"), ONE_TO_ONE.values(), ids=ONE_TO_ONE.keys())
def test_two_are_one_by_a_number_and_a_word_or_by_a_word_that_nobody_else_has(one, other, same):
    assert joined([person("1", *one)], [person("a", *other)]) == ({"a": "1"} if same else {})


def test_people_of_both_sides_are_joined_each_with_its_own_side():
    """From the bench too, and those who only did something where a source names no squad; a side may be missing."""
    first = replace(MATCH, home=replace(MATCH.home, lineup=(), bench=(person("1", "Max Meyer"),)),
                    away=replace(MATCH.away, lineup=(person("2", "Jon Walker"),)))  # fmt: skip
    roles = ("scorer", "own-goal", "player", "in", "out")
    for role in (*roles, "assist"):
        row = Incident(
            key="incident:1", kind="soccer.goal", order=1, side="away",
            people=(Involved(role=role, person=person("b", "Walker J.")),),
        )  # fmt: skip
        home = Side(ext_id="t1", name="Schalke", lineup=(), bench=(person("a", "Meyer M."),))
        second = replace(MATCH, home=home, away=Side(ext_id="t2", name="Salzburg"), incidents=(row,))
        assert join_people(first, second) == {"a": "1", **({"b": "2"} if role in roles else {})}
        assert join_people(replace(first, home=None), replace(second, away=None)) == {}
        assert join_people(first, replace(second, incidents=(replace(row, side="home"),))) == {"a": "1"}


PARTICLES = "da das de del den der di do dos du el la le les van vom von"
LEGAL_FORMS = "afc bsc cf club fc fk fsv ssc tsg tsv vfb vfl"
OF_A_CLUB = {
    "women": "dames damen donne femenil femenina femenino feminin feminina feminine feminines feminino femminile frauen girls "
    "juniorinnen ladies mulheres vrouwen wfc women womens",
    "young": "academy canteras infantil jong jugend junioren juniors juvenil juveniles primavera youth",
    "second": "amateure castilla ii reserve reserves",
    "third": "iii",
}


def test_words_that_say_nothing_of_who_it_is_identify_nobody():
    """Of three letters on; of a team neither what it is nor which one of its club."""
    assert name_tokens(f"{PARTICLES} jo Ann Kevin De Bruyne", None) == {"ann", "kevin", "bruyne"}
    others = " ".join(OF_A_CLUB.values())
    assert team_tokens(f"{LEGAL_FORMS} {others} U19 Under-21 Schalke") - {"under"} == {"schalke"}


WHICH = {
    **{word: (f"Schalke {word}", {kind}) for kind, said in OF_A_CLUB.items() for word in said.split()},
    "the first men": ("FC Schalke 04", set()),
    "an age": ("Schalke U19", {"u19"}),
    "an age spelt out": ("Schalke Under-21", {"u21"}),
    "an age in Portuguese": ("Santos Sub 20", {"u20"}),
    "the women of an age": ("Schalke Women U19", {"women", "u19"}),
    "a letter": ("Schalke B", {"second"}),
    "a letter in brackets": ("Schalke (W)", {"women"}),
    "a number": ("Schalke 2", {"second"}),
    "a third one": ("Schalke 3", {"third"}),
    "another letter": ("Schalke C", {"c"}),
    "a letter that belongs to it": ("Schalke D", set()),
    "no letter of its own": ("Club", set()),
}


@pytest.mark.parametrize(("name", "which"), WHICH.values(), ids=WHICH.keys())
def test_a_name_says_which_of_its_clubs_teams_it_is(name, which):
    assert which_team(name, None) == which_team(None, f" {name} ") == which


def test_a_word_may_begin_the_other_one():
    assert share_beginning({"man", "utd"}, {"manchester"})
    assert share_beginning({"manchester"}, {"man"})
    assert not share_beginning({"manchester"}, {"liverpool"})
    assert not share_beginning(set(), {"liverpool"})
