"""The interface's small types: each accepts what clients send and holds only what every part can store.

With the states of liveblogs and posts goes what readers see: `store.public` says the same in SQL, and nobody else says it.
"""

import math
import re
from collections.abc import Mapping
from enum import IntEnum
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    StrictBool,
    WithJsonSchema,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from mapping.documents.countries import COUNTRIES
from mapping.documents.strict_json import INT_MAX, INT_MIN, check_text

T = TypeVar("T")

TIMESTAMP_LIMIT = 10**11
TEXT_LENGTH = 20_000
"""Characters of a text that nothing else bounds."""
NAME_LENGTH = 1000
ID_LENGTH = 255
URL_LENGTH = 4096
LONGEST_VIEW = 86_400_000
"""Milliseconds of one view that a page can report at once."""
UPLOADED = "imageservice"
"""The scheme of addresses of uploads: `imageservice://<organization>/<key>`."""
_SECONDS = re.compile(r"-?[0-9]{1,15}")


class _Accepts:
    """What a validator before the type takes besides, for the JSON schema of requests; responses hold the plain value."""

    def __init__(self, *others: JsonSchemaValue) -> None:
        self._others = others

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        plain = handler(schema)
        if handler.mode == "serialization":
            return plain
        options: list[JsonSchemaValue] = plain["anyOf"] if plain.keys() == {"anyOf"} else [plain]
        return {"anyOf": [*options, *self._others]}


class _OrBlank:
    """Says in the JSON schema of requests that an empty text stands for null, where texts are not free anyway."""

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        plain = handler(schema)
        texts = [option for option in plain["anyOf"] if option.get("type") == "string"]
        free = any(not option.keys() & {"minLength", "pattern", "enum"} for option in texts)
        return plain if handler.mode == "serialization" or free else {"anyOf": [*plain["anyOf"], _BLANK]}


class _OrNothing:
    """Says in the JSON schema of requests that null and an empty text stand for an empty array."""

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        plain = handler(schema)
        return plain if handler.mode == "serialization" else {**plain, **_BLANK, "type": ["array", "null", "string"]}


_BLANK: JsonSchemaValue = {"type": "string", "maxLength": 0}
_NUMBER: JsonSchemaValue = {"type": "number", "minimum": -TIMESTAMP_LIMIT, "maximum": TIMESTAMP_LIMIT}


def _blank_is_null(value: Any) -> Any:
    return None if value == "" else value


def _null_is_empty(value: Any) -> Any:
    return () if value is None or value == "" else value


def _seconds(value: Any) -> int:
    """Whole seconds of an int, a float or a string of ASCII digits; fractions are rounded down."""
    match value:
        case bool():
            raise ValueError("Timestamp should be a number of seconds, not a boolean")
        case int():
            seconds = value
        case float() if math.isfinite(value):
            seconds = math.floor(value)
        case str() if _SECONDS.fullmatch(value):
            seconds = int(value)
        case _:
            raise ValueError("Timestamp should be seconds since 1970: an integer, a float or a string of digits")
    if abs(seconds) > TIMESTAMP_LIMIT:
        raise ValueError(f"Timestamp is beyond {TIMESTAMP_LIMIT} seconds; milliseconds?")
    return seconds


