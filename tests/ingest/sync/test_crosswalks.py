"""A table of who is who at several providers: read at the start, in both directions; what is no such table is said by its line."""

import pytest

from config.errors import StartError
from ingest.sync.standby_sources import crosswalks_of, read_crosswalk
from tests.kit.day import ORGANIZATION
from tests.kit.settings import configured

PEOPLE = "heim,pa,statsperform\n1234, 307009 ,3xi9\n99,,5b\n\n77,12,\n"


def written(folder, text):
    path = folder / "people.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_each_two_providers_know_each_others_ids(tmp_path):
    found = read_crosswalk(written(tmp_path, f"\N{BYTE ORDER MARK}{PEOPLE}"))
    assert found["heim", "pa"] == {"307009": "1234", "12": "77"}
    assert found["pa", "heim"] == {"1234": "307009", "77": "12"}
    assert found["heim", "statsperform"] == {"3xi9": "1234", "5b": "99"}
    assert found["statsperform", "pa"] == {"307009": "3xi9"}


def test_it_is_the_organizations(tmp_path):
    settings = configured()
    path = str(written(tmp_path, PEOPLE))
    organization = type(settings.organization(ORGANIZATION))(name="Example", crosswalk=path)
    settings = settings.model_copy(update={"organizations": {ORGANIZATION: organization}})
    assert crosswalks_of(settings)[ORGANIZATION, "heim", "pa"] == {"307009": "1234", "12": "77"}
    assert settings.in_folder(tmp_path / "elsewhere").organizations[ORGANIZATION].crosswalk == path


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "two providers or more"),
        ("heim\n1\n", "two providers or more"),
        ("heim,heim\n1,2\n", "two providers or more"),
        ("heim,pa\n1,2\n3\n", "line 3: 2 ids expected"),
        ("heim,pa\n1,2\n3,2\n", "line 3: 2 stands in another line"),
        ('heim,pa\n"1,2\n', "cannot be read"),
    ],
)
def test_what_is_no_such_table_is_refused(tmp_path, text, why):
    with pytest.raises(StartError, match=why):
        read_crosswalk(written(tmp_path, text))


def test_a_file_that_is_not_there_or_not_text_is_refused(tmp_path):
    with pytest.raises(StartError, match="cannot be read"):
        read_crosswalk(tmp_path / "nowhere.csv")
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(StartError, match="cannot be read"):
        read_crosswalk(tmp_path / "binary.csv")
