"""The terms of liveblogs that are made of several matches at once: one form for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from api.desk.fixtures_section import FixturesPage, Json
from api.desk.form_fields import select_html
from api.desk.match_settings_page import EXCLUDE, box, locale_select
from api.desk.source_words import kind_name
from mapping.desk.fixtures_text import FixturesText
from mapping.desk.matches_text import MatchesText
from mapping.locales.labels import SPORT_CONTEXT
from mapping.sports import SPORTS


def terms_html(made: FixturesPage) -> str:
    """The fields, as the form had them that was refused, and the button."""
    page, given, fixtures = made.page, made.given, made.found["objects"] if made.found is not None else ()
    sent = "key" in given
    ticks = [("auto", page.text(MatchesText.POST_AUTOMATICALLY), not sent or "auto" in given)]
    ticks += [("text", page.text(MatchesText.WITH_TEXT), "text" in given)] if made.text else []
    ticks += [("editorial", page.text(FixturesText.EDITORIAL), "editorial" in given)]
    if any(each["liveblogs"] for each in fixtures) or made.refused:
        ticks += [("second", page.text(FixturesText.SECOND), "second" in given)]
    boxes = "".join(box(name, label, ticked=on) for name, label, on in ticks)
    return (
        f'<div class="card terms" role="group" aria-labelledby="terms"><h2 id="terms">{page.text(FixturesText.TERMS)}</h2>'
        f"{_sources(made)}{locale_select(page, given.get('locale') or page.texts.locale)}{boxes}{_types(made, fixtures)}"
        f'<p class="go"><a class="button plain" href="#terms">{page.text(FixturesText.TERMS)}</a>'
        f'<button id="create" data-one="{page.text(FixturesText.CREATE_ONE)}"'
        f' data-many="{page.text(FixturesText.CREATE_MANY, count="{count}")}">{page.text(FixturesText.CREATE)}</button></p></div>'
    )


def _sources(made: FixturesPage) -> str:
    page, others = made.page, [each for each in made.providers if each != made.provider]
    if not others:
        return ""
    options = [("", page.text(FixturesText.ALONE, provider=made.provider))]
    options += [(each, page.text(FixturesText.WITH_STANDBY, provider=made.provider, standby=each)) for each in others]
    return select_html(page, "standby", FixturesText.SOURCES, options, made.given.get("standby", ""))


def _types(made: FixturesPage, fixtures: Sequence[Json]) -> str:
    """The event types of the sports that are listed, each to be left out of automatic posting."""
    page, sports = made.page, sorted({each["sport"] for each in fixtures if each["followable"]})
    parts = ""
    for sport in sports:
        kinds = sorted(each for each in made.event_types if each.startswith(f"{sport}."))
        boxes = "".join(
            box(EXCLUDE + each, escape(kind_name(page.texts, each)), ticked=EXCLUDE + each in made.given)
            for each in kinds
        )
        name = escape(page.texts.text(SPORTS[sport].name, context=SPORT_CONTEXT))
        parts += f"<fieldset><legend>{name}</legend>{boxes}</fieldset>" if boxes else ""
    return f"<details><summary>{page.text(MatchesText.LEFT_OUT)}</summary>{parts}</details>" if parts else ""
