"""The hub's address: requests of subscribers, which count once their callback has confirmed them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

from starlette.responses import Response

from api.request import client_network
from api.websub.topics import Topics
from mapping.errors import InvalidRequest, NotFound, PayloadTooLarge, RateLimited, Unprocessable
from mapping.rules import addresses
from mapping.rules.websub import SECRET_BYTES, longest_intent
from store import hub_subscriptions
from store.hub_subscriptions import WantedFeed

if TYPE_CHECKING:
    from api.request import ApiRequest, Query
    from api.services import Services
    from api.websub.hub_settings import HubSettings

MODES = ("subscribe", "unsubscribe")
FORM = "application/x-www-form-urlencoded"
FORM_BYTES = 16_384
FIELDS = 20


async def hub(request: ApiRequest) -> Response:
    """Take a request to subscribe or unsubscribe; 202 says that the callback is going to be called (WebSub, 5.1)."""
    services = request.services
    settings = services.settings.hub
    if settings is None or not services.settings.public_feeds:
        raise NotFound("there is no hub: feeds are not public")
    _charge(request)
    form = await _form(request)
    topic, callback = _needed(form, "hub.topic"), _needed(form, "hub.callback")
    if _needed(form, "hub.mode") not in MODES:
        raise InvalidRequest("hub.mode should be subscribe or unsubscribe", field="hub.mode")
    await _check_callback(services, callback, topic)
    if form["hub.mode"] == "unsubscribe":
        await services.store.write(partial(hub_subscriptions.request_end, topic=topic, callback=callback))
    else:
        wanted = await _wanted(services, settings, form)
        await services.store.write(partial(hub_subscriptions.request_subscription, wanted=wanted, room=settings.room))
    return Response(status_code=202)


async def _wanted(services: Services, settings: HubSettings, form: Query) -> WantedFeed:
    """The subscription that the form wants. Raises InvalidRequest, NotFound."""
    secret = form.get("hub.secret") or None
    if secret is not None and len(secret.encode("utf-8", "surrogatepass")) >= SECRET_BYTES:
        raise InvalidRequest(f"hub.secret should have less than {SECRET_BYTES} bytes", field="hub.secret")
    given = form.get("hub.lease_seconds", "") or str(settings.default_lease)
    if not (given.isascii() and given.isdigit() and len(given) < 12):
        raise InvalidRequest("hub.lease_seconds should be a number of seconds", field="hub.lease_seconds")
    topics = Topics(services.settings, services.keys.media)
    topic = topics.topic(form["hub.topic"])
    game = await services.store.read(partial(topics.liveblog, topic=topic))
    return WantedFeed(
        topic=topic.url,
        callback=form["hub.callback"],
        callback_host=addresses.target(form["hub.callback"]).host,
        game_id=game.id,
        version=game.version,
        secret=secret,
        lease=min(max(int(given), settings.lease_min), settings.lease_max),
    )


async def _check_callback(services: Services, callback: str, topic: str) -> None:
    """Raises Unprocessable, with the same message for every reason, unless the callback may be called."""
    plausible = addresses.plausible(longest_intent(callback, topic)) and not urlsplit(callback).fragment
    check = services.check_address
    if not plausible or not (check is None or await check(callback, "")):
        raise Unprocessable(addresses.REFUSED, field="hub.callback")


async def _form(request: ApiRequest) -> Query:
    """The fields of the form, each given once. Raises InvalidRequest."""
    if request.headers.get("content-type", "").partition(";")[0].strip().casefold() != FORM:
        raise InvalidRequest(f"the body should be {FORM}")
    body = await request.body()
    if len(body) > FORM_BYTES:
        raise PayloadTooLarge("the form is too large")
    try:
        pairs = parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=FIELDS, errors="strict")
    except ValueError:  # no UTF-8, or too many fields
        raise InvalidRequest("the body is no form that this hub takes") from None
    fields = dict(pairs)
    if len(fields) != len(pairs) or any("\0" in value for value in fields.values()):
        raise InvalidRequest("a field is given twice, or holds a NUL character")
    return fields


def _needed(form: Query, name: str) -> str:
    if not form.get(name):
        raise InvalidRequest(f"{name} is missing", field=name)
    return form[name]


def _charge(request: ApiRequest) -> None:
    """Charge the request to its address. Raises RateLimited."""
    taken = request.services.hub_limit.take(client_network(request.client.host) if request.client else "")
    if taken is not None and not taken.allowed:
        raise RateLimited("too many requests to the hub", retry_after=taken.wait)
