"""A request as text in a row and back: only what differs from a plain GET, and only what JSON gives back unchanged."""

import base64
import json
from typing import Any

from scrapy import Request, Spider
from scrapy.utils.request import request_from_dict

PAGE = "queue_page"
"""The key in `request.meta` of the page in flight; redirects and retries copy meta, so it travels with them."""
_COLUMNS = {"url", "priority", "dont_filter", "callback", "errback", "meta", "headers", "body", "cookies"}
_OURS = {PAGE, "page_type", "context", "depth"}
_PLAIN: tuple[Any, ...] = (None, False, "", "GET", "utf-8", [], (), {})


def dump(request: Request, spider: Spider | None, default_callback: str, parent_url: str | None = None) -> str | None:
    """What makes the request more than a plain GET, as JSON; None when nothing does.

    A Referer that is the page it was found on is not written out: nearly every row would hold its parent's address.

    Raises ValueError when something would come back changed: a lambda as callback, a tuple or an open file in meta.
    """
    kept: dict[str, Any] = {}
    for name in request.attributes:
        if name not in _COLUMNS and (value := getattr(request, name)) not in _PLAIN:
            kept[name] = value
    for name in ("callback", "errback"):
        if (named := _method_name(getattr(request, name), spider)) not in (None, default_callback):
            kept[name] = named
    if meta := {key: value for key, value in request.meta.items() if key not in _OURS}:
        kept["meta"] = meta
    if request.cookies:
        kept["cookies"] = request.cookies
    headers = {
        name.decode("latin-1"): [value.decode("latin-1") for value in values]
        for name, values in request.headers.items()
    }
    if parent_url is not None and headers.get("Referer") == [parent_url]:
        del headers["Referer"]
        kept["referer"] = True
    if headers:
        kept["headers"] = headers
    if request.body:
        kept["body"] = base64.b64encode(request.body).decode()
    if type(request) is not Request:
        kept["_class"] = f"{type(request).__module__}.{type(request).__qualname__}"
    if not kept:
        return None
    try:
        text = json.dumps(kept, sort_keys=True, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"the request holds what JSON cannot carry: {error}") from error
    if json.loads(text) != kept:
        raise ValueError(f"the request would come back changed (a tuple, a key that is no text?): {text:.200}")
    return text


def load(text: str | None, url: str, spider: Spider, default_callback: str, parent_url: str | None = None) -> Request:
    """The request of a row; raises ValueError when the spider has its callback no more."""
    kept: dict[str, Any] = json.loads(text) if text else {}
    kept["body"] = base64.b64decode(kept.get("body", ""))
    headers = {
        name.encode("latin-1"): [value.encode("latin-1") for value in values]
        for name, values in kept.get("headers", {}).items()
    }
    if kept.pop("referer", False) and parent_url is not None:
        headers[b"Referer"] = [parent_url.encode()]
    kept["headers"] = headers
    kept.setdefault("callback", default_callback)
    return request_from_dict({**kept, "url": url}, spider=spider)


def _method_name(method: Any, spider: Spider | None) -> str | None:
    method = getattr(method, "original", method)
    if method is None:
        return None
    name = getattr(method, "__name__", None)
    if name is None or getattr(spider, name, None) != method:
        raise ValueError(f"{method!r} is no method of the spider, so the queue cannot keep it")
    return str(name)
