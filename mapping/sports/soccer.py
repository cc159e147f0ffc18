"""Soccer: seventeen event types in the interface's order, two halves, two of extra time, and a shoot-out."""

from __future__ import annotations

from mapping.documents.state import ENDED, SHOOTOUT
from mapping.sports.base import Kind, MomentType, Sport, Timing

DISALLOWED = Kind(
    "soccer.disallowed-goal",
    title="Goal disallowed",
    moment=MomentType.DISALLOWED,
    note=True,
    sentences=(
        "Goal disallowed: {player} ({team}).",
        "Goal disallowed: {team}.",
        "Goal disallowed.",
    ),
)
CARD_WITHDRAWN = Kind(
    "soccer.withdrawn-card",
    title="Red card withdrawn",
    note=True,
    sentences=(
        "Red card withdrawn: {player} ({team}).",
        "Red card withdrawn: {team}.",
        "Red card withdrawn.",
    ),
)
GOAL = Kind(
    "soccer.goal",
    title="Goal",
    moment=MomentType.GOAL,
    scores=True,
    withdrawn_as=DISALLOWED.id,
    sentences=(
        "Goal for {team}! {scorer} makes it {score} (assist: {assist}).",
        "Goal for {team}! {scorer} makes it {score}.",
        "Goal for {team}! {scorer} scores (assist: {assist}).",
        "Goal for {team}! {scorer} scores.",
        "Goal for {team}! The score is now {score}.",
        "Goal for {team}!",
    ),
    variants={
        "penalty": (
            "Goal for {team}! {scorer} converts the penalty to make it {score} ({fouled} was fouled).",
            "Goal for {team}! {scorer} converts the penalty to make it {score}.",
            "Goal for {team}! {scorer} converts the penalty.",
        ),
        # Of providers that count an own goal as a goal of the team that it is credited to.
        "own-goal": (
            "Goal for {team}! Own goal by {own-goal} ({opponent}), the score is now {score}.",
            "Goal for {team}! Own goal by {own-goal} ({opponent}).",
            "Goal for {team}! An own goal by {opponent}.",
        ),
        "shootout": (
            "{scorer} ({team}) scores in the shoot-out: {score}.",
            "{scorer} ({team}) scores in the shoot-out.",
        ),
    },
)
OWN_GOAL = Kind(
    "soccer.own-goal",
    title="Own goal",
    moment=MomentType.GOAL,
    scores=True,
    withdrawn_as=DISALLOWED.id,
    roles={"scorer": "Own goal"},
    sentences=(
        "Goal for {opponent}! Own goal by {scorer} ({team}), the score is now {score}.",
        "Goal for {opponent}! Own goal by {scorer} ({team}).",
        "Own goal by {team}! The score is now {score}.",
        "Own goal by {team}!",
    ),
)
YELLOW_CARD = Kind(
    "soccer.yellow-card",
    title="Yellow card",
    sentences=("Yellow card for {player} ({team}).", "Yellow card for {team}."),
    absorbed_by="soccer.yellow-red-card",
)
RED_CARD = Kind(
    "soccer.red-card",
    title="Red card",
    moment=MomentType.SENT_OFF,
    withdrawn_as=CARD_WITHDRAWN.id,
    sentences=("Red card! {player} ({team}) is sent off.", "Red card for {team}."),
    # Of providers that have no type of their own for it.
    titles={"yellow-red": "Second yellow card"},
    variants={"yellow-red": ("Second yellow card! {player} ({team}) is sent off.", "Second yellow card for {team}.")},
)
YELLOW_RED_CARD = Kind(
    "soccer.yellow-red-card",
    title="Second yellow card",
    moment=MomentType.SENT_OFF,
    withdrawn_as=CARD_WITHDRAWN.id,
    sentences=("Second yellow card! {player} ({team}) is sent off.", "Second yellow card for {team}."),
)
PENALTY_MISSED = Kind(
    "soccer.penalty-kick-missed",
    title="Penalty missed",
    moment=MomentType.PENALTY_MISSED,
    sentences=("Penalty missed! {player} fails to score for {team}.", "Penalty missed by {team}."),
    variants={
        "shootout": (
            "{player} ({team}) misses in the shoot-out: {score}.",
            "{player} ({team}) misses in the shoot-out.",
        )
    },
)
SUBSTITUTION = Kind(
    "soccer.substitution",
    title="Substitution",
    sentences=(
        "Substitution for {team}: {in} comes on for {out}.",
        "Substitution for {team}: {in} comes on.",
        "Substitution for {team}: {out} goes off.",
        "Substitution for {team}.",
    ),
)
PERIODS = (
    Kind("soccer.start", title="Kick-off", sentences=("Kick-off! {home} against {away} is under way.",)),
    Kind(
        "soccer.pause-halves",
        title="Half-time",
        moment=MomentType.BREAK,
        score_of="half-time",
        sentences=("Half-time: {home} {score} {away}.", "The first half is over."),
    ),
    Kind("soccer.resume-halves", title="Second half", sentences=("The second half is under way.",)),
    Kind(
        "soccer.end-of-regular-play",
        title="End of normal time",
        moment=MomentType.BREAK,
        score_of="full-time",
        sentences=("Normal time is over: {home} {score} {away}.", "Normal time is over."),
    ),
    Kind("soccer.start-overtime", title="Extra time", sentences=("Extra time is under way.",)),
    Kind(
        "soccer.pause-overtime",
        title="Half-time in extra time",
        moment=MomentType.BREAK,
        score_of="extra-half",
        sentences=("Half-time in extra time: {home} {score} {away}.", "The first half of extra time is over."),
    ),
    Kind(
        "soccer.resume-overtime",
        title="Second half of extra time",
        sentences=("The second half of extra time is under way.",),
    ),
    Kind(
        "soccer.end-of-overtime",
        title="End of extra time",
        moment=MomentType.BREAK,
        score_of="extra-time",
        sentences=("Extra time is over: {home} {score} {away}.", "Extra time is over."),
    ),
    Kind(
        "soccer.start-shootout",
        title="Penalty shoot-out",
        moment=MomentType.SHOOTOUT,
        enters=SHOOTOUT,
        sentences=("The match will be decided by a penalty shoot-out.",),
    ),
    Kind(
        "soccer.end",
        title="Full-time",
        moment=MomentType.RESULT,
        score_of="final",
        enters=ENDED,
        sentences=("Full-time: {home} {score} {away}.", "The match is over."),
        variants={
            "overtime": ("Full-time: {home} {score} {away} after extra time.",),
            "shootout": ("Full-time: {home} {score} {away}, {shootout} on penalties.",),
            "award": (
                "Full-time: {home} – {away}: awarded {award} ({score} on the pitch).",
                "Full-time: {home} – {away}: awarded {award}.",
            ),
            "abandoned": ("The match is abandoned: {home} {score} {away}.", "The match is abandoned."),
        },
    ),
)

SOCCER = Sport(
    id="soccer",
    name="Soccer",
    scoreboard=True,
    kinds=(
        GOAL,
        OWN_GOAL,
        YELLOW_CARD,
        RED_CARD,
        YELLOW_RED_CARD,
        PENALTY_MISSED,
        SUBSTITUTION,
        *PERIODS,
        DISALLOWED,
        CARD_WITHDRAWN,
    ),
    roles={
        "scorer": "Scorer",
        "own-goal": "Own goal",
        "assist": "Assist",
        "fouled": "Fouled",
        "player": "Player",
        "in": "Coming on",
        "out": "Going off",
    },
    phases=(
        "1st half",
        "2nd half",
        "Extra time, 1st half",
        "Extra time, 2nd half",
        "Penalty shoot-out",
    ),
    positions=("keeper", "defense", "midfield", "offense"),
    timing=Timing(
        timing_type="aui",
        regular_phase_length=45,
        num_regular_phases=2,
        overtime_phase_length=15,
        num_overtime_phases=2,
    ),
    break_minutes=15,
)
