"""How providers of OpenID Connect say who somebody is: a row each, as they document it, and a real one as a process of its own."""

import json
from functools import partial
from typing import Any, NamedTuple

import pytest
import structlog

from api.desk.openid_provider import KEPT
from api.desk.openid_sign_in import BEGIN
from store.accounts import accounts
from tests.kit.matchday import ORGANIZATION
from tests.kit.openid_servers import (
    CLIENT,
    ENCRYPTS,
    KEY,
    SECRET,
    desk,
    needs_node,
    node_provider,
    return_with,
    sent_in,
    sign_in,
)  # fmt: skip
from tests.kit.people import SignedInBrowser, add_account, session_of

BASIC, POST = "client_secret_basic", "client_secret_post"
NONE = {"email": None, "email_verified": None}
KIM = {"email": "kim@example.org", "email_verified": True, "name": "Kim Example"}
ROLES = "urn:zitadel:iam:org:project:roles"


class Habit(NamedTuple):
    """What a provider says in its token and in UserInfo, how often we request that, and what is configured for it."""

    token: dict[str, Any]
    user_info: dict[str, Any] | None = None
    requests: int = 0
    metadata: dict[str, Any] = {}  # noqa: RUF012 -- nobody changes it
    settings: dict[str, Any] = {}  # noqa: RUF012
    keys: list[dict[str, Any]] = [KEY.as_dict(private=False, use="sig", alg="RS256")]  # noqa: RUF012


def without(document, *names):
    return {name: value for name, value in document.items() if name not in names}


HABITS = {
    "Keycloak": Habit(
        {**KIM, "groups": ["/desk"], "azp": CLIENT, "typ": "ID", "acr": "1", "sid": "s", "preferred_username": "kim"},
        KIM,
        0,
        {"claims_parameter_supported": True, "token_endpoint_auth_methods_supported": ["private_key_jwt", BASIC, POST]},
        {"roles": "/desk"},
        [ENCRYPTS.as_dict(private=False), KEY.as_dict(private=False, use="sig", alg="RS256")],
    ),
    "Authelia from 4.39 on": Habit(
        {**NONE, "amr": ["pwd"], "azp": CLIENT, "aud": [CLIENT], "auth_time": 1, "jti": "j"},
        {**KIM, "groups": ["desk", "admins"], "preferred_username": "kim", "rat": 1},
        1,
        {"claims_parameter_supported": True, "token_endpoint_auth_methods_supported": [BASIC, POST, "none"]},
        {"scopes": ("openid", "email", "profile", "groups")},
    ),
    "authentik": Habit(
        {**KIM, "email_verified": False, "groups": ["desk"], "amr": ["pwd"], "uid": "u", "nickname": "kim"},
        metadata={"claims_parameter_supported": False, "token_endpoint_auth_methods_supported": [POST, BASIC]},
        settings={"trust_email": True},
    ),
    "Okta": Habit(
        {**NONE, "groups": ["Everyone", "desk"], "ver": 1, "amr": ["pwd"], "idp": "00o", "auth_time": 1},
        {**KIM, "zoneinfo": "Europe/Vienna", "locale": "en-US", "updated_at": 1},
        1,
        {"token_endpoint_auth_methods_supported": [BASIC, POST, "client_secret_jwt", "private_key_jwt", "none"]},
    ),
    "Entra": Habit(
        {**without(KIM, "email_verified"), "email_verified": None, "groups": ["0b1c"], "oid": "o", "tid": "t", "ver": "2.0"},
        {"name": "Kim Example", "family_name": "Example", "picture": "https://graph.microsoft.com/v1.0/me/photo/$value"},
        0,
        {"token_endpoint_auth_methods_supported": [POST, "private_key_jwt", BASIC]},
        {"trust_email": True, "roles": "0b1c"},
        [without(KEY.as_dict(private=False, use="sig", x5t="one"), "alg")],
    ),
    "Cognito": Habit(
        {**KIM, "email_verified": "true", "cognito:groups": ["desk"], "cognito:username": "kim", "token_use": "id"},
        {**KIM, "email_verified": "true", "username": "kim"},
        0,
        {"token_endpoint_auth_methods_supported": [BASIC, POST]},
        {"groups_claim": "cognito:groups"},
    ),
    "Google": Habit(
        {**KIM, "azp": CLIENT, "hd": "example.org", "picture": "https://lh3.googleusercontent.com/a", "given_name": "Kim"},
        KIM,
        0,
        {"token_endpoint_auth_methods_supported": [POST, BASIC]},
        {"roles": None},
    ),
    "Zitadel": Habit(
        {**NONE, "amr": ["password"], "aud": [CLIENT, "project"], "azp": CLIENT, "client_id": CLIENT, "auth_time": 1},
        {**KIM, ROLES: {"desk": {"2180": "news.zitadel.cloud"}}, "locale": None, "updated_at": 1},
        1,
        {"claims_parameter_supported": False, "token_endpoint_auth_methods_supported": ["none", BASIC, POST]},
        {"groups_claim": ROLES},
    ),
    "oidc-provider, thin": Habit(NONE, {**KIM, "groups": ["desk"]}, 1, {"claims_parameter_supported": False}),
    "oidc-provider, fat": Habit({**KIM, "groups": ["desk"]}, {**KIM, "groups": ["desk"]}),
    "one group as one text": Habit({**KIM, "groups": "desk"}),
    "a word about no address": Habit({**NONE, "email_verified": False, "groups": ["desk"]}, KIM, 1),
}  # fmt: skip


