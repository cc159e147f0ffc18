"""What the page of comments says to people, in the languages of the catalogues."""

from __future__ import annotations

from enum import StrEnum


class CommentsText(StrEnum):
    """A text of the page; its value is the msgid."""

    COMMENTS = "Comments"
    PENDING = "Waiting"
    HIDDEN = "Reported"
    APPROVED = "Approved"
    REJECTED = "Rejected"
    STATUSES = "Comments by their state"
    APPROVE = "Approve"
    REJECT = "Reject"
    BAN = "Ban the reader"
    UNBAN = "Let the reader in again"
    UNDO = "Undo"
    NONE = "There are no such comments."
    ANONYMOUS = "No name"
    BANNED = "Banned"
    LIKES = "Likes: {count}"
    REPORTS = "Reports: {count}"
    REPLY = "A reply"
    DECIDED_BY = "Decided by {person}"
    OF_LIVEBLOG = "Of the liveblog"
    ALL_LIVEBLOGS = "Of all liveblogs"
    KEYS = "Keys"
    KEY_NEXT = "the next comment"
    KEY_PREVIOUS = "the one before"
    DID_APPROVE = "Approved."
    DID_REJECT = "Rejected."
    DID_BAN = "The reader is banned."
    DID_UNDO = "Undone."
    NOTHING_TO_UNDO = "There is nothing to undo."
    FAILED = "That did not work. Please try again."
    NO_RIGHT = "Your role does not decide about comments."
