"""What the owner of a subscription hears of its receiver, so that nobody can read an inner service through it."""

import pytest
from sqlalchemy import select

from config.sections import Webhooks
from ingest.guard.ssrf_guard import SsrfGuard
from store.schema import metadata
from tests.store.conftest import ORGANIZATION

INSIDE = "inner-9d1f"


async def stored(hub):
    """All that is stored, as text."""
    return await hub.store.read(
        lambda conn: str([conn.execute(select(table)).all() for table in metadata.tables.values()])
    )


@pytest.mark.parametrize("how", ["telling", "telling-ok"])
async def test_nothing_of_an_answer_but_its_status_is_kept(hub, receiver, how):
    """Neither body nor headers nor reason of an answer stand in the log, in the subscription or anywhere else."""
    url = receiver.url(how)
    await hub.subscribe(url)
    async with hub.deliver():
        await hub.change()
        (row,) = await hub.has_logged(1, url)

    assert row.status_code == (500 if how == "telling" else 200)
    assert INSIDE not in await stored(hub)
    assert INSIDE not in str(row)


async def test_an_address_that_may_not_be_called_looks_like_one_that_does_not_answer(hub, closed_port):
    """Whether a name leads inside, to which address, leads nowhere, or to a closed port: the log says the same of each."""
    inside = {"inside": "10.0.0.7", "loopback": "127.0.0.1", "metadata": "169.254.169.254"}

    async def resolve(host, _):
        if host == "unknown.example":
            raise OSError("no such name")
        return [inside[host.removesuffix(".example")]]

    urls = [f"https://{name}.example/hook" for name in (*inside, "unknown")]
    urls += ["https://10.0.0.7/hook", f"http://127.0.0.2:{closed_port}/hook"]
    for url in urls:
        await hub.subscribe(url)
    async with hub.deliver(guard=SsrfGuard(Webhooks(allow_hosts=["127.0.0.2"]), resolve=resolve)):
        await hub.change()
        rows = [(await hub.has_logged(1, url))[0] for url in urls]
    subscriptions = [await hub.subscription(url, ORGANIZATION) for url in urls]
    outcomes = {(row.message, row.status_code, row.tries) for row in rows}

    assert len(outcomes) == 1
    assert len({(each.outcome_message, each.outcome_code, each.failures) for each in subscriptions}) == 1
    assert not any(word in str(outcomes) for word in ("10.0.0.7", "127.0.0.1", "169.254", ".example"))
    assert [each.url for each in subscriptions] == urls
