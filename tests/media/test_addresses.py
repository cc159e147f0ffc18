"""Addresses of files over HTTP: checked when they are given, wherever a document takes one."""

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from api.app import create_app
from config.sections import Webhooks
from ingest.guard.ssrf_guard import SsrfGuard
from mapping.rules.callable_addresses import REFUSED
from tests.api.conftest import server, serving, store
from tests.kit import matchday
from tests.kit.event_desk import STRANGER, Desk, photo
from tests.kit.name_servers import FORMS, PUBLIC, REFUSED_ADDRESSES, Names
from tests.kit.places import GAME, MODIFICATION, OWNED, PLACES, WRITE, Places, with_image
from tests.kit.settings import configured

__all__ = ["server", "store"]
LOOK_UP_TIMEOUT = 3600
"""Seconds that whoever fetches would wait: longer than any test."""


class SlowNames(Names):
    """As the system looks names up, in ASCII; those below hangs.example are not answered for."""

    hanging = most_at_once = 0

    async def __call__(self, host, port):
        host = host.encode("idna").decode()
        if host.endswith("hangs.example"):
            self.looked_up.append(host)
            self.hanging += 1
            self.most_at_once = max(self.most_at_once, self.hanging)
            await asyncio.sleep(60)
        return await super().__call__(host, port)


HTTPS_ONLY = frozenset({"image", "banner_image"})


def guarded(server, names, check=None, **changed):
    guard = SsrfGuard(Webhooks(look_up_timeout=LOOK_UP_TIMEOUT), resolve=names)
    services = replace(server.services, check_file_address=check or guard.may_be_kept)
    return create_app(replace(services, settings=configured(**changed)))


@asynccontextmanager
async def places_of(store, check=None, **changed):
    async with serving(store, client_per_second=0, public_per_second=0) as server:
        await server.add(matchday.Liveblog())
        names = SlowNames({"public.example": [PUBLIC]})
        server.http._transport.app = guarded(server, names, check, **changed)
        yield Places(Desk(server.http), names)


@pytest.fixture
async def places(store):
    async with places_of(store) as found:
        yield found


def fitting(path, url):
    """The address with a scheme that the field takes."""
    https_only = path.rpartition(".")[2] in HTTPS_ONLY
    return f"https:{url.removeprefix('http:')}" if https_only and url.startswith("http:") else url


SHARE = len(PLACES)
"""Of the addresses `make test` sends to each field every so-manieth, another part to each; `make soak` sends all to all."""


def each_place():
    """Path and sender of each field, with its part of the addresses, and with all."""
    for number, (name, place) in enumerate(PLACES.items()):
        yield pytest.param(*place, slice(number, None, SHARE), id=name)
        yield pytest.param(*place, slice(None), id=f"{name} with all", marks=pytest.mark.soak)


@pytest.mark.parametrize(("path", "send", "part"), list(each_place()))
async def test_each_field_takes_addresses_that_everybody_can_reach_alone(places, path, send, part):
    """An address inside, a name that leads there and a form that hides one are refused alike, what is near them is taken.

    So is a name that does not resolve now: a newsroom's post does not fail because a name server does.
    """
    kept = [await send(places, f"https://{host}/a.jpg") for host in ("unknown.example", "hangs.example")]
    assert [answer.status_code for answer in kept] == [200, 200]
    assert "https://unknown.example/a.jpg" in kept[0].text
    assert places.names.looked_up == ["unknown.example", "hangs.example"]
    for number, (bad, good) in enumerate([*REFUSED_ADDRESSES.values()][part]):
        places.names.table |= {f"bad{number}.example": [PUBLIC, bad], f"good{number}.example": [good]}
        for host in (f"bad{number}.example", f"[{bad}]" if ":" in bad else bad):
            answer = await send(places, f"https://{host}/a.jpg")
            error = answer.json()
            assert (answer.status_code, error.get("field"), error["message"]) == (422, path, REFUSED), host
        for host in (f"good{number}.example", f"[{good}]" if ":" in good else good):
            answer = await send(places, f"https://{host}/a.jpg")
            assert answer.status_code == 200, (host, answer.text)
    places.names.table |= {"localhost": ["127.0.0.1"], "xn--mnchen-3ya.example": [PUBLIC], "127.0.0.1": ["127.0.0.1"]}
    for bad, good in FORMS[part]:
        if bad in {"", "http://unknown.example/"}:  # clears a field; is kept until it is probed
            continue
        answer = await send(places, fitting(path, bad))
        assert (answer.status_code, answer.json().get("field")) == (422, path), bad
        answer = await send(places, fitting(path, good))
        assert answer.status_code == 200, (good, answer.text)


