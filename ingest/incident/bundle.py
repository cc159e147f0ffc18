"""Packs a liveblog's history, the incident bundle, into one file, from which `matchwire replay` makes the same liveblog."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from sqlalchemy import Connection

from config import Settings
from ingest.sync.recorder import file_of
from ingest.telemetry.logs import hide_secrets
from mapping.errors import Unprocessable
from mapping.rules.lateness import iso_instant
from providers.base import Outcome, ProviderAdapter
from providers.replay.recording import Line, read_lines
from store.engine.liveblog_records import StoredGame, new_object_id
from store.following import follow_rows, standbys
from store.liveblogs import liveblogs
from store.timeline import bundle_rows, timeline
from store.timeline.timeline import timeline_of

FORM = 2
"""The form of the file; another one is refused."""
CROSSWALK = "crosswalk.csv"
LARGEST = 256 * 1024 * 1024
"""Bytes of answers that a bundle takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentWindow:
    """The time that a bundle is about (Unix seconds)."""

    since: float
    until: float


def collect(
    conn: Connection,
    name: str,
    *,
    settings: Settings,
    adapters: Mapping[str, ProviderAdapter],
    window: IncidentWindow,
    commentary: bool,
) -> dict[str, bytes]:
    """The files of the bundle by their names. `adapters`: those of the organization, by their providers.

    Raises NotFound, and Unprocessable for a liveblog on no match that is known.
    """
    game = liveblogs.require_game(conn, name)
    attachment = follow_rows.attachment(conn, game.id)
    if attachment is None or attachment.provider not in adapters:
        raise Unprocessable("the liveblog is on no match of a provider that is configured")
    sources: list[follow_rows.Attachment | standbys.StandbyRow] = [attachment, *standbys.of_liveblog(conn, game.id)]
    packed: dict[str, bytes] = {}
    described, missed = [], []
    for source in sources:
        adapter = adapters.get(source.provider)
        decisions = timeline.decisions_of(conn, source.follow_id)
        left_out = None if commentary or adapter is None else adapter.text_resource
        lines = [] if adapter is None else kept_lines(settings, adapter, source.match_id, left_out)
        described.append(_describe_source(source, adapter))
        missed += missing(decisions, lines, left_out)
        folder = folder_of(source.provider, first=source is attachment)
        packed[f"{folder}decisions.json"] = _json([asdict(each) for each in decisions])
        # a recording that `matchwire replay` serves
        packed[f"{folder}answers.jsonl.gz"] = gzip.compress(
            "".join([f"{line.row()}\n" for line in lines]).encode(), mtime=0
        )
        if source is attachment and not any(each.created == game.id for each in decisions):
            missed.append("the liveblog was not created from the match, or more than 30 days ago")
    manifest = {
        **_manifest(game, attachment, settings),
        "sources": described,
        "window": {"since": iso_instant(round(window.since * 1000)), "until": iso_instant(round(window.until * 1000))},
        "commentary": commentary,
        "missing": missed,
    }
    crosswalk = settings.organizations[game.organization_id].crosswalk
    writes = {
        "posts": bundle_rows.posts_of(conn, game.id),
        "people": bundle_rows.posts_of_people(conn, game.id),
        "steps": bundle_rows.steps_of(conn, game.id),
    }
    return {
        "manifest.json": _json(hide_secrets(None, "", manifest)),
        "timeline.json": _json(_around(timeline_of(conn, game), window)),
        "deliveries.json": _json(bundle_rows.rounds_of(conn, game.id, window.since, window.until)),
        "writes.json": _json(writes),
        "masters.json": _json(bundle_rows.masters_of(conn, game.id)),
        **packed,
        **({} if crosswalk is None else {CROSSWALK: Path(crosswalk).read_bytes()}),
    }


def folder_of(provider: str, *, first: bool) -> str:
    """Where the answers of a source are, and what was decided upon them."""
    return "" if first else f"standbys/{provider}/"


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _describe_source(
    source: follow_rows.Attachment | standbys.StandbyRow, adapter: ProviderAdapter | None
) -> dict[str, Any]:
    """What has to be known of a source to play its answers, without where they came from."""
    endpoint = None if adapter is None else adapter.endpoint
    return {
        "provider": source.provider,
        "match_id": source.match_id,
        "follow_id": source.follow_id,
        "endpoint": endpoint
        and {"language": endpoint.language, "timezone": endpoint.timezone, "options": dict(endpoint.options)},
    }


