"""The sources of a match on the page of its settings: how they stand, who leads and why, and what a person may change of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, NamedTuple
from urllib.parse import quote

from api.desk.desk_frame import DeskPage
from api.desk.form_fields import field_error, radio_html, select_html
from api.desk.match_words import STATES, disagreement_texts, reason_text, refusal_text
from api.view.match_sources import AUTOMATIC
from mapping.desk.matches_text import MatchesText
from mapping.desk.sources_text import MISMATCH_TEXTS, SourcesText
from mapping.documents.import_options import MOST_STANDBYS
from mapping.errors import Forbidden, NotFound, ServiceError, Unprocessable
from mapping.fusion.leading_source import Reason
from mapping.fusion.same_match import COMPARABLE, OtherMatch
from mapping.locales.labels import Label
from mapping.match.match import Status

FIELDS = {"provider": "standby_provider", "matchId": "standby_id", "leads": "leads"}
"""Fields of the operation, the last part of their names → those of the forms."""


class SourceRole(NamedTuple):
    """What a source is to the match, and what is said of it while it does not lead."""

    name: SourcesText
    idle: SourcesText


FIRST = SourceRole(SourcesText.FIRST_SOURCE, SourcesText.DOES_NOT_LEAD)
STANDBY = SourceRole(SourcesText.STANDBY, SourcesText.STANDS_BY)


class SourceRefusal(NamedTuple):
    """What was refused: the field of the form, and why, escaped; `given`: what the form had said."""

    field: str
    words: str
    given: Mapping[str, str]


class SourcesPage(NamedTuple):
    """What the section is made with: `providers` are the organization's, `hold` is `standby.hold`."""

    page: DeskPage
    local_id: str
    sport: str
    providers: Sequence[str]
    hold: float
    may_change: bool
    refusal: SourceRefusal | None = None

    @property
    def address(self) -> str:
        """Where the forms are sent."""
        return self.page.link(f"/desk/matches/{quote(self.local_id, safe='')}/sources")

    def given(self, name: str, known: str = "") -> str:
        """What the form said that was refused, else what is known."""
        return self.refusal.given.get(name, known) if self.refusal is not None else known

    def error(self, name: str) -> str:
        """What is wrong with the field, escaped."""
        return self.refusal.words if self.refusal is not None and self.refusal.field == name else ""


