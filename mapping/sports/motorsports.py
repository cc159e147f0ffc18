"""Motorsports: fourteen event types in the interface's order, timed by laps; a title and a ranking instead of two teams."""

from __future__ import annotations

from mapping.documents.state import ENDED
from mapping.sports.base import Kind, MomentType, Sport

DRIVING = (
    Kind(
        "motorsports.crash",
        title="Crash",
        moment=MomentType.INCIDENT,
        sentences=(
            "Crash! {driver} ({team}) and {other} collide.",
            "Crash! {driver} and {other} collide.",
            "Crash! {driver} ({team}) is involved.",
            "Crash! {driver} is involved.",
            "There has been a crash.",
        ),
    ),
    Kind(
        "motorsports.overtake",
        title="Overtake",
        sentences=(
            "{driver} overtakes {other} and is now P{detail}.",
            "{driver} overtakes {other}.",
            "{driver} gains a place and is now P{detail}.",
            "{driver} gains a place.",
        ),
    ),
    Kind(
        "motorsports.pit-stop",
        title="Pit stop",
        sentences=(
            "Pit stop for {driver} ({team}): {seconds} seconds.",
            "Pit stop for {driver}: {seconds} seconds.",
            "Pit stop for {driver} ({team}).",
            "Pit stop for {driver}.",
        ),
    ),
    Kind(
        "motorsports.fastest-lap",
        title="Fastest lap",
        sentences=(
            "Fastest lap: {driver} ({team}) sets {detail}.",
            "Fastest lap: {driver} sets {detail}.",
            "Fastest lap for {driver} ({team}).",
            "Fastest lap for {driver}.",
        ),
    ),
    Kind(
        "motorsports.penalty",
        title="Penalty",
        sentences=(
            "Penalty for {driver} ({team}): {detail}.",
            "Penalty for {driver}: {detail}.",
            "Penalty for {driver} ({team}).",
            "Penalty for {driver}.",
        ),
    ),
    Kind(
        "motorsports.team-radio",
        title="Team radio",
        sentences=(
            "{driver} on the team radio: “{detail}”",
            "Team radio: “{detail}”",
            "{driver} is talking to the pit wall.",
        ),
    ),
    Kind("motorsports.weather-info", title="Weather", sentences=("Weather: {detail}.",)),
)
TRACK = (
    Kind(
        "motorsports.safety-car",
        title="Safety car",
        moment=MomentType.FLAG,
        sentences=("The safety car is deployed.",),
        variants={"over": ("The safety car comes in.",)},
    ),
    Kind(
        "motorsports.virtual-safety-car",
        title="Virtual safety car",
        moment=MomentType.FLAG,
        sentences=("The virtual safety car is deployed.",),
        variants={"over": ("The virtual safety car phase is over.",)},
    ),
    Kind(
        "motorsports.red-flag",
        title="Red flag",
        moment=MomentType.FLAG,
        sentences=("Red flag! The session is stopped.",),
        variants={"over": ("The session is restarted after the red flag.",)},
    ),
    Kind(
        "motorsports.yellow-flag",
        title="Yellow flag",
        moment=MomentType.FLAG,
        sentences=("Yellow flag in sector {detail}.", "Yellow flag."),
        variants={"over": ("The track is clear again.",)},
    ),
)
FRAME = (
    Kind("motorsports.start", title="Start", moment=MomentType.START, sentences=("The session is under way.",)),
    Kind(
        "motorsports.end",
        title="Finish",
        moment=MomentType.RESULT,
        enters=ENDED,
        sentences=("Chequered flag! {first} ({team}) wins.", "Chequered flag! {first} wins.", "Chequered flag!"),
        variants={
            "disqualified": (
                "Chequered flag! {first} ({team}) wins. {disqualified} is disqualified.",
                "Chequered flag! {first} wins. {disqualified} is disqualified.",
                "Chequered flag! {disqualified} is disqualified.",
            ),
            "fastest": ("Chequered flag! {fastest} ({team}) is fastest.", "Chequered flag! {fastest} is fastest."),
            "abandoned": ("The session is abandoned.",),
        },
    ),
    Kind(
        "motorsports.podium",
        title="Podium",
        sentences=(
            "On the podium: {first} ahead of {second} and {third}.",
            "On the podium: {first} ahead of {second}.",
            "The winner is {first}.",
        ),
        variants={
            "disqualified": (
                "On the podium: {first} ahead of {second} and {third}. {disqualified} is disqualified.",
                "On the podium: {first} ahead of {second}. {disqualified} is disqualified.",
                "The winner is {first}. {disqualified} is disqualified.",
            )
        },
    ),
)

MOTORSPORTS = Sport(
    id="motorsports",
    name="Motorsports",
    scoreboard=False,
    kinds=(*DRIVING, *TRACK, *FRAME),
    roles={
        "driver": "Driver",
        "other": "Other driver",
        "first": "1st place",
        "second": "2nd place",
        "third": "3rd place",
        "fastest": "Fastest",
        "disqualified": "Disqualified",
    },
    ranked=True,
)
