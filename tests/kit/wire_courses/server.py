"""All providers at one address on the loopback interface, each below its id, with a match of the same story."""

from collections.abc import Callable
from dataclasses import replace

from providers.base import Endpoint
from providers.contract.server import Reply, Server
from providers.registry import Registry
from tests.kit.opening import endpoint_of
from tests.kit.wire_courses.courses import SOCCER, id_of
from tests.kit.wire_courses.soccer import Moment

PROVIDERS = tuple(Registry.load())
OURS, ANOTHER = 9_300_001, 9_300_002
"""Numbers of the match that is followed, and of another one."""
KEY = "key-of-the-tests"
SECRET = "secret-of-the-tests"
METHODS = {"info": "match", "events": "events", "lineUpsEnhanced": "lineups", "token": "token"}
"""PA's method, and that of Stats Perform's sign-in → resource."""
TOKEN = b'{"access_token": "token-of-the-tests", "expires_in": 3600}'


def bodies_of(provider: str, moment: Moment, number: int = OURS) -> dict[str, bytes]:
    """What a provider answers of a football match, by the resource."""
    return SOCCER[provider](moment, id_of(provider, number))


def resource_at(path: str) -> tuple[str, str]:
    """Provider and resource that a request is about."""
    provider, first, *rest = path.partition("?")[0].strip("/").split("/")
    if provider == "heim":
        return provider, first
    if provider == "gn-gsd":
        return provider, rest[-1] if rest[-1] in {"lineups", "actions"} else "match"
    return provider, METHODS.get(rest[0], "match")


class Everybody(Server):
    """The providers. They have one match: whatever id is requested, `bodies` are about it."""

    def body(self, path: str) -> bytes | None:
        return self.bodies.get(" ".join(resource_at(path)))

    def become(self, moment: Moment) -> None:
        """From now on the match of every provider stands there."""
        bodies = {each.id: bodies_of(each.id, moment) for each in PROVIDERS}
        self.bodies = {f"{name} {at}": body for name, own in bodies.items() for at, body in own.items()}
        self.bodies["statsperform token"] = TOKEN

    def answer_with(self, provider: str, resource: str, reply: Callable[[], Reply | None]) -> None:
        """From now on the resource of the provider is answered like this."""
        self.spoil = lambda path: reply() if resource_at(path) == (provider, resource) else None

    def heal(self) -> None:
        """From now on everything is answered as it should."""
        self.spoil = lambda _: None

    def endpoint(self, provider: str, timeout: float) -> Endpoint:
        """An access to the provider."""
        place = f"{self.url}/{provider}"
        secrets = {"username": "us", "password": KEY} if provider == "heim" else {"api_key": KEY}
        return endpoint_of(provider=provider, base_url=place, timeout=timeout, **secrets)

    def signed_in(self, provider: str, timeout: float) -> Endpoint:
        """The same, with a sign-in where the provider may have one."""
        found = self.endpoint(provider, timeout)
        names = {"names": {"token_address": f"{found.base_url}/oauth/token/{{key}}"}}
        return replace(found, password=SECRET, options=names) if provider == "statsperform" else found
