"""Variants of images: size, format, colours, and what is refused."""

import subprocess
import sys
from io import BytesIO

import pytest
from PIL import Image

from api.media.disk_cache import RefusedImage
from api.media.variants import ORIENTED, geometry, render
from config.sections import MediaConfig
from mapping.rules.media_address import ImageOptions
from store.files.image_facts import identify
from tests.kit import pictures

LIMITS = MediaConfig(decode_bytes=40 * 1024**2, animation_bytes=4_000_000)
ALL, NONE = frozenset({"avif", "webp"}), frozenset()
FORMATS = pytest.mark.parametrize("name", pictures.FORMATS)


def made(body, *, accepted=NONE, limits=LIMITS, **options):
    return render(body, ImageOptions(**options), accepted, limits)


def opened(variant):
    return Image.open(BytesIO(variant.body))


@pytest.mark.parametrize(
    ("size", "options", "expected"),
    [
        ((4000, 3000), {"width": 500}, (500, 375)),
        ((4000, 3000), {"height": 300}, (400, 300)),
        ((4000, 3000), {"width": 500, "dpr": 2}, (1000, 750)),
        ((4000, 3000), {"width": 500, "height": 500}, (500, 375)),
        ((4000, 3000), {"width": 500, "height": 500, "fit": "cover"}, (500, 500)),
        ((4000, 3000), {"width": 500, "fit": "cover"}, (500, 375)),
        ((200, 100), {"width": 500}, (200, 100)),
        ((200, 100), {"width": 400, "height": 400, "fit": "cover"}, (100, 100)),
        ((200, 100), {}, (200, 100)),
        ((9000, 3), {"width": 10}, (10, 1)),
        ((9000, 4500), {}, (4096, 2048)),
    ],
)
def test_an_image_fits_its_box_and_is_never_enlarged(size, options, expected):
    """Contain and cover, with one side or two, at all densities."""
    assert geometry(size, ImageOptions(**options))[0] == expected


@FORMATS
def test_every_format_is_resized(name):
    """A reader who takes nothing new gets JPEG or PNG, as the original is."""
    variant = made(pictures.picture(name), width=160)
    facts = identify(variant.body)
    assert (facts.width, facts.height) == (160, 120)
    assert facts.format == ("png" if name in {"png", "gif"} else "jpeg")
    assert facts.content_type == variant.content_type


@pytest.mark.parametrize("name", ["png", "webp", "avif"])
def test_a_see_through_image_stays_see_through(name):
    """It is never made a JPEG."""
    body = pictures.picture(name, 160, 120, mode="RGBA")
    for accepted in ((), ("webp",), ("avif",)):
        low, high = opened(made(body, accepted=frozenset(accepted), width=64)).convert("RGBA").getextrema()[3]
        assert (low < 30, high > 220) == (True, True), accepted


@pytest.mark.parametrize(
    ("name", "orientation"), [*(("jpeg", number) for number in range(1, 9)), ("png", 6), ("webp", 6), ("avif", 6)]
)
def test_an_image_is_turned_upright(name, orientation):
    """All eight orientations look alike once they are applied, and the tag is gone."""
    upright = pictures.photo(80, 40)
    undo = {6: 8, 8: 6}.get(orientation, orientation)
    stored = upright.transpose(ORIENTED[undo]) if undo in ORIENTED else upright
    exif = Image.Exif()
    exif[0x0112] = orientation
    variant = made(pictures.encoded(stored, name, exif=exif), width=40)
    assert opened(variant).size == (40, 20)
    left, right = (opened(variant).convert("RGB").getpixel((20, y))[0] for y in (1, 18))
    top, bottom = (opened(variant).convert("RGB").getpixel((x, 10))[1] for x in (1, 38))
    expected = upright.resize((40, 20))
    assert abs(left - expected.getpixel((20, 1))[0]) < 40
    assert abs(right - expected.getpixel((20, 18))[0]) < 40
    assert abs(top - expected.getpixel((1, 10))[1]) < 40
    assert abs(bottom - expected.getpixel((38, 10))[1]) < 40
    assert not opened(variant).getexif()