def _manifest(game: StoredGame, attachment: follow_rows.Attachment, settings: Settings) -> dict[str, Any]:
    """What has to be known of the liveblog and the configuration."""
    return {
        "form": FORM,
        "matchwire": version("matchwire"),
        "liveblog": {
            "id": game.id,
            "local_id": game.local_id,
            "organization_id": game.organization_id,
            "version": game.version,
        },
        "terms": dict(attachment.terms),
        "limits": settings.limits.model_dump(mode="json"),
        "standby": settings.standby.model_dump(mode="json"),
        "note_after": settings.polling.note_after,
        "withdrawn": settings.organizations[game.organization_id].withdrawn,
        "recording": settings.recording.enabled,
    }


def kept_lines(settings: Settings, adapter: ProviderAdapter, match_id: str, left_out: str | None) -> list[Line]:
    """The answers of the match that the recording holds, the oldest first, without those of the resource that is `left_out`.

    Raises Unprocessable where they are too many.
    """
    files = sorted(Path(settings.recording.folder).glob(f"*/{file_of(adapter.endpoint, match_id)}"))
    if sum(path.stat().st_size for path in files) > LARGEST:
        raise Unprocessable(f"the recordings of the match are larger than {LARGEST} bytes")
    return [line for path in files for line in read_lines(path) if line.kind != left_out]


def missing(decisions: Sequence[timeline.Decision], lines: Iterable[Line], text: str | None) -> list[str]:
    """Why these answers cannot be played to the same liveblog; nothing where they can. `text`: a resource that is left out."""
    known = {(line.kind, line.digest) for line in lines}
    wanted = {
        (resource, digest)
        for each in decisions
        for resource, (outcome, digest) in each.answers.items()
        if outcome == Outcome.CHANGED and resource != text
    }
    found = []
    if absent := len(wanted - known):
        found.append(f"{absent} of {len(wanted)} answers are not kept (recording.enabled)")
    if text is not None:
        found.append("the commentary was left out, so the liveblog has no texts of the provider")
    return found


def _around(found: Mapping[str, Any], window: IncidentWindow) -> dict[str, Any]:
    """The timeline of the posts that were written in the window."""
    since, until = (iso_instant(round(at * 1000)) or "" for at in (window.since, window.until))
    posts = [post for post in found["posts"] if any(since <= step["at"]["believed"] < until for step in post["steps"])]
    return {**found, "posts": posts}


def pack(files: Mapping[str, bytes]) -> bytes:
    """The files as one ZIP."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target.getvalue()


def unpack(path: Path) -> dict[str, Any]:
    """The parts of a bundle by name: JSON as values, answers and liveblog as bytes. Raises Unprocessable for anything else."""
    with reading_bundle(), zipfile.ZipFile(path) as archive:
        if sum(each.file_size for each in archive.infolist()) > 4 * LARGEST:
            raise Unprocessable(f"{path} is too large")
        raw = {name: archive.read(name) for name in archive.namelist()}
        found: dict[str, Any] = {
            name: json.loads(content) if name.endswith(".json") and name != "liveblog.json" else content
            for name, content in raw.items()
        }
        if found["manifest.json"]["form"] != FORM:
            raise Unprocessable("this is no incident bundle of this version")
    return found


@contextmanager
def reading_bundle() -> Iterator[None]:
    """Raise Unprocessable for whatever is wrong with a file that anybody may have made."""
    try:
        yield
    except (
        OSError,
        EOFError,
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
        RuntimeError,
        BadZipFile,
        zlib.error,
    ) as error:
        raise Unprocessable(f"this is no incident bundle: {type(error).__name__} {error}") from error


def file_name(local_id: str, at: float) -> str:
    """What a bundle is called where nobody says it; `at` in Unix seconds."""
    return f"incident-{local_id}-{new_object_id(at)[:8]}.zip"
