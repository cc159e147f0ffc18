"""Sources that the configuration names to stand by: each is added once, beside what people have added, whoever is away."""

from dataclasses import replace

import pytest

from config.errors import StartError
from config.organizations import Liveblog, StandbyEntry
from ingest.kit.quarantine import Quarantine
from ingest.sync.declared_liveblogs import Declared
from ingest.sync.standby_sources import crosswalks_of, read_crosswalk
from store.following import follow_rows, standbys
from tests.api.conftest import declared_database
from tests.kit.day import ORGANIZATION
from tests.kit.scripted import OWNER
from tests.kit.settings import configured
from tests.kit.source_pair import failing
from tests.kit.source_service import SECOND_ID, THIRD_ID, source_service
from tests.kit.sqlite import copied_url
from tests.providers.heim.feed import MATCH_ID

SECOND = StandbyEntry(provider="second", match_id=SECOND_ID)
THIRD = StandbyEntry(provider="third", match_id=THIRD_ID)
ENTRY = Liveblog(key="derby", organization=OWNER, provider="heim", match_id=MATCH_ID, standby=(SECOND, THIRD))


@pytest.fixture
async def service(tmp_path):
    """A match that three sources have, and nobody's liveblog on it."""
    async with source_service(copied_url(tmp_path / "sources.db", declared_database), third=True) as running:
        yield running


class Starts:
    """A daemon that starts with what is declared, again and again; `at` is its steady clock."""

    def __init__(self, service):
        self.service, self.at = service, 0.0

    def with_(self, entry):
        process = self.service.process
        self.declared = Declared(
            (entry,),
            process.store,
            process.importer,
            clock=process.clock,
            quarantine=Quarantine(),
            steady=lambda: self.at,
        )
        return self

    async def tick(self):
        """What is due is done; gives the sources that stand by now, and how many versions the liveblog has."""
        await self.declared.tick()
        store = self.service.process.store
        found = await store.read(lambda conn: follow_rows.find_declared(conn, OWNER, ENTRY.key))
        rows = await store.read(lambda conn: standbys.of_liveblog(conn, found.game_id))
        return [(each.provider, each.match_id) for each in rows]


async def test_a_liveblog_is_created_with_all_that_stand_by_in_their_order(service):
    """Once: what is there is not due any more, nor after the next start."""
    starts = Starts(service).with_(ENTRY)
    assert await starts.tick() == [("second", SECOND_ID), ("third", THIRD_ID)]
    assert await starts.declared.due() == []
    assert await starts.with_(ENTRY).declared.due() == []


async def test_a_provider_that_is_away_keeps_no_other_one_waiting(service):
    """The other one stands by meanwhile; it is tried again half a minute later."""
    service.process.second.error = failing()
    starts = Starts(service).with_(ENTRY)
    assert await starts.tick() == [("third", THIRD_ID)]
    assert await starts.declared.due() == []
    service.process.second.error = None
    starts.at += 31
    assert await starts.tick() == [("third", THIRD_ID), ("second", SECOND_ID)]


async def test_another_match_of_the_same_provider_takes_the_place_of_the_one_before(service):
    """The operator had mistyped it."""
    starts = Starts(service).with_(ENTRY)
    await starts.tick()
    service.process.second.match = replace(service.process.second.match, match_id="z77")
    right = ENTRY.model_copy(update={"standby": (StandbyEntry(provider="second", match_id="z77"), THIRD)})
    assert await starts.with_(right).tick() == [("second", "z77"), ("third", THIRD_ID)]


async def test_a_liveblog_without_one_here_keeps_what_people_gave_it(service):
    starts = Starts(service).with_(ENTRY)
    await starts.tick()
    alone = ENTRY.model_copy(update={"standby": ()})
    assert await starts.with_(alone).tick() == [("second", SECOND_ID), ("third", THIRD_ID)]


@pytest.mark.parametrize("providers", [("heim",), ("second", "second")])
def test_two_sources_of_one_provider_are_refused_at_start(providers):
    standby = [{"provider": each, "match_id": "1"} for each in providers]
    with pytest.raises(ValueError, match="a provider of its own"):
        Liveblog(key="derby", organization=OWNER, provider="heim", match_id="1", standby=standby)


PEOPLE = "heim,pa,statsperform\n1234, 307009 ,3xi9\n99,,5b\n\n77,12,\n"


def written(folder, text):
    path = folder / "people.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_each_two_providers_know_each_others_ids(tmp_path):
    found = read_crosswalk(written(tmp_path, f"\N{BYTE ORDER MARK}{PEOPLE}"))
    assert found["heim", "pa"] == {"307009": "1234", "12": "77"}
    assert found["pa", "heim"] == {"1234": "307009", "77": "12"}
    assert found["heim", "statsperform"] == {"3xi9": "1234", "5b": "99"}
    assert found["statsperform", "pa"] == {"307009": "3xi9"}


def test_it_is_the_organizations(tmp_path):
    settings = configured()
    path = str(written(tmp_path, PEOPLE))
    organization = type(settings.organization(ORGANIZATION))(name="Example", crosswalk=path)
    settings = settings.model_copy(update={"organizations": {ORGANIZATION: organization}})
    assert crosswalks_of(settings)[ORGANIZATION, "heim", "pa"] == {"307009": "1234", "12": "77"}
    assert settings.in_folder(tmp_path / "elsewhere").organizations[ORGANIZATION].crosswalk == path


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "two providers or more"),
        ("heim\n1\n", "two providers or more"),
        ("heim,heim\n1,2\n", "two providers or more"),
        ("heim,pa\n1,2\n3\n", "line 3: 2 ids expected"),
        ("heim,pa\n1,2\n3,2\n", "line 3: 2 stands in another line"),
        ('heim,pa\n"1,2\n', "cannot be read"),
    ],
)
def test_what_is_no_such_table_is_refused(tmp_path, text, why):
    with pytest.raises(StartError, match=why):
        read_crosswalk(written(tmp_path, text))


def test_a_file_that_is_not_there_or_not_text_is_refused(tmp_path):
    with pytest.raises(StartError, match="cannot be read"):
        read_crosswalk(tmp_path / "nowhere.csv")
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(StartError, match="cannot be read"):
        read_crosswalk(tmp_path / "binary.csv")
