"""What has changed in a liveblog since a version that a reader knows."""

from typing import Literal

from mapping.documents.base import Document
from mapping.documents.event import Event
from mapping.documents.game import Game
from mapping.documents.scalars import Bool, Int, Many


class GameShowResponse(Document):
    """The liveblog without its posts, and the posts that changed; one that is gone has a status and no contents."""

    type_: Literal["Svc::Model::Api::GameShowResponse"] = "Svc::Model::Api::GameShowResponse"
    game: Game
    events: Many[Event] = ()
    version: Int
    more: Bool = False
