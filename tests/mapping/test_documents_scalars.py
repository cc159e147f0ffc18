"""The small types of the interface: what they accept, what they hold, what they refuse."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from mapping.documents.scalars import (
    TIMESTAMP_LIMIT,
    Clearable,
    CountryCode,
    GenderType,
    ImageRef,
    Int,
    Locale,
    LocalStatus,
    Many,
    MediaUrl,
    ObjectId,
    Text,
    Timestamp,
    WebUrl,
)


def read(kind, value):
    return TypeAdapter(kind).validate_python(value)


@pytest.mark.parametrize(
    ("given", "seconds"),
    [
        (0, 0), (1530446400, 1530446400), (-86400, -86400), (1530446400.9, 1530446400), (-0.5, -1),
        ("1530446400", 1530446400), ("-86400", -86400), ("007", 7), (TIMESTAMP_LIMIT, TIMESTAMP_LIMIT),
        (-TIMESTAMP_LIMIT, -TIMESTAMP_LIMIT),
    ],
)  # fmt: skip
def test_timestamps_are_whole_seconds(given, seconds):
    """Integers, floats and strings of ASCII digits become whole seconds; negative ones lie before 1970."""
    actual = read(Timestamp, given)

    assert seconds == actual
    assert type(actual) is int


@pytest.mark.parametrize(
    "value", [1530446400000, "1530446400000", -1530446400000, 1530446400000.0, TIMESTAMP_LIMIT + 1]
)
def test_milliseconds_are_refused_with_a_hint(value):
    """What can hardly be seconds is refused, and the message says what it may be."""
    with pytest.raises(ValidationError, match=r"milliseconds\?"):
        read(Timestamp, value)


@pytest.mark.parametrize(
    "value",
    [
        True,
        False,
        math.nan,
        math.inf,
        -math.inf,
        "",
        " 7",
        "7 ",
        "1_000",
        "١٢٣",
        "+5",
        "1e9",
        "1.5",
        "0x10",
        "9" * 5000,
        [],
        {},
    ],
)
def test_other_values_are_no_timestamps(value):
    """Booleans, NaN, blanks, underscores and digits of other scripts are no timestamps."""
    with pytest.raises(ValidationError, match="Timestamp should be"):
        read(Timestamp, value)


@given(st.integers(-TIMESTAMP_LIMIT, TIMESTAMP_LIMIT))
def test_timestamps_survive_their_own_text(seconds):
    """A timestamp written as text is the same timestamp."""
    assert seconds == read(Timestamp, str(seconds))


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (CountryCode, "HR"), (GenderType, "o"), (ImageRef, "https://img.example/a.png"),
        (ImageRef, "imageservice://abc"), (ImageRef, "HTTPS://img.example/a.png"),
        (MediaUrl, "http://img.example/a.mp4"), (WebUrl, "http://example.org/?a=b"), (Locale, ""), (Locale, "nl-nl"),
        (ObjectId, "5f0c1de2a1b2c3d4e5f60718"), (Int, -(2**63)), (Int, 2**63 - 1), (Text, "Žalgiris 🏀"),
        (LocalStatus, 60),
    ],
)  # fmt: skip
def test_good_values_stay_as_they_are(kind, value):
    """A value of the right shape is kept unchanged."""
    assert value == read(kind, value)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (CountryCode, "hr"), (CountryCode, "HRV"), (CountryCode, "HR\n"), (CountryCode, "Croatia"),
        (GenderType, "x"), (ImageRef, "http://img.example/a.png"), (ImageRef, "https://"),
        (ImageRef, "https://img.example/a b.png"), (ImageRef, "https://img.example/a\nb"),
        (MediaUrl, "javascript:alert(1)"), (MediaUrl, "file:///etc/passwd"), (WebUrl, "imageservice://abc"),
        (WebUrl, " https://example.org"), (Locale, "en-us"), (ObjectId, ""), (ObjectId, 5), (Int, 2**63),
        (Int, -(2**63) - 1), (Int, True), (Int, "5"), (Int, 1.5), (Text, 5), (Text, "a\0b"), (Text, "\ud800"),
        (LocalStatus, False), (LocalStatus, 1), (LocalStatus, "published"),
    ],
)  # fmt: skip
def test_bad_values_are_refused(kind, value):
    """A value of another shape is an error."""
    with pytest.raises(ValidationError):
        read(kind, value)


def test_a_status_may_be_written_as_text():
    """`"100"` is the status 100, as the deletion of a liveblog sends it."""
    assert read(LocalStatus, "100") == 100


def test_empty_text_clears_a_field():
    """Null and the empty string both clear a field, and a collection becomes empty."""
    assert [read(Clearable[Timestamp], value) for value in (None, "", 5)] == [None, None, 5]
    assert [read(Many[Int], value) for value in (None, "", [5])] == [(), (), (5,)]


@given(st.text())
def test_text_holds_exactly_what_utf_8_and_both_databases_hold(text):
    """Text is accepted just when it can be encoded and holds no NUL."""
    storable = "\0" not in text and not any("\ud800" <= char <= "\udfff" for char in text)
    if storable:
        assert text == read(Text, text)
    else:
        with pytest.raises(ValidationError, match="must not contain"):
            read(Text, text)
