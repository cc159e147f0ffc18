"""`matchwire webhooks …`: subscriptions and deliveries for whoever runs the daemon, beside it and without credentials."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Annotated

import typer
from rich.table import Table

from api.webhooks.subscriptions import iso, subscription
from config import Settings
from ingest.cli.shared import Commands, fail, on_database, out, the_organization

app = Commands(help="Webhook subscriptions and their deliveries.")

Organization = Annotated[
    str | None, typer.Option("--organization", "-o", help="Needed where the configuration has several.")
]
Address = Annotated[str, typer.Argument(help="The endpoint's address.")]


@app.command("list")
def list_(settings: Settings, organization: Organization = None) -> None:
    """Show subscriptions, of all organizations unless one is named."""
    from store.webhooks import webhooks

    rows = on_database(settings, lambda unit: webhooks.list_subscriptions(unit.conn, organization))
    table = Table("organization", "url", "status", "failures", "since", "last outcome")
    for row in rows:
        shown = subscription(row)
        last = shown["lastOutcome"] or {"timestamp": "", "message": ""}
        table.add_row(
            row.organization_id,
            shown["url"],
            row.status,
            str(row.failures),
            shown["consecutiveFailureSince"] or "",
            f"{last['timestamp']} {last['message']}".strip(),
        )
    out.print(table)


@app.command()
def subscribe(settings: Settings, url: Address, organization: Organization = None) -> None:
    """Subscribe an endpoint, or enable it again; the secret of a new one is shown once."""
    from ingest.guard.ssrf_guard import Blocked, SsrfGuard
    from store.webhooks import webhooks

    guard = SsrfGuard(settings.webhooks)
    try:
        asyncio.run(guard.check(url))
    except Blocked as error:
        fail(str(error))
    limit, secret = settings.webhooks.per_organization, webhooks.new_secret()
    owner = the_organization(settings, organization)
    _, new = on_database(
        settings, partial(webhooks.subscribe, organization_id=owner, url=url, secret=secret, limit=limit)
    )
    out.print(f"secret (shown once): {secret}" if new else "The subscription exists; its secret stays.")


@app.command()
def unsubscribe(settings: Settings, url: Address, organization: Organization = None) -> None:
    """Forget a subscription and its log."""
    from store.webhooks import webhooks

    on_database(
        settings, partial(webhooks.unsubscribe, organization_id=the_organization(settings, organization), url=url)
    )


@app.command()
def rotate(settings: Settings, url: Address, organization: Organization = None) -> None:
    """Give a subscription a new secret; the one before signs too for a while."""
    from store.webhooks import webhooks

    secret, overlap = webhooks.new_secret(), settings.webhooks.secret_overlap
    owner = the_organization(settings, organization)
    on_database(settings, partial(webhooks.rotate, organization_id=owner, url=url, secret=secret, overlap=overlap))
    out.print(f"secret (shown once): {secret}")


@app.command()
def ping(settings: Settings, url: Address, organization: Organization = None) -> None:
    """Let the daemon send a test message; `deliveries` shows how it went."""
    from store.webhooks import delivery_log

    on_database(settings, partial(delivery_log.ping, organization_id=the_organization(settings, organization), url=url))


@app.command()
def deliveries(
    settings: Settings,
    url: Annotated[str | None, typer.Argument(help="Of this endpoint alone.")] = None,
    failed: Annotated[bool, typer.Option("--failed", help="Those alone that failed.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=10_000)] = 50,
    organization: Organization = None,
) -> None:
    """Show the log of deliveries, the newest first."""
    from store.webhooks import delivery_log

    wanted = delivery_log.LogFilter(url=url, success=False if failed else None)
    owner = the_organization(settings, organization)
    rows = on_database(settings, lambda unit: delivery_log.page(unit.conn, owner, wanted, limit=limit))
    table = Table("id", "ended", "url", "kind", "liveblog", "version", "round", "tries", "ms", "status", "message")
    for row in rows:
        numbers = (str(each) for each in (row.version, row.round, row.tries, row.took_ms, row.status_code or ""))
        table.add_row(str(row.id), iso(row.at), row.url, row.kind, row.local_id, *numbers, row.message)
    out.print(table)


@app.command()
def replay(  # noqa: PLR0917 -- options of a command line
    settings: Settings,
    delivery: Annotated[int | None, typer.Argument(help="A row of the log.")] = None,
    url: Annotated[str | None, typer.Option(help="Instead of a row: everything to this endpoint …")] = None,
    since: Annotated[int, typer.Option(help="… that changed from this second (Unix time) …")] = 0,
    until: Annotated[int, typer.Option(help="… to before this one.")] = 2**40,
    organization: Organization = None,
) -> None:
    """Let the daemon deliver once more: one row of the log, or a span of time."""
    from store.webhooks import delivery_log

    owner = the_organization(settings, organization)
    if (delivery is None) == (url is None):
        fail("name a row of the log, or --url with --since and --until")
    if delivery is not None:
        count = on_database(settings, partial(delivery_log.replay, organization_id=owner, delivery_id=delivery))
    else:
        work = partial(delivery_log.replay_range, organization_id=owner, url=url or "", since=since, until=until)
        count = on_database(settings, work)
    out.print(f"{count} will be delivered once more.")
