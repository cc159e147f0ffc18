"""Bodies of providers: decoded once and shared, XML without what it could hide, bounded however large they are."""

import asyncio
import gc
import json
import threading
import tomllib
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mapping.errors import BadBody
from providers import fetch, xml_reader
from providers.contract import RULES
from providers.contract.mutations import xml
from providers.fetch import LARGE, MAX_DEPTH, VERY_LARGE, ResourceRequest, beside, decode, fetch_rows
from providers.responses import GZIP, gunzip
from providers.xml_reader import decode_xml
from tests.kit import contracts as kept
from tests.kit.opening import client_at
from tests.kit.wire_courses.server import PROVIDERS
from tests.providers.heim.feed import encoded, row
from tests.providers.loopback import answered, upstream


def test_a_large_body_is_not_kept():
    """A hostile one would be held in memory for as long as nothing else is polled."""
    body = json.dumps(["x" * fetch.CACHED]).encode()

    assert fetch.decode("match", body) is not fetch.decode("match", body)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


def plainly(body):
    """What the standard library makes of a body that is small and shallow."""
    try:
        return json.loads(body.decode("utf-8-sig"), parse_constant=fetch._refuse_constant)
    except ValueError:
        return BadBody


def decoded(body):
    try:
        return fetch.decode("match", body)
    except BadBody:
        return BadBody


@given(JSON, st.integers(0, 40), st.binary(max_size=2), st.booleans())
def test_both_parsers_say_the_same(value, at, spoil, ascii_only):
    """Of any JSON, cut and spoilt or not, with lone surrogates, numbers that are none, and a byte order mark."""
    text = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    for body in (text, text[:at] + spoil + text[at:], b"\xef\xbb\xbf" + text):
        assert repr(decoded(body)) == repr(plainly(body))


@pytest.mark.parametrize(
    "body",
    [
        b'["\\ud800"]', b"[NaN]", b"[1e400]", b"[-0, -0.0]", b'{"a": 1, "a": 2}', b"9" * 5000, b"1" * 30, b"[01]",
        b'["\x01"]', b"\xff",
    ],
)  # fmt: skip
def test_both_parsers_say_the_same_of_the_odd_ones(body):
    """Values on which JSON parsers are known to differ."""
    assert repr(decoded(body)) == repr(plainly(body))


