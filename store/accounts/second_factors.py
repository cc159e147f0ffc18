"""Second factors of accounts: the secret of an app for codes, which code counted last, and codes for when it is lost."""

from __future__ import annotations

import secrets

from sqlalchemy import Connection, delete, func, insert, select, update

from mapping.desk.one_time_codes import RECOVERY_BYTES, RECOVERY_CODES, recovery_code, recovery_digest, step_of
from store.accounts import accounts
from store.accounts.tables import recovery_codes, second_factors
from store.engine.statements import upsert, write_batch
from store.engine.unit import Unit


def has_one(conn: Connection, account_id: str) -> bool:
    """Whether the account has a second factor."""
    return _secret(conn, account_id) is not None


def set_secret(unit: Unit, account_id: str, secret: str, step: int) -> list[str]:
    """Make codes of this secret the account's second factor, those after this time step; gives new recovery codes."""
    row = {"account_id": account_id, "secret": secret, "last_step": step}
    write_batch(unit.conn, upsert(second_factors, [row]))
    return renew_recovery_codes(unit, account_id)


def use_code(unit: Unit, account_id: str, entered: str) -> bool:
    """Use up a code of the account's app: whether it was right. Neither it nor an earlier one counts again."""
    secret = _secret(unit.conn, account_id)
    step = None if secret is None else step_of(secret, entered, unit.now)
    if step is None:
        return False
    columns = second_factors.c
    fresh = columns.account_id == account_id, columns.secret == secret, columns.last_step < step
    return unit.conn.execute(update(second_factors).where(*fresh).values(last_step=step)).rowcount == 1


def use_recovery_code(unit: Unit, account_id: str, entered: str) -> bool:
    """Use up a recovery code of the account: whether it was one."""
    columns = recovery_codes.c
    wanted = columns.account_id == account_id, columns.code_hash == recovery_digest(entered)
    return unit.conn.execute(delete(recovery_codes).where(*wanted)).rowcount == 1


def renew_recovery_codes(unit: Unit, account_id: str) -> list[str]:
    """New recovery codes in the place of those of before; as they are shown, once."""
    _forget_recovery_codes(unit, account_id)
    codes = [recovery_code(secrets.token_bytes(RECOVERY_BYTES)) for _ in range(RECOVERY_CODES)]
    rows = [{"account_id": account_id, "code_hash": recovery_digest(each)} for each in codes]
    unit.conn.execute(insert(recovery_codes), rows)
    return codes


def recovery_codes_left(conn: Connection, account_id: str) -> int:
    """How many recovery codes the account has."""
    columns = recovery_codes.c
    return conn.scalar(select(func.count()).select_from(recovery_codes).where(columns.account_id == account_id)) or 0


def remove(unit: Unit, account_id: str) -> bool:
    """Take the second factor away, with its recovery codes; whether there was one."""
    accounts.lock(unit, account_id)
    _forget_recovery_codes(unit, account_id)
    columns = second_factors.c
    return unit.conn.execute(delete(second_factors).where(columns.account_id == account_id)).rowcount == 1


def accounts_with_one(conn: Connection) -> frozenset[str]:
    """The ids of all accounts that have a second factor."""
    return frozenset(conn.scalars(select(second_factors.c.account_id)))


def _secret(conn: Connection, account_id: str) -> str | None:
    return conn.scalar(select(second_factors.c.secret).where(second_factors.c.account_id == account_id))


def _forget_recovery_codes(unit: Unit, account_id: str) -> None:
    unit.conn.execute(delete(recovery_codes).where(recovery_codes.c.account_id == account_id))