def with_habit(store, forged, habit, roles="desk", **settings):
    """The service as somebody configures it for this provider, with a group for editors."""
    vars(forged).update(user_info=habit.user_info, metadata=habit.metadata, keys=habit.keys)
    rows = [] if roles is None else [(roles, ORGANIZATION, "editor")]
    return desk(store, forged.address, *rows, **settings)


@pytest.mark.parametrize("provider", HABITS)
async def test_people_of_every_provider_sign_in(store, forged, provider):
    """Their group makes them an account, or the address finds it; once the group is nowhere any more they are out."""
    habit = HABITS[provider]
    claim, has_groups = (
        habit.settings.get("groups_claim", "groups"),
        "roles" not in habit.settings or habit.settings["roles"],
    )
    async with with_habit(store, forged, habit, **habit.settings) as server:
        if not has_groups:
            await add_account(store)
        begun = await server.http.get(BEGIN)
        wanted = json.loads(sent_in(begun).get("claims", "{}"))
        assert bool(wanted) == habit.metadata.get("claims_parameter_supported", False)
        names = {"email", "email_verified", "name", *({"groups"} & {*habit.settings.get("scopes", ())})}
        assert not wanted or set(wanted["id_token"]) == names, "Authelia refuses others than those of the scopes"
        first = await return_with(server, forged, begun, **habit.token)
        assert first.status_code == 303, first.text
        assert forged.requests("/userinfo") == habit.requests, "what the token says is not requested"
        (account,) = await store.read(accounts.list_accounts)
        assert (account.email, account.name, account.role) == ("kim@example.org", "Kim Example", "editor")

        browser = SignedInBrowser(server.http, session_of(first), "matchwire-desk")
        forged.user_info = None if habit.user_info is None else without(habit.user_info, claim)
        server.ticks += KEPT
        again = await return_with(server, forged, **without(habit.token, claim))
        assert again.status_code == (403 if has_groups else 303)
        assert (await browser.send("GET", "/desk")).status_code == (303 if has_groups else 200)


IN_TOKEN = {"email": "kim@example.org", "email_verified": True, "groups": ["desk"]}
REFUSED = {  # what token, UserInfo and UserInfo's answer as a whole are, then the status and the reason in the log
    "userinfo-invalid-sub": (NONE, {**IN_TOKEN, "sub": "mal"}, None, 403, "somebody else"),
    "userinfo-missing-sub": (NONE, {**IN_TOKEN, "sub": None}, None, 403, "somebody else"),
    "UserInfo is out of order": (NONE, {}, (500, {}, b"{}"), 503, "userinfo_endpoint answers with the status 500"),
    "UserInfo takes no token": (NONE, {}, (401, {}, b"{}"), 503, "userinfo_endpoint answers with the status 401"),
    "UserInfo signs": (NONE, {}, (200, {}, b"eyJhbGciOiJub25lIn0.e30."), 503, "userinfo_endpoint answers with no JSON object"),
    "no address anywhere": (NONE, {"groups": ["desk"]}, None, 403, "no e-mail address"),
    "no UserInfo": (NONE, None, None, 403, "no e-mail address"),
    "authentik from 2025.10 on": ({**IN_TOKEN, "email_verified": False}, None, None, 403, "desk.openid.trust_email"),
    "Entra": ({"email_verified": None, "groups": ["desk"]}, {}, None, 403, "desk.openid.trust_email"),
    "verified is another address": ({"email": None, "groups": ["desk"]}, {"email": "mal@example.org"}, None, 403, "trust_email"),
    "verified elsewhere": ({"email_verified": None}, {"email_verified": True, "groups": ["desk"]}, None, 403, "trust_email"),
    "no group": ({"groups": []}, {"groups": ["desk"]}, None, 403, "desk.openid.roles"),
    "another group": ({"groups": ["desks"]}, None, None, 403, "desk.openid.roles"),
    "groups elsewhere": ({"_claim_names": {"groups": "src1"}}, None, None, 403, "_claim_names"),
}  # fmt: skip


