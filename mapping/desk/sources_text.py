"""What the desk says of the sources of a match, in the languages of the catalogues."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from mapping.fusion.leading_source import Reason
from mapping.fusion.same_match import Mismatch


class SourcesText(StrEnum):
    """A text; its value is the msgid."""

    SOURCES = "Sources of the match"
    ONE_SOURCE = "One source alone: when it falls silent, nothing comes until it answers again."
    ONE_PROVIDER = "A standby needs access to a second provider, and your organization has one."
    NOT_THIS_SPORT = "In this sport no second source can stand by."
    LEADS = "Leads: {reason}"
    LEADS_SINCE = "Leads since {time}: {reason}"
    LEADS_NOW = "{provider} leads: {reason}"
    DISAGREE_NOW = "The sources disagree about: {what}"
    FIRST_SOURCE = "First source"
    STANDBY = "Standby"
    DOES_NOT_LEAD = "Does not lead now"
    STANDS_BY = "Stands by"
    FIRST = "it is the first source of the match, and well"
    PINNED = "a person has chosen it"
    PINNED_BEFORE = "a person had chosen it; the first source leads again once it has been well for a while"
    REFUSED = "the source that led before refuses the credentials"
    FAILING = "the source that led before answers with errors"
    SILENT = "the source that led before has not answered for too long"
    STALLED = "the source that led before stands still while this one goes on"
    IMPLAUSIBLE = "the source that led before said something that cannot be"
    NO_ANSWER = "No answer yet"
    REFUSES = "It refuses the credentials."
    FAILS = "It answers with errors."
    IS_SILENT = "It has not answered for too long."
    PIN_FAILS = "A person has chosen {provider}, which does not answer."
    LET_GO = "Let whichever source is well lead"
    LEADS_SOON = "{provider} is going to lead within a few seconds."
    AGREE = "No disagreement that lasts."
    DISAGREE = "The sources disagree about:"
    SCORE = "score"
    SCORER = "scorer"
    PLAYER = "player"
    MINUTE = "minute"
    MISSING = "what only one of them has"
    NOTHING = "nothing"
    WHO_LEADS = "Who leads"
    AUTOMATICALLY = "Automatic: the first source, and the standby while that one fails"
    ALWAYS = "Always {provider}, whatever happens"
    GOAL_POSTED = "A goal is posted"
    BY_ONE = "as soon as the source that leads has it"
    BY_TWO = "once two have it; until then it is a draft, for {seconds} seconds at most"
    ADD = "Add a standby"
    ADD_SAYS = (
        "The same match at another provider. It is followed too, and leads when the first source falls silent, fails or says"
        " something that cannot be. Nothing is posted twice."
    )
    TAKE_OFF = "Take {provider} off"
    TAKE_OFF_SAYS = "What {provider} alone has said goes from the liveblog."
    SAME_PROVIDER = "The match comes from this provider already. Choose another one."
    NO_ID = "This is no id of a match."
    OTHER_SPORT = "This is another match: one is {first}, the other one {second}."
    OTHER_KICK_OFF = "This is another match: the kick-offs are more than three hours apart."
    OTHER_SIDES = "This is another match: home and away are the other way round ({first}; {second})."
    OTHER_TEAMS = "This is another match: the teams differ ({first}; {second})."
    NO_SOURCE = "This is no source of the match any more."


REASON_TEXTS: Mapping[Reason, SourcesText] = {each: SourcesText[each.name] for each in Reason}
"""Why a source leads."""
MISMATCH_TEXTS: Mapping[Mismatch, SourcesText] = {each: SourcesText[f"OTHER_{each.name}"] for each in Mismatch}
"""Why a match cannot stand by."""
ABOUT_TEXTS: Mapping[str, SourcesText] = {
    "score": SourcesText.SCORE,
    "missing": SourcesText.MISSING,
    "scorer": SourcesText.SCORER,
    "player": SourcesText.PLAYER,
    "minute": SourcesText.MINUTE,
}
"""What sources disagree about, what matters most first."""
