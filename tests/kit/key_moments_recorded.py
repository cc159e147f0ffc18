"""A liveblog with the key moments of a recording."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mapping.confirm import confirm_answer
from mapping.import_options import ImportOptions
from mapping.posts import wanted_posts
from mapping.prefill import game_document
from mapping.references import References
from providers.heim.translate import translate
from providers.row_cache import RowCache
from tests.kit.scripted import BERLIN, NAMES, OWNER, Bodies

if TYPE_CHECKING:
    pass


NOBODY = References(owner_id=OWNER)


def liveblog(bodies: Bodies, match_id: str, rows: RowCache[Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The liveblog's document and its posts, as they follow from the bodies."""
    answer = translate(match_id, {"match-event": b"[]", **bodies}, names=NAMES, zone=BERLIN, rows=rows)
    match = confirm_answer(None, answer, good=frozenset()).match
    terms = ImportOptions(sport=match.sport, auto_post=True)
    posts = wanted_posts(match, terms, NOBODY, block_id=lambda key, name: f"{key} {name}")
    return game_document(match, terms, NOBODY), [{**post.document, "local_id": post.key} for post in posts]
