"""What tests of the pages' and feeds' files have in common: posts that show files, and the addresses that readers get."""

from zoneinfo import ZoneInfo

from api.page.page_context import UP, PageContext
from api.view.post_files import Images
from mapping.locales import translator
from mapping.rules.image_address import ImageOptions, ImageRequest, image_path
from tests.kit import matchday
from tests.kit.settings import configured

KEY = b"k" * 32
CONTENT = "Svc::Model::Content"


def page_files(locale="en", *, consent=True):
    """As the page of a liveblog in that language writes its files."""
    return PageContext(
        Images(KEY, UP, matchday.ORGANIZATION), translator(locale), configured(consent=consent), ZoneInfo("UTC")
    )


def proxied(url, **options):
    """The path of the proxy for an image of the tests' organization."""
    return image_path(KEY, ImageRequest(matchday.ORGANIZATION, url, ImageOptions(**options)))


def item(file, **fields):
    kind = "VideoMediaContent" if file["subtype"] == "v" else "ImageMediaContent"
    return {"_type": f"{CONTENT}::{kind}", "media_local_id": file["local_id"], **fields}


def block(*items, **fields):
    return {"_type": f"{CONTENT}::MultiMediaContentBlock", "local_id": "bmedia", "items": list(items), **fields}


def file(name, url, subtype="i", **fields):
    return {"_type": "Svc::Model::Media", "local_id": name, "subtype": subtype, "url": url, "local_status": 0, **fields}


def showing(name, *files, at=matchday.KICK_OFF, items=None, block_fields=None, **fields):
    """A post that shows the files, each by a plain item unless `items` are given."""
    shown = items if items is not None else [item(each) for each in files]
    return matchday.event(name, at, media=list(files), contents=[block(*shown, **(block_fields or {}))], **fields)


async def add(server, *events, **document):
    await server.add(matchday.Liveblog(document=matchday.document(**document), events=events))
