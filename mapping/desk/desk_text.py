"""What the desk says to people, in the languages of the catalogues."""

from __future__ import annotations

from enum import StrEnum


class DeskText(StrEnum):
    """A text of the desk; its value is the msgid."""

    SKIP = "To the content"
    NAVIGATION = "Desk pages"
    ACCOUNT = "Account"
    SIGN_IN = "Sign in"
    SIGN_OUT = "Sign out"
    SIGNED_OUT = "You are signed out. What you have written stays here, and is sent once you are signed in again."
    EMAIL = "E-mail address"
    PASSWORD = "Password"  # noqa: S105 -- a label
    SIGN_IN_WITH = "Sign in with {provider}"
    WRONG = "The e-mail address or the password is wrong."
    WAIT = "Too many tries. Please try again in {seconds} seconds."
    BUSY = "Many people are signing in. Please try again in a moment."
    NO_ACCOUNT = "Nobody has an account here by that name. Please ask whoever runs the service."
    GROUPS_LEFT_OUT = (
        "Your provider does not say in which groups you are: they are too many. Please ask whoever runs it."
    )
    PROVIDER_FAILED = "The sign-in did not work. Please try again."
    NEEDS_HTTPS = "People sign in only where the address begins with https, or on this computer itself."
    HIDDEN = "Not published"
    NEXT_PAGE = "Next page"
    PREVIOUS_PAGE = "Previous page"
    ROLE = "Role"
    READER = "Reader"
    EDITOR = "Editor"
    ADMIN = "Administrator"
    CHANGE_PASSWORD = "Change password"  # noqa: S105 -- a label
    CURRENT_PASSWORD = "Current password"  # noqa: S105 -- a label
    NEW_PASSWORD = "New password"  # noqa: S105 -- a label
    PASSWORD_CHANGED = "The password is changed. All other sessions have ended."  # noqa: S105 -- a message
    PASSWORD_RULE = (
        "At least {count} characters of any kind. Several words are good; names and well-known ones are not."  # noqa: S105 -- a rule
    )
    PASSWORD_SHORT = "The password is too short."  # noqa: S105 -- a message
    PASSWORD_LONG = "The password is too long."  # noqa: S105 -- a message
    PASSWORD_COMMON = "The password is one that is easily guessed."  # noqa: S105 -- a message
    PASSWORD_OWN = "The password says too much of you or of this service."  # noqa: S105 -- a message
    PASSWORD_LEAKED = "The password is in a list of those that have leaked."  # noqa: S105 -- a message
    PASSWORD_WRONG = "The current password is wrong."  # noqa: S105 -- a message
    NO_PASSWORD = "You sign in with {provider}, and have no password here."  # noqa: S105 -- a message
    SESSIONS = "Signed in"
    THIS_ONE = "This browser"
    BEGAN = "Since"
    SEEN = "Last used"
    END_SESSION = "End"
    END_ALL = "Sign out everywhere"
    ENDED = "The session has ended."