async def test_an_address_that_is_there_already_costs_no_look_up(places):
    """A whole document that comes back is written without one, what was added to it is looked up alone."""
    event = (await places.event({"contents": [photo("https://public.example/a.jpg")]})).json()
    player = (await places.master("player", image="https://public.example/p.jpg")).json()
    game = (await PLACES["image of a team of a new liveblog"][1](places, "https://public.example/t.jpg")).json()
    places.names.looked_up.clear()
    places.names.table["public.example"] = ["127.0.0.1"]

    places.desk.liveblog = game["local_id"]
    again = await places.post("event/update", event, event_local_id=event["local_id"])
    master = {name: player[name] for name in ("_id", "name", "image")}
    change = {"_type": f"{MODIFICATION}::UpdateGameMetaInfoModification", "meta_info": game["meta_info"]}
    answers = [
        again,
        await places.post("player/update", master),
        await places.post("ticker/post_modifications", {"local_id": game["local_id"], "modifications": [change]}),
    ]
    assert [each.status_code for each in answers] == [200, 200, 200], answers
    assert places.names.looked_up == []

    more = {"contents": [*event["contents"], photo("https://new.example/b.jpg")]}
    assert (await places.post("event/update", more, event_local_id=event["local_id"])).status_code == 200
    assert places.names.looked_up == ["new.example"]


async def test_look_ups_of_one_request_run_at_the_same_time_and_once_for_a_host(places):
    """Hosts that do not answer cost one time-out together; fifty files of one host cost one look-up."""
    slow = [photo(f"https://{number}.hangs.example/a.jpg") for number in range(10)]
    many = [photo(f"https://public.example/{number}.jpg") for number in range(50)]
    assert (await places.event({"contents": [*slow, *many]})).status_code == 200

    assert len(places.names.looked_up) == 11
    assert places.names.most_at_once == 10


async def test_there_is_a_most_of_new_hosts_in_one_request(store):
    """So that one request cannot make the service look up thousands of names."""
    async with places_of(store, new_hosts=3) as places:
        hosts = [photo(f"https://host{number}.example/a.jpg") for number in range(4)]
        answer = await places.event({"contents": hosts})
        assert (answer.status_code, answer.json()["field"]) == (422, "contents.3.items.0.source_url")
        assert places.names.looked_up == []
        assert (await places.event({"contents": hosts[:3]})).status_code == 200


async def test_rights_are_checked_before_names_are_looked_up(store):
    """Who may not write a record has nothing looked up for it; what is looked up takes places of the record's owner."""
    counted = []

    async def check(url, organization):
        counted.append(organization)
        return True

    async with places_of(store, check=check) as places:
        await _send_everywhere(places, counted)


async def _send_everywhere(places, counted):
    photos = {"contents": [photo("https://public.example/a.jpg")]}
    event = await places.desk.create({"headline": "x"})
    picture = {"image": "https://public.example/a.jpg"}
    team = (await places.master("team")).json()
    sent = {
        "event/create": (photos, {"ticker_local_id": "gderby"}),
        "event/update": (photos, {"event_local_id": event["local_id"]}),
        "team/create": (OWNED | picture, {}),
        "team/update": ({"_id": team["_id"], "name": "SV Nah"} | picture, {}),
        "ticker/create": ({**GAME, "meta_info": with_image(**picture)}, {}),
        "ticker/post_modifications": (
            {
                "local_id": "gderby",
                "modifications": [
                    {"_type": f"{MODIFICATION}::UpdateGameMetaInfoModification", "meta_info": with_image(**picture)}
                ],
            },
            {},
        ),
    }
    for path, (body, params) in sent.items():
        answer = await places.desk.http.post(f"{WRITE}/{path}.json", json=body, params=params, auth=STRANGER)
        assert answer.status_code in {403, 404}, path
    assert counted == []
    for path, (body, params) in sent.items():
        answer = await places.post(path, body, **params)
        assert answer.status_code == 200, (path, answer.text)
    assert counted == [matchday.ORGANIZATION] * len(sent)
