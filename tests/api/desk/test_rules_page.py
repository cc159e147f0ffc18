"""Follow rules at the desk: admins write them by a form, everybody who posts sees what is missing shortly before kick-off."""

import re
from functools import partial

import pytest

from config.organizations import FollowEntry
from ingest.sync.rule_book import rules_of
from mapping.follow.cost import FullestHours
from mapping.follow.plan import Outlook, Planned, WhyNot
from mapping.follow.preview import EndpointOutlook, RulePreview
from mapping.match.fixture import Fixture, NamedId
from store.following.rules import MissedMatch, note_missed, stored_rules
from tests.api.conftest import NOW, contents
from tests.api.desk.conftest import desk_at
from tests.kit.desk import a_person
from tests.kit.matchday import ORGANIZATION
from tests.kit.settings import configure

RULES = "/desk/rules"
FORM = {"act": "create", "key": "cup", "provider": "heim", "competition": "12", "lead": "90", "locale": "de", "autoPost": "yes",
        "excludeEvents": "soccer.goal, ,soccer.yellow-card", "tags": "Liga", "mostADay": "", "standby.pa": "yes"}  # fmt: skip
IN_FILE = FollowEntry(key="file", organization=ORGANIZATION, provider="heim", team="253", most_a_day=2)


@pytest.fixture
async def server(tmp_path):
    """One rule stands in the configuration."""
    async with desk_at(tmp_path, follow=(IN_FILE,)) as made:
        yield made


def words(response) -> str:
    """What the page says, without its markup."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.text))


async def test_an_admin_makes_changes_and_deletes_a_rule(server):
    """What is refused is said at its field with the form as it was; each write is in the audit and counts at once."""
    configure(server.services.settings, ORGANIZATION, providers={"heim": None, "pa": None})
    browser = await a_person(server, role="admin")
    wrong = await browser.submit(RULES, {**FORM, "lead": "soon"})
    made = await browser.submit(RULES, FORM)
    (rule,) = await server.store.read(stored_rules)
    page = await browser.send("GET", f"{RULES}?rule=cup")
    changed = await browser.submit(RULES, {**FORM, "act": "change", "lead": "", "team": "7"})
    (after,) = await server.store.read(stored_rules)
    gone = await browser.submit(RULES, {"act": "delete", "key": "cup"})

    assert (wrong.status_code, made.status_code, changed.status_code, gone.status_code) == (422, 303, 303, 303)
    assert 'id="lead-wrong"' in wrong.text
    assert 'value="soccer.goal, soccer.yellow-card"' in wrong.text
    assert rule.fields == FollowEntry(
        key="cup", organization=ORGANIZATION, provider="heim", competition="12", lead=5400.0, locale="de",
        exclude_events=("soccer.goal", "soccer.yellow-card"), tags=("Liga",), standby=("pa",),
    ).fields  # fmt: skip
    assert ('value="90"' in page.text, "Change the rule cup" in page.text) == (True, True)
    assert (after.fields["team"], after.fields["lead"]) == ("7", 7200)
    assert await server.store.read(stored_rules) == []
    assert server.looked_again == [ORGANIZATION] * 3
    audited = [row["operation"] for row in (await contents(server))["audit_entries"]]
    assert audited[-3:] == ["rule.create", "rule.change", "rule.delete"]


async def test_a_rule_shows_what_it_makes_what_it_leaves_out_and_what_it_costs(server):
    """One of the configuration has no form; a list that fails is named."""
    (rule,) = rules_of([IN_FILE])
    sides = {"home": NamedId("1", "Südtor"), "away": NamedId("2", "Nordufer")}
    planned = [
        Planned(rule=rule, fixture=Fixture(match_id="1", kickoff=NOW + 9000, **sides), outlook=Outlook.WAITS, due_at=NOW + 1800),
        Planned(rule=rule, fixture=Fixture(match_id="2", kickoff=NOW), outlook=Outlook.UNDECIDED, reason=WhyNot.STATUS, word="Sp"),
    ]  # fmt: skip
    heim = EndpointOutlook(
        name="heim of o", timezone="Europe/Berlin", hours=FullestHours(1, 0.4), allowed=100.0, failure="away"
    )
    server.rules = RulePreview([rule], planned, {(ORGANIZATION, "heim"): heim})
    page = words(await (await a_person(server, role="admin")).send("GET", RULES))

    for each in (
        "from the configuration, read-only", "seven days: 1", "at most 1 on one day, 2 are allowed", "Südtor – Nordufer: to come",
        "not created: please look – the list says Sp, which is not known", "The list of heim of o cannot be had: away",
        "heim of o: about 0.4 requests a second; matches at once: 1; 100 are allowed",
    ):  # fmt: skip
        assert each in page, each
    assert "Change file" not in page


async def test_what_is_missing_shortly_before_kick_off_stands_on_top_of_the_desk(server):
    """With its reason, the way to make it by hand and a button; readers do not see it, the rule lists it the next day."""
    rows = [
        MissedMatch(ORGANIZATION, "file", "heim", ident, f"Match {ident}", NOW + seconds, reason, word)
        for ident, seconds, reason, word in (
            ("1", 600, "FAILED", "the match is away"), ("2", 5000, "MOST", ""), ("3", -5 * 3600, "GENDER", ""),
        )
    ]  # fmt: skip
    await server.store.write(partial(note_missed, found=rows, gone=[]))
    editor, admin = await a_person(server), await a_person(server, role="admin")
    desk = await editor.send("GET", "/desk")
    tried = await editor.submit("/desk/rules/try", {})
    reader = words(await (await a_person(server, role="viewer")).send("GET", "/desk"))
    page = words(await admin.send("GET", RULES))

    assert "No liveblog of Match 1: the match is away" in words(desk)
    assert ("Match 2" in desk.text, "Match 3" in desk.text, "Match 1" in reader) == (False, False, False)
    assert "new?provider=heim&amp;kind=matchId&amp;id=1" in desk.text
    assert (tried.status_code, server.looked_again) == (303, [ORGANIZATION])
    assert all(f"Match {each}" in page for each in "123")


async def test_what_a_colleague_has_changed_of_a_rule_is_not_lost_unseen(server):
    """Whoever opened the form before is held; what is sent again, having seen that, counts."""
    configure(server.services.settings, ORGANIZATION, providers={"heim": None, "pa": None})
    browser = await a_person(server, role="admin")
    await browser.submit(RULES, FORM)

    async def opened():
        return re.search(r'name="state" value="(\w+)"', (await browser.send("GET", f"{RULES}?rule=cup")).text)[1]

    seen, change = await opened(), {**FORM, "act": "change"}
    assert (await browser.submit(RULES, {**change, "team": "7", "state": seen})).status_code == 303
    held = await browser.submit(RULES, {**change, "locale": "fr-fr", "state": seen})
    again = await browser.submit(RULES, {**change, "locale": "fr-fr", "state": await opened()})
    (rule,) = await server.store.read(stored_rules)

    assert (held.status_code, "Somebody else has changed" in held.text, again.status_code) == (409, True, 303)
    assert 'value="fr-fr" selected' in held.text
    assert rule.fields["locale"] == "fr-fr"
