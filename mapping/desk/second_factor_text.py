"""What the desk says of second factors."""

from __future__ import annotations

from enum import StrEnum


class SecondFactorText(StrEnum):
    """A text of the sign-in and of the page of one's account; its value is the msgid."""

    TITLE = "Second factor"
    WHY = "With a code of an app beside the password, nobody signs in who only knows the password."
    NEEDED = "Here everybody signs in with a code of an app beside the password. Set it up to go on."
    SET_UP = "Set up an app for codes"
    HOW = "Scan this with an app for one-time codes, or add the secret to it, then enter the code that the app shows."
    OPEN_APP = "Open it in an app on this device"
    SECRET = "Secret"  # noqa: S105 -- a label
    CODE = "Code of the app"
    CONFIRM = "Confirm the code"
    RECOVERY_CODE = "Recovery code"
    USE_RECOVERY = "Without the app"
    WRONG_CODE = "The code is wrong, or was used already. Please enter the next one that the app shows."
    TOO_LATE = "That took too long, or was done in another window. Please begin again."
    BEGIN_AGAIN = "Begin again"
    RECOVERY_CODES = "Recovery codes"
    KEEP_CODES = (
        "Each opens your account once if the app is lost. They are shown this one time: keep them where the app is not."
    )
    GO_ON = "I have kept them"
    ACTIVE = "A code of your app is wanted at each sign-in. Recovery codes left: {count}"
    NEW_CODES = "New recovery codes"
    OTHER_APP = "Another app"
    REMOVE = "Remove the second factor"
    REMOVED = "The second factor is removed. All other sessions have ended."
    CODE_OR_RECOVERY = "Code of the app, or a recovery code"
    END_PROOF = "Your password, to end sessions"
