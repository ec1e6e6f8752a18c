"""The rule of whole bodies: each coding, cut at every place."""

import gzip
import zlib
from collections.abc import Callable

import brotli
import pytest

from scraper.fetch.unpack import Fault, begins_like_gzip, unpack, why_cut, why_partial
from scraper.store.body_store import zstd

PAGE = b"<html><body>" + bytes(range(256)) * 3 + b"</body></html>"


def bare_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


PACKED = {
    "gzip": ("gzip", gzip.compress(PAGE)),
    "gzip of two members": ("gzip", gzip.compress(PAGE[:400]) + gzip.compress(PAGE[400:])),
    "x-gzip": ("x-gzip", gzip.compress(PAGE)),
    "deflate": ("deflate", zlib.compress(PAGE)),
    "bare deflate": ("deflate", bare_deflate(PAGE)),
    "br": ("br", brotli.compress(PAGE)),
    "zstd": ("zstd", zstd.compress(PAGE)),
    "zstd of two frames": ("zstd", zstd.compress(PAGE[:400]) + zstd.compress(PAGE[400:])),
}
each_packing = pytest.mark.parametrize(("coding", "packed"), PACKED.values(), ids=PACKED)


@each_packing
def test_a_whole_body_comes_out_as_it_was(coding: str, packed: bytes) -> None:
    assert unpack(packed, coding) == PAGE
    assert why_cut(packed, coding) is None


@each_packing
def test_a_cut_is_seen_wherever_it_is(coding: str, packed: bytes) -> None:
    # Between two members nothing is missing but the second, and no byte says that there was to be one.
    between = (
        {len(gzip.compress(PAGE[:400])), len(zstd.compress(PAGE[:400]))} if packed.count(packed[:4]) > 1 else set()
    )
    unseen = {length for length in range(len(packed)) if why_cut(packed[:length], coding) is None}
    assert unseen - between == set()


@each_packing
def test_a_cut_says_how_much_there_was(coding: str, packed: bytes) -> None:
    assert f"cut: {coding} of {len(packed) - 1} bytes ends early" in (why_cut(packed[:-1], coding) or "")


@each_packing
def test_a_body_of_nothing(coding: str, packed: bytes) -> None:
    assert why_cut(b"", coding) is not None


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_what_is_no_such_stream_is_undecodable(coding: str) -> None:
    fault = unpack(b"<html><title>ok</title></html>", coding)
    assert isinstance(fault, Fault)
    assert fault.code == "undecodable"


def test_a_wrong_checksum_is_damage() -> None:
    packed = bytearray(gzip.compress(PAGE))
    packed[-5] ^= 1
    fault = unpack(bytes(packed), "gzip")
    assert isinstance(fault, Fault)
    assert fault.code == "undecodable"


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_padding_after_the_end_is_no_part_of_the_page(coding: str) -> None:
    assert unpack(PACKED[coding][1] + b"\x00" * 8, coding) == PAGE


@pytest.mark.parametrize(
    ("coding", "pack"),
    [("gzip", gzip.compress), ("deflate", zlib.compress), ("br", brotli.compress), ("zstd", zstd.compress)],
)
def test_a_bomb_is_stopped(coding: str, pack: Callable[[bytes], bytes]) -> None:
    packed = pack(b"0" * 10_000_000)
    fault = unpack(packed, coding, 1_000_000)
    assert fault == Fault("too_large", f"too large: {coding} of {len(packed)} bytes unpacks to more than 1000000 bytes")
    assert unpack(packed, coding, 10_000_000) == b"0" * 10_000_000


@pytest.mark.parametrize(
    ("body", "like"), [(b"\x1f\x8b\x08", True), (b"\x1f", True), (b"", False), (b"<html>", False), (b"\x1f<", False)]
)
def test_what_begins_like_gzip(body: bytes, like: bool) -> None:
    assert begins_like_gzip(body) is like


@pytest.mark.parametrize("end", [b"</html>", b"</HTML>\n<!-- 12 ms -->", b"</html \n>", "</html>".encode("utf-16")])
def test_a_page_with_its_end_marker_is_whole(end: bytes) -> None:
    assert why_partial(b"<html><p>1" + end) is None


@pytest.mark.parametrize("body", [b"<html><body><div class=item>1</div><div cl", b""])
def test_a_page_without_its_end_marker_is_not(body: bytes) -> None:
    fault = why_partial(body)
    assert fault is not None
    assert f"{len(body)} bytes of HTML end without </html>" in fault.reason
