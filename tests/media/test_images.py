"""Images are known by their content, from their first bytes."""

import struct

import pytest
from PIL import ImageFile

from store.files.image_facts import ImageFacts, identify
from tests.kit import pictures

FORMATS = pytest.mark.parametrize("name", pictures.FORMATS)


@FORMATS
def test_an_image_is_known_by_its_content(name):
    """Format, media type and size come from the bytes."""
    assert identify(pictures.picture(name, 320, 200)) == ImageFacts(name, f"image/{name}", 320, 200, 1)


@pytest.mark.parametrize("mode", ["RGB", "RGBA"])
@pytest.mark.parametrize("lossless", [False, True])
def test_all_kinds_of_webp_are_known(mode, lossless):
    """Lossy, lossless and extended files each have their size elsewhere."""
    facts = identify(pictures.picture("webp", 321, 123, mode=mode, lossless=lossless))
    assert (facts.width, facts.height) == (321, 123)


@pytest.mark.parametrize("name", ["jpeg", "png", "webp", "avif"])
@pytest.mark.parametrize(("orientation", "size"), [(1, (320, 200)), (3, (320, 200)), (6, (200, 320)), (8, (200, 320))])
def test_the_size_is_that_of_the_image_as_it_is_shown(name, orientation, size):
    """An image that EXIF turns on its side has its width and height swapped."""
    facts = identify(pictures.picture(name, 320, 200, orientation=orientation))
    assert (facts.width, facts.height) == size


@pytest.mark.parametrize("name", ["gif", "webp", "png"])
def test_frames_are_counted(name):
    """An animation says how many frames it has."""
    assert identify(pictures.animation(name, frames=5)).frames == 5


def test_the_frames_of_a_long_animation_are_counted_until_they_are_too_many():
    """Whoever takes fewer refuses it by its header."""
    assert identify(pictures.many_frames(3_000)).frames == 3_000
    assert identify(pictures.many_frames(9_000)).frames == 5_001


@pytest.mark.parametrize(
    "body",
    [
        b"", b"GIF89a", b"\xff\xd8\xff", b"RIFF\0\0\0\0WEBP", b"RIFF\0\0\0\0WEBPVP8X", b"\0\0\0\x14ftypavif",
        b"\0\0\0\x14ftypmp42\0\0\0\0avif"[:16] + b"isom" * 4, b"%PDF-1.7", b"BM" + bytes(100), pictures.SVG,
        pictures.HTML, pictures.png_header(0, 10),
    ],
)  # fmt: skip
def test_what_is_no_image_is_none(body):
    """SVG, pages, other formats and broken heads are no images, and raise nothing."""
    assert identify(body) is None


@pytest.mark.filterwarnings("ignore::UserWarning:PIL")
@FORMATS
def test_a_broken_head_raises_nothing(name):
    """Whatever a byte is changed to and wherever a file ends, there are facts or none."""
    whole = pictures.picture(name, 64, 48, **({"orientation": 6} if name != "gif" else {}))
    for place in range(0, min(len(whole), 600), 7):
        identify(whole[:place])
        identify(whole[:place] + b"\xff" + whole[place + 1 :])


def parts(name, number):
    """A picture with so many parts before it, or about it, that mean nothing."""
    whole = pictures.picture(name, 64, 48)
    if name == "jpeg":
        return whole[:2] + b"\xff\xfe\x00\x02" * number + whole[2:]
    if name == "png":
        return whole[:33] + pictures.chunk(b"teXt", b"") * number + whole[33:]
    if name == "gif":
        start = 13 + (3 << ((whole[10] & 7) + 1))
        return whole[:start] + b"\x21\xfe\x00" * number + whole[start:]
    if name == "webp":
        return whole + b"ABCD\0\0\0\0" * number
    meta = whole.index(b"meta") - 4
    size = int.from_bytes(whole[meta : meta + 4], "big")
    boxes = b"\0\0\0\x08free" * number
    return (
        whole[:meta] + struct.pack(">I", size + len(boxes)) + whole[meta + 4 : meta + 12] + boxes + whole[meta + 12 :]
    )


@FORMATS
def test_a_header_of_very_many_parts_is_none(name):
    """Real ones have some dozens; one of 256 KB that is made of empty parts would take a fifth of a second to read."""
    assert identify(parts(name, 100)) == ImageFacts(name, f"image/{name}", 64, 48, 1)
    assert identify(parts(name, 20_000)) is None


def test_a_pixel_flood_is_measured_without_its_pixels(monkeypatch):
    """A header of a hundred megapixels is read, and nothing is decoded."""
    monkeypatch.setattr(ImageFile.ImageFile, "load", lambda _: pytest.fail("pixels are decoded"))
    facts = identify(pictures.flood())
    assert (facts.width, facts.height) == (10_000, 10_000)
