"""The JSON schemas of documents say what is understood in a request, and what a response holds."""

from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from mapping.documents.external import CreateFromExternal
from mapping.documents.modification import PostModifications
from mapping.documents.scalars import (
    Clearable,
    Count,
    CountryCode,
    ImageRef,
    Int,
    LocalId,
    LocalStatus,
    Many,
    MediaUrl,
    PhaseCount,
    Text,
    Timestamp,
    WebUrl,
)

KINDS = {
    "Int": Int,
    "Count": Count,
    "PhaseCount": PhaseCount,
    "Timestamp": Timestamp,
    "LocalStatus": LocalStatus,
    "LocalId": LocalId,
    "ImageRef": ImageRef,
    "MediaUrl": MediaUrl,
    "WebUrl": WebUrl,
    "CountryCode": CountryCode,
    "clearable LocalId": Clearable[LocalId],
    "clearable Text": Clearable[Text],
    "clearable Count": Clearable[Count],
    "clearable Timestamp": Clearable[Timestamp],
    "clearable CountryCode": Clearable[CountryCode],
    "clearable ImageRef": Clearable[ImageRef],
    "many LocalIds": Many[LocalId],
}
VALUES = (
    None, "", "0", "60", "100", "-7", "12345678901", "1.5", "x", "DE", "de", "DE\n", "x" * 255, "x" * 256, "HTTPS://a", "http://a",
    "https://", "https://a b", "https://a\u0085", "https://a\ufeffb", "https://a\u00a0", "imageservice://k", "ftp://a",
    True, False, 0, 1, 4, 5, 60, 61, -1, 5.0, 5.5, 0.0, -0.5, 2**53, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1,
    10**11, 10**11 + 1, -(10**11), 1e11, 1e300, [], ["x"], [""], [None], {}, {"a": 1},
)  # fmt: skip


def understood(kind: Any, value: Any) -> Any:
    """Whether the value is taken, and by the schema too."""
    adapter = TypeAdapter(kind)
    valid = jsonschema_rs.is_valid(adapter.json_schema(mode="validation"), value)
    try:
        kept = adapter.validate_python(value)
    except ValidationError:
        return False, valid
    response = adapter.dump_python(kept, mode="json")
    assert jsonschema_rs.is_valid(adapter.json_schema(mode="serialization"), response), response
    return True, valid


@pytest.mark.parametrize("kind", KINDS)
def test_the_schema_of_a_request_takes_what_the_document_takes(kind):
    """No more, no less, for each value of the table; what is then held keeps to the schema of answers."""
    responses = {repr(value)[:60]: understood(KINDS[kind], value) for value in VALUES}

    assert {value: both for value, both in responses.items() if both[0] != both[1]} == {}
    assert {taken for taken, _ in responses.values()} == {True, False}


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text("Aé0 -:/sptharimgevc")
)


@given(st.sampled_from(sorted(KINDS)), SCALARS)
def test_schema_and_document_agree_on_anything(kind, value):
    """The same for values that nobody thought of; longer strings of digits than any second has are taken quietly."""
    taken, valid = understood(KINDS[kind], value)

    assert taken == valid or (taken and isinstance(value, str) and value.lstrip("-").isdigit())


@pytest.mark.parametrize("value", [5.0, -5.0, 0.0])
def test_a_float_without_a_fraction_is_an_integer(value):
    """Held as one, so that answers write no fraction."""
    kept = TypeAdapter(Int).validate_python(value)

    assert (kept, type(kept)) == (int(value), int)


@pytest.mark.parametrize(
    ("model", "body", "valid"),
    [
        (CreateFromExternal, {"provider": "heim", "matchId": "1"}, True),
        (CreateFromExternal, {"provider": "heim", "matchId": None, "overallId": "1", "locale": None}, True),
        (CreateFromExternal, {"provider": "heim"}, False),
        (CreateFromExternal, {"provider": "heim", "phaseId": ""}, False),
        (CreateFromExternal, {"provider": "heim", "phaseId": "a b"}, False),
        (CreateFromExternal, {"provider": "", "matchId": "1"}, False),
        (PostModifications, {"ticker_id": "a", "modifications": []}, True),
        (PostModifications, {"local_id": "", "ticker_id": "a", "modifications": []}, True),
        (PostModifications, {"local_id": "", "modifications": []}, False),
        (PostModifications, {"modifications": []}, False),
        (PostModifications, {"local_id": "a", "modifications": [{}] * 101}, False),
    ],
)
def test_rules_over_several_fields_stand_in_the_schema(model, body, valid):
    """One of several names has to be given; lists have an end."""
    assert jsonschema_rs.is_valid(model.model_json_schema(by_alias=True), body) is valid
