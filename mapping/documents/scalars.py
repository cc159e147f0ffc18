"""The interface's small types: each accepts what clients send and holds only what every part can store."""

import math
import re
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, StrictBool

from mapping.strictjson import INT_MAX, INT_MIN, check_text

T = TypeVar("T")

TIMESTAMP_LIMIT = 10**11
_SECONDS = re.compile(r"-?[0-9]{1,15}")


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


def _no_bool(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("Input should be a number, not a boolean")  # noqa: TRY004 -- pydantic collects ValueErrors
    return value


def _status_number(value: Any) -> Any:
    return int(value) if isinstance(value, str) and value in {"0", "60", "100"} else _no_bool(value)


def _starting(*schemes: str) -> AfterValidator:
    """Accepts a URI that starts with one of the schemes (in any case), names a host or key and holds no blanks."""
    pattern = re.compile(rf"(?:{'|'.join(schemes)})://[^\s\x00-\x20\x7f]+", re.IGNORECASE)
    words = " or ".join(f"{scheme}://" for scheme in schemes)

    def check(value: str) -> str:
        if not pattern.fullmatch(value):
            raise ValueError(f"Input should start with {words} and contain no blanks")
        return value

    return AfterValidator(check)


Text = Annotated[str, AfterValidator(check_text)]
Name = Annotated[Text, Field(min_length=1)]
Int = Annotated[int, Field(strict=True, ge=INT_MIN, le=INT_MAX)]
Count = Annotated[int, Field(strict=True, ge=0, le=INT_MAX)]
Bool = StrictBool
Clearable = Annotated[T | None, BeforeValidator(_blank_is_null)]
Many = Annotated[tuple[T, ...], BeforeValidator(_null_is_empty)]

ObjectId = Annotated[Text, Field(min_length=1, max_length=255)]
LocalId = Annotated[Text, Field(min_length=1, max_length=255)]
Timestamp = Annotated[int, BeforeValidator(_seconds)]
CountryCode = Annotated[str, Field(pattern=r"^[A-Z]{2}$")]
GenderType = Literal["m", "f", "o"]
Sportstype = Annotated[Text, Field(min_length=1, max_length=64)]
ImageRef = Annotated[Text, _starting("https", "imageservice")]
MediaUrl = Annotated[Text, _starting("https", "http", "imageservice")]
WebUrl = Annotated[Text, _starting("https", "http")]
Locale = Literal["en", "de", "en-gb", "en-ie", "en-au", "en-nz", "zh-tw", "fr-fr", "it-it", "nl-nl", ""]
LocalStatus = Annotated[Literal[0, 60, 100], BeforeValidator(_status_number)]
Side = Literal["home", "away"]

PUBLISHED: Literal[0] = 0
UNPUBLISHED: Literal[60] = 60
DELETED: Literal[100] = 100
