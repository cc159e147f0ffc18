"""A token for a reader: anonymous with a name of the reader's choice, or signed in by the organization."""

from __future__ import annotations

import secrets
from dataclasses import replace
from functools import partial

from starlette.responses import Response

from api.http import openapi
from api.http.errors import json_response
from api.http.request import ApiRequest, Services
from api.readers.request_reader import PARAMETER, ReaderLimits, check_readers_organization, known_reader
from api.view.post_files import reader_picture
from mapping.errors import Unauthorized
from mapping.readers import reader_token
from mapping.readers.reader_token import ReaderTokenRequest, ReaderTokenResponse, ShownReader, VerifiedReader
from store.readers.reader_sign_ins import use_once

PATH = "/api/readers/v1/organization/{organizationId}/token"
TOKEN = openapi.operation(
    "readers.token",
    "A token for a reader who takes part",
    "Readers",
    {
        200: openapi.document_answer(ReaderTokenResponse, "The token, and the reader as others see it"),
        **openapi.refusals(*openapi.OF_ALL, 401, 404, 413, 422),
    },
    parameters=[openapi.in_path("organizationId"), PARAMETER],
    body=openapi.json_body(openapi.request_schema(ReaderTokenRequest), {"name": "Kim"}),
    security=openapi.OPEN,
)


async def token(request: ApiRequest) -> Response:
    """A token for a reader who takes part (ours). A valid token in the header keeps its reader, under the new name."""
    services, organization_id = request.services, request.organization_id
    check_readers_organization(request, organization_id)
    wanted = await request.document(ReaderTokenRequest)
    services[ReaderLimits].charge_token(request.network)
    if wanted.sign_in:
        found = await _signed_in(services, organization_id, wanted.sign_in)
    else:
        before = known_reader(request, organization_id)
        fresh = VerifiedReader(organization_id, f"a{secrets.token_hex(reader_token.ID_BYTES)}")
        kept = before if before is not None and not before.signed_in else fresh
        found = replace(kept, name=reader_token.reader_name(wanted.name))
    signed = reader_token.issue(services.keys.readers, found, int(services.clock()))
    return json_response({"token": signed, "reader": shown_reader(services, found)})


async def _signed_in(services: Services, organization_id: str, sign_in: str) -> VerifiedReader:
    """The organization's reader. Raises Unauthorized, also for a token that was used before, in whichever process."""
    settings = services.settings
    sign_in_key = settings.organization(organization_id).reader_sign_in
    if sign_in_key is None:
        raise Unauthorized(reader_token.SIGN_IN_REFUSED)
    person = reader_token.read_sign_in(
        sign_in_key.secret.get_secret_value(), sign_in, now=services.clock(), sign_in_age=settings.readers.sign_in_age
    )
    if not await services.store.write(
        partial(use_once, organization_id=organization_id, jti=person.jti, until=person.expires)
    ):
        raise Unauthorized(reader_token.SIGN_IN_REFUSED)
    reader_id = reader_token.person_id(services.keys.reader_ids, organization_id, person.subject)
    return VerifiedReader(organization_id, reader_id, person.name, person.image, signed_in=True)


def shown_reader(services: Services, found: VerifiedReader) -> dict[str, object]:
    """The reader as others see it, with a picture that this service shows."""
    image = reader_picture(services, found.organization_id, found.image)
    return ShownReader(id=found.id, name=found.name, image=image, signed_in=found.signed_in).model_dump()