@pytest.mark.parametrize("name", ["jpeg", "png", "webp", "avif"])
@pytest.mark.parametrize("accepted", [NONE, ALL])
def test_metadata_is_stripped_and_the_colour_profile_kept(name, accepted):
    """Nobody learns who took the picture; its colours are what they were."""
    body = pictures.picture(name, orientation=3, profile=True)
    assert b"a name that nobody may see" in body
    variant = made(body, accepted=accepted, width=100)
    assert b"a name that nobody may see" not in variant.body
    assert opened(variant).info["icc_profile"] == Image.open(BytesIO(body)).info["icc_profile"]


@pytest.mark.parametrize("name", ["jpeg", "png"])
@pytest.mark.parametrize("accepted", [NONE, ALL, frozenset({"webp"})])
def test_greys_with_a_profile_of_their_own_become_greys_of_screens(name, accepted):
    """A profile of greys above pixels of another kind is one that browsers refuse."""
    grey = Image.new("L", (40, 30), 128)
    shown = opened(made(pictures.encoded(grey, name, icc_profile=pictures.grey_profile()), accepted=accepted))

    assert "icc_profile" not in shown.info
    assert all(abs(part - 147) < 4 for part in shown.convert("RGB").getpixel((20, 15)))


def test_what_is_no_colour_profile_is_left_out():
    """A block that only says that it is a profile is not passed on."""
    body = pictures.encoded(pictures.photo(), "jpeg", icc_profile=b"<script>alert(1)</script>" * 10)
    assert b"<script" not in made(body, width=100).body


