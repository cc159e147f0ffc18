"""`matchwire init`: a configuration that runs, with a client and its secret, in a folder of its own."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from shlex import quote
from string import Template
from typing import Annotated

import typer
from pydantic import TypeAdapter, ValidationError

import config
from config.values import ClientId, OrganizationId, ProviderId
from ingest.cli.shared import FILE, fail, out, vocabulary

SECRETS = "secrets"
NO_PROVIDER = """\
# From where matches come. Without a provider liveblogs are written by hand, through the API.
# [organizations.{organization}.providers.heim]
# base_url = "https://customer.provider.example"
# username = "newsroom"
# password_file = "secrets/heim"
# text_content = true
"""
PROVIDER = """\
# From where matches come.
[organizations.{organization}.providers.{provider}]
base_url = {base_url}
{credentials}# true: your contract has editorial text, and this endpoint delivers it.
text_content = {text}
"""
NEXT = """
Wrote {written}.

Check the configuration, then start the daemon:

{where}    matchwire check-config
    matchwire run

Then the page with all liveblogs is http://127.0.0.1:8080/, and the API answers to the client {client}:

    SECRET=$(cat {secrets}/{client})
    curl http://127.0.0.1:8080/readyz
    curl -u {client}:$SECRET http://127.0.0.1:8080/api/v5/write/ticker/search.json
"""
FOLLOW = """
And with the provider's id of a match, its liveblog:

    MATCH=8315073
    curl -u {client}:$SECRET -H 'Content-Type: application/json' \\
      -d '{{"provider": "{provider}", "matchId": "'$MATCH'", "autoPostEnabled": true}}' \\
      http://127.0.0.1:8080/apigw/sports/v2/{organization}/liveblog/createFromExternal
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the new configuration is to hold; `credential` is the provider's password or key."""

    organization: str
    client: str
    provider: str
    base_url: str | None
    username: str | None
    credential: str | None
    text: bool


def init(  # noqa: PLR0917 -- options of a command line
    folder: Annotated[Path, typer.Argument(help="Where to; made if it is not there.")] = Path(),
    organization: Annotated[str, typer.Option(help="Id of the organization, a part of the API's paths.")] = "newsroom",
    client: Annotated[str, typer.Option(help="The client_id of the API's first client.")] = "newsroom-cms",
    provider: Annotated[str, typer.Option(help="Id of the provider: `matchwire providers list`.")] = "heim",
    base_url: Annotated[str | None, typer.Option(help="The provider's address; left out: no provider yet.")] = None,
    username: Annotated[str | None, typer.Option(help="For HTTP Basic; the password is asked for.")] = None,
    api_key: Annotated[bool, typer.Option("--api-key", help="The provider wants a key, which is asked for.")] = False,
    text: Annotated[bool, typer.Option("--text", help="The contract has editorial text.")] = False,
) -> None:
    """Write a configuration that runs: an organization, a client and its secret. Overwrites nothing."""
    wants = "password" if username is not None else "key" if api_key else None
    if wants and base_url is None:
        fail("--username and --api-key belong to a provider: give its address with --base-url")
    if username is not None and api_key:
        fail("--username or --api-key: a provider has one of the two")
    _check_names(organization, client, provider)
    targets = _targets(folder, client, provider if wants else None)
    credential = _credential(wants) if wants else None
    wanted = Wanted(
        organization=organization, client=client, provider=provider, base_url=base_url,
        username=username, credential=credential, text=text,
    )  # fmt: skip
    _write(folder, wanted, targets)
    _report(folder, wanted, targets)


def _report(folder: Path, wanted: Wanted, written: list[Path]) -> None:
    """What was written, and what to do with it."""
    names = ", ".join(str(each) for each in written)
    where = "" if folder.resolve() == Path.cwd() else f"    cd {quote(str(folder))}\n"
    text = NEXT.format(written=names, where=where, client=wanted.client, secrets=SECRETS)
    if wanted.base_url is not None:
        text += FOLLOW.format(client=wanted.client, provider=wanted.provider, organization=wanted.organization)
    out.print(text.strip("\n"))