def _whole(value: Any) -> Any:
    """A float without a fraction is an integer, as JSON Schema has it: many a client knows no other numbers."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _known_country(value: str) -> str:
    if value not in COUNTRIES:
        raise ValueError("Input should be a country code of ISO 3166-1 alpha-2, in capitals")
    return value


def _no_bool(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("Input should be a number, not a boolean")  # noqa: TRY004 -- pydantic collects ValueErrors
    return value


_BLANKS = r"\s\x00-\x20\x7f\x85\ufeff"
"""Blanks and control characters in a regular expression: Python and JavaScript differ in what they call blank."""


class _Starting:
    """Accepts a URI that starts with one of the schemes (in any case), names a host or key and holds no blanks."""

    def __init__(self, *schemes: str) -> None:
        spelt = "|".join("".join(f"[{letter.upper()}{letter}]" for letter in scheme) for scheme in schemes)
        self._pattern = rf"(?:{spelt})://[^{_BLANKS}]+"
        self._expected = " or ".join(f"{scheme}://" for scheme in schemes)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._check, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {**handler(schema), "pattern": f"^{self._pattern}$"}

    def _check(self, value: str) -> str:
        if not re.fullmatch(self._pattern, value):
            raise ValueError(f"Input should start with {self._expected} and contain no blanks")
        return value


class LocalStatus(IntEnum):
    """Who sees a liveblog, an event or a file: everybody, its editors alone (drafts too), or nobody any more.

    Clients may send the number as text; every response holds the plain number.
    """

    PUBLISHED = 0
    UNPUBLISHED = 60
    DELETED = 100

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        number = core_schema.no_info_before_validator_function(
            cls._number, core_schema.literal_schema([*map(int, cls)])
        )
        return core_schema.no_info_after_validator_function(
            cls, number, serialization=core_schema.plain_serializer_function_ser_schema(int)
        )

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        number: JsonSchemaValue = {"type": "integer", "enum": [*map(int, cls)]}
        text: JsonSchemaValue = {"type": "string", "enum": [*map(str, cls)]}
        return number if handler.mode == "serialization" else {"anyOf": [number, text]}

    @classmethod
    def _number(cls, value: Any) -> Any:
        return int(value) if isinstance(value, str) and value in map(str, cls) else _no_bool(value)


LongText = Annotated[str, AfterValidator(check_text)]
"""A text that only the body it comes in bounds: what people write at length."""
Text = Annotated[str, Field(max_length=TEXT_LENGTH), AfterValidator(check_text)]
Name = Annotated[str, Field(min_length=1, max_length=NAME_LENGTH, pattern=r"\S"), AfterValidator(check_text)]
Int = Annotated[int, Field(strict=True, ge=INT_MIN, le=INT_MAX), BeforeValidator(_whole)]
Count = Annotated[int, Field(strict=True, ge=0, le=INT_MAX), BeforeValidator(_whole)]
ViewTime = Annotated[int, Field(strict=True, ge=0, le=LONGEST_VIEW), BeforeValidator(_whole)]
PhaseCount = Annotated[int, Field(strict=True, ge=1, le=9), BeforeValidator(_whole)]
Bool = StrictBool
Clearable = Annotated[T | None, BeforeValidator(_blank_is_null), _OrBlank()]
Many = Annotated[tuple[T, ...], BeforeValidator(_null_is_empty), _OrNothing()]

ObjectId = Annotated[LongText, Field(min_length=1, max_length=ID_LENGTH)]
LocalId = Annotated[str, Field(min_length=1, max_length=ID_LENGTH, pattern=r"^[^/\\]+$"), AfterValidator(check_text)]
"""An id that a client may choose: it stands in paths as one segment, so it has no slash."""
Timestamp = Annotated[
    int,
    Field(ge=-TIMESTAMP_LIMIT, le=TIMESTAMP_LIMIT, description="Seconds since 1970"),
    BeforeValidator(_seconds),
    _Accepts(_NUMBER, {"type": "string", "pattern": "^-?[0-9]{1,11}$"}),
]
CountryCode = Annotated[
    Text, AfterValidator(_known_country), WithJsonSchema({"type": "string", "enum": sorted(COUNTRIES)})
]
GenderType = Literal["m", "f", "o"]
Sportstype = Annotated[LongText, Field(min_length=1, max_length=64)]
ImageRef = Annotated[LongText, Field(max_length=URL_LENGTH), _Starting("https", UPLOADED)]
MediaUrl = Annotated[LongText, Field(max_length=URL_LENGTH), _Starting("https", "http", UPLOADED)]
WebUrl = Annotated[LongText, Field(max_length=URL_LENGTH), _Starting("https", "http")]
Locale = Literal["en", "de", "en-gb", "en-ie", "en-au", "en-nz", "zh-tw", "fr-fr", "it-it", "nl-nl", ""]
Side = Literal["home", "away"]


def liveblog_is_public(local_status: int) -> bool:
    """Whether readers see the liveblog; `local_status`: its own."""
    return local_status == LocalStatus.PUBLISHED


def post_is_public(local_status: int, publish_at: int | None) -> bool:
    """Whether readers of its liveblog see the post; `publish_at`: set while it waits for its time."""
    return local_status == LocalStatus.PUBLISHED and publish_at is None


def file_is_public(entry: Mapping[str, Any]) -> bool:
    """Whether readers of its post see the file of an entry of `media`; an entry that says nothing is published."""
    status = entry.get("local_status")
    return status is None or status == LocalStatus.PUBLISHED
