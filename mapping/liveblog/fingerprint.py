"""Input fingerprints: hashes of what the posts of a match are made of. Where none differs, there is nothing to write.

A hash holds in this process only. It takes in whole incidents and comments, so that it may differ where the post does
not, and never the other way round.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mapping.liveblog.prefill import state_info
from mapping.match.references import References
from mapping.posts.shootout import kick_numbers
from mapping.posts.wording import ending, extra_half
from mapping.sports import sport_of

if TYPE_CHECKING:
    from mapping.documents.import_options import ImportOptions
    from mapping.match.match import Comment, Match

NOBODY = References(owner_id="")


def of_setting(match: Match, terms: ImportOptions) -> int:
    """Of everything beside incidents and comments: what the liveblog itself is made of, and each of its posts as well."""
    sport = sport_of(match)
    return hash(
        (
            terms,
            (ending(sport, match), extra_half(match)),
            tuple(kick_numbers(match).items()),
            repr(state_info(sport, match, NOBODY)),  # takes some of its times from incidents
            (match.provider, match.match_id, match.sport, match.status, match.kickoff, match.clock, match.title),
            (match.home, match.away, match.tournament, match.location, match.race),
            (
                match.score,
                match.award,
                match.shootout,
                match.periods,
                match.points,
                match.serving,
                match.winner,
                match.decided,
            ),
        )
    )


def of_posts(match: Match, terms: ImportOptions) -> dict[str, int]:
    """Of each post's own incident, with what is written about it, or its own comment; by the key of the post."""
    narratives: dict[str, list[Comment]] = {}
    found: dict[str, int] = {}
    for comment in match.comments if terms.text else ():
        if comment.incident_key is not None:
            narratives.setdefault(comment.incident_key, []).append(comment)
        else:
            found[comment.key] = hash((comment, found.get(comment.key)))
    for incident in match.incidents:
        found[incident.key] = hash((incident, *narratives.get(incident.key, ()), found.get(incident.key)))
    return found
