"""What schemathesis must not take for a failure: refusals of well-formed requests that no JSON schema can foresee.

Loaded by schemathesis itself. Each row names the operations, the status and the words or the field of the answer; any
other refusal of such a request stays a failure.
"""

import os
import re
import zlib
from collections import Counter
from dataclasses import dataclass

import schemathesis
from schemathesis.core.failures import AcceptedNegativeData
from schemathesis.generation.meta import TestPhase
from schemathesis.openapi.checks import RejectedPositiveData


@dataclass(frozen=True)
class Refusal:
    """A refusal that is right although the request keeps to its schema, and why."""

    operations: str
    status: int
    words: str = ""
    field: str = ""

    def covers(self, operation: str, status: int, error: dict[str, str]) -> bool:
        return (
            re.fullmatch(self.operations, operation) is not None
            and status == self.status
            and re.search(self.words, error["message"]) is not None
            and re.search(self.field, error.get("field", "")) is not None
        )


REFERENCE = "there is no such (team|tournament|location|pricing|template|tag|upload|organization|client)"
RIGHT = (
    # Malformed wherever it stands, in ignored fields too (docs/interface.md, Bodies): what no database can store.
    Refusal(".*", 400, words="^(the body is refused: )?(text must not contain a NUL character|an integer must fit)"),
    # The longest delay stands in the configuration.
    Refusal(r".*", 400, words="^delay should be an integer from 0 to "),
    # One of two parameters names the liveblog, which OpenAPI cannot say of a query.
    Refusal(r"ticker\.show", 400, words="^local_id, ticker_local_id or ticker_id is missing"),
    Refusal(r"event\.create", 400, words="^ticker_local_id is missing"),
    Refusal(r"event\.create|ticker\.(show|post_modifications)", 400, words="name different liveblogs$"),
    Refusal(r"liveblog\.attach.*", 422, words="^this is a match of", field="matchId"),
    Refusal(r"event\.update", 422, words="^local_id names another event$"),
    # What a provider's catalogue and address book know, and this document does not.
    Refusal(r"liveblog\.(create|change|attach).*", 422, words="no such event type", field="excludeEvents"),
    Refusal(
        r"liveblog\.handBackExternal", 422, words="^the provider (says nothing|has no such)", field="fields|events"
    ),
    # What a rule may name is what this process follows: its providers, their sports, event types and texts.
    Refusal(
        r"rule\.(create|change)", 422, field=r"^(provider|standby|sport|excludeEvents|includeTextContent|confirm)\b"
    ),
    Refusal("liveblog.(create|attach).*", 400, words="must be digits$", field="Id$"),
    Refusal("liveblog.preview.*", 400, words="must be digits$", field="Id$"),
    # One of three parameters names the match, which OpenAPI cannot say of a query.
    Refusal("liveblog.preview.*", 422, words="^one of matchId, phaseId, overallId", field="matchId"),
    # Whether bytes are an image no schema can say.
    Refusal(r"media\.upload", 415, words="^the body should be an image"),
    # What makes an address is more than a pattern says; a side and its density are in bounds each, and out of them together.
    Refusal(r"media\.link", 400, words="^url is http, https or imageservice", field="^url$"),
    Refusal(r"media\.link", 400, words="^a side of an image has at most", field="^dpr$"),
    # Two parameters that are in bounds each, and out of them together.
    Refusal(r"(fixture|player|team|tournament)\.index|ticker\.search", 400, words="^limit times", field="page|more"),
    # An address is resolved before it is subscribed; no response says why it may not be called.
    Refusal(r"webhooks\.(v5\.)?subscribe", 422, words="^the address may not be used", field="url"),
    # So are the addresses of files, and a new entry of a post's files has one.
    Refusal(
        r"(player|team)\.(create|update)|event\.(create|update)|ticker\.(create|post_modifications)",
        422,
        words="^the address may not be used",
        field="image|cover_image|url",
    ),
    Refusal(
        r"event\.(create|update)", 422, words="^a new media entry should have a url$", field=r"^media\.[0-9]+\.url$"
    ),
    # References to records that are not there (docs/interface.md: an unknown reference is 422 with its path).
    Refusal(
        r"feed\..*|ticker\.delta|liveblog\.page",
        400,
        words="^there is no such event in this",
        field="continue_event_id",
    ),
    Refusal(r"comments\.(index|list)", 400, words="^there is no such comment here$", field="^next$"),
    Refusal(r"(player|team|event)\.(create|update)|ticker\.(create|post_modifications)", 422, words=REFERENCE),
    # A key and a token that name two clients, each of them well-formed.
    Refusal(".*", 400, words="^the Authorization header and the query name different credentials$"),
    # The options of a poll are its own, and how many can be chosen too.
    Refusal(r"polls\.vote", 422, words="^(there is no such option|one option can be chosen)$", field="^options"),
    # Days that exist and zones that the system knows are more than a pattern can say; so are addresses.
    Refusal(r"stats\.periods", 400, field="^(date|tz|origin)$"),
    Refusal(r"stats\.locations", 400, field="^origin$"),
    # What is gone cannot be modified: a rule about the order of the modifications.
    Refusal(
        r"ticker\.post_modifications", 422, words="^nothing can follow the deletion", field=r"^modifications\.[0-9]+$"
    ),
    # The organization's id counts too, and how long that is nobody knows before.
    Refusal(r"ticker\.create", 422, words="^external_id is too long", field="external_id"),
    # A team of a post may be known by other names than `_id`, a team of a liveblog may not.
    Refusal(
        r"ticker\.(create|post_modifications)", 422, words="^a (team should be named by|reference should have an) _id"
    ),
)


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Whether the failure is one."""
    name = case.operation.definition.raw["operationId"]
    if isinstance(failure, AcceptedNegativeData):
        too_large = response.status_code in {413, 414}  # whatever else is wrong
        return not too_large and not (name == "media.upload" and _only_types(failure.message))
    if not isinstance(failure, RejectedPositiveData):
        return True
    return not any(each.covers(name, response.status_code, response.json()) for each in RIGHT)


def _only_types(message):
    """Whether nothing of the body is wrong but types: a part of a form is a text, so the number 546 is sent as "546".

    What else stands in a query is ignored (docs/interface.md).
    """
    return {rule for part, rule in re.findall(r"(query: )?violates `(\w+)`", message) if not part} == {"type"}


LARGE = {"event.create", "event.update", "ticker.create", "ticker.post_modifications"}
"""Operations whose documents give thousands of systematic cases, four fifths of all."""
SHARE = int(os.environ.get("SCHEMA_SHARE", "1"))
"""Of those cases each so-manieth is sent, and of the others' each twentieth of that; 1: all."""
FIRST = 8
"""So many systematic cases of the others are sent before any is left out."""
seen = Counter()
"""The systematic cases of each operation so far."""


@schemathesis.hook
def filter_case(context, case):
    """Whether the case is sent."""
    if SHARE == 1 or case.meta is None or case.meta.phase.name is not TestPhase.COVERAGE:
        return True
    name = case.operation.definition.raw["operationId"]
    seen[name] += 1
    share = SHARE if name in LARGE else max(1, SHARE // 20)
    if name not in LARGE and seen[name] <= FIRST:
        return True
    return zlib.crc32(repr((case.query, case.headers, case.body)).encode()) % share == 0
