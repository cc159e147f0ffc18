"""The reference that we ship: complete in itself, and compared with the documents and errors in code."""

import re
from typing import get_args

import pytest

from api.capabilities import CAPABILITIES
from api.http.errors import status_of
from api.routes import ROUTES
from api.rules.documents import FollowRuleDraft, MissingLiveblog
from config.values import Scope
from mapping import errors
from mapping.documents.base import Document
from mapping.match.match import Status
from mapping.polls.reader_polls import OwnVote, PollOption
from mapping.statistics.documents import StatisticsOverview, StatisticsPeriod, StatisticsPlace, VisitorMetrics
from tests.kit.described import models_of
from tests.kit.document_models import MODELS as DOCUMENTS
from tests.kit.document_models import models
from tests.kit.interface_tables import OURS, documents, enums, error_rows, operations, parameters, providers, tables

VARIANTS = {"create document": "Draft", "update document": "Update"}
UNIONS = (
    models.ContentBlock, models.GameOptions, models.GameStateInfo, models.MediaContent, models.MetaInfo,
    models.Modification, models.Scoreboard,
)  # fmt: skip


@pytest.fixture(scope="module")
def ours() -> str:
    return OURS.read_text(encoding="utf-8")


def heading_of(name: str, model: type[Document]) -> str:
    """The heading under which the reference describes a model."""
    field = model.model_fields.get("type_")
    kind = name if field is None else field.default if isinstance(field.default, str) else get_args(field.annotation)[0]
    title = f"`{kind}`"
    variant = next((words for words, suffix in VARIANTS.items() if name.endswith(suffix)), None)
    return f"{title}, {variant}" if variant else title


STATISTICS = {VisitorMetrics: "`visitorMetrics`", StatisticsPeriod: "`period`", StatisticsPlace: "`origin`, `location`"}
"""What the reference calls what it shows of statistics; an overview has nothing but the first."""
OF_CAPABILITIES = {*STATISTICS, OwnVote, PollOption, FollowRuleDraft, MissingLiveblog} | {
    model for each in CAPABILITIES for model in models_of(each.routes) if model is not StatisticsOverview
}
MODELS = {heading_of(name, model): model for name, model in DOCUMENTS.items()} | {
    STATISTICS.get(model, f"`{model.__name__}`"): model
    for model in sorted(OF_CAPABILITIES, key=lambda each: each.__name__)
}
UNION_MEMBERS = {member for union in UNIONS for member in get_args(get_args(union)[0])}


def test_every_document_has_its_field_table(ours):
    """Each document of the code has one table in the reference, and no table describes a type that is not there."""
    described = {heading for heading in documents(ours) if heading.startswith("`Svc::")}

    assert set(MODELS) - set(documents(ours)) == set()
    assert described - set(MODELS) == set()


@pytest.mark.parametrize("heading", MODELS)
def test_field_tables_equal_the_documents(ours, heading):
    """Names, order, obligation and default of a document's fields are those of its table."""
    model = MODELS[heading]
    promised = documents(ours)[heading]

    actual = {field.serialization_alias: field for field in model.model_fields.values()}
    assert list(promised) == list(actual)
    for name, field in actual.items():
        in_union = name == "_type" and model in UNION_MEMBERS
        assert promised[name].required == (field.is_required() or in_union), name
        if not field.is_required() and not in_union:
            assert promised[name].default == written(field.default), name


def written(default: object) -> str | None:
    """A default as the reference writes it."""
    if isinstance(default, bool):
        return str(default).lower()
    return None if default is None else "empty" if default in {(), ""} else str(default)


@pytest.mark.parametrize(
    ("name", "literal"),
    [
        ("GenderType", models.GenderType), ("locale", models.Locale), ("highlight", models.Highlight),
        ("timing_type", models.TimingType), ("serving", models.Side), ("scope", Scope),
    ],
)  # fmt: skip
def test_enumerations_equal_the_literals(ours, name, literal):
    """The reference lists exactly the values that the documents accept."""
    assert enums(ours)[name] == get_args(literal)


@pytest.mark.parametrize(
    ("name", "model", "field"),
    [
        ("local_status", models.Event, "local_status"),
        ("subtype", models.Media, "subtype"),
        ("display_type", models.MultiMediaContentBlock, "display_type"),
        ("external status", models.External, "status"),
    ],
)
def test_enumerations_equal_what_a_field_accepts(ours, name, model, field):
    """The JSON schema of a field lists the values of its enumeration."""
    schema = model.model_json_schema()["properties"][field]
    choices = next(option for option in schema.get("anyOf", [schema]) if "enum" in option)

    assert enums(ours)[name] == tuple(str(value) for value in choices["enum"])


def test_errors_in_code_are_promised(ours):
    """Each error that the code can raise is in the error table, with its status, code and retryability."""
    raised = {
        each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, errors.ServiceError)
    }

    assert len(raised) > 10
    assert {(status_of(each), each.code, each.retryable) for each in raised} - error_rows(ours) == set()


def test_an_empty_table_is_an_error():
    """A table without rows cannot pass for a promise that is kept."""
    with pytest.raises(ValueError, match="is empty"):
        tables("# Providers\n\n| Provider | Sport |\n|---|---|\n")


def test_a_missing_kind_of_table_is_an_error():
    """A reference without any provider table is an error, not an empty promise."""
    with pytest.raises(ValueError, match="no table with the columns"):
        providers("# Nothing\n")


def test_operations_are_distinguished(ours):
    """No two operations share method and path, and each is served since a version or planned."""
    served = list(operations(ours).values())

    assert len({(method, path) for method, path, _ in served}) == len(served)
    assert {since for *_, since in served} == {"0.1"}  # nothing is planned any more


def test_parameters_belong_to_operations(ours):
    """Each parameter table names existing operations, and describes the parameters of their paths."""
    known = operations(ours)
    given = parameters(ours)

    assert set(given) - set(known) == set()
    for operation, (_, path, _) in known.items():
        in_path = {name for name, field in given.get(operation, {}).items() if field.type.startswith("path ")}
        assert in_path == set(re.findall(r"\{(\w+)\}", path)), operation


def test_the_status_of_a_connection_is_that_of_the_match():
    """The connection gives the canonical status of the match, whatever it is."""
    assert set(get_args(models.MatchStatus)) == {status.value for status in Status}


FILES = {("GET", "/docs/{name}"), ("GET", "/static/{name}"), ("GET", "/static/{version}/{name}")}
"""What pages load; nobody else asks for it."""

SERVED = {(route.method, route.path): route.operation and route.operation["operationId"] for route in ROUTES}


@pytest.fixture(scope="module")
def promised():
    table = operations(OURS.read_text(encoding="utf-8"))
    return {(method, path): name for name, (method, path, since) in table.items() if since != "planned"}


def test_what_is_called_served_is_served(promised):
    """Every operation with a version has a route, and every route has such an operation, but pages of the desk."""
    assert set(promised) == {each for each in set(SERVED) - FILES if not each[1].startswith("/desk")}


def test_operations_bear_the_names_of_the_reference(promised):
    """The identifiers in the OpenAPI document are the names of the reference."""
    named = {where: name for where, name in SERVED.items() if name}

    assert {where: promised[where] for where in named} == named
