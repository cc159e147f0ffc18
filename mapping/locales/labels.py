"""The labels of our own pages and scoreboards, so that no page uses one that no catalogue has."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from mapping.match.match import Decided, Status


class Label(StrEnum):
    """A label of a page; its value is the msgid: `translator.text(Label.LINEUP)`."""

    ABANDONED = "Abandoned"
    AFTER_EXTRA_TIME = "After extra time"
    BENCH = "Substitutes"
    BREAK = "Break"
    CANCELLED = "Cancelled"
    COMPETITION = "Competition"
    EARLIER_MOMENTS = "Earlier key moments ({count})"
    EXTRA_TIME = "Extra time"
    FINISHED = "Finished"
    FULL_TIME = "Full-time"
    HALF_TIME = "Half-time"
    KICK_OFF = "Kick-off"
    KEY_MOMENTS = "Key moments"
    LAPS = "Laps"
    LINEUP = "Line-up"
    LINK_COPIED = "Link copied"
    LIVE = "Live"
    NAME = "Name"
    NOTHING = "Nothing posted yet"
    NOT_STARTED = "Not started"
    OLDER_POSTS = "Older posts"
    PINNED = "Pinned"
    PLACE = "Place"
    PLAY = "Play video"
    POINTS = "Points"
    POSTPONED = "Postponed"
    POSTS = "Posts"
    RANKING = "Ranking"
    RUNNING_ORDER = "Running order"
    SCOREBOARD = "Scoreboard"
    SECTIONS = "Sections"
    SENSITIVE = "Sensitive content"
    SERVING = "Serving"
    SET = "Set {set}"
    SETS_WON = "Sets won"
    SHARE = "Share"
    SHOOTOUT = "Penalty shoot-out"
    SHOW = "Show"
    SLIDESHOW = "Slideshow"
    STARTING_GRID = "Starting grid"
    START_LIST = "Start list"
    TIME = "Time"
    UPDATED = "Updated"
    VENUE = "Venue"
    WINNER = "Winner"


class Recap(StrEnum):
    """A sentence of the recap of a match; its value is the msgid."""

    SCORE = "{phase}: {home} against {away}, {score}."
    SETS = "Sets: {list}."
    GOALS = "Goals: {list}."
    SENT_OFF = "Sent off: {list}."
    PENALTIES_MISSED = "Penalties missed: {list}."
    LEADERS = "{lap}: {first} leads ahead of {second} and {third}."
    LEADER = "{lap}: {first} leads."
    PODIUM = "On the podium: {first} ahead of {second} and {third}."
    WINNER = "The winner is {first}."
    FASTEST = "{first} is fastest."


class Result(StrEnum):
    """How a match ended, in a few words; its value is the msgid."""

    WIN = "{winner} win {score}"
    AFTER_EXTRA_TIME = "{winner} win {score} after extra time"
    AFTER_OVERTIME = "{winner} win {score} after overtime"
    ON_PENALTIES = "{winner} win {score} on penalties"
    AFTER_SHOOTOUT = "{winner} win {score} after a shoot-out"
    AWARDED = "awarded {award} ({score} on the pitch)"
    AWARDED_ALONE = "awarded {award}"
    DRAW = "{home} and {away} draw {score}"
    SETS = "{winner} wins {sets}"
    WINNER = "{winner} wins"
    RETIRED = "{winner} wins by retirement"
    WALKOVER = "{winner} wins by walkover"
    PAIR_SETS = "{winners} win {sets}"
    PAIR_WINNER = "{winners} win"
    PAIR_RETIRED = "{winners} win by retirement"
    PAIR_WALKOVER = "{winners} win by walkover"
    FASTEST = "{winner} is fastest"
    TITLE = "{title}: {result}"
    """The title of a liveblog whose match is over."""


class PageText(StrEnum):
    """A text of the lists, filters and errors on our pages; its value is the msgid."""

    ALL = "All"
    ALL_LIVEBLOGS = "All liveblogs"
    BAD_ADDRESS = "This address is not one that we understand."
    DOCUMENTATION = "API documentation"
    FAILED = "Something went wrong on our side. Please try again in a moment."
    FILTERS = "Filter posts"
    GOALS = "Goals"
    LIVEBLOGS = "Liveblogs"
    LOST = "Connection lost. Trying again …"
    NEWEST_POSTS = "Newest posts"
    NOT_FOUND = "There is no such page, or it was withdrawn."
    NOT_OPEN = "This page is not open to everybody."
    NO_LIVEBLOG = "No liveblog yet"
    SERVICE = "A service that turns sports data into liveblogs."
    TEXTS = "Texts"
    TOO_MANY = "That was too much at once. Please try again in a moment."


class CommentLabel(StrEnum):
    """A text of the comments on our pages; its value is the msgid, its name what the script calls it."""

    OPEN = "Comments"
    WRITE = "Write a comment"
    NAME = "Your name"
    SEND = "Send"
    REPLY = "Reply"
    REPLY_TO = "Reply to {name}"
    LIKE = "Like"
    REPORT = "Report"
    REPORTED = "Reported"
    WAITING = "Waiting for approval"
    ANONYMOUS = "Anonymous"
    MORE = "More comments"
    SENT = "Your comment is published."
    AGAIN = "You have written this already."
    LONG = "This is empty, too long, or has too many links."
    CLOSED = "Comments are closed here."
    BUSY = "That was too much at once. Please try again in a moment."
    FAILED = "That did not work. Please try again."


class SnippetText(StrEnum):
    """The texts of the page of snippets; its value is the msgid."""

    EMBED = "Embed “{title}”"
    ABOUT = "What shows this liveblog elsewhere, to copy and paste"
    ELEMENT = "Element"
    ELEMENT_ABOUT = "The liveblog as a part of your page: it takes your font and width, and follows what happens."
    FRAME = "Frame"
    FRAME_ABOUT = (
        "For pages that take no scripts into their own. The second line makes the frame as high as the liveblog."
    )
    PREFETCH = "Prefetch"
    PREFETCH_ABOUT = "For a CMS: put html into the article and schema into its head. It needs no script."
    FEEDS = "Feeds"
    FEEDS_ABOUT = "RSS, Atom and JSON Feed."
    OEMBED_ABOUT = "Where a CMS knows oEmbed, paste the address of the page; it finds the rest by itself."
    COPY = "Copy"
    COPIED = "Copied"
    SELECTED = "Selected: copy it with the keyboard"
    PREVIEW_ELEMENT = "Preview: element"
    PREVIEW_FRAME = "Preview: frame"
    IN_A_FRAME = "{title}, in a frame"


class PollText(StrEnum):
    """What a poll or quiz says; its value is the msgid."""

    CHANGE = "Change vote"
    CHOSEN = "Your choice"
    CLOSED = "Voting is closed"
    CORRECT = "Right answer"
    COUNTED = "Your vote is counted."
    FAILED = "Your vote could not be taken. Please try again."
    LINK = "Vote here"
    REMOVED = "Your vote is withdrawn."
    RIGHT = "Right!"
    VOTE = "Vote"
    WITHDRAW = "Withdraw vote"
    WRONG = "Not right."


PERCENT = "{percent}%"
"""The share of an option."""

VOTES = ("{count} vote", "{count} votes")

POSTS = ("{count} post", "{count} posts")
"""Singular and plural: `translator.plural(*POSTS, count)`."""

NEW_POSTS = ("{count} new post", "{count} new posts")

CORRECTED = "Corrected: {text}"
WITHDRAWN = "Withdrawn: {text}"
"""What is said of a post to those who listen."""

LOADS_FROM = "Loads from {host}"
"""What a video says before it is played."""

KICK = {True: "Penalty {number} of {count}: scored", False: "Penalty {number} of {count}: missed"}
KICK_BEYOND = {True: "Penalty {number}: scored", False: "Penalty {number}: missed"}
KICK_UNNUMBERED = {True: "Penalty scored", False: "Penalty missed"}
"""What a kick of a shoot-out is called, by whether it went in."""
KICK_OPEN = "Penalty {number}: not taken"

SCORE_CONTEXT = "score"

SCORE = "{home}-{away}"
"""A score within a sentence."""

DECIMAL_MARK = "."
"""Between whole seconds and their fractions."""

BETWEEN_SETS = ", "
"""Between the scores of two sets."""

UNDER_REVIEW = "{title} – under review"
"""The title of a goal that the score does not count any more, as long as its row is there."""

LAP = "Lap {lap}"
"""When something happened in a race."""

PERIODS: Mapping[str, str] = {
    "half-time": "Half-time",
    "full-time": "Full-time",
    "extra-time": "After extra time",
    "shootout": "Penalty shoot-out",
    "overtime": "OT",
}
"""Title of a `PeriodScore` → msgid in the context `score`."""

ENDINGS: Mapping[Decided, str] = {
    Decided.OVERTIME: "a.e.t.",
    Decided.SHOOTOUT: "pens",
    Decided.AWARD: "awarded",
    Decided.UNKNOWN: "result not reported",
}
"""How a match was decided → msgid in the context `score`, to stand beside the score."""

ON_PITCH = "{score} on the pitch"
"""What stands beside a score by decision, in the context `score`."""

SPORT_CONTEXT = "sport"
"""The names of sports."""

INTERRUPTED: Mapping[Status, Label] = {
    Status.POSTPONED: Label.POSTPONED,
    Status.ABANDONED: Label.ABANDONED,
    Status.CANCELLED: Label.CANCELLED,
}
"""What the summary of a liveblog says when its match is not played as planned."""
