"""What the page of matches says to people, in the languages of the catalogues."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from mapping.desk.match_trouble import Trouble


class MatchesText(StrEnum):
    """A text of the page; its value is the msgid."""

    MATCHES = "Matches"
    NEW_MATCH = "New liveblog from a match"
    SHOW_FOLLOWED = "All that are followed"
    SHOW_RUNNING = "Running"
    SHOW_COMING = "Coming up"
    SHOW_OVER = "Over"
    SHOW_OTHERS = "Liveblogs without a match"
    PROVIDER = "Provider"
    ANY_PROVIDER = "Any provider"
    TROUBLE = "Trouble"
    ANY_TROUBLE = "With or without trouble"
    SOME_TROUBLE = "Any trouble"
    SEARCH = "Search"
    APPLY = "Apply filter"
    MATCH = "Match"
    LAST_ANSWER = "Last answer"
    LAST_POST = "Last post"
    DRAFTS = "Drafts"
    HEALTH = "Health"
    AUTOMATIC = "Posted automatically"
    ACTIONS = "Actions"
    JUST_NOW = "just now"
    ALL_WELL = "All is well"
    REFUSED = "The provider refuses the credentials"
    LOST = "The provider cannot be reached"
    STANDING_STILL = "Stands still, and is tried again"
    SILENT = "No answer from the provider for too long"
    FROZEN_CLOCK = "The clock has stopped"
    FAILING = "A part of the provider's data fails"
    SOURCES_DISAGREE = "The sources disagree"
    STANDBY_LEADS = "The standby leads"
    DISAGREEING = "The provider contradicts itself; the next answer decides"
    DRAFTS_WAIT = "Drafts are waiting"
    RECEIVERS_FAIL = "Webhook receivers that do not accept deliveries: {count}"
    RECEIVERS_DISABLED = "Webhook receivers that are disabled: {count}"
    PAUSED = "Paused"
    NOTHING = "Nothing; all posts are drafts"
    EVERYTHING = "Everything"
    ALL_BUT = "All but {kinds}"
    ALL_BUT_MANY = "All but {count} types"
    NO_SCOREBOARD = "not the scoreboard"
    PAUSE = "Pause"
    RESUME = "Resume"
    SETTINGS = "Settings"
    SETTINGS_OF = "Settings of {title}"
    NO_MATCH = "No liveblog is as the filter wants it."
    COUNTED = "Liveblogs: {count}, with trouble: {trouble}"
    WENT_WRONG = "That did not work: {reason}"
    SAVED = "Saved."
    POST_AUTOMATICALLY = "Post automatically"
    WITH_TEXT = "With the provider's text"
    LEAVE_SCOREBOARD = "Leave the scoreboard to the desk"
    LEFT_OUT = "Types that become drafts"
    SAVE = "Save"
    ATTACH_OTHER = "Attach another match"
    DETACH = "Detach"
    DETACH_SAYS = "Nothing more comes from the provider. The posts stay, and are yours."
    DETACH_CONFIRM = "Yes, detach {title} from its match"
    OPEN_LIVEBLOG = "Open the liveblog"
    MATCH_ID = "Id of the match"
    SELECTOR = "What the id names"
    SELECT_MATCH = "A match"
    SELECT_PHASE = "A phase"
    SELECT_OVERALL = "An overall"
    LOOK = "Look at the match"
    COMPETITION = "Competition"
    VENUE = "Venue"
    STATE = "State"
    SCORE = "Score"
    HOLDS = "What the provider has"
    LINE_UPS = "Line-ups: {count} people"
    NO_LINE_UPS = "No line-ups yet"
    EVENTS = "Events so far: {count}"
    HAS_TEXT = "Text"
    NO_TEXT = "No text"
    ON_IT = "Liveblogs of yours that are on this match already: {count}"
    CREATE = "Create the liveblog"
    ATTACH_THIS = "Attach this match"
    LOCALE = "Language of the texts"
    OTHER_TITLE = "Another title"
    NO_SUCH_MATCH = "The provider has no such match."
    NO_ACCESS = "Your organization has no access to this provider."
    PROVIDER_SILENT = "The provider does not answer. Please try again in a moment."
    NOT_ATTACHED = "This liveblog is on no match."
    YOUR_ROLE = "Your role may look at this, and change nothing."
    UPDATED_ITSELF = "The table keeps itself up to date."
    NOT_UPDATED = "The table is not up to date; the service does not answer."


TROUBLE_TEXTS: Mapping[Trouble, MatchesText] = {
    Trouble.REFUSED: MatchesText.REFUSED,
    Trouble.LOST: MatchesText.LOST,
    Trouble.STANDING_STILL: MatchesText.STANDING_STILL,
    Trouble.SILENT: MatchesText.SILENT,
    Trouble.FROZEN_CLOCK: MatchesText.FROZEN_CLOCK,
    Trouble.FAILING: MatchesText.FAILING,
    Trouble.SOURCES_DISAGREE: MatchesText.SOURCES_DISAGREE,
    Trouble.STANDBY_LEADS: MatchesText.STANDBY_LEADS,
    Trouble.DISAGREEING: MatchesText.DISAGREEING,
    Trouble.DRAFTS: MatchesText.DRAFTS_WAIT,
}