@pytest.mark.parametrize("mode", ["1", "L", "P", "LA", "I;16", "CMYK"])
def test_every_mode_is_taken(mode):
    """Black and white, palettes, deep greys and inks are shown as what they look like."""
    photo = pictures.photo(200, 100)
    image = Image.new(mode, (200, 100), 40_000) if mode == "I;16" else photo.convert(mode)
    variant = made(pictures.encoded(image, "jpeg" if mode == "CMYK" else "png"), width=100)
    assert opened(variant).size == (100, 50)
    if mode == "I;16":
        assert abs(opened(variant).convert("L").getpixel((50, 25)) - 40_000 // 256) < 3


def test_a_moving_gif_stays_as_it_is_where_it_is_not_made_smaller():
    """Its pictures, delays and repetitions are kept, and nothing else."""
    body = pictures.animation(frames=5)
    hidden = body[:-1] + b"\x21\xfe\x08<script>\x00;" + pictures.HTML
    variant = made(hidden, width=64)
    assert variant.content_type == "image/gif"
    assert b"<script" not in variant.body
    assert opened(variant).n_frames == 5
    assert opened(variant).info["duration"] == 100


@pytest.mark.parametrize(("options", "limit"), [({"width": 32}, 4_000_000), ({}, 100)])
def test_a_gif_that_is_resized_or_large_shows_its_first_picture(options, limit):
    """A still picture is made of it."""
    limits = LIMITS.model_copy(update={"animation_bytes": limit})
    assert identify(made(pictures.animation(frames=5), limits=limits, **options).body).frames == 1


@pytest.mark.parametrize(
    "hostile",
    [
        pictures.flood,
        pictures.bomb,
        pictures.many_frames,
        pictures.truncated,
        lambda: pictures.truncated("png"),
        lambda: pictures.truncated("webp"),
        lambda: pictures.truncated("avif"),
        lambda: pictures.truncated("gif"),
        lambda: pictures.SVG,
        lambda: pictures.HTML,
        lambda: pictures.png_header(3000, 3000, data=b"no packed pixels"),
        lambda: pictures.animation("webp", frames=12),
        lambda: pictures.picture("png")[:-12] + pictures.chunk(b"teXt", b"") * 250_000,
        lambda: pictures.animation()[:-1] + b"\x21\xfe\x00" * 250_000 + b";",
        lambda: pictures.animation()[:-1] + b"\x21\xfe" + b"\1x" * 250_000 + b"\0;",
        lambda: pictures.encoded(Image.new("RGB", (5000, 3000)), "png"),
        lambda: pictures.picture("jpeg").replace(b"\xff\xda", b"\xff\xda\x00\x02" * 150 + b"\xff\xda", 1),
    ],
)
def test_hostile_images_are_refused(hostile):
    """No image, half of one, or more of one than a reader can want."""
    limits = LIMITS.model_copy(update={"frames": 10})
    with pytest.raises(RefusedImage):
        made(hostile(), limits=limits, width=500)


def test_nothing_of_a_polyglot_is_passed_on():
    """What a file is beside an image is gone."""
    body = pictures.polyglot()
    assert identify(body).format == "jpeg"
    assert b"script" not in made(body).body
    assert b"script" not in made(body, width=100).body


def test_a_large_photo_is_decoded_small():
    """A JPEG of 24 megapixels is taken, also where memory does not allow its full size."""
    body = pictures.encoded(Image.new("RGB", (6000, 4000), "navy"), "jpeg")
    assert opened(made(body, width=500)).size == (500, 333)
    assert opened(made(body, width=4096)).size == (3000, 2000)


BOUNDED = """
import resource, sys
from PIL import AvifImagePlugin
from tests.kit import pictures
from api.media.disk_cache import RefusedImage
from config.sections import MediaConfig
from api.media.variants import render
from mapping.rules.media_address import ImageOptions
AvifImagePlugin.DECODE_THREADS = 1  # each has memory of its own, and there is one a core
LIMITS = MediaConfig(decode_bytes=40 * 1024**2, animation_bytes=4_000_000)
bodies = [open(name, "rb").read() for name in sys.argv[1:]]
render(pictures.picture(), ImageOptions(100), frozenset({"avif", "webp"}), LIMITS)
taken = 1024 * int(next(line for line in open("/proc/self/status") if line.startswith("VmData")).split()[1])
resource.setrlimit(resource.RLIMIT_DATA, (taken + 72_000_000,) * 2)
for name, body in zip(sys.argv[1:], bodies):
    try:
        render(body, ImageOptions(500), frozenset({"avif"}), LIMITS)
        print(name.rpartition("/")[2])
    except RefusedImage:
        pass
"""
TAKEN = ["polyglot", "png", "clear", "palette", "jpeg", "progressive", "webp", "clear_webp", "avif"]


@pytest.mark.proof
@pytest.mark.skipif(sys.platform != "linux", reason="other kernels know no RLIMIT_DATA")
def test_hostile_images_take_little_memory(tmp_path):
    """A process that may take 72 MB more than it has renders the largest of each format that is taken, and refuses the others."""
    kinds = {
        "flood": pictures.flood(),
        "bomb": pictures.bomb(),
        "frames": pictures.many_frames(),
        "truncated": pictures.truncated(),
        "polyglot": pictures.polyglot(),
        "png": pictures.encoded(Image.new("RGB", (3600, 2900), "navy"), "png"),
        "clear": pictures.encoded(Image.new("RGBA", (2600, 2000), "navy"), "png"),
        "palette": pictures.encoded(Image.new("P", (2600, 1780)), "gif"),
        "jpeg": pictures.encoded(Image.new("RGB", (3600, 2900), "navy"), "jpeg"),
        "progressive": pictures.encoded(Image.new("RGB", (2400, 1700), "navy"), "jpeg", progressive=True),
        "webp": pictures.encoded(Image.new("RGB", (1860, 1860), "navy"), "webp"),
        "clear_webp": pictures.encoded(Image.new("RGBA", (1600, 1600), "#0008"), "webp"),
        "avif": pictures.encoded(Image.new("RGB", (1860, 1860), "navy"), "avif"),
    }
    files = []
    for name, body in kinds.items():
        files.append(tmp_path / name)
        files[-1].write_bytes(body)
    done = subprocess.run([sys.executable, "-c", BOUNDED, *files], capture_output=True, text=True, check=True)
    assert done.stdout.split() == TAKEN
