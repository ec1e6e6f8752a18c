"""Bytes to text by the rules browsers follow, so that every page reads the same today and when it is parsed again."""

import re
import unicodedata

from w3lib.encoding import html_body_declared_encoding, html_to_unicode, read_bom

_UTF16_META = re.compile(r"utf-?16|utf-?32", re.I)
# Never part of a text: controls except tab, newline and carriage return, C1 controls, halves of surrogate pairs.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def decode_html(body: bytes, content_type: str) -> str:
    """The text of an HTML or XML body; NUL is removed (libxml2 would end there).

    A BOM wins over the header, the header over `<meta>` (WHATWG Encoding, "decode"); a meta that says UTF-16
    means UTF-8 (HTML Living Standard, 13.2.3.3: whoever can read the meta as ASCII is not reading UTF-16).
    """
    if read_bom(body)[0] is None and "charset" not in content_type.lower():
        declared = html_body_declared_encoding(body)
        if declared and _UTF16_META.match(declared):
            content_type = "text/html; charset=utf-8"
    _, text = html_to_unicode(content_type, body, auto_detect_fun=_utf8_or_western)
    return text.replace("\x00", "").removeprefix("\ufeff")


def _utf8_or_western(body: bytes) -> str:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def decode_json(body: bytes) -> str:
    """The text of a JSON body: UTF-8 unless a BOM says otherwise (RFC 8259, 8.1); escaped NUL is removed."""
    encoding, mark = read_bom(body)
    text = body[len(mark or b"") :].decode(encoding or "utf-8")
    return re.sub(r"(?<!\\)((?:\\\\)*)\\u0000", r"\1", text).replace("\x00", "")


def clean(text: str) -> str:
    """The text composed (NFC), white space made single blanks, without control characters.

    U+0080 to U+009F are what windows-1252 means by them (HTML Living Standard, "numeric character reference end
    state"): pages called Latin-1 carry its dashes and quotes.
    """
    text = _CONTROL.sub(_western_or_blank, text)
    return " ".join(unicodedata.normalize("NFC", text).split())


def first_control(text: str) -> str | None:
    """The first character that no stored text may hold, as `U+0096`, or None."""
    found = _CONTROL.search(text)
    return f"U+{ord(found[0]):04X}" if found else None


def _western_or_blank(found: re.Match[str]) -> str:
    code = ord(found[0])
    if 0x80 <= code <= 0x9F:
        return bytes([code]).decode("cp1252", errors="ignore")
    return "" if code == 0 else " " if code < 0x80 else "\ufffd"