def source_change(form: Mapping[str, str], sources: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The `ExternalChange` that a form of the section stands for; `sources`: those of the match now, the first one first."""
    standby = [{"provider": each["provider"], "matchId": each["matchId"]} for each in sources[1:]]
    if "add" in form:
        wanted = {"provider": form.get("standby_provider", ""), "matchId": form.get("standby_id", "").strip()}
        return {"standby": [*standby, wanted]}
    if "remove" in form:
        return {"standby": [each for each in standby if each["provider"] != form["remove"]]}
    shown = form.get("shown", "").split()  # what the person has left as it was shown is no change
    chosen = {name: form[name] for name in ("leads", "confirm") if form.get(name)}
    return {name: value for name, value in chosen.items() if f"{name}={value}" not in shown}


def source_refusal(page: DeskPage, error: ServiceError, given: Mapping[str, str]) -> SourceRefusal | None:
    """What is said at a field of the forms; None where it is about none of them."""
    field = FIELDS.get((error.field or "").rpartition(".")[2])
    if field is None:
        return None
    return SourceRefusal(field, _refused(page, error, field), given)


def _refused(page: DeskPage, error: ServiceError, field: str) -> str:
    if isinstance(error, OtherMatch):
        return page.text(MISMATCH_TEXTS[error.why.mismatch], first=error.why.first, second=error.why.second)
    if isinstance(error, Unprocessable):
        words = {"standby_provider": SourcesText.SAME_PROVIDER, "standby_id": SourcesText.NO_ID}
        return page.text(words.get(field, SourcesText.NO_SOURCE))
    no_access = field == "standby_provider" and type(error) in {Forbidden, NotFound}
    return page.text(MatchesText.NO_ACCESS) if no_access else refusal_text(page, error)


def sources_html(made: SourcesPage, found: Mapping[str, Any]) -> str:
    """The section; `found`: what external.json says."""
    page, sources = made.page, found["sources"]
    head = f'<section class="card" id="sources"><h2>{page.text(SourcesText.SOURCES)}</h2>'
    if not sources:
        only = f"<p>{page.text(SourcesText.ONE_SOURCE)}</p>"
        return f"{head}{only}{_add(made, [found['provider']]) if made.may_change else ''}</section>"
    pinned = found["leads"] != AUTOMATIC
    rows = "".join(_source(made, each, STANDBY if at else FIRST, pinned=pinned) for at, each in enumerate(sources))
    forms = f"{_choices(made, found)}{_add_another(made, sources)}{_take_off(made, sources)}" if made.may_change else ""
    said = f"{_soon(made, found)}{_pin_fails(made, found)}"
    return f'{head}{said}<ul class="sources">{rows}</ul>{_disagreements(made, found)}{forms}</section>'


def _source(made: SourcesPage, source: Mapping[str, Any], role: SourceRole, *, pinned: bool) -> str:
    page = made.page
    state = page.text(STATES.get(Status(source["status"]), Label.LIVE))
    words = [_lead(made, source, role, pinned=pinned), _answers(made, source)]
    said = "".join(f"<p>{each}</p>" for each in words)
    leads = ' class="leads"' if source["leads"] else ""
    return (
        f'<li{leads} data-source="{escape(source["provider"])}"><p><b>{escape(source["provider"])}</b>'
        f' <span class="hint">{page.text(role.name)} · <bdi>{escape(source["matchId"])}</bdi> · {state}</span></p>{said}</li>'
    )


def _lead(made: SourcesPage, source: Mapping[str, Any], role: SourceRole, *, pinned: bool) -> str:
    page = made.page
    if not source["leads"]:
        return page.text(role.idle)
    reason = reason_text(page.texts, Reason(source["reason"]), pinned=pinned)
    if source["since"] is None:
        return f"<strong>{page.text(SourcesText.LEADS, reason=reason)}</strong>"
    since = page.text(SourcesText.LEADS_SINCE, time="\n", reason=reason)
    return f"<strong>{since.replace(chr(10), page.time(source['since']))}</strong>"


def _answers(made: SourcesPage, source: Mapping[str, Any]) -> str:
    """When it answered last, and what is wrong with it."""
    page, at = made.page, source.get("lastGood")
    words = {"refused": SourcesText.REFUSES, "failing": SourcesText.FAILS, "silent": SourcesText.IS_SILENT}
    trouble = words.get(source.get("trouble", ""))
    bad = "" if trouble is None else f' <span class="bad">{page.text(trouble)}</span>'
    if at is None:
        return f"{page.text(SourcesText.NO_ANSWER)}{bad}"
    return f"{page.text(MatchesText.LAST_ANSWER)}: {page.time(at)}{bad}"


def _soon(made: SourcesPage, found: Mapping[str, Any]) -> str:
    """That a choice has not had its effect yet."""
    leads = [each["provider"] for each in found["sources"] if each["leads"]]
    if found["leads"] in {AUTOMATIC, *leads}:
        return ""
    return f'<p class="notice">{made.page.text(SourcesText.LEADS_SOON, provider=found["leads"])}</p>'


def _pin_fails(made: SourcesPage, found: Mapping[str, Any]) -> str:
    """That the source which a person has chosen does not answer, and a button that lets go of the choice."""
    page = made.page
    if not any(each["provider"] == found["leads"] and each.get("trouble") for each in found["sources"]):
        return ""
    form = (
        f'<form method="post" action="{made.address}">{page.account_field()}'
        f'<button name="leads" value="{AUTOMATIC}">{page.text(SourcesText.LET_GO)}</button></form>'
    )
    words = page.text(SourcesText.PIN_FAILS, provider=found["leads"])
    return f'<div class="alert pin"><p>{words}</p>{form if made.may_change else ""}</div>'


def _disagreements(made: SourcesPage, found: Mapping[str, Any]) -> str:
    page = made.page
    named = disagreement_texts(page.texts, found["disagreements"])
    if not named:
        return f'<p class="hint">{page.text(SourcesText.AGREE)}</p>'
    listed = "".join(f"<li><bdi>{escape(each)}</bdi></li>" for each in named)
    return f'<div class="alert disagree"><p>{page.text(SourcesText.DISAGREE)}</p><ul>{listed}</ul></div>'


def _choices(made: SourcesPage, found: Mapping[str, Any]) -> str:
    page = made.page
    always = [(each["provider"], page.text(SourcesText.ALWAYS, provider=each["provider"])) for each in found["sources"]]
    leads = [(AUTOMATIC, page.text(SourcesText.AUTOMATICALLY)), *always]
    confirm = [
        ("one", page.text(SourcesText.BY_ONE)),
        ("two", page.text(SourcesText.BY_TWO, seconds=round(made.hold))),
    ]
    chosen = made.given("leads", found["leads"]), made.given("confirm", found["confirm"])
    shown = escape(f"leads={found['leads']} confirm={found['confirm']}")
    return (
        f'<form method="post" action="{made.address}">{page.account_field()}<input type="hidden" name="shown" value="{shown}">'
        f"{radio_html(page, 'leads', SourcesText.WHO_LEADS, leads, chosen[0], error=made.error('leads'))}"
        f"{radio_html(page, 'confirm', SourcesText.GOAL_POSTED, confirm, chosen[1])}"
        f'<button name="choose" value="yes">{page.text(MatchesText.SAVE)}</button></form>'
    )


def _take_off(made: SourcesPage, sources: Sequence[Mapping[str, Any]]) -> str:
    page, forms = made.page, ""
    for provider in (each["provider"] for each in sources[1:]):
        forms += (
            f'<form method="post" action="{made.address}">{page.account_field()}'
            f'<p class="hint">{page.text(SourcesText.TAKE_OFF_SAYS, provider=provider)}</p>'
            f'<button name="remove" value="{escape(provider)}" class="danger">'
            f"{page.text(SourcesText.TAKE_OFF, provider=provider)}</button></form>"
        )
    return forms


def _add_another(made: SourcesPage, sources: Sequence[Mapping[str, Any]]) -> str:
    """The same for one more, while there may be one and a provider is left."""
    taken = [each["provider"] for each in sources]
    left = len(sources) <= MOST_STANDBYS and set(made.providers) - set(taken)
    return _add(made, taken) if left else ""


def _add(made: SourcesPage, taken: Sequence[str]) -> str:
    """The form that names another source, where one can be compared with the match's and reached."""
    page, others = made.page, [each for each in made.providers if each not in taken]
    why_not = (
        SourcesText.NOT_THIS_SPORT if made.sport not in COMPARABLE else None if others else SourcesText.ONE_PROVIDER
    )
    if why_not is not None:
        return f'<p class="hint">{page.text(why_not)}</p>'
    options = [(each, escape(each)) for each in others]
    provider = made.given("standby_provider")
    attributes, wrong = field_error("standby_id", made.error("standby_id"))
    return (
        f'<h3>{page.text(SourcesText.ADD)}</h3><p class="hint">{page.text(SourcesText.ADD_SAYS)}</p>'
        f'<form method="post" action="{made.address}">{page.account_field()}'
        + select_html(
            page, "standby_provider", MatchesText.PROVIDER, options, provider, error=made.error("standby_provider")
        )
        + f'<p><label for="standby_id">{page.text(MatchesText.MATCH_ID)}</label>'
        f'<input id="standby_id" name="standby_id" required maxlength="255" autocomplete="off"{attributes}'
        f' value="{escape(made.given("standby_id"))}">{wrong}</p>'
        f'<button name="add" value="yes">{page.text(SourcesText.ADD)}</button></form>'
    )
