"""How a page of the desk is served: somebody is signed in, and what a form sends carries the page's token."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from urllib.parse import urlencode

from starlette.responses import Response

from api.desk.desk_frame import HEADERS, DeskPage, redirect
from api.desk.sessions_door import check_account, check_site
from api.http.param import Query, parse_query
from api.http.request import ApiRequest, DeskPerson, PeopleDoor
from api.http.routing import Handler
from mapping.desk.cross_site import HOME
from mapping.errors import InvalidRequest, PayloadTooLarge

SIGN_IN = "/desk/sign-in"
CODE_STEP = f"{SIGN_IN}/code"
"""Where a code is entered, behind the password."""
FORM = "application/x-www-form-urlencoded"
FORM_BYTES = 16 * 1024
Show = Callable[[ApiRequest, DeskPage, DeskPerson], Awaitable[Response]]
Submit = Callable[[ApiRequest, DeskPage, DeskPerson, Query], Awaitable[Response]]


def desk_page(show: Show) -> Handler:
    """A handler of a page for somebody who is signed in; anybody else is led to the sign-in, and back afterwards."""

    async def respond(request: ApiRequest) -> Response:
        person = signed_in(request)
        if person is None:
            return _to_sign_in(request)
        return await show(request, DeskPage.of(request, person), person)

    return respond


def desk_fragment(show: Show) -> Handler:
    """A handler of a part of a page, for its script; 401 once nobody is signed in."""

    async def respond(request: ApiRequest) -> Response:
        person = signed_in(request)
        if person is None:
            return Response(status_code=401, headers=HEADERS)
        return await show(request, DeskPage.of(request, person), person)

    return respond


def desk_form(submit: Submit) -> Handler:
    """A handler of a form of somebody who is signed in; raises Forbidden where the page was made for somebody else."""
    return _form(submit, lambda request: redirect(request, SIGN_IN))


def desk_report(submit: Submit) -> Handler:
    """A handler of a form that a script sends; 401 once nobody is signed in."""
    return _form(submit, lambda _: Response(status_code=401, headers=HEADERS))


def _form(submit: Submit, to_sign_in: Callable[[ApiRequest], Response]) -> Handler:
    async def respond(request: ApiRequest) -> Response:
        check_site(request.scope, request.services.settings.public_url)
        person = signed_in(request)
        if person is None:
            return to_sign_in(request)
        form = await read_form(request)
        check_account(person, form.get("account"))
        return await submit(request, DeskPage.of(request, person), person, form)

    return respond


def signed_in(request: ApiRequest) -> DeskPerson | None:
    """Who is signed in; a client is nobody here, whatever its scopes."""
    caller = request.context.caller
    return caller if isinstance(caller, DeskPerson) else None


async def read_form(request: ApiRequest) -> Query:
    """The fields of the form in the body; raises InvalidRequest for another kind of body, and for a field given twice."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != FORM:
        raise InvalidRequest(f"a form is sent as {FORM}")
    body = await request.body()
    if len(body) > FORM_BYTES:
        raise PayloadTooLarge(f"a form has at most {FORM_BYTES} bytes")
    return parse_query(body)


def _to_sign_in(request: ApiRequest) -> Response:
    path, query = str(request.scope["path"]), request.scope["query_string"].decode("latin-1")
    wanted = f"{path}?{query}" if query else path
    return redirect(request, SIGN_IN if wanted == HOME else f"{SIGN_IN}?{urlencode({'next': wanted})}")


async def write_down(
    request: ApiRequest, person: DeskPerson, operation: str, liveblog: str, version: int | None
) -> None:
    """Log and record what a form has done to a liveblog, as for a request of the API."""
    request.audit(operation, liveblog=liveblog, version=version)
    await request.services[PeopleDoor].record(person, operation, liveblog)
