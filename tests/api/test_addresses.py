"""A slash at the end of an address leads to the address without it, and names that a stranger asks for are kept nowhere."""

from importlib import resources
from urllib.parse import urljoin

import pytest

from api.http import static
from tests.kit import matchday

PAGE = "https://live.example.org/blogs/liveblogs/gderby"
PATHS = (
    "/liveblogs/gderby", "/liveblogs/gderby/snippets", "/embed/gderby", "/oembed", "/liveblogs/gderby/card.png",
    "/desk",
)  # fmt: skip


@pytest.fixture
async def derby(public):
    await public.add(matchday.derby())
    return public


@pytest.mark.parametrize("path", PATHS)
async def test_a_slash_at_the_end_is_no_other_page(derby, path):
    """With its parameters, relative, so that it is right behind a path of a proxy, too."""
    query = {"url": PAGE, "limit": "5"} if path == "/oembed" else {"limit": "5"}
    found = await derby.http.get(f"{path}/", params=query)
    there = urljoin(f"https://live.example.org/blogs{path}/", found.headers["location"])

    assert found.status_code == 301
    assert there.partition("?")[0] == f"https://live.example.org/blogs{path}"
    assert "limit=5" in there
    assert (await derby.http.get(f"{path}/", params=query, follow_redirects=True)).status_code == 200
    assert (await derby.http.head(f"{path}/")).status_code == 301
    assert (await derby.http.post(f"{path}/")).status_code == 405


async def test_an_address_with_a_slash_is_found_by_oembed(derby):
    """As it is pasted."""
    found = await derby.http.get("/oembed", params={"url": f"{PAGE}/"})
    assert found.json()["title"] == "SV Hafenstadt – Alpenverein Bergheim"
    assert (await derby.http.get("/oembed", params={"url": f"{PAGE}//"})).status_code == 404


@pytest.mark.parametrize("path", ["/liveblogs/a%2Fb%0D%0Ax/", "/liveblogs/%2e%2e/", "/embed/ü/"])
async def test_no_name_leads_elsewhere(derby, path):
    """What stands in the address stays written as it was, on this service."""
    found = await derby.http.get(path)
    assert found.status_code in {301, 404}
    there = urljoin(f"https://live.example.org{path}", found.headers.get("location", ""))
    assert there.startswith("https://live.example.org/")
    assert "\r" not in there


@pytest.mark.parametrize("path", ["/liveblogs/gderby//", "/livez/", "/api/embed/v4/feed/liveblog.json/"])
async def test_other_addresses_have_no_second_form(derby, path):
    """Those that programs use."""
    assert (await derby.http.get(path)).status_code == 404


FOLDERS = ("api.page.static", "api.docs")


@pytest.mark.parametrize("package", FOLDERS)
def test_names_that_do_not_exist_are_not_kept(package):
    """A thousand of them leave the caches as large as they were."""
    there = next(each for each in resources.files(package).iterdir() if each.name.endswith((".js", ".css")))
    assert static.file(package, there.name) == there.read_bytes()
    before = sizes()
    assert not any(static.file(package, f"{number}.js") for number in range(1_000))
    assert sizes() == before


def sizes():
    return {
        name: cached.cache_info().currsize for name, cached in vars(static).items() if hasattr(cached, "cache_info")
    }
