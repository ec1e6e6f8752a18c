"""What an export says at its end: a line a file, why one was held back, and what to type next."""

from collections.abc import Sequence

from scraper.export.file_names import manifest_of
from scraper.export.runner import ExportedFile


def lines_of(site: str, files: Sequence[ExportedFile]) -> list[str]:
    """The lines for a person; paths are whole, so that they can be opened from anywhere."""
    lines = [f"{file.stable or file.path}: {file.records:,} records, {file.bytes:,} bytes" for file in files]
    held = [file for file in files if file.held]
    if not held:
        return [*lines, f"next: less '{manifest_of(files[-1].stable or files[-1].path)}'"]
    # A look at a crawl that is not done shows nothing to mend.
    following = "crawl" if held[0].crawl == "open" else "status"
    return [
        *lines,
        *(f"held back: {reason}" for reason in dict.fromkeys(file.held for file in held)),
        "The last good files are as they were.",
        f"next: scrapy {following} {site}   (to publish all the same: scrapy export {site} --force ...)",
    ]
