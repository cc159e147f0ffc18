"""Whether a password or a code is right, and how often one may try; nobody is locked out by what others try."""

from __future__ import annotations

from functools import partial
from ipaddress import ip_network

from api.desk.passwords import PasswordChecks
from api.http.request import ApiRequest
from mapping.desk.one_time_codes import is_recovery_code
from store.accounts import accounts, audit, second_factors, sign_in_tries
from store.accounts.accounts import StoredAccount
from store.engine.unit import Unit

OF_ACCOUNT = {5: 1, 6: 2, 7: 4, 8: 8, 9: 16, 10: 32, 11: 60, 12: 120, 13: 300, 14: 600, 15: 900}
"""Failures for one account from one network → seconds until the next try from there. Other networks do not wait."""
OF_NETWORK = {20: 1, 30: 2, 40: 4, 60: 8}
"""Failures from one network for whichever accounts → the same, and never long: people share networks."""
OF_CODES = {20: 5, 40: 30, 60: 60}
"""Codes of an app that were wrong for one account, wherever they came from → the same: whoever enters one knows the password,
and has many networks; of a million codes two are right. A recovery code does not wait for these."""


def wide_network(network: str) -> str:
    """What one customer may have at most: 24 bits of IPv4, 48 of IPv6. Passwords are checked by turns of these."""
    address = network.partition("/")[0]
    try:
        return str(ip_network((address, 48 if ":" in address else 24), strict=False))
    except ValueError:
        return network


async def check_password(request: ApiRequest, name: str, account: StoredAccount | None, password: str) -> bool:
    """Whether it is the account's password, as often as one may try for that name; of a wrong one the next may have to wait.

    A try that finds no room in the queue is none, and leaves nothing. Raises RateLimited.
    """
    store, checks, network = request.services.store, request.services[PasswordChecks], request.network
    of_account, of_network = sign_in_tries.try_key(name, network), sign_in_tries.try_key("", network)
    delays = {of_account: OF_ACCOUNT, of_network: OF_NETWORK}
    wide = wide_network(network)
    stored = None if account is None else account.password_hash

    async def check() -> bool:
        await store.write(partial(sign_in_tries.begin, delays=delays))
        opens, better = await checks.verify(stored, password)
        if account is None or not opens:
            return False

        def note(unit: Unit) -> None:
            sign_in_tries.forgive(
                unit, of_account, shared=of_network
            )  # whose failures stay: who guesses may have an account
            sign_in_tries.note_signed_in(unit, wide)
            if better is not None:
                accounts.change(unit, account.id, password_hash=better)

        await store.write(note)
        return True

    now = request.services.clock()
    known = await store.read(partial(sign_in_tries.has_signed_in, network=wide, now=now))
    return await checks.in_turn(wide, check, known=known)


async def hash_new_password(request: ApiRequest, password: str) -> str:
    """The hash of a new password of somebody who is signed in. Raises RateLimited."""
    checks = request.services[PasswordChecks]
    return await checks.in_turn(wide_network(request.network), partial(checks.hash, password), known=True)


async def check_code(request: ApiRequest, account: StoredAccount, entered: str) -> bool:
    """Whether it is a code of the account's app, or one of its recovery codes, which counts once.

    Tries are limited as those of a password are, and counted apart, so that a right password makes no guess free.
    Raises RateLimited.
    """
    network, recovers = request.network, is_recovery_code(entered)
    of_account, of_codes = sign_in_tries.try_key("code", account.id, network), sign_in_tries.try_key("code", account.id)
    of_network = sign_in_tries.try_key("", network)
    delays = {of_account: OF_ACCOUNT, of_network: OF_NETWORK, **({} if recovers else {of_codes: OF_CODES})}
    await request.services.store.write(partial(sign_in_tries.begin, delays=delays))

    def use(unit: Unit) -> bool:
        if recovers:
            opens = second_factors.use_recovery_code(unit, account.id, entered)
        else:
            opens = second_factors.use_code(unit, account.id, entered)
        if not opens:
            return False
        sign_in_tries.forgive(unit, of_account, of_codes, shared=of_network)
        if recovers:
            audit.record(unit, account.organization_id, account.id, "desk.use_recovery_code")
        return True

    return await request.services.store.write(use)
