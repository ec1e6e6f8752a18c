"""What a killed run left, read from its database and from the server that counts requests; and what came of it."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from sqlalchemy import func, select

from scraper.store.clock import to_datetime
from scraper.store.database import Database
from scraper.store.tables import crawls, fetches, records, runs, urls, versions
from tests.command_line import Project
from tests.site_server import SiteServer


@dataclass(frozen=True)
class Left:
    """The state in which a dead process left its crawl."""

    held: int
    """Pages in flight: claimed, and neither written nor given back."""
    unparsed: int
    """Of those: pages whose answer is entered."""
    left: int
    """Pages that are not done."""
    known: int
    """Pages in all."""
    started: str
    """When the crawl began, as a person reads it."""
    asked: dict[str, int]
    """By path of a page that is kept: how often the server was asked for it."""

    @property
    def line(self) -> str:
        """What the next start must say of it."""
        return f"books: resuming crawl 1, started {self.started}, {self.left:,} of {self.known:,} left"

    def asked_again(self, site: SiteServer) -> list[str]:
        """The pages that were kept and are asked for again since."""
        return [path for path, count in self.asked.items() if site.requests[path] > count]


def left_by(project: Project, site: SiteServer) -> Left:
    """Look, after the process is dead."""
    database = Database(project.database_url)
    with database.read() as connection:
        counted = select(urls.c.status, func.count()).group_by(urls.c.status)
        status: dict[str, int] = dict(connection.execute(counted).all())
        kept = connection.execute(select(urls.c.url).where(urls.c.id.in_(select(fetches.c.url_id)))).scalars().all()
        started = to_datetime(connection.execute(select(func.min(crawls.c.started_at))).scalar_one())
    database.close()
    at_work = status.get("in_progress", 0) + status.get("fetched", 0)
    paths = [urlsplit(url).path for url in kept]
    return Left(
        held=at_work,
        unparsed=status.get("fetched", 0),
        left=at_work + status.get("pending", 0),
        known=sum(status.values()),
        started=f"{started:%Y-%m-%d %H:%M:%S} UTC",
        asked={path: site.requests[path] for path in paths},
    )


@dataclass(frozen=True)
class Outcome:
    """What a crawl came to, without what differs from run to run: ids, times and run numbers."""

    pages: set[tuple[bytes, str, str | None]]
    """Identity, status and reason of each page."""
    versions: list[tuple[str, int, str, bytes]]
    """Key, number, state and content of each record version."""
    fetched: dict[bytes, int]
    """Answers entered, by page."""


def outcome_of(project: Project) -> Outcome:
    """Read it from the database."""
    known = select(records.c.key, versions.c.no, versions.c.state, versions.c.data_hash).join(
        records, records.c.id == versions.c.record_id
    )
    entered = select(urls.c.fp, func.count()).join(fetches, fetches.c.url_id == urls.c.id).group_by(urls.c.fp)
    database = Database(project.database_url)
    with database.read() as connection:
        found = Outcome(
            pages={tuple(row) for row in connection.execute(select(urls.c.fp, urls.c.status, urls.c.reason_code))},
            versions=sorted(tuple(row) for row in connection.execute(known)),
            fetched=dict(connection.execute(entered).all()),
        )
    database.close()
    return found


def outcomes_of_runs(project: Project) -> list[tuple[str, str]]:
    """State and outcome of each run, in order."""
    database = Database(project.database_url)
    with database.read() as connection:
        found = [tuple(row) for row in connection.execute(select(runs.c.state, runs.c.outcome).order_by(runs.c.id))]
    database.close()
    return found