async def test_the_log_says_why_somebody_is_refused(store, forged):
    """By a line of the log that an operator can act on, which holds no secret and no address."""
    said = {}
    for row, (token, user_info, answer, _, reason) in REFUSED.items():
        forged.answers = {} if answer is None else {"/userinfo": answer}
        async with with_habit(store, forged, Habit(token, user_info)) as server:
            with structlog.testing.capture_logs() as lines:
                response = await return_with(server, forged, **token)
            (line,) = (each for each in lines if each["event"] in {"desk.openid_refused", "desk.openid_failed"})
            said[row] = response.status_code, reason in line["reason"] or line["reason"]
            assert not any(each in str(lines) for each in (SECRET, "@example.org", "kim-at-sso"))

    assert said == {row: (status, True) for row, (_, _, _, status, _) in REFUSED.items()}
    assert await store.read(accounts.list_accounts) == []


LEFT_OUT = {
    "_claim_names": {"groups": "src1"},
    "_claim_sources": {"src1": {"endpoint": "https://graph.windows.net/t/users/u"}},
}


async def test_groups_that_are_too_many_are_not_known(store, forged):
    """Whoever has an account by them reads so and does not sign in; open sessions go on, as do accounts of the operator's."""
    lee = {"sub": "lee-at-sso", "email": "lee@example.org"}
    async with with_habit(store, forged, Habit({})) as server:
        await add_account(store)
        first = await return_with(server, forged, **lee, groups=["desk"])
        browser = SignedInBrowser(server.http, session_of(first), "matchwire-desk")

        with structlog.testing.capture_logs() as lines:
            refused = await return_with(server, forged, **lee, **LEFT_OUT)
        assert refused.status_code == 403
        assert "they are too many" in refused.text
        assert any("_claim_names" in str(each.get("reason")) for each in lines)
        assert (await browser.send("GET", "/desk")).status_code == 200
        assert (await return_with(server, forged, **LEFT_OUT)).status_code == 303, "the operator's account"
        assert (await return_with(server, forged, **lee, **LEFT_OUT, groups=["desk"])).status_code == 303, (
            "known after all"
        )

    async with with_habit(store, forged, Habit({}), roles=None) as server:
        assert (await return_with(server, forged, **lee, **LEFT_OUT)).status_code == 303, "groups mean nothing"


PEOPLE = {
    "kim-at-sso": {"email": "kim@example.org", "email_verified": True, "name": "Kim"},
    "lee-at-sso": {"email": "lee@example.org", "email_verified": True, "name": "Lee", "groups": ["desk", "x"]},
    "eve-at-sso": {"email": "eve@example.org", "email_verified": True, "groups": ["others"]},
    "mal-at-sso": {"email": "boss@example.org", "name": "Mal", "groups": ["desk"]},
}


@pytest.mark.proof
@needs_node
async def test_people_of_a_real_provider_sign_in(store, tmp_path):
    """By the address of an account that the operator has made, then by who they are there; by a group; and nobody else."""
    await add_account(store, "boss@example.org", role="admin")
    async with node_provider(tmp_path, PEOPLE, ("thin", "fat", "on request")) as addresses:
        for habit, issuer in addresses.items():
            scopes = ("openid", "email", "profile", "groups")
            async with desk(store, issuer, ("desk", ORGANIZATION, "editor"), scopes=scopes) as server:
                kim = await add_account(store, role="admin")
                led = [await sign_in(server, subject) for subject in PEOPLE]
                assert [each.status_code for each in led] == [303, 303, 403, 403], habit
                browser = SignedInBrowser(server.http, session_of(led[0]), "matchwire-desk")
                assert "Kim Example" in (await browser.send("GET", "/desk")).text
                assert (await sign_in(server, "kim-at-sso")).status_code == 303
            known = {each.email: each for each in await store.read(accounts.list_accounts)}
            assert (known["kim@example.org"].subject, known["kim@example.org"].role) == ("kim-at-sso", "admin")
            assert (known["lee@example.org"].name, known["lee@example.org"].role) == ("Lee", "editor")
            assert not known.keys() & {"eve@example.org", "mal@example.org"}
            for each in (kim.id, known["lee@example.org"].id):
                await store.write(partial(accounts.change, account_id=each, email=f"{habit}-{each}"))
