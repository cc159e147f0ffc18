"""Uploads in a form (`multipart/form-data`): the file goes on as it comes, and nothing else may be large."""

from __future__ import annotations

from collections.abc import AsyncIterator

from python_multipart import MultipartParser
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import parse_options_header

from api.http.request import parse_document
from mapping.documents.media import Media
from mapping.errors import InvalidRequest, PayloadTooLarge, Unprocessable

FORM = "multipart/form-data"
FILE = "file"
TEXT_FIELDS = ("title", "credit")
TEXT_BYTES = 1000
"""Longest title or credit. No setting, as the lengths of other texts are none: clients read it in the OpenAPI document."""
BOUNDARY_BYTES = 70
"""Longest boundary that RFC 2046 allows."""
AROUND_BYTES = 65_536
"""What may stand around the file: more than the largest headers and texts, which bound it; so there is nothing to set."""


def is_form(content_type: str) -> bool:
    """Whether the body says that it is a form."""
    return parse_options_header(content_type)[0] == FORM.encode()


class UploadForm:
    """A form of one `file` of at most `most` bytes and perhaps a `title` and a `credit`, in any order."""

    def __init__(self, content_type: str, most: int) -> None:
        """Raise InvalidRequest where the Content-Type names no boundary that can be one."""
        boundary = parse_options_header(content_type)[1].get(b"boundary", b"")
        if not 0 < len(boundary) <= BOUNDARY_BYTES:
            raise InvalidRequest(f"the Content-Type should name a boundary of 1 to {BOUNDARY_BYTES} bytes")
        self._most = most
        self._file = bytearray()
        """Bytes of the file that came with the chunk of the body that is being read."""
        self._file_bytes = 0
        self._fields: dict[str, bytearray] = {}
        self._field = ""
        self._header = bytearray()
        self._header_value = bytearray()
        self._name = b""
        self._ended = False
        self._parser = MultipartParser(
            boundary,
            {
                "on_part_begin": self._begin_part,
                "on_header_field": self._header_name_part,
                "on_header_value": self._header_value_part,
                "on_header_end": self._end_header,
                "on_headers_finished": self._begin_data,
                "on_part_data": self._data,
                "on_end": self._end,
            },
        )

    async def file(self, body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """The file in chunks, then a look at what follows it.

        Raises InvalidRequest where this is no whole form, Unprocessable for a field that should not be there or is missing,
        PayloadTooLarge for a file that is too large.
        """
        async for chunk in body:
            self._parse(chunk)
            if self._file:
                yield bytes(self._file)
                self._file.clear()
        if not self._ended:
            raise InvalidRequest("the form ends before its last boundary")
        if FILE not in self._fields:
            raise Unprocessable("the form should have a file", field=FILE)
        self.texts()

    def texts(self) -> dict[str, str]:
        """Title and credit where the form has them, once the file was read to its end; raises Unprocessable."""
        texts: dict[str, str] = {}
        for name in TEXT_FIELDS:
            if name in self._fields:
                try:
                    texts[name] = self._fields[name].decode()
                except UnicodeDecodeError:
                    raise Unprocessable("should be text in UTF-8", field=name) from None
        parse_document(Media, {"_type": "Svc::Model::Media", **texts})
        return texts

    def _parse(self, chunk: bytes) -> None:
        try:
            self._parser.write(chunk)
        except FormParserError:
            raise InvalidRequest(f"the body should be {FORM} with the boundary that its Content-Type names") from None

    def _begin_part(self) -> None:
        self._name = b""

    def _header_name_part(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]

    def _header_value_part(self, data: bytes, start: int, end: int) -> None:
        self._header_value += data[start:end]

    def _end_header(self) -> None:
        if self._header.lower() == b"content-disposition":
            self._name = parse_options_header(bytes(self._header_value))[1].get(b"name", b"")
        self._header.clear()
        self._header_value.clear()

    def _begin_data(self) -> None:
        name = self._name.decode("utf-8", "replace")
        if name != FILE and name not in TEXT_FIELDS:
            raise Unprocessable(f"a part of the form should be {FILE}, {' or '.join(TEXT_FIELDS)}")
        if name in self._fields:
            raise Unprocessable("should be in the form once", field=name)
        self._field = name
        self._fields[name] = bytearray()

    def _data(self, data: bytes, start: int, end: int) -> None:
        if self._field == FILE:
            self._file_bytes += end - start
            if self._file_bytes > self._most:
                raise PayloadTooLarge(f"the file is larger than {self._most} bytes")
            self._file += data[start:end]
            return
        text = self._fields[self._field]
        text += data[start:end]
        if len(text) > TEXT_BYTES:
            raise Unprocessable(f"should have at most {TEXT_BYTES} bytes", field=self._field)

    def _end(self) -> None:
        self._ended = True
