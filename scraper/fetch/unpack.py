"""The rule that says whether a body is whole: decodes its content coding strictly, and says why where it cannot.

Scrapy's own decoders give back what they could read of a cut stream, so that a piece of a page passes for the page.
"""

import re
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import brotli  # type: ignore[import-untyped]

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_CHUNK = 65536
"""Bytes that come out at once: what a bomb can take beyond the limit."""
_ERRORS = (zlib.error, brotli.error, zstd.ZstdError)


@dataclass(frozen=True)
class Fault:
    """Why a body is not a whole page."""

    code: str
    """`cut` (the stream ends early), `undecodable` (it is damaged), `too_large` or `partial` (no end marker)."""
    reason: str
    """The same in words, with the numbers."""


def begins_like_gzip(body: bytes) -> bool:
    """Whether the body starts as gzip must, or is too short to tell but fits so far. An empty one does not."""
    return body != b"" and GZIP_MAGIC.startswith(body[:2])


def unpack(body: bytes, encoding: str, most: int = 0) -> bytes | Fault:
    """The body without its content coding (`gzip`, `x-gzip`, `deflate`, `br`, `zstd`), or why it is not whole.

    `most` is the number of bytes that may come out, 0 for any.
    """
    pieces: list[bytes] = []
    size = 0
    try:
        for piece in _DECODERS[encoding](body):
            size += len(piece)
            if 0 < most < size:
                return Fault(
                    "too_large", f"too large: {encoding} of {len(body)} bytes unpacks to more than {most} bytes"
                )
            pieces.append(piece)
    except EOFError:
        return Fault("cut", f"cut: {encoding} of {len(body)} bytes ends early, after {size} bytes of page")
    except _ERRORS as error:
        return Fault(
            "undecodable", f"undecodable: {encoding} of {len(body)} bytes, after {size} bytes of page: {error}"
        )
    return b"".join(pieces)


def why_cut(body: bytes, encoding: str) -> str | None:
    """Why a coded body is cut or damaged; None when it is whole."""
    unpacked = unpack(body, encoding)
    return unpacked.reason if isinstance(unpacked, Fault) else None


def why_partial(body: bytes) -> Fault | None:
    """Why an HTML body that came with no length is not trusted: its end marker is missing. None when it is there."""
    if re.search(rb"</html", body.replace(b"\x00", b""), re.I):  # UTF-16 has a NUL beside each letter
        return None
    return Fault("partial", f"cut: no length was announced and {len(body)} bytes of HTML end without </html>")


def _gzip(body: bytes) -> Iterator[bytes]:
    """All members (RFC 1952, 2.2). What follows the last and is no member is padding, as browsers see it."""
    while True:
        stream = zlib.decompressobj(wbits=31)
        yield from _inflate(stream, body)
        body = stream.unused_data
        if not begins_like_gzip(body):
            return


def _deflate(body: bytes) -> Iterator[bytes]:
    """Zlib as the standard says (RFC 9110, 8.4.1.2), or the bare stream that some servers send."""
    stream = zlib.decompressobj()
    try:
        stream.decompress(body[:2])
    except zlib.error:
        stream = zlib.decompressobj(wbits=-15)
    else:
        body = body[2:]
    yield from _inflate(stream, body)


def _inflate(stream: "zlib._Decompress", body: bytes) -> Iterator[bytes]:
    while not stream.eof:
        piece = stream.decompress(body, _CHUNK)
        body = stream.unconsumed_tail
        if not piece and not body and not stream.eof:
            raise EOFError
        yield piece


def _br(body: bytes) -> Iterator[bytes]:
    stream = brotli.Decompressor()
    piece = stream.process(body, output_buffer_limit=_CHUNK)
    while piece:
        yield piece
        piece = b"" if stream.is_finished() else stream.process(b"", output_buffer_limit=_CHUNK)
    if not stream.is_finished():
        raise EOFError


def _zstd(body: bytes) -> Iterator[bytes]:
    """All frames (RFC 8878, 3.1)."""
    while True:
        stream = zstd.ZstdDecompressor()
        while not stream.eof:
            piece = stream.decompress(body, _CHUNK)
            body = b""
            if not piece and stream.needs_input and not stream.eof:
                raise EOFError
            yield piece
        body = stream.unused_data
        if not body or not _ZSTD_MAGIC.startswith(body[:4]):
            return


_DECODERS = {"gzip": _gzip, "x-gzip": _gzip, "deflate": _deflate, "br": _br, "zstd": _zstd}
