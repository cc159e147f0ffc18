"""What one poll knows of a match, and what of its answers is stored: validators, bodies, health, decisions.

With the cache, which has what a poll made of each liveblog, the next one reads and compares only the posts that can have
changed. It holds as long as nobody else writes to the liveblog and everything beside its posts is made of the same; else the
ledger and all posts are looked at.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass, field, replace
from itertools import chain, islice

from mapping.documents.import_options import ImportOptions
from mapping.fusion.leading_source import SourceHealth
from mapping.liveblog.prefill import state_info
from mapping.match.match import Comment, Fault, Match
from mapping.match.references import References
from mapping.posts.posts import TEXT, Timed, in_order
from mapping.posts.reconcile import Entry
from mapping.posts.wording import ending, extra_half, kick_numbers
from mapping.sports import sport_of
from providers.base import Answer, Outcome
from store.engine.statements import TableWrite
from store.engine.unit import Unit
from store.following import follow_rows
from store.timeline import timeline
from store.timeline.timeline import Decision

NOBODY = References(owner_id="")
AS_A_WHOLE = frozenset({"score", "state", "shootout"})
"""Names of doubts about the match as a whole: what goes with them waited as long as they did."""


FAULTS_KEPT = 1000
"""Rows left out of a body that the store names, at most."""


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


def save_answers(
    unit: Unit,
    follow_id: str,
    snapshot: Snapshot,
    *,
    closing: bool = False,
    versions: Mapping[str, tuple[int, int]] | None = None,
    created: str = "",
) -> None:
    """Save what the answers add: changed resources, health of all, what is believed, the state of the match.

    For the record of what was decided: `versions`, those that liveblogs had and have, and the liveblog that is `created`.
    """
    versions = versions or {}
    # Recorded are answers that have changed a body, what is believed or a liveblog, and the end.
    stepped = any(before != after for before, after in versions.values())
    new = closing or created or stepped or snapshot.belief is not None or snapshot.packed
    save_health(unit, follow_id, snapshot.answers, snapshot.match.faults, snapshot.packed)
    if snapshot.set_again:
        follow_rows.forget_rows(unit, follow_id)
    if snapshot.belief is not None:
        follow_rows.save_belief(unit, follow_id, snapshot.belief)
    follow_rows.save_follow(
        unit,
        follow_id,
        sport=snapshot.match.sport,
        status=snapshot.match.sent_status.value,
        pending=snapshot.pending,
        beside=decision_rows(unit, follow_id, snapshot, versions, created) if new else [],
        good_at=unit.now,
        **({"changed_at": unit.now} if snapshot.changed else {}),
        **({} if snapshot.match.kickoff is None else {"kickoff": snapshot.match.kickoff}),
        **({} if snapshot.hints is None else {"hints": dict(snapshot.hints)}),
        **({"teams": teams} if (teams := follow_rows.teams_text(snapshot.match)) else {}),
    )


def decision_rows(  # noqa: PLR0917 -- what a row is made of
    unit: Unit,
    follow_id: str,
    snapshot: Snapshot,
    versions: Mapping[str, tuple[int, int]],
    created: str = "",
    health: Mapping[str, SourceHealth] | None = None,
) -> list[TableWrite]:
    """The record of what was decided upon the answers, or upon how sources answer; nothing where there is no timeline."""
    times = snapshot.times
    if times is None:
        return []
    decision = Decision(
        follow_id=follow_id,
        answered_at=times.answered,
        believed_at=times.believed,
        written_at=unit.now,
        pending=snapshot.pending,
        answers={name: list(each) for name, each in times.standing.items()} if health is None else {},
        versions={name: list(each) for name, each in versions.items()},
        created=created,
        health=None if health is None else {name: asdict(each) for name, each in health.items()},
    )
    return timeline.decision_row(decision)


def save_failure(unit: Unit, follow_id: str, cause: str | None) -> None:
    """Save why the match, or one of its liveblogs, is left out; None: nothing is left out any more."""
    since = None if cause is None else unit.now
    follow_rows.save_follow(unit, follow_id, last_error=cause, failing_since=since)


def save_health(
    unit: Unit,
    follow_id: str,
    answers: Iterable[Answer],
    faults: tuple[Fault, ...] = (),
    packed: Mapping[str, bytes] | None = None,
) -> None:
    """Save what the answers say of each resource: last good, last change, failures in a row, rows left out."""
    known = follow_rows.resources(unit.conn, follow_id)
    rows = ((known.get(answer.resource, follow_rows.ResourceRow(name=answer.resource)), answer) for answer in answers)
    after = [(resource_after(row, answer, faults, unit.now), answer.body) for row, answer in rows]
    follow_rows.save_resources(unit, follow_id, after, packed)


def resource_after(
    row: follow_rows.ResourceRow, answer: Answer, faults: Iterable[Fault], now: int
) -> follow_rows.ResourceRow:
    """What is known of a resource after this answer: a good body replaces the last one, a failure only counts."""
    match answer.outcome:
        case Outcome.FAILED:
            return replace(row, failures=row.failures + 1, last_error=str(answer.error))
        case Outcome.UNCHANGED:
            etag = answer.etag or row.etag if row.digest else None  # what is to be fetched afresh stays so
            return replace(row, etag=etag, good_at=now, failures=0, last_error=None)
        case Outcome.CHANGED:
            return follow_rows.ResourceRow(
                name=row.name,
                etag=answer.etag,
                digest=answer.digest,
                rows=answer.rows,
                good_at=now,
                changed_at=now,
                faults=[
                    {"row": fault.row, "field": fault.field, "reason": fault.reason}
                    for fault in islice((each for each in faults if each.resource == answer.resource), FAULTS_KEPT)
                ],
            )
