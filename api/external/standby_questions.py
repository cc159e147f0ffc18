"""Which match of another provider is to stand by, where that is not sure: listed, and answered by a person."""

from __future__ import annotations

from functools import partial
from typing import Any

from starlette.responses import Response

from api.external import operations
from api.external.endpoint import PATH, TAG, named_liveblog
from api.external.operations import require_attachment
from api.http.errors import json_response
from api.http.json_path import Json
from api.http.openapi import (
    READ_ERRORS,
    WRITE_ERRORS,
    document_answer,
    in_path,
    json_body,
    operation,
    request_schema,
)
from api.http.paging import LIMIT, PAGE, collection, drop_empty, filters, page_of
from api.http.request import ApiRequest, Services
from mapping.documents.external import ExternalSource
from mapping.documents.game import Collection
from mapping.documents.standby_questions import ListedStandbyQuestion, StandbyAnswer
from mapping.errors import Unprocessable
from store.engine.unit import Unit
from store.following import follow_rows, rule_standbys
from store.following.import_request import StandbyRequest
from store.following.rule_standbys import SearchKey, StandbyQuestion, open_standby_questions
from store.following.source_links import links_of_pair
from store.following.sources import NamedLiveblog
from store.liveblogs.listing import Listed

MOST = 1000
"""Questions that are listed, the earliest kick-off first."""
INDEX = operation(
    "standby.questions",
    "List the matches whose standby a person is to choose",
    TAG,
    {200: document_answer(Collection[ListedStandbyQuestion], "A page of the questions"), **READ_ERRORS},
    parameters=[in_path("organizationId"), *filters(LIMIT, PAGE)],
)
ANSWER = operation(
    "liveblog.answerStandby",
    "Choose the match that stands by for a liveblog's own",
    TAG,
    {200: document_answer(ExternalSource, "The settings as they are now"), **WRITE_ERRORS},
    parameters=PATH,
    body=json_body(request_schema(StandbyAnswer), {"provider": "pa", "matchId": "3733671"}),
)


async def index(request: ApiRequest) -> Response:
    """List the questions that nobody has answered, of matches that are not over (ours)."""
    page = page_of(drop_empty(request.query))
    look = partial(open_standby_questions, organization_id=request.organization_id, limit=MOST)
    found = await request.services.store.read(look)
    shown = [document(each) for each in found[page.offset : page.offset + page.limit]]
    return json_response(collection(shown, Listed([], len(found)), page))


async def give_answer(request: ApiRequest) -> Response:
    """Have the candidate stand by, or none; teams and competitions are known to be the same from then on (ours)."""
    named, document = named_liveblog(request), await request.document(StandbyAnswer)
    await answer(request.services, named, document.provider, document.match_id)
    request.audit("liveblog.answerStandby", liveblog=named.name)
    return json_response(await operations.show(request.services, named))


async def answer(services: Services, named: NamedLiveblog, provider: str, match_id: str | None) -> None:
    """Have this candidate of the question stand by for the liveblog, None: none of them is the same match.

    Raises NotFound where there is no such question any more, Unprocessable for what is none of its candidates, and the errors
    of a standby that is named.
    """
    owner = named.organization_id
    game = await services.store.read(named.find)
    key = SearchKey(owner, game.id, provider)
    question = await services.store.read(partial(rule_standbys.find_question, key=key))
    if match_id is None:
        await services.store.write(partial(rule_standbys.note, key=key, state="none", kickoff=None, question={}))
        return
    chosen = next((each for each in question.candidates if each["matchId"] == match_id), None)
    if chosen is None:
        raise Unprocessable("the question has no such candidate", field="matchId")
    found = await services.importer.find_standby(StandbyRequest(owner, provider, match_id))
    links = links_of_pair((question.of_provider, question.match), (provider, chosen), "person")

    def write(unit: Unit) -> list[str]:
        require_attachment(follow_rows.attachment(unit.conn, game.id))
        return rule_standbys.attach(unit, key, found, links)

    await services.importer.follow(await services.store.write(write))


def document(question: StandbyQuestion) -> Json:
    """The question as a `ListedStandbyQuestion`."""
    shown: dict[str, Any] = {
        "localId": question.local_id,
        "provider": question.provider,
        "ofProvider": question.of_provider,
        "match": dict(question.match),
        "candidates": [dict(each) for each in question.candidates],
    }
    return shown
