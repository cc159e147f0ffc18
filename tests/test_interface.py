"""The reference that we ship, compared with the interface it stands for and with the documents in code."""

import os
import re
from pathlib import Path

import pytest

from tests.kit.interface_tables import (
    OURS,
    ROOT,
    Table,
    code,
    documents,
    enums,
    error_rows,
    operations,
    parameters,
    providers,
    tables,
)

OUR_NAME_FOR = {
    "Webhook subscription record": "subscription",
    "Request body:": "CreateFromExternal",
    "2. Each subscribed URL receives an HTTP POST with a JSON payload.": "ticker_update",
    "The external-provider endpoint returns a JSON error body:": "error",
}
AREAS = {"Feeds": "feed.rss", "Comments": "comments.index"}
PATHS_OF_OTHERS = {"configuration.matchId"}
PLACEHOLDERS = re.compile(r"<.*>|.*\{base_url\}.*|Svc::Model::.*::|/api/v5/write/|<org_id>_<external_id>")

THEIR_ENUMS = (
    ("GenderType", r"^\| GenderType \|"), ("Sportstype", r"^\| Sportstype \|"),
    ("locale", r"^\| `locale` \|.*one of"), ("position", r"^2\. `position` keys"),
    ("highlight", r"^\| `highlight` \|"), ("timing_type", r"^\| `timing_type` \|"), ("subtype", r"^\| `subtype` \|"),
    ("display_type", r"^`Svc::Model::Content::MultiMediaContentBlock`: "),
    ("timeframe", r"^`timeframe` allowed values"), ("sort", r"^\| `sort` \|"), ("provider", r"^\| `provider` \|"),
    ("code", r"^\| `code` \|"), ("webhook status", r"^\| `status` \|"), ("event_type", r"^\| `event_type` \|"),
)  # fmt: skip
NO_VALUES = {
    "locale", "position", "highlight", "timing_type", "subtype", "display_type", "timeframe", "sort", "provider",
    "code", "status", "event_type", "local_id", "items", "ImageMediaContent", "VideoMediaContent",
    "Svc::Model::Content::MultiMediaContentBlock",
}  # fmt: skip


@pytest.fixture(scope="module")
def ours() -> str:
    return OURS.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def theirs() -> str:
    path = Path(os.environ.get("MATCHWIRE_INTERFACE", ROOT.parent / "shared" / "interface.md"))
    if not path.is_file() and not os.environ.get("CI"):
        pytest.skip(f"no interface document at {path}; set MATCHWIRE_INTERFACE")
    return path.read_text(encoding="utf-8")


def fields_by_name(ours: str) -> dict[str, set[str]]:
    """All field names that the reference gives for a type, by the last part of the type's name."""
    found: dict[str, set[str]] = {}
    for heading, fields in documents(ours).items():
        for title in code(heading):
            found.setdefault(title.rpartition("::")[2], set()).update(fields)
    return found


def field_tables(theirs: str) -> list[Table]:
    return [table for table in tables(theirs) if table.columns[0] == "Field"]


def names_of(table: Table) -> list[str]:
    subject = table.subject.lstrip("# ")
    names = [OUR_NAME_FOR[subject]] if subject in OUR_NAME_FOR else list(code(subject))
    return [name.rpartition("::")[2] for name in names]


def test_every_path_of_the_interface_is_described(ours, theirs):
    """Each method and path of the interface is an operation of the reference."""
    promised = set(re.findall(r"`(GET|POST) (/[^`]+)`", theirs))

    assert len(promised) > 30
    assert promised - {(method, path) for method, path, _ in operations(ours).values()} == set()


def test_every_query_parameter_of_the_interface_is_described(ours, theirs):
    """What the operation tables of the interface name as query is a parameter of the same operation."""
    by_path = {(method, path): name for name, (method, path, _) in operations(ours).items()}
    given = parameters(ours)
    checked = 0
    for table in tables(theirs):
        if {"Request", "Query"} <= set(table.columns):
            for request, query in zip(table.column("Request"), table.column("Query"), strict=True):
                method, path = code(request)[0].split(" ")
                names = {name for name in cell_names(query) if re.fullmatch(r"[a-z_]+", name)}
                assert names - set(given.get(by_path[method, path], {})) == set(), path
                checked += len(names)

    assert checked > 40


def test_defaults_of_the_interface_are_kept(ours, theirs):
    """Each default that the interface names for a query parameter is the default of ours."""
    by_path = {(method, path): name for name, (method, path, _) in operations(ours).items()}
    promised = {
        (by_path[method, path], name, default)
        for table in tables(theirs)
        if {"Request", "Query"} <= set(table.columns)
        for request, query in zip(table.column("Request"), table.column("Query"), strict=True)
        for method, path in [code(request)[0].split(" ")]
        for name, default in re.findall(r"`(\w+)` \([^)]*default `?(\w+)`?", query)
    }
    for area, operation in AREAS.items():
        table = next(each for each in tables(theirs) if each.heading == area and each.columns[0] == "Parameter")
        for name, rules in zip(table.column("Parameter"), table.column("Rules"), strict=True):
            promised |= {(operation, code(name)[0], default) for default in re.findall(r"default `?(\w+)`?", rules)}

    assert len(promised) >= 12
    assert {each for each in promised if parameters(ours)[each[0]][each[1]].default != each[2]} == set()


