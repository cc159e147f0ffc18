"""Rules that people and clients make while the daemon runs, and what is kept of matches without their liveblogs."""

from __future__ import annotations

from functools import partial

import pytest

from config import Settings
from config.organizations import FollowEntry
from ingest.daemon.status import StatusReport
from ingest.kit.process import Role
from ingest.sync.provider_source import ProviderSource
from ingest.sync.rule_book import RuleBook
from ingest.sync.rule_desk import RuleDesk
from providers.heim.adapter import HEIM
from store.following.rules import add_rule, change_rule, delete_rule, list_missed
from tests.kit.scripted import OWNER
from tests.simulation.weekend import HOUR, Weekend, match, weekend

BEGIN = 1_800_000_000
LEAGUE = {"provider": "heim", "competition": "12", "locale": "de"}


def book_of(days: Weekend, **settings) -> RuleBook:
    """The rules beside those of this configuration, which the weekend's looks take up from now on."""
    heim = {"base_url": "https://heim.example.org"}
    known = Settings.model_validate({"organizations": {OWNER: {"name": "O", "providers": {"heim": heim}}}, **settings})
    book = RuleBook(
        known, {"heim": HEIM.catalog}, {(OWNER, "heim"): ProviderSource(HEIM, days.league, text_content=True)}
    )
    days.more = book.in_force
    days.start()
    return book


async def test_a_rule_counts_from_the_moment_it_is_made_to_the_moment_it_is_deleted():
    """Each change is looked at at once: the new language is made beside the old one, and after the end nothing."""
    with weekend([], BEGIN) as days:
        book_of(days)
        days.league.matches = {f"5{n}": match(f"5{n}", BEGIN + (n + 2) * HOUR) for n in range(3)}
        await days.pass_time(BEGIN + 60)
        made = [len(await days.liveblogs())]
        for write in (
            partial(add_rule, key="cup", fields=LEAGUE),
            partial(change_rule, key="cup", fields=LEAGUE | {"locale": "en"}),
            partial(delete_rule, key="cup"),
        ):
            await days.process.store.write(partial(write, organization_id=OWNER))
            days.looks.look_again(OWNER)
            await days.pass_time(days.clock.now + 30)
            made.append(len(await days.liveblogs()))
        await days.pass_time(BEGIN + 5 * HOUR)
        rows = await days.liveblogs()
    assert made == [0, 1, 2, 2]
    assert [(ident, locale, rule) for ident, locale, _, rule in rows] == [
        ("50", "de", "cup"),
        ("50", "en", "cup"),
    ]


@pytest.mark.parametrize(
    ("fields", "settings", "why"),
    [
        (LEAGUE | {"provider": "pa"}, {}, "provider"),
        (LEAGUE | {"sport": "curling"}, {}, "sport"),
        (LEAGUE, {"follow": [LEAGUE | {"key": "cup", "organization": OWNER}]}, "key"),
        (LEAGUE | {"lead": "soon"}, {}, None),
        (None, {}, None),
    ],
)  # fmt: skip
async def test_a_rule_that_cannot_be_kept_rests_and_says_why(fields, settings, why):
    with weekend([], BEGIN) as days:
        book = book_of(days, **settings)
        await days.process.store.write(partial(add_rule, organization_id=OWNER, key="cup", fields=fields or {}))
        days.league.matches = {"50": match("50", BEGIN + 2 * HOUR)}
        await days.pass_time(BEGIN + 60)
        assert await days.liveblogs() == []
    entry = FollowEntry.of_fields(OWNER, "cup", fields)
    assert (None if entry is None else next(book.faults(entry))[0][0]) == why


async def test_what_got_no_liveblog_is_kept_with_its_reason_until_it_has_one():
    """A creation that fails, one beyond the day's number and a gender that nobody knows; after a crash they stand as before."""
    narrow = LEAGUE | {"most_a_day": 2, "gender": "male"}
    with weekend([], BEGIN) as days:
        book_of(days)
        await days.process.store.write(partial(add_rule, organization_id=OWNER, key="cup", fields=narrow))
        days.league.matches = {
            f"5{n}": match(f"5{n}", BEGIN + 2 * HOUR + n, gender="male" if n < 3 else None) for n in range(4)
        }
        days.league.down = {"50"}
        await days.pass_time(BEGIN + 60)
        before = await days.process.store.read(partial(list_missed, organization_id=OWNER))
        days.start()
        days.league.down = set()
        days.looks.look_again(OWNER)
        await days.pass_time(BEGIN + 700)
        after = await days.process.store.read(list_missed)
        report = StatusReport(
            store=days.process.store, followers=days.process.followers, workers=None, role=Role.ALL, clock=lambda: BEGIN
        )
        shown = (await report.make())["missing"]
    assert {(each.match_id, each.reason, each.word) for each in before} == {
        ("50", "FAILED", "the match is away"), ("52", "MOST", ""), ("53", "GENDER", ""),
    }  # fmt: skip
    assert {each.match_id: each.since for each in after} == {each.match_id: each.since for each in before[:2]}
    assert [(each["rule"], each["match"], each["reason"]) for each in shown] == [
        ("cup", "53", "the list does not say whether men or women play"),
        ("cup", "52", "more matches a day than the rule may make liveblogs of"),
    ]
    assert before[0].title == "Team 1106 – Team 1107"


async def test_a_preview_is_of_one_organization_and_counts_a_match_once():
    """Two rules follow it in two languages; what it costs is polled once."""
    with weekend([], BEGIN) as days:
        book = book_of(days, follow=[LEAGUE | {"key": "de", "organization": OWNER}])
        await days.process.store.write(
            partial(add_rule, organization_id=OWNER, key="en", fields=LEAGUE | {"locale": "en"})
        )
        days.league.matches = {f"5{n}": match(f"5{n}", BEGIN + 20 * HOUR) for n in range(3)}
        desk = RuleDesk(book, days.workers[0].lists, read=days.process.store.read, clock=lambda: days.clock.now)
        found, other = await desk.preview(OWNER), await desk.preview("other")
    (endpoint,) = found.endpoints.values()
    assert [each.key for each in found.rules] == ["de", "en"]
    assert (len(found.planned), endpoint.hours.matches, endpoint.failure) == (6, 3, "")
    assert (other.rules, other.planned, other.endpoints) == ((), [], {})
