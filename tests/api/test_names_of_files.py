"""Names that a stranger asks for are kept nowhere."""

from importlib import resources

import pytest

from api.http import static

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