LAUGHS = b"<!DOCTYPE r [<!ENTITY a 'ha'>" + b"".join(
    b"<!ENTITY %c '%s'>" % (name, b"&%c;" % (name - 1) * 10) for name in range(ord("b"), ord("l"))
)
REFUSED = {
    "a bomb of entities": LAUGHS + b"]><r>&k;</r>",
    "a large entity, many times": b"<!DOCTYPE r [<!ENTITY a '" + b"x" * 50_000 + b"'>]><r>" + b"&a;" * 50_000 + b"</r>",
    "an external entity": b'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r>&x;</r>',
    "an external parameter": b'<!DOCTYPE r [<!ENTITY % x SYSTEM "http://127.0.0.1:9/x.dtd"> %x;]><r/>',
    "an external type": b'<!DOCTYPE r SYSTEM "http://127.0.0.1:9/x.dtd"><r/>',
    "a type alone": b"<!DOCTYPE r><r/>",
    "a type of attributes": b'<!DOCTYPE r [<!ATTLIST r a CDATA "x">]><r/>',
}
CUT_SHORT = {
    "HTML": b"<html><body><br></body></html>", "half of it": b"<r><a>1</a>", "two roots": b"<r/><r/>",
    "an entity that nobody named": b"<r>&nbsp;</r>",
    "another encoding": '<?xml version="1.0" encoding="utf-16"?><r/>'.encode("utf-16"), "no UTF-8": b"<r>\xff</r>",
    "a character that no XML has": b"<r>\x00</r>", "JSON": b'{"r": 1}', "nothing": b" \n",
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_document_type_is_refused_whatever_is_in_it(name):
    with pytest.raises(BadBody, match="match: the answer has a document type"):
        decode_xml("match", REFUSED[name])


@pytest.mark.parametrize("name", CUT_SHORT)
def test_what_is_no_xml_is_no_good_body(name):
    with pytest.raises(BadBody):
        decode_xml("match", CUT_SHORT[name])


def nested(levels):
    return b"<r>" * levels + b"</r>" * levels


def test_depth_and_size_are_bounded(monkeypatch):
    assert decode_xml("match", nested(MAX_DEPTH))
    with pytest.raises(BadBody, match="nested too deeply"):
        decode_xml("match", nested(MAX_DEPTH + 1))
    with pytest.raises(BadBody, match="nested too deeply"):
        decode_xml("match", nested(500_000))
    monkeypatch.setattr(xml_reader, "MAX_ELEMENTS", 10)
    assert decode_xml("match", b"<r>" + b"<a/>" * 9 + b"</r>")
    with pytest.raises(BadBody, match="too many elements"):
        decode_xml("match", b"<r>" + b"<b/>" * 10 + b"</r>")


def test_elements_become_objects_and_rows_are_lists():
    body = b"""<?xml version="1.0" encoding="utf-8"?>
        <r xmlns:xsi="http://example.org/x" xsi:place="y" id="1">
          <none/> <text> a &amp; &#228; </text> <cdata><![CDATA[<b>]]></cdata>
          <team id="7">Hafenstadt</team> <row/> <twice>1</twice> <twice>2</twice>
        </r>"""
    assert decode_xml("match", body, frozenset({"row"})) == {
        "r": {
            "id": "1",
            "none": "",
            "text": "a & ä",
            "cdata": "<b>",
            "team": {"id": "7", "#text": "Hafenstadt"},
            "row": [""],
            "twice": ["1", "2"],
        }
    }


def test_the_kit_writes_what_it_read():
    """With white space elsewhere, and with values that XML has no type for."""
    notation, document = xml("row"), {"r": {"id": "1", "row": [{"a": "<&", "#text": "t"}, ""], "none": ""}}
    assert notation.read(notation.write(document)) == document
    notation.read(notation.write(document))["r"]["row"].clear()  # what is read may be changed
    assert notation.read(notation.write(document)) == document
    assert notation.read(notation.write(document, spaced=True)) == document
    assert notation.write(document) != notation.write(document, spaced=True)
    odd = {"r": {"a": {"?": ["?"]}, "b": None, "c": 3, "d": [], "row": "x", "e": "\x00\ud800z"}}
    assert notation.read(notation.write(odd)) == {"r": {"a": {"_": "?"}, "b": "", "c": "3", "row": ["x"], "e": "z"}}


async def meanwhile(work):
    """The result of `work`, and how many turns the loop took in the meantime."""
    turns = 0

    async def count():
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    counting = asyncio.create_task(count())
    result = await work
    counting.cancel()
    return result, turns


async def test_small_things_are_done_at_once_and_large_ones_in_another_thread():
    """A thread for each answer would cost more than the answer."""
    here = threading.get_ident()

    assert await beside(LARGE, threading.get_ident) == here
    assert await beside(LARGE + 1, threading.get_ident) != here


async def test_the_loop_turns_many_times_while_a_large_body_is_decoded():
    """The decoder gives way after each object; without that it would keep the interpreter to the end."""
    body = encoded([row(1000 + number, "card/yellow", 1, "home", 5) for number in range(6000)])
    value, turns = await meanwhile(beside(len(body), decode, "match-event", body))

    assert len(value) == 6000
    assert turns >= 3


async def test_a_small_packed_body_that_holds_very_much_is_unpacked_in_turns():
    """Sixteen megabytes out of sixteen kilobytes: at most a megabyte a turn."""
    packer = zlib.compressobj(9, zlib.DEFLATED, GZIP)
    packed = packer.compress(bytes(16 * 1024 * 1024)) + packer.flush()

    async def raw():
        yield packed

    body, turns = await meanwhile(gunzip(raw(), 17 * 1024 * 1024, bytearray()))

    assert len(body) == 16 * 1024 * 1024
    assert turns >= 15


class Content(list):
    """What was read of a body; notes which thread frees it."""

    freed = None

    def __del__(self):
        type(self).freed = threading.get_ident()


async def test_the_rows_of_a_large_answer_are_freed_where_they_were_read():
    """To free 20,000 rows takes 40 ms, which the event loop would spend on nothing else."""
    body = encoded([row(1000 + number, "card/yellow", 1, "home", 5) for number in range(200)])
    assert len(body) > LARGE
    async with upstream({"/match/ma1": answered(body)}) as provider:
        client = client_at(provider.url)
        request = ResourceRequest("event", "match/ma1", lambda read: Content(decode("event", read)), len)
        answer = await fetch_rows(client, request, {})
        await client.aclose()

    assert answer.rows == 200
    assert Content.freed not in {None, threading.get_ident()}


async def test_what_a_very_large_body_has_made_is_not_looked_through_for_garbage():
    """The next collection of the youngest objects would stop every thread for 100 ms; what is garbage is found later."""
    made = await beside(VERY_LARGE + 1, lambda: [[number] for number in range(50_000)])
    young = sum(map(len, (gc.get_objects(generation) for generation in (0, 1))))

    assert len(made) == 50_000
    assert gc.isenabled()
    assert young < 20_000


ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "providers").glob("*/quality.toml"))
MORE = {
    "withdrawal by vanishing", "withdrawal by flag", "credentials hidden", "fixtures authored", "a day through the API",
    "probe", "replay", "coverage", "page",
}  # fmt: skip
"""What an adapter has beside the rules of the kit; it may name more that is still to do."""


def contracts(provider):
    """The test classes that hold an adapter to the contract."""
    found = [each for each in vars(kept).values() if isinstance(each, type) and hasattr(each, "provider")]
    return [each for each in found if each.provider is not None and each.provider.id == provider]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name)
def test_every_rule_is_named_and_what_is_done_is_tested(path):
    said = tomllib.loads(path.read_text(encoding="utf-8"))
    assert set(said["rules"]) == {rule.id for rule in RULES}
    assert set(said["more"]) >= MORE
    for name, value in {**said["rules"], **said["more"]}.items():
        assert value in ("done", "todo") or (isinstance(value, dict) and value.get("exempt")), name
    done = {name for name, value in said["rules"].items() if value == "done"}
    (contract,) = contracts(path.parent.name.replace("_", "-"))
    assert done == {rule.id for rule in RULES} - set(contract.exempt)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name)
def test_what_an_adapter_has_beside_the_rules_is_there(path):
    name = path.parent.name
    more = tomllib.loads(path.read_text(encoding="utf-8"))["more"]
    there = {
        "fixtures authored": (ROOT / "tests" / "fixtures" / name).is_dir(),
        "a day through the API": name.replace("_", "-") in {each.id for each in PROVIDERS},
        "page": (ROOT / "docs" / "providers" / f"{name}.md").is_file(),
    }
    assert [what for what, is_there in there.items() if more[what] == "done" and not is_there] == []
