"""`matchwire crosswalk …`: which teams and competitions of two providers are the same, found by rules or said by people."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, get_args

import typer

from config import Settings
from ingest.cli.shared import Commands, fail, on_database, out, the_organization
from mapping.follow.links import SourceId
from mapping.rules.plain_text import csv_text
from store.following.source_links import LinkKind, NamedSource, SourceLink, link, list_links, unlink

app = Commands(help="Which teams and competitions of two providers are the same.")
HEAD = ("kind", "provider", "id", "name", "other_provider", "other_id", "other_name", "made_by")
KINDS = get_args(LinkKind)
Of = Annotated[str | None, typer.Option("--organization", "-o", help="Left out: the only one.")]


@app.command()
def show(settings: Settings, organization: Of = None) -> None:
    """Show all links as CSV, which `add` takes again: what people have said first."""
    owner = the_organization(settings, organization)
    rows = on_database(settings, lambda unit: list_links(unit.conn, owner))
    found = [(each.kind, *each.first, *each.second, each.made_by) for each in rows]
    sys.stdout.write(csv_text([HEAD, *found]))


@app.command()
def add(settings: Settings, file: Path, organization: Of = None) -> None:
    """Add the links of a CSV file with the columns that `show` writes; they outrank what was known of the same ids."""
    owner = the_organization(settings, organization)
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            links = list(_links(file, csv.DictReader(lines, strict=True)))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        fail(f"{file}: cannot be read: {error}")
    added = on_database(settings, partial(link, organization_id=owner, links=links))
    out.print(f"{added} new links.")


@app.command()
def remove(settings: Settings, kind: str, provider: str, ident: str, organization: Of = None) -> None:
    """Forget what a team (or `competition`) of a provider is linked with."""
    owner = the_organization(settings, organization)
    if kind not in KINDS:
        fail(f"{kind} is neither {' nor '.join(KINDS)}")
    wanted = next(each for each in KINDS if each == kind)
    gone = on_database(settings, partial(unlink, organization_id=owner, kind=wanted, named=SourceId(provider, ident)))
    out.print(f"{gone} links are forgotten.")


def _links(file: Path, rows: csv.DictReader[str]) -> Iterator[SourceLink]:
    """The links of the rows; ends with an error, naming the line, for what is none."""
    for row in rows:
        given = [(row.get(name) or "").strip() for name in HEAD]
        kind, *named = given
        if kind not in KINDS or not all((named[0], named[1], named[3], named[4])) or named[0] == named[3]:
            fail(f"{file}, line {rows.line_num}: no link of two providers' ids: {','.join(HEAD)}")
        first, second = NamedSource(*named[:3]), NamedSource(*named[3:6])
        yield SourceLink(next(each for each in KINDS if each == kind), first, second, "file")
