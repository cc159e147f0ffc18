"""The parts of pages about a second factor: setting up an app, entering a code, keeping recovery codes."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from html import escape

from starlette.responses import Response

from api.desk.desk_frame import DeskPage
from api.desk.handlers import CODE_STEP
from mapping.desk.desk_text import DeskText
from mapping.desk.one_time_codes import LONGEST, app_address, in_groups
from mapping.desk.second_factor_text import SecondFactorText

ACTS = ("app", "codes", "remove")
"""What the form of one's account does: another app, new recovery codes, no second factor any more."""


def app_html(page: DeskPage, secret: str, email: str) -> str:
    """The secret as a QR code, as text and as an address."""
    import segno

    address = app_address(secret, email)
    picture = segno.make_qr(address).svg_inline(light="#fff", omitsize=True, lineclass=None)
    return (
        f"<p>{page.text(SecondFactorText.HOW)}</p>"
        f'<p class="qr" aria-hidden="true">{picture}</p>'
        f'<p>{page.text(SecondFactorText.SECRET)}: <code class="secret">{in_groups(escape(secret))}</code></p>'
        f'<p><a class="button" href="{escape(address)}">{page.text(SecondFactorText.OPEN_APP)}</a></p>'
    )


def code_form(page: DeskPage, wanted: str, button: StrEnum) -> str:
    """The form for a code of an app, which leads on to `wanted`."""
    return (
        f'<form method="post" action="{page.link(CODE_STEP)}"><input type="hidden" name="next" value="{escape(wanted)}">'
        f'<label for="code">{page.text(SecondFactorText.CODE)}</label>'
        '<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required maxlength="20" autofocus>'
        f"<button>{page.text(button)}</button></form>"
    )


def recovery_form(page: DeskPage, wanted: str) -> str:
    """The form for a recovery code, folded away."""
    return (
        f'<details><summary>{page.text(SecondFactorText.USE_RECOVERY)}</summary><form method="post"'
        f' action="{page.link(CODE_STEP)}"><input type="hidden" name="next" value="{escape(wanted)}">'
        f'<label for="recovery">{page.text(SecondFactorText.RECOVERY_CODE)}</label>'
        f'<input id="recovery" name="code" autocomplete="off" spellcheck="false" required maxlength="{LONGEST}">'
        f"<button>{page.text(DeskText.SIGN_IN)}</button></form></details>"
    )


def codes_response(page: DeskPage, codes: Sequence[str], wanted: str) -> Response:
    """The page with recovery codes, and the way on to `wanted`."""
    rows = "".join(f'<li><code class="secret">{escape(each)}</code></li>' for each in codes)
    shown = (
        f'<section class="card narrow"><p>{page.text(SecondFactorText.KEEP_CODES)}</p><ul class="rows">{rows}</ul>'
        f'<p><a class="button" href="{page.link(wanted)}">{page.text(SecondFactorText.GO_ON)}</a></p></section>'
    )
    return page.response(page.texts.text(SecondFactorText.RECOVERY_CODES), shown)


def account_section(page: DeskPage, action: str, *, left: int | None, may_remove: bool) -> str:
    """What one's account says of the second factor. `left`: recovery codes, None for an account without one."""
    password = password_field(page, "factor-password")
    if left is None:
        said, fields = page.text(SecondFactorText.WHY), password
        buttons = _button(page, ACTS[0], SecondFactorText.SET_UP)
    else:
        said = page.text(SecondFactorText.ACTIVE, count=left)
        fields = password + code_field(page, "factor-code")
        names = (SecondFactorText.OTHER_APP, SecondFactorText.NEW_CODES, SecondFactorText.REMOVE)
        acts = tuple(zip(ACTS, names, strict=True))[: 3 if may_remove else 2]
        buttons = "".join(_button(page, act, name) for act, name in acts)
    return (
        f"<h2>{page.text(SecondFactorText.TITLE)}</h2><p>{said}</p>"
        f'<form method="post" action="{page.link(action)}">{page.account_field()}{fields}<p class="acts">{buttons}</p></form>'
    )


def password_field(page: DeskPage, name: str, label: StrEnum = DeskText.CURRENT_PASSWORD) -> str:
    """The field of a form that asks for the password again; `name`: its id."""
    return (
        f'<label for="{name}">{page.text(label)}</label><input id="{name}" name="password" type="password"'
        ' autocomplete="current-password" required maxlength="1024">'
    )


def code_field(page: DeskPage, name: str) -> str:
    """The field for a code of either kind; `name`: its id."""
    return (
        f'<label for="{name}">{page.text(SecondFactorText.CODE_OR_RECOVERY)}</label>'
        f'<input id="{name}" name="code" autocomplete="one-time-code" required maxlength="{LONGEST}">'
    )


def _button(page: DeskPage, act: str, name: StrEnum) -> str:
    return f'<button name="act" value="{act}">{page.text(name)}</button>'
