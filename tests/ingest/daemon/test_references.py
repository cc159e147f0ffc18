"""What the configuration declares for documents to refer to arrives in the store."""

from config import load
from ingest.daemon.build import declared_records
from store.masterdata.declarations import Declaration
from tests.config.samples import ORG, write

DECLARED = f"""
[organizations.{ORG}]
name = "Example Newsroom"
[organizations.{ORG}.templates.cup]
name = "Cup"
sportstype = "soccer"
[organizations.{ORG}.pricings.gold]
name = "Gold"
[organizations.{ORG}.tags.derby]
name = "Derby"
[organizations.{ORG}.locations.north]
name = "North Stadium"
country = "DE"
"""


def test_each_kind_is_declared_with_its_fields(tmp_path):
    """By organization, kind and id; what is not set is not there."""
    found = declared_records(load(write(tmp_path, DECLARED), {}))

    assert found == (
        Declaration(owner_id=ORG, kind="template", id="cup", fields={"name": "Cup", "sportstype": "soccer"}),
        Declaration(owner_id=ORG, kind="pricing", id="gold", fields={"name": "Gold"}),
        Declaration(owner_id=ORG, kind="tag", id="derby", fields={"name": "Derby"}),
        Declaration(owner_id=ORG, kind="location", id="north", fields={"name": "North Stadium", "country": "DE"}),
    )
