"""Signed addresses of the image proxy say what is wanted, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mapping.errors import InvalidRequest, NotFound
from mapping.rules.image_address import ImageOptions, ImageRequest, image_path, read_options, read_path

KEY = b"k" * 32
SIDES = st.none() | st.integers(1, 1365)
OPTIONS = st.builds(ImageOptions, SIDES, SIDES, st.sampled_from(["contain", "cover"]), st.sampled_from([1, 2, 3]))


@given(OPTIONS, st.text(st.characters(codec="utf-8"), max_size=200))
def test_an_address_is_read_as_it_was_made(options, url):
    """Every option and every address come back from the path."""
    wanted = ImageRequest("5f0c1de2a1b2c3d4e5f60718", url, options)

    assert read_path((KEY,), *image_path(KEY, wanted).split("/")[2:]) == wanted


@given(st.data())
def test_a_changed_address_is_none(data):
    """Another character anywhere, or another key, is a page that does not exist."""
    path = image_path(KEY, ImageRequest("org", "https://example.org/a.png", ImageOptions(width=640)))
    place = data.draw(st.integers(len("/media/"), len(path) - 1).filter(lambda at: path[at] != "/"))
    letter = data.draw(st.sampled_from("abcXYZ019-_@é").filter(lambda letter: letter != path[place]))
    changed = path[:place] + letter + path[place + 1 :]

    for key, sent in ((KEY, changed), (b"x" * 32, path)):
        with pytest.raises(NotFound):
            read_path((key,), *sent.split("/")[2:])


@pytest.mark.parametrize(
    "text", ["w0", "h-1", "w640-fill", "w640@4", "w9999", "w2000@3", "640", "w640 ", "h10w10", "w٣"]
)
def test_what_is_no_option_is_refused(text):
    """Sizes are plain digits within a bound, fits and densities are those of the table."""
    with pytest.raises(InvalidRequest):
        read_options(text)
