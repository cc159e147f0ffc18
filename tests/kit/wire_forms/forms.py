"""The forms in which a second source may send a match, and how each is read back by its own adapter's rules."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from mapping.match.match import Match
from providers.openligadb.adapter import OPENLIGADB
from providers.openligadb.catalog import names_of as openligadb_names
from providers.openligadb.translate import translate as read_openligadb
from providers.pa.adapter import PA
from providers.pa.catalog import CARRIED_BY
from providers.pa.catalog import NAMES as PA_NAMES
from providers.pa.translate import translate as read_pa
from providers.statsperform.adapter import STATSPERFORM
from providers.statsperform.catalog import NAMES as STATSPERFORM_NAMES
from providers.statsperform.translate import translate as read_ma1
from tests.kit.wire_forms.ma1_body import ma1_body
from tests.kit.wire_forms.openligadb_body import openligadb_body
from tests.kit.wire_forms.other_words import Rates, base_36, digits, in_other_words
from tests.kit.wire_forms.pa_bodies import pa_bodies

Bodies = dict[str, bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class WireForm:
    """A provider's way to send a match. `ident`: its id of a match, of the id that another provider has for it."""

    provider: str
    vendor: Any
    body: Callable[[Match], Bodies]
    read: Callable[[str, Mapping[str, bytes]], Match]
    ident: Callable[[str], str]
    carried_by: Mapping[Any, Any]

    def write(self, match: Match, seed: int, rates: Rates = Rates()) -> Bodies:  # noqa: B008 -- frozen
        """The bodies for a match of another provider, in this one's words."""
        return self.body(in_other_words(match, seed, rates))


FORMS = {
    each.provider: each
    for each in (
        WireForm(
            provider="pa", vendor=PA, body=pa_bodies, ident=partial(digits, "match"), carried_by=CARRIED_BY,
            read=partial(read_pa, names={each.key: each.default for each in PA_NAMES}),
        ),
        WireForm(
            provider="statsperform", vendor=STATSPERFORM, body=ma1_body, ident=partial(base_36, "match"), carried_by={},
            read=partial(read_ma1, names={each.key: each.default for each in STATSPERFORM_NAMES}),
        ),
        WireForm(
            provider="openligadb", vendor=OPENLIGADB, body=openligadb_body, ident=partial(digits, "match"), carried_by={},
            read=partial(read_openligadb, names=openligadb_names({}), zone=ZoneInfo("Europe/Berlin")),
        ),
    )
}  # fmt: skip
