"""The one family of errors a person meets: what happened, where, and what to do, in one line."""


class ScraperError(Exception):
    """Something failed and the message says what to do; a command prints it and exits with `exit_code`."""

    exit_code = 1


class WrongUsage(ScraperError):
    """The words of a command, a setting or a site card are wrong; nothing was done."""

    exit_code = 2


class AlreadyRunning(ScraperError):
    """Another live run holds the site."""

    exit_code = 3


class UnknownSite(WrongUsage):
    """No folder of that name stands in `spiders/`."""


class BrokenSite(ScraperError):
    """A site's folder, card, parser or model cannot be loaded or contradicts itself."""


class DatabaseProblem(ScraperError):
    """The database cannot be reached, read, written, or is of another version."""


class ClaimLost(ScraperError):
    """The run no longer holds the row, so nothing of that page may be written."""


class RunLost(ScraperError):
    """This run was declared dead by another; it claims and writes nothing more."""


class BodyDamaged(ScraperError):
    """A kept body is missing or its content does not have the hash it is stored under."""


class NotKept(ScraperError):
    """No answer of the page that was asked for is kept."""


class ModelMismatch(ScraperError):
    """What is stored of a record, or of facts added to it, does not fit its model any more."""


class CacheProblem(ScraperError):
    """The folder of the kept pages cannot be read or written: no space, no permission, or no folder."""


class SelectorMiss(ScraperError):
    """Fields of a page were not found as often as their selectors expect."""

    def __init__(self, reasons: tuple[tuple[str, str], ...]) -> None:
        super().__init__("; ".join(f"{field}: {reason}" for field, reason in reasons))
        self.reasons = reasons
        """The fields, each with what was wanted, found and tried."""
