"""Posts of a liveblog and of the provider's rows, in a form in which they can be compared."""

import asyncio
from typing import Any

import pytest

KINDS = {
    "card yellow": "soccer.yellow-card",
    "card red": "soccer.red-card",
    "card yellow-red": "soccer.yellow-red-card",
    "special missed-penalty": "soccer.penalty-kick-missed",
    "match game-start": "soccer.start",
    "match first-half-end": "soccer.pause-halves",
    "match second-half-start": "soccer.resume-halves",
    "match second-half-end": "soccer.end-of-regular-play",
    "match first-extra-start": "soccer.start-overtime",
    "match first-extra-end": "soccer.pause-overtime",
    "match second-extra-start": "soccer.resume-overtime",
    "match second-extra-end": "soccer.end-of-overtime",
    "match penalty-start": "soccer.start-shootout",
    "match game-end": "soccer.end",
}

Post = tuple[str, str, str, frozenset[tuple[str, str]], str]
"""Type, minute, team, (role, player) pairs, score."""


def posts_of_the_provider(rows: list[dict[str, Any]]) -> set[Post]:
    """What a person reads in the recorded `match-event` body: written without the adapter, as a second opinion."""
    found: set[Post] = set()
    subs: dict[tuple[str, str], dict[str, list[dict[str, Any]]]] = {}
    for row in rows:
        action, kind, minute = row["action"], row["kind"], f"{row['minute']}'"
        team, person = row.get("team", {}).get("name", ""), row.get("person", {}).get("name", "")
        if action == "goal":
            other = (
                {("assist" if kind != "penalty" else "fouled", row["additional_person"]["name"])}
                if row.get("additional_person")
                else set()
            )
            name = "soccer.own-goal" if kind == "own-goal" else "soccer.goal"
            found.add((name, minute, team, frozenset({("scorer", person), *other}), row["content"]))
        elif action == "match":
            found.add((KINDS[f"{action} {kind}"], minute, "", frozenset(), ""))
        elif action in {"card", "special"}:
            found.add((KINDS[f"{action} {kind}"], minute, team, frozenset({("player", person)}), ""))
        elif (
            action == "pso"
        ):  # a kick of the shoot-out, in no minute of play, which leaves the score on the pitch alone
            name, role = ("soccer.goal", "scorer") if kind == "goal" else ("soccer.penalty-kick-missed", "player")
            found.add((name, "", team, frozenset({(role, person)}), ""))
        elif action == "playing" and kind.startswith("substitute"):
            subs.setdefault((team, minute), {"substitute-in": [], "substitute-out": []})[kind].append(row)
    for (team, minute), change in subs.items():
        outs, ins = (
            sorted(change[name], key=lambda row: int(row["id"])) for name in ("substitute-out", "substitute-in")
        )
        assert len(outs) == len(ins), "the recordings end with whole substitutions"
        for out, into in zip(outs, ins, strict=True):
            roles = frozenset({("out", out["person"]["name"]), ("in", into["person"]["name"])})
            found.add(("soccer.substitution", minute, team, roles, ""))
    return found


def posts_of_the_liveblog(game: dict[str, Any]) -> list[Post]:
    """The same, read from the posts of the HTTP API."""
    return [
        (
            block["event_type"],
            block.get("time_of_play", ""),
            block.get("team", {}).get("name", ""),
            frozenset((each["event_player_type"], each["player"]["name"]) for each in block.get("players", ())),
            ":".join(block["score"][f"{side}_score"] for side in ("home", "away")) if block.get("score") else "",
        )
        for event in game["events"]
        if event["local_status"] == 0 and (block := event.get("sport_event"))
    ]


def first_yellow(post: Post, rows: list[dict[str, Any]]) -> bool:
    """Whether the post is a first yellow card that the provider dropped after the yellow-red of the same player."""
    ((_, player),) = post[3]
    return any(row["kind"] == "yellow-red" and row["person"]["name"] == player for row in rows)


async def created_when_it_appears(day: Any, match_id: str) -> dict[str, Any]:
    """Ask until the match has begun to exist at the provider; recordings begin with answers that are not JSON."""

    from tests.kit.day import CREATE

    for _ in range(2000):
        body = {
            "provider": "heim",
            "matchId": match_id,
            "autoPostEnabled": True,
            "includeTextContent": True,
            "locale": "de",
        }
        answer = await day.client.post(CREATE, json=body)
        if answer.status_code == 200:
            return answer.json()
        assert answer.status_code in {404, 503}, answer.text
        await asyncio.sleep(0.1)
    pytest.fail(f"{match_id} never appeared")
