"""Makes of a request what the queue stores of it."""

from __future__ import annotations

from collections.abc import Mapping

from scrapy import Request, Spider

from scraper.queue.identity import authority, identity, repeated
from scraper.queue.request_text import dump
from scraper.store.canonical import canonical
from scraper.store.urls import Claimed, NewUrl

DEFAULT_CALLBACK = "parse"
MOST_GENERATIONS = 20
"""A page may ask for itself again (`dont_filter`) so often; one that always does would never end."""
_PRIORITY = 1_000_000


def new_url(
    request: Request,
    spider: Spider | None,
    varies: Mapping[str, tuple[str, ...]],
    parent: Claimed | None = None,
    nth: int = 0,
    depth: int = 0,
) -> NewUrl:
    """A request as a row of the queue; one that cannot be kept exactly becomes a row with its refusal.

    `nth` is its place among the requests of its page: what tells requests made again on purpose apart.
    """
    page_type = str(request.meta.get("page_type", ""))
    fp = identity(request, varies.get(page_type, ()))
    generation = 0
    if request.dont_filter and parent is not None:
        generation = parent.generation + 1
        fp = repeated(fp, parent.id, generation, nth)
    text, context = None, None
    refusal = f"{request.url} asks for itself again, the {generation}th time" if generation > MOST_GENERATIONS else None
    try:
        text = dump(request, spider, DEFAULT_CALLBACK, parent.url if parent is not None else None)
        if found := request.meta.get("context"):
            context = canonical(found)
    except (ValueError, TypeError) as error:
        refusal = f"{request.method} {request.url}: {error}"
    return NewUrl(
        fp=fp,
        authority=authority(request.url),
        page_type=page_type,
        url=request.url,
        request=text,
        context=context,
        priority=max(-_PRIORITY, min(_PRIORITY, request.priority)),
        depth=parent.depth + 1 if parent is not None else depth,
        generation=generation,
        refusal=refusal,
    )
