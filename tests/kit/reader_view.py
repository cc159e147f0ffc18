"""What a liveblog shows its readers, so that two of them can be compared."""

from __future__ import annotations

from typing import Any


def shown_to_readers(game: dict[str, Any]) -> tuple[Any, ...]:
    """Posts, score, state and title, without ids and times."""
    posts = [
        (
            (event.get("contents") or [{}])[0].get("text"),
            (event.get("sport_event") or {}).get("event_type"),
            (event.get("sport_event") or {}).get("time_of_play"),
        )
        for event in game["events"]
        if event["local_status"] == 0
    ]
    return (
        sorted(posts, key=str),
        game["scoreboard"]["score"],
        game["state_info"]["gamestate"],
        game["meta_info"]["title"],
    )
