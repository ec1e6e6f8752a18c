"""The publish gate: the pure rule that decides whether a file may replace the last good one."""

from collections.abc import Sequence


def why_held(site: str, crawl: str | None, broken: Sequence[str], records: int, records_before: int) -> str | None:
    """Why the file is held back, or None.

    `crawl` is the state of the site's newest crawl, `broken` the promises it broke, `records_before` how many records
    the last published file of this name had.
    """
    if crawl is None:
        return f"{site} was never crawled"
    if crawl != "finished":
        return f"the newest crawl of {site} is {crawl}, not finished"
    if broken:
        return f"promise broken: {'; '.join(broken)}"
    if records == 0 and records_before:
        return f"empty: 0 records, {records_before:,} in the last published file"
    return None
