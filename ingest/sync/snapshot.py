"""What one poll knows of a match and when it came to know it, and the change cache: what it made of each liveblog.

With the cache a poll reads and compares only the posts that can have changed. It holds until the next poll, as long as nobody
else writes to the liveblog and everything beside its posts is made of the same; else the ledger and all posts are looked at.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from itertools import chain

from mapping.documents.import_options import ImportOptions
from mapping.liveblog.prefill import state_info
from mapping.match.match import Comment, Match
from mapping.match.references import References
from mapping.posts.posts import TEXT, Timed, in_order
from mapping.posts.reconcile import Entry
from mapping.posts.wording import ending, extra_half, kick_numbers
from mapping.sports import sport_of
from providers.base import Answer

NOBODY = References(owner_id="")
AS_A_WHOLE = frozenset({"score", "state", "shootout"})
"""Names of doubts about the match as a whole: what goes with them waited as long as they did."""


@dataclass(frozen=True, slots=True)
class InputFingerprint:
    """What a snapshot makes of a liveblog, as hashes: of all beside the posts, and of each post.

    Where none differs, there is nothing to write. They hold in this process only, and take in whole incidents and comments, so
    that one may differ where the post does not, and never the other way round.
    """

    setting: int
    posts: dict[str, int]

    @classmethod
    def of(cls, match: Match, terms: ImportOptions) -> InputFingerprint:
        return cls(_hash_of_setting(match, terms), _hashes_of_posts(match, terms))


@dataclass(frozen=True, slots=True)
class CachedInputs:
    """A liveblog as the last unit of the sync left it: made of these inputs, nothing missing, nothing in doubt.

    `posts`: hashes of key and input in turn, 16 bytes a post, where a dict would take 150.
    """

    version: int
    setting: int
    posts: array[int]

    @classmethod
    def of(cls, version: int, inputs: InputFingerprint) -> CachedInputs:
        pairs = ((hash(key), made) for key, made in inputs.posts.items())
        return cls(version, inputs.setting, array("q", chain.from_iterable(pairs)))

    def changed(self, version: int, inputs: InputFingerprint) -> AbstractSet[str] | None:
        """Keys of the posts that are new or made of something else; None where everything has to be looked at."""
        if (version, inputs.setting) != (self.version, self.setting):
            return None
        known = dict(zip(self.posts[::2], self.posts[1::2], strict=True))
        if known.keys() - {hash(key) for key in inputs.posts}:
            return None
        return {key for key, made in inputs.posts.items() if known.get(hash(key)) != made}


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerTimes:
    """When the answers of a poll were here and what they said was believed (milliseconds).

    `unsaid`: the answer before this one; `answered`: the last new answer about play; `text_answered`: the new answer with
    editorial text. `waited`: what waited for this answer, by its key → when an answer first said it, and when the one before
    that came. `standing`: resource → its outcome and the digest of the body that stands.
    """

    answered: int
    text_answered: int
    believed: int
    unsaid: int | None = None
    waited: Mapping[str, tuple[int, int | None]] = field(default_factory=dict)
    standing: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def first_said(self, entry: Entry, what: str) -> tuple[int, int | None]:
        """When the answer was here that first said what the entry says now, and when the one before it was."""
        if entry.key in self.waited:
            return self.waited[entry.key]
        came = (self.text_answered if entry.source == TEXT else self.answered, self.unsaid)
        if what not in {"withdrawn", "disallowed"}:
            return came
        return min([came, *(at for name, at in self.waited.items() if name in AS_A_WHOLE)], key=lambda each: each[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A match as it is believed now, and what this poll adds to what is known.

    `pending`: something is in doubt, until the next good answer. `changed`: the match is not as it was lately. `belief` and
    `packed`: what is believed and new bodies as they are to be stored; None where nothing of it has changed. `set_again`: the
    match waits for another try, so its lists may lose all rows of the first one. `times`: when the answers came, None where
    there is no timeline; `doubted`: the names of what is in doubt.
    """

    match: Match
    pending: bool = False
    changed: bool = True
    belief: bytes | None = None
    answers: tuple[Answer, ...] = ()
    hints: Mapping[str, str] | None = None
    packed: Mapping[str, bytes] | None = None
    times: AnswerTimes | None = None
    doubted: frozenset[str] = frozenset()
    set_again: bool = False
    _fingerprints: dict[ImportOptions, InputFingerprint] = field(default_factory=dict, repr=False, compare=False)
    _timed: dict[ImportOptions, list[Timed]] = field(default_factory=dict, repr=False, compare=False)

    def of_match(self, match: Match) -> Snapshot:
        """The same snapshot of another match: what both sources of a match say."""
        return replace(self, match=match, _fingerprints={}, _timed={})

    def fingerprint(self, terms: ImportOptions) -> InputFingerprint:
        """What the match makes of a liveblog on these terms; computed once for all units of a poll."""
        if terms not in self._fingerprints:
            self._fingerprints[terms] = InputFingerprint.of(self.match, terms)
        return self._fingerprints[terms]

    def timed(self, terms: ImportOptions) -> list[Timed]:
        """What there is to be posted on these terms, in the order of play; computed once for all units of a poll."""
        if terms not in self._timed:
            self._timed[terms] = in_order(self.match, terms)
        return self._timed[terms]

    def prepare(self, several: Iterable[ImportOptions]) -> None:
        """Compute both beforehand for each of the terms; pure, and long where there are very many rows."""
        for terms in several:
            self.fingerprint(terms)
            self.timed(terms)


def _hash_of_setting(match: Match, terms: ImportOptions) -> int:
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


def _hashes_of_posts(match: Match, terms: ImportOptions) -> dict[str, int]:
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