def text_of(wanted: Wanted) -> str:
    """The configuration file."""
    template = Template((files(config) / "starter.toml").read_text(encoding="utf-8"))
    return template.substitute(
        organization=wanted.organization,
        client=wanted.client,
        name=_quote(wanted.organization),
        provider=_provider(wanted),
    )


def _provider(wanted: Wanted) -> str:
    if wanted.base_url is None:
        return NO_PROVIDER.format(organization=wanted.organization)
    lines = ""
    if wanted.username is not None:
        lines = f'username = {_quote(wanted.username)}\npassword_file = "{SECRETS}/{wanted.provider}"\n'
    elif wanted.credential is not None:
        lines = f'api_key_file = "{SECRETS}/{wanted.provider}"\n'
    return PROVIDER.format(
        organization=wanted.organization,
        provider=wanted.provider,
        base_url=_quote(wanted.base_url),
        credentials=lines,
        text=str(wanted.text).lower(),
    )


def _quote(text: str) -> str:
    """`text` as TOML writes it."""
    return json.dumps(text, ensure_ascii=False)


def _check_names(organization: str, client: str, provider: str) -> None:
    """What becomes a table's and a file's name has to be one; checked before anything is read or written."""
    for option, given, kind in (
        ("--organization", organization, OrganizationId),
        ("--client", client, ClientId),
        ("--provider", provider, ProviderId),
    ):
        try:
            TypeAdapter(kind).validate_python(given)
        except ValidationError as error:
            fail(f"{option}: {error.errors()[0]['msg'].removeprefix('Value error, ')}")
    if client == provider:
        fail("--client: has the provider's id, and both have a secret file of their name")


def _targets(folder: Path, client: str, provider: str | None) -> list[Path]:
    """The files to be written, of which none is there: the configuration first, then the secrets."""
    names = [client] if provider is None else [client, provider]
    targets = [folder / FILE, *(folder / SECRETS / name for name in names)]
    if taken := [str(target) for target in targets if os.path.lexists(target)]:
        fail(f"nothing is overwritten: {', '.join(taken)} {'is' if len(taken) == 1 else 'are'} there already")
    return targets


def _credential(what: str) -> str:
    """The provider's password or key: typed on a terminal, else a line of standard input."""
    if sys.stdin.isatty():
        given = str(typer.prompt(f"The provider's {what}", hide_input=True))
    else:
        given = sys.stdin.readline().rstrip("\r\n")
    if not given:
        fail(f"there is no {what}: type it, or give it on standard input")
    return given


def _write(folder: Path, wanted: Wanted, targets: list[Path]) -> None:
    """All files or none: what the settings refuse is taken away again."""
    from secrets import token_urlsafe

    known = vocabulary()
    contents = [text_of(wanted), f"{token_urlsafe(32)}\n", f"{wanted.credential}\n"]
    written: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / SECRETS).mkdir(mode=0o700, exist_ok=True)
        for target, content in zip(targets, contents, strict=False):
            written.append(_new_file(target, content, 0o644 if target is targets[0] else 0o600))
        config.load(targets[0], {}, known)
    except OSError as error:
        _remove(written)
        fail(f"{error.filename}: cannot be written: {error.strerror}")
    except config.ConfigError as error:
        _remove(written)
        fail("; ".join(f"{problem.key or problem.where}: {problem.text}" for problem in error.problems))


def _new_file(path: Path, content: str, mode: int) -> Path:
    """Make the file; raises FileExistsError rather than to write into one."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w", encoding="utf-8") as stream:
        stream.write(content)
    return path


def _remove(paths: list[Path]) -> None:
    for path in paths:
        with suppress(OSError):
            path.unlink()
    for folder in {path.parent for path in paths if path.parent.name == SECRETS}:
        with suppress(OSError):  # it holds what was there before
            folder.rmdir()
