"""The kinds of values that settings are made of, each checked where it is named."""

from __future__ import annotations

import re
from base64 import b64decode
from ipaddress import ip_network
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, StringConstraints

UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
SQLITE = "sqlite+aiosqlite:///"
DECADE = 3653 * 86400.0
HASH = re.compile(r"sha256:[0-9a-f]{64}")
HOST = re.compile(r"(?!-)[a-z0-9-]{1,63}(?<!-)(\.(?!-)[a-z0-9-]{1,63}(?<!-))*\.?", re.IGNORECASE)

_DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(ms|s|m|h|d)?")
_ORGANIZATION = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}[A-Za-z0-9])?")
_CLIENT = re.compile(r"[A-Za-z0-9](?:(?!__)[A-Za-z0-9_-]){0,62}(?<![_-])")
_PROVIDER = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_OUR_FOLDERS = frozenset({"api", "apigw", "docs", "embed", "liveblogs", "media", "static"})
_NO_ELEMENTS = frozenset({"annotation-xml", "color-profile", "font-face", "missing-glyph"})
"""Names that HTML gives to other elements."""
_POSTGRES = ("postgresql://", "postgresql+psycopg://", "postgresql+asyncpg://")


def seconds(value: Any) -> Any:
    """The seconds that a number, or a string such as "250ms", "5s", "10m", "1h", "7d", stands for; else ValueError."""
    if isinstance(value, str):
        match = _DURATION.fullmatch(value.strip())
        if match is None:
            raise ValueError(
                'expects a duration: a number of seconds, or a string such as "250ms", "5s", "10m", "1h", "7d"'
            )
        return round(float(match[1]) * UNITS[match[2] or "s"], 6)
    return number(value)


def number(value: Any) -> Any:
    """`value` unless it is a boolean, which Python would take for 0 or 1."""
    if isinstance(value, bool):
        raise ValueError("expects a number, not true or false")  # noqa: TRY004 -- pydantic collects ValueErrors
    return value


def is_hash(secret: str) -> bool:
    """Whether a client's secret is given as its hash: `sha256:` and 64 lower-case hex digits."""
    return HASH.fullmatch(secret) is not None


def _organization(text: str) -> str:
    if "_" in text:
        raise ValueError(
            "an organization id contains no '_', so that <organization>_<external_id> names one liveblog without doubt"
        )
    return _like(text, _ORGANIZATION, "an organization id is 1 to 64 letters, digits and inner '-'")


def _client(text: str) -> str:
    return _like(text, _CLIENT, "a client id is 1 to 64 letters, digits and single inner '-' or '_' (no '.', no ':')")


def _provider(text: str) -> str:
    return _like(text, _PROVIDER, "a provider id is lower-case letters and digits, joined by '-'")


def _like(text: str, pattern: re.Pattern[str], otherwise: str) -> str:
    if pattern.fullmatch(text) is None:
        raise ValueError(otherwise)
    return text


def _secret_address(value: SecretStr) -> SecretStr:
    address, _, query = value.get_secret_value().partition("?")
    _web_address(address)
    if re.search(r"[\s#\\]", query) or not query.isascii():
        raise ValueError("has a query with a character that no URL has")
    return value


def _signing_secret(value: SecretStr) -> SecretStr:
    given = value.get_secret_value()
    try:
        if given.startswith("whsec_") and len(b64decode(given.removeprefix("whsec_"), validate=True)) >= 16:
            return value
    except ValueError:
        pass
    raise ValueError("is not 'whsec_' and the base64 of at least 16 bytes")


def _web_address(text: str) -> str:
    problem = "expects http:// or https:// with a host, without query and fragment"
    try:
        parts = urlsplit(text)
        port_is_sane = parts.port != 0
    except ValueError:
        raise ValueError(problem) from None
    if "@" in parts.netloc:
        raise ValueError("has a user or password in it; credentials have keys of their own")
    sane = parts.scheme in {"http", "https"} and parts.hostname and port_is_sane and text.isascii()
    if not sane or "?" in text or "#" in text or re.search(r"[\s\x00-\x1f\x7f\\]", text):
        raise ValueError(problem)
    return text.rstrip("/")


def _article_pattern(text: str) -> str:
    names = _PLACEHOLDER.findall(text)
    if not names or set(names) - {"local_id", "ticker_id", "external_id"}:
        raise ValueError("names a liveblog by {local_id}, {ticker_id} or {external_id}, and nothing else in braces")
    written = _PLACEHOLDER.sub("0", text)
    _web_address(written.partition("?")[0])
    if re.search(r"[\s#\\{}]", written) or not written.isascii() or _PLACEHOLDER.search(urlsplit(text).netloc):
        raise ValueError("is no address of a page with these names in its path or query")
    return text


def _script_path(text: str) -> str:
    if text.split("/")[1] in _OUR_FOLDERS:
        raise ValueError("is a path below a folder of the service's own")
    return text


def _element_name(text: str) -> str:
    if text.startswith("matchwire-") or text in _NO_ELEMENTS or text.endswith("-teaser"):
        raise ValueError(
            "is a name that is taken; the element of teasers is called like this one, with -teaser behind it"
        )
    return text


def _timezone(text: str) -> str:
    try:
        ZoneInfo(text)
    except (OSError, ValueError, KeyError):  # a folder; a path; ZoneInfoNotFoundError
        raise ValueError("is not a time zone such as Europe/Berlin") from None
    return text


