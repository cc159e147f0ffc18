"""XML from providers is read without a document type, entities or addresses, and within bounds."""

import pytest

from mapping.errors import BadBody
from providers import xml_reader
from providers.contract.mutations import xml
from providers.fetch import MAX_DEPTH
from providers.xml_reader import decode_xml

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
