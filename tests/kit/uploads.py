"""The smallest files that are videos."""

MP4 = b"\0\0\0\x20ftypisom\0\0\2\0isomiso2avc1mp41" + bytes(100)
WEBM = b"\x1a\x45\xdf\xa3" + bytes(100)
