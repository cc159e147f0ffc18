"""Players, teams and tournaments: a value for each kind, from which its operations are described."""

from dataclasses import dataclass

from api.http.json_path import Json
from api.http.openapi import READ_ERRORS, WRITE_ERRORS, document_answer, json_body, operation, request_schema, with_link
from api.http.paging import ARCHIVE, INACTIVE, LIMIT, OWNER, PAGE, PLAYERS_TEAM, SPORT, Q, filters
from api.http.param import NAME, Param, Text
from mapping.documents.base import Document
from mapping.documents.game import Collection
from mapping.documents.people import (
    Player,
    PlayerDraft,
    PlayerUpdate,
    Team,
    TeamDraft,
    TeamUpdate,
    Tournament,
    TournamentDraft,
    TournamentUpdate,
)
from store import tables
from store.masterdata.masterdata_edit import MasterTable

OWNED = {"owner_id": "5f0c1de2a1b2c3d4e5f60718", "sportstype": "soccer"}
KNOWN = {"_id": "5f0c1de2a1b2c3d4e5f60801"}


@dataclass(frozen=True, kw_only=True)
class MasterKind:
    """One kind of master data: its noun, its table, its documents with examples, and the filters of its search."""

    noun: str
    table: MasterTable
    shown: type[Document]
    page: type[Document]
    draft: type[Document]
    update: type[Document]
    example: Json
    changed: Json
    filters: tuple[Param, ...]

    @property
    def create_operation(self) -> Json:
        """Create (interface: Players, Teams, Tournaments)."""
        return self._write_operation(
            "create", f"Create a {self.noun}", f"Create a {self.noun} of one of the client's organizations",
            json_body(request_schema(self.draft), self.example),
        )  # fmt: skip

    @property
    def update_operation(self) -> Json:
        """Update (interface: Players, Teams, Tournaments)."""
        return self._write_operation(
            "update", f"Change a {self.noun}",
            f"Change a {self.noun}; what is left out stays, null and empty text clear a field",
            json_body(request_schema(self.update), self.changed),
        )  # fmt: skip

    @property
    def show_operation(self) -> Json:
        """Read (interface: Players, Teams, Tournaments)."""
        described = operation(
            f"{self.noun}.show", f"Show a {self.noun}", self._tag, {200: self._shown_answer, **READ_ERRORS},
            parameters=[Text("_id", f"The {self.noun}", NAME, required=True)],
        )  # fmt: skip
        return {**described, "description": f"Show a {self.noun} of one of the client's organizations"}

    @property
    def index_operation(self) -> Json:
        """Search (interface: Players, Teams, Tournaments)."""
        described = operation(
            f"{self.noun}.index", f"Search {self.noun}s", self._tag,
            {200: document_answer(self.page, "One page"), **READ_ERRORS}, parameters=filters(*self.filters),
        )  # fmt: skip
        return {**described, "description": f"Search the {self.noun}s of the client's organizations, the newest first"}

    @property
    def _tag(self) -> str:
        return f"{self.noun.title()}s"

    @property
    def _shown_answer(self) -> Json:
        return document_answer(self.shown, f"The {self.noun} as it is now")

    def _write_operation(self, name: str, summary: str, description: str, body: Json) -> Json:
        noun = self.noun
        written = with_link(
            with_link(self._shown_answer, f"{noun}.show", _id="_id"), f"{noun}.update", body="$response.body"
        )
        described = operation(f"{noun}.{name}", summary, self._tag, {200: written, **WRITE_ERRORS}, body=body)
        return {**described, "description": description}


PLAYERS = MasterKind(
    noun="player",
    table=tables.players,
    shown=Player,
    page=Collection[Player],
    draft=PlayerDraft,
    update=PlayerUpdate,
    example={
        "_type": "Svc::Model::Player",
        "name": "Sören Dahl",
        **OWNED,
        "number": "9",
        "position": "offense",
        "country": "DK",
        "birthdate": 796694400,
        "height": 184,
        "weight": 77000,
    },
    changed={"_type": "Svc::Model::Player", **KNOWN, "name": "Sören Dahl", "number": "10", "weight": None},
    filters=(Q, OWNER, SPORT, PLAYERS_TEAM, ARCHIVE, INACTIVE, LIMIT, PAGE),
)
TEAMS = MasterKind(
    noun="team",
    table=tables.teams,
    shown=Team,
    page=Collection[Team],
    draft=TeamDraft,
    update=TeamUpdate,
    example={
        "_type": "Svc::Model::Team",
        "name": "SV Hafenstadt",
        **OWNED,
        "short_name": "HAF",
        "name_addition": "U19",
    },
    changed={"_type": "Svc::Model::Team", **KNOWN, "name": "SV Hafenstadt", "name_addition": None},
    filters=(Q, OWNER, SPORT, ARCHIVE, LIMIT, PAGE),
)
TOURNAMENTS = MasterKind(
    noun="tournament",
    table=tables.tournaments,
    shown=Tournament,
    page=Collection[Tournament],
    draft=TournamentDraft,
    update=TournamentUpdate,
    example={"_type": "Svc::Model::Tournament", "name": "Küstencup", **OWNED},
    changed={"_type": "Svc::Model::Tournament", **KNOWN, "name": "Küstencup 2027"},
    filters=(Q, SPORT, ARCHIVE, OWNER, LIMIT, PAGE),
)
KINDS = (PLAYERS, TEAMS, TOURNAMENTS)
