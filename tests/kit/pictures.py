"""Real image files, made by Pillow, and hostile ones, made by hand."""

import struct
import zlib
from dataclasses import dataclass
from functools import cache
from io import BytesIO

from PIL import ExifTags, Image, ImageCms

FORMATS = ("jpeg", "png", "gif", "webp", "avif")
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
HTML = b"<!doctype html><title>An image?</title><script>alert(1)</script>"


MP4 = b"\0\0\0\x20ftypisom\0\0\2\0isomiso2avc1mp41" + bytes(100)
WEBM = b"\x1a\x45\xdf\xa3" + bytes(100)


@cache
def photo(width=640, height=480, *, mode="RGB"):
    """A picture with detail in it and no two corners alike: a gradient, and noise above it."""
    across = Image.linear_gradient("L").resize((width, height))
    down = Image.linear_gradient("L").rotate(90).resize((width, height))
    picture = Image.merge("RGB", (across, down, Image.effect_noise((width, height), 30)))
    if mode == "RGBA":
        picture.putalpha(across)
    return picture.convert(mode)


@cache
def picture(name="jpeg", width=640, height=480, *, mode="RGB", orientation=None, profile=False, **options):
    """The bytes of a picture in a format; `orientation`: as EXIF has it; `profile`: with a colour profile."""
    if orientation:
        exif = Image.Exif()
        exif[ExifTags.Base.Orientation] = orientation
        exif[ExifTags.Base.Artist] = "a name that nobody may see"
        options["exif"] = exif
    if profile:
        options["icc_profile"] = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    return encoded(photo(width, height, mode=mode), name, **options)


@cache
def grey_profile(gamma=1.8):
    """A colour profile of greys, as cameras give to pictures without colours."""
    d50 = struct.pack(">3i", 63190, 65536, 54061)
    tags = {b"wtpt": b"XYZ \0\0\0\0" + d50, b"kTRC": b"curv\0\0\0\0" + struct.pack(">IHxx", 1, round(gamma * 256))}
    table, data = struct.pack(">I", len(tags)), b""
    for name, content in tags.items():
        table += name + struct.pack(">II", 132 + 12 * len(tags) + len(data), len(content))
        data += content
    size = 128 + len(table) + len(data)
    kind = struct.pack(">I4s4s4s4s4s", size, b"none", b"\x02\x40\0\0", b"mntr", b"GRAY", b"XYZ ")
    head = kind + b"\0" * 12 + b"acsp" + b"\0" * 28 + d50
    return head.ljust(128, b"\0") + table + data


QUICK = {"avif": {"speed": 10}, "png": {"compress_level": 1}}
"""What makes an encoder quick: how small its files are matters to no test."""


def encoded(image, name, **options):
    file = BytesIO()
    image.save(file, name, **{**QUICK.get(name, {}), **options})
    return file.getvalue()


def animation(name="gif", frames=5, width=64, height=48):
    pictures = [photo(width, height).rotate(7 * turn) for turn in range(frames)]
    return encoded(pictures[0], name, save_all=True, append_images=pictures[1:], duration=100)


def chunk(name, content):
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def png_header(width, height, *, data=b""):
    """A PNG that says how large it is, with `data` as its packed pixels."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def webp_header(width, height):
    """A WebP that says how large it is, and nothing behind it."""
    content = bytes(4) + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    chunks = b"WEBP" + b"VP8X" + len(content).to_bytes(4, "little") + content
    return b"RIFF" + len(chunks).to_bytes(4, "little") + chunks


def flood():
    """A header of 100 megapixels, and nothing behind it."""
    return png_header(10_000, 10_000)


@cache
def bomb(width=10_000, height=10_000):
    """A PNG of a few hundred KB that unpacks to 300 MB of black."""
    packer = zlib.compressobj(9)
    rows = bytes((1 + 3 * width) * (height // 100))
    first, again = [
        packer.compress(rows) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2)
    ]  # the others are as the second
    checksum = (len(rows) * 100 % 65_521 << 16) + 1  # Adler-32 of zeros
    return png_header(width, height, data=first + again * 99 + b"\x03\x00" + checksum.to_bytes(4, "big"))


def many_frames(frames=10_000):
    """A GIF of many frames, each of them one pixel."""
    screen = b"GIF89a" + struct.pack("<HHBBB", 500, 500, 0x80, 0, 0) + b"\0\0\0\xff\xff\xff"
    frame = b"\x2c" + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\x02\x02\x44\x01\x00"
    return screen + frame * frames + b";"


def truncated(name="jpeg"):
    """The first half of a picture."""
    whole = picture(name, 400, 300)
    return whole[: len(whole) // 2]


def polyglot():
    """A picture that is a page with a script too."""
    comment = b"--><script>alert(document.cookie)</script><!--"
    whole = picture("jpeg")
    return whole[:2] + b"\xff\xfe" + struct.pack(">H", len(comment) + 2) + comment + whole[2:] + HTML


@dataclass
class Answer:
    status: str = "new"
    body: bytes = b""
    etag: str | None = None
    max_age: float | None = None
