"""Fields of forms that several pages of the desk have."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from html import escape

from api.desk.desk_frame import DeskPage


def select_html(
    page: DeskPage,
    name: str,
    label: StrEnum,
    options: Iterable[tuple[str, str]],
    chosen: str,
    *,
    error: str = "",
    ident: str = "",
) -> str:
    """A choice with its label; of each option its value and its escaped text.

    `error`: what is wrong with it, escaped. `ident`: its id, where the page has another choice of that name.
    """
    shown = "".join(
        f'<option value="{escape(value)}"{" selected" if value == chosen else ""}>{text}</option>'
        for value, text in options
    )
    at = ident or name
    attributes, wrong = field_error(name, error)
    return (
        f'<p><label for="{at}">{page.text(label)}</label>'
        f'<select id="{at}" name="{name}"{attributes}>{shown}</select>{wrong}</p>'
    )


def radio_html(
    page: DeskPage,
    name: str,
    label: StrEnum,
    options: Iterable[tuple[str, str]],
    chosen: str,
    *,
    error: str = "",
) -> str:
    """A choice of which all options are in sight, as their texts are long; else as `select_html`."""
    shown = "".join(
        f'<label class="tick"><input type="radio" name="{name}" value="{escape(value)}"'
        f"{' checked' if value == chosen else ''}> <span>{text}</span></label>"
        for value, text in options
    )
    attributes, wrong = field_error(name, error)
    return (
        f'<fieldset id="{name}" role="radiogroup" class="stacked"{attributes}><legend>{page.text(label)}</legend>'
        f"{shown}{wrong}</fieldset>"
    )


def field_error(name: str, words: str) -> tuple[str, str]:
    """Attributes of the field of this name, and what stands below it; both empty for no words, which are escaped."""
    if not words:
        return "", ""
    attributes = f' aria-invalid="true" aria-describedby="{name}-wrong"'
    return attributes, f'<span id="{name}-wrong" class="wrong" role="alert">{words}</span>'
