"""The tables of media: uploads, what refers to them, probes, and the key that signs addresses of images."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Double, ForeignKey, Index, Table

from store.engine.columns import Bytewise, integer, metadata, text

uploads = Table(
    "uploads",
    metadata,
    Column("key", Bytewise, primary_key=True),  # random, so that nobody can guess the address
    text("organization_id"),
    text("client_id"),
    text("subtype"),
    text("content_type"),
    text("digest"),
    integer("bytes"),
    integer("width", nullable=True),
    integer("height", nullable=True),
    integer("created_at"),
    Index(None, "created_at"),
)
"""Files that clients have uploaded, which stand in the storage before the row does; `digest`: SHA-256 in hex."""

upload_uses = Table(
    "upload_uses",
    metadata,
    Column("upload_key", Bytewise, ForeignKey("uploads.key"), primary_key=True),
    text("kind", primary_key=True),
    text("record_id", primary_key=True),
    Column("shown", Boolean, nullable=False),
    Index(None, "kind", "record_id"),
)
"""What refers to an upload, which stays as long: `kind` and id of the record; `shown`: not by an unpublished entry of `media`."""

image_uses = Table(
    "image_uses",
    metadata,
    text("organization_id", primary_key=True),
    text("image", primary_key=True),
    text("kind", primary_key=True),
    text("record_id", primary_key=True),
    Column("shown", Boolean, nullable=False),
    Index(None, "kind", "record_id"),
)
"""What names an image of a third party: `image` is a hash of its address, the rest as in `upload_uses`, or a `comment`."""

purged_files = Table(
    "purged_files",
    metadata,
    text("file", primary_key=True),
    integer("purged_at"),
)
"""Files that an operator shows to nobody any more, by hashes of their addresses."""

media_probes = Table(
    "media_probes",
    metadata,
    text("media_id", primary_key=True),
    text("event_id", ForeignKey("events.local_id", ondelete="CASCADE"), index=True),
    text("game_id"),
    text("organization_id"),
    text("url"),
    integer("tries"),
    Column("next_at", Double),
    text("error", nullable=True),
    Index(None, "next_at"),
)
"""Files of posts whose size is not known yet; a probe that was given up has no `next_at`."""
