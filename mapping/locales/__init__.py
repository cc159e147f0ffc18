"""Our own texts in the languages of the liveblogs: gettext catalogues, read once, keyed by the English source text."""

from __future__ import annotations

import gettext
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from babel.messages.catalog import Catalog

__all__ = ["FALLBACKS", "Translator", "catalogue", "msgid", "shipped", "translator"]

SOURCE = "en"

FALLBACKS: Mapping[str, str] = {
    "": SOURCE,
    "en-ie": "en-gb",
    "en-au": "en-gb",
    "en-nz": "en-gb",
    "en-gb": SOURCE,
    "de": SOURCE,
    "fr-fr": SOURCE,
    "it-it": SOURCE,
    "nl-nl": SOURCE,
    "zh-tw": SOURCE,
}
"""Locale of the interface → where a text is looked up next; what is not listed falls back to `en`."""

Texts = Mapping[tuple[str | None, str], tuple[str, ...]]
"""(msgctxt, msgid) → translation, or one translation for each plural form."""


@dataclass(frozen=True, slots=True)
class Translator:
    """Texts of one locale. Values are put in as they are: whoever writes HTML escapes the result."""

    locale: str
    texts: Texts
    plural_form: Callable[[int], int]

    def text(self, msgid: str, /, *, context: str | None = None, **values: object) -> str:
        """The translation of `msgid` with `values` in its placeholders; `msgid` itself where there is none.

        Without values nothing is filled in, so that a text from elsewhere may hold braces.
        """
        found = self.texts.get((context, msgid), (msgid,))[0]
        return found.format(**values) if values else found

    def plural(self, one: str, many: str, count: int, /, **values: object) -> str:
        """The translation for `count` things; `{count}` is filled in too."""
        forms = self.texts.get((None, one), (one, many))
        form = forms[min(self.plural_form(count), len(forms) - 1)]
        return form.format(count=count, **values)


def msgid(text: str) -> str:
    """Marks a text that is translated elsewhere: in a table, or of a rule that knows no reader."""
    return text


@lru_cache(maxsize=64)
def translator(locale: str) -> Translator:
    """The texts for a locale: its own, completed by those it falls back to. An unknown locale is English."""
    names = [name for name in _chain(locale) if name in shipped_locales()]
    texts = {key: value for name in reversed(names) for key, value in _texts(catalogue(name)).items()}
    plural_form: Callable[[int], int] = gettext.c2py(catalogue(names[0]).plural_expr)
    return Translator(locale=names[0], texts=texts, plural_form=plural_form)


@cache
def shipped_locales() -> frozenset[str]:
    """The locales that have a catalogue of their own."""
    files = (item.name for item in resources.files(__name__).iterdir())
    return frozenset(name.removesuffix(".po") for name in files if name.endswith(".po"))


@cache
def catalogue(name: str) -> Catalog:
    """The catalogue `<name>.po`, as babel reads it. Raises FileNotFoundError where none is shipped."""
    from babel.messages.pofile import read_po  # a start that renders nothing needs no catalogue

    with (resources.files(__name__) / f"{name}.po").open("rb") as file:
        return read_po(file, locale=name.replace("-", "_"), abort_invalid=True)


def _chain(locale: str) -> list[str]:
    """The catalogues of a locale, the best one first."""
    chain = [locale.lower()]
    while chain[-1] != SOURCE:
        chain.append(FALLBACKS.get(chain[-1], SOURCE))
    return chain


def _texts(source: Catalog) -> Texts:
    return {
        (message.context, message.id if isinstance(message.id, str) else message.id[0]): (
            (message.string,) if isinstance(message.string, str) else tuple(message.string or ())
        )
        for message in source
        if message.id
    }