def _secret(value: SecretStr) -> SecretStr:
    if not value.get_secret_value().isprintable():
        raise ValueError("contains a line break or another control character")
    return value


def _database(value: SecretStr) -> SecretStr:
    if not value.get_secret_value().startswith((SQLITE, *_POSTGRES)):
        raise ValueError("expects sqlite+aiosqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME")
    return _sane_port(value)


def _postgres(value: SecretStr) -> SecretStr:
    if not value.get_secret_value().startswith(_POSTGRES):
        raise ValueError("expects postgresql://USER:PASSWORD@HOST/NAME")
    return _sane_port(value)


def _sane_port(value: SecretStr) -> SecretStr:
    try:
        urlsplit(value.get_secret_value()).port  # noqa: B018 -- reading it is the check
    except ValueError:
        raise ValueError("has a port that is no number up to 65535, or a '[' or ']' out of place") from None
    return value


def _network(text: str) -> str:
    try:
        network = ip_network(text, strict=False)
    except ValueError:
        raise ValueError("expects an IP address or a network such as 10.0.0.0/8") from None
    if network.prefixlen == 0:
        raise ValueError("is the whole internet; name the networks that are meant")
    return text


def _host_or_network(text: str) -> str:
    looks_like_address = "/" in text or ":" in text or re.fullmatch(r"[0-9.]+", text)
    if looks_like_address:
        return _network(text)
    return _like(text, HOST, "expects a host name, an IP address or a network; no wildcard, no port")


def _digits(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


Duration = Annotated[float, BeforeValidator(seconds), Field(ge=0, le=DECADE, allow_inf_nan=False)]
"""Seconds; 0 is allowed."""
Interval = Annotated[float, BeforeValidator(seconds), Field(ge=0.01, le=DECADE, allow_inf_nan=False)]
"""Seconds; something repeats after so long, so 0 would never rest."""
Number = Annotated[float, BeforeValidator(number), Field(allow_inf_nan=False)]
Count = Annotated[int, BeforeValidator(number)]
Bytes = Annotated[int, BeforeValidator(number), Field(ge=1024, le=2**40)]
Secret = Annotated[SecretStr, Field(min_length=1), AfterValidator(_secret)]
DatabaseUrl = Annotated[SecretStr, AfterValidator(_secret), AfterValidator(_database)]
PostgresUrl = Annotated[SecretStr, AfterValidator(_secret), AfterValidator(_postgres)]
SecretAddress = Annotated[SecretStr, AfterValidator(_secret), AfterValidator(_secret_address)]
"""An http or https URL that is a secret itself, as those of chat programs are."""
SigningSecret = Annotated[SecretStr, AfterValidator(_secret), AfterValidator(_signing_secret)]
"""`whsec_` and base64, as Standard Webhooks writes secrets."""
FrameAncestor = Annotated[str, StringConstraints(pattern=r"^(\*|https?://(\*\.)?[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?)$")]
"""A site in a Content Security Policy: every one (`*`), or a scheme and a host, which may begin with `*.`."""
ArticlePattern = Annotated[str, StringConstraints(max_length=1000), AfterValidator(_article_pattern)]
"""The address of an article with a name of its liveblog in braces."""
ElementName = Annotated[
    str, StringConstraints(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)+$", max_length=64), AfterValidator(_element_name)
]
"""The name of a custom element."""
ScriptPath = Annotated[
    str,
    StringConstraints(pattern=r"^(/[A-Za-z0-9_-][A-Za-z0-9._~-]*)+\.js$", max_length=255),
    AfterValidator(_script_path),
]
"""The path of a script below the public address."""
WebAddress = Annotated[str, AfterValidator(_web_address)]
Timezone = Annotated[str, AfterValidator(_timezone)]
Network = Annotated[str, AfterValidator(_network)]
HostOrNetwork = Annotated[str, AfterValidator(_host_or_network)]
OrganizationId = Annotated[str, AfterValidator(_organization)]
ClientId = Annotated[str, AfterValidator(_client)]
ProviderId = Annotated[
    str,
    StringConstraints(max_length=64),
    AfterValidator(_provider),
    Field(json_schema_extra={"pattern": f"^{_PROVIDER.pattern}$"}),
]
ProviderKey = Annotated[
    str, BeforeValidator(_digits), StringConstraints(pattern=r"^[A-Za-z0-9._:-]{1,128}$", max_length=128)
]
"""The provider's name for a match, a phase or an overall; a bare number is taken as its digits."""
EventType = Annotated[str, StringConstraints(pattern=r"^[a-z_]+\.[a-z-]+$", max_length=128)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=500, strip_whitespace=True)]
Label = Annotated[str, StringConstraints(min_length=1, max_length=255, strip_whitespace=True)]
Locale = Literal["", "en", "de", "en-gb", "en-ie", "en-au", "en-nz", "zh-tw", "fr-fr", "it-it", "nl-nl"]
TYPE_PREFIX = r"^[A-Za-z][A-Za-z0-9]{0,31}$"
TypePrefix = Annotated[str, StringConstraints(pattern=TYPE_PREFIX)]
Scope = Literal["read", "write", "stats", "webhooks", "external", "comments", "admin"]
Bucket = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$")]
"""The name of a bucket of S3."""
KeyPrefix = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*$", max_length=256)]
"""Names of folders in a bucket."""
