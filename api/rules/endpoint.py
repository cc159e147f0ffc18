"""The organization's follow rules: those of the configuration, which are read here alone, and those that are made here."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from api.http import openapi
from api.http.errors import json_response
from api.http.json_path import Json
from api.http.paging import LIMIT, PAGE, collection, drop_empty, filters, page_of
from api.http.param import NAME
from api.http.request import ApiRequest
from api.rules.documents import FollowRuleDraft, ListedFollowRule
from api.rules.operations import ListedRule, change, list_rules, make_rule, remove
from mapping.documents.game import Collection
from mapping.follow.preview import reason_text
from store.following.rules import MissedMatch
from store.liveblogs.listing import Listed

PATH = "/apigw/sports/v2/{organizationId}/follow-rules"
TAG = "Follow rules"
KEY = openapi.in_path("key", "The rule's key", NAME)
ORGANIZATION = openapi.in_path("organizationId")
EXAMPLE: Json = {"key": "bundesliga", "provider": "heim", "competition": "12", "lead": 7200, "locale": "de"}
RULE = openapi.document_answer(ListedFollowRule, "The rule")
BODY = openapi.json_body(openapi.request_schema(FollowRuleDraft), EXAMPLE)
INDEX = openapi.operation(
    "rule.index",
    "List the follow rules",
    TAG,
    {
        200: openapi.document_answer(
            Collection[ListedFollowRule], "A page of the rules, those of the configuration first"
        ),
        **openapi.READ_ERRORS,
    },
    parameters=[ORGANIZATION, *filters(LIMIT, PAGE)],
)
CREATE = openapi.operation(
    "rule.create", "Make a follow rule", TAG, {200: RULE, **openapi.WRITE_ERRORS}, parameters=[ORGANIZATION], body=BODY
)
CHANGE = openapi.operation(
    "rule.change",
    "Change fields of a follow rule",
    TAG,
    {200: RULE, **openapi.WRITE_ERRORS},
    parameters=[ORGANIZATION, KEY],
    body=openapi.json_body({"type": "object"}, {"lead": 3600}),
)
DELETE = openapi.operation(
    "rule.delete",
    "Delete a follow rule",
    TAG,
    {200: openapi.json_answer(openapi.EMPTY, "It is deleted"), **openapi.READ_ERRORS, **openapi.refusals(409)},
    parameters=[ORGANIZATION, KEY],
)


async def index(request: ApiRequest) -> Response:
    """List the organization's rules, those of the configuration too, with the matches that each has missed (ours)."""
    page = page_of(drop_empty(request.query))
    listed = await list_rules(request.services, request.organization_id)
    shown = listed[page.offset : page.offset + page.limit]
    return json_response(collection([document(each) for each in shown], Listed([], len(listed)), page))


async def create(request: ApiRequest) -> Response:
    """Make a rule, which counts at once (ours)."""
    made = await make_rule(request.services, request.organization_id, await request.json())
    request.audit("rule.create", record=made.key)
    return json_response(document(made))


async def update(request: ApiRequest) -> Response:
    """Change fields of a rule, for what is to come: no liveblog that there is changes (ours). `null` is the default again."""
    key, body = request.path_params["key"], await request.json()
    changed = await change(request.services, request.organization_id, key, body)
    request.audit("rule.change", record=key)
    return json_response(document(changed))


async def delete(request: ApiRequest) -> Response:
    """Delete a rule; the liveblogs that it has made stay (ours)."""
    key = request.path_params["key"]
    await remove(request.services, request.organization_id, key)
    request.audit("rule.delete", record=key)
    return json_response({})


def document(rule: ListedRule) -> dict[str, Any]:
    """The rule as a `ListedFollowRule`; of one that cannot be read only its key."""
    said = {"readOnly": rule.read_only, "rests": rule.rests, "missed": [_missed(each) for each in rule.missed]}
    if rule.entry is None:
        return {"key": rule.key, **said}
    draft = FollowRuleDraft.model_validate(rule.entry.model_dump(exclude={"organization"}), by_name=True)
    return {**draft.model_dump(mode="json", by_alias=True), **said}


def _missed(each: MissedMatch) -> dict[str, Any]:
    return {
        "provider": each.provider,
        "matchId": each.match_id,
        "title": each.title,
        "kickoff": each.kickoff,
        "reason": reason_text(each.reason, each.word),
        "since": each.since,
    }