def test_every_listed_parameter_of_the_interface_is_described(ours, theirs):
    """What the parameter tables of the interface list occurs in the area of the same name."""
    listed = [table for table in tables(theirs) if table.columns[0] == "Parameter"]

    assert [table.heading for table in listed] == list(AREAS)
    for table in listed:
        names = {code(cell)[0] for cell in table.column("Parameter")}
        assert names - set(parameters(ours)[AREAS[table.heading]]) == set()


def test_every_field_of_the_interface_is_described(ours, theirs):
    """Each field table of the interface is part of the reference's table for the same document."""
    promised = fields_by_name(ours)
    found = field_tables(theirs)

    assert len(found) >= 15
    for table in found:
        wanted = {name for cell in table.column("Field") for name in code(cell)}
        assert names_of(table), table.subject
        for name in names_of(table):
            assert wanted - promised[name] == set(), name


@pytest.mark.parametrize(("column", "words"), [("Create", "create document"), ("Update", "update document")])
def test_master_data_documents_follow_the_create_and_update_columns(ours, theirs, column, words):
    """The create and update documents hold exactly the fields of the interface's column, as obligatory as there."""
    found = [table for table in field_tables(theirs) if column in table.columns]

    assert len(found) == 3
    for table in found:
        title = code(table.heading)[0]
        cells = zip(table.column("Field"), table.column(column), strict=True)
        optional = "optional" if title.endswith(("Player", "Team")) else "never"
        promised = {
            code(name)[0]: cell.startswith("required") for name, cell in cells if cell.startswith(("req", optional))
        }
        actual = documents(ours)[f"`{title}`, {words}"]
        assert {name: field.required for name, field in actual.items() if name != "_type"} == promised


def test_every_block_and_modification_field_is_described(ours, theirs):
    """The short lists of block and modification fields are part of the reference's tables."""
    promised = fields_by_name(ours)
    short = [table for table in tables(theirs) if table.columns in {("Block", "Fields shown"), ("Type", "Fields")}]

    assert sum(len(table.rows) for table in short) == 16
    for table in short:
        for block, cell in table.rows:
            fields = set(cell_names(cell))
            assert fields - promised[code(block)[0]] == set(), block


def cell_names(cell: str) -> list[str]:
    """The names in backticks outside of brackets, which hold explanations."""
    return list(code(re.sub(r"\([^)]*\)", "", cell)))


def test_provider_table_equals_the_interface(ours, theirs):
    """Providers, sports, scoreboard support and event types are those of the interface, in its order."""
    table = next(table for table in tables(theirs) if table.columns[0] == "Provider id")
    promised = {(code(row[0])[0], code(row[1])[0]): (row[2] == "true", code(row[3])) for row in table.rows}

    assert len(promised) == 6
    assert providers(ours) == promised


@pytest.mark.parametrize(("name", "line"), THEIR_ENUMS)
def test_every_value_of_the_interface_is_listed(ours, theirs, name, line):
    """Each value that the interface names for an enumeration is in ours."""
    lines = [text for text in theirs.splitlines() if re.search(line, text)]
    promised = {value for text in lines for value in code(text)} - NO_VALUES

    assert promised
    assert promised - set(enums(ours)[name]) == set()


def test_every_modification_type_is_described(ours, theirs):
    """All nine modification types of the interface have their table."""
    table = next(table for table in tables(theirs) if table.columns == ("Type", "Fields"))
    types = {f"`Svc::Model::Modification::{code(cell)[0]}`" for cell in table.column("Type")}

    assert len(types) == 9
    assert types - set(documents(ours)) == set()


def test_every_name_of_the_interface_occurs(ours, theirs):
    """Whatever the interface sets in code font, the reference sets in code font somewhere too."""
    said = {part for name in code(ours) for part in {name, name.rpartition("::")[2], *re.split(r"[ =,{}]+", name)}}
    wanted = {name for name in code(theirs) if not PLACEHOLDERS.fullmatch(name)} - PATHS_OF_OTHERS

    assert len(wanted) > 300
    missing = {name for name in wanted if not said & {name, name.rpartition("::")[2], name.partition(" ")[2]}}
    assert missing == set()


def test_errors_list_every_status_and_code_of_the_interface(ours, theirs):
    """Each status of the external-provider endpoint is in the error table, and each code is the code of a row."""
    table = next(table for table in tables(theirs) if table.columns == ("Status", "Condition"))
    rows = error_rows(ours)

    assert {int(status) for status in table.column("Status")} - {status for status, *_ in rows} == set()
    assert {word for _, word, _ in rows} == set(enums(ours)["code"])
