"""Speaks to `sites` and `hosts`: a site's row, the base its database is bound to, and the hosts it has urls of."""

from collections.abc import Iterable

from sqlalchemy import Connection, select, update

from scraper.errors import WrongUsage
from scraper.store.database import Database
from scraper.store.tables import hosts, site_hosts, sites, urls


def site_id_of(database: Database, connection: Connection, name: str) -> int:
    """The number of the site's row, made when missing."""
    query = select(sites.c.id).where(sites.c.name == name)
    found = connection.execute(query).scalar()
    if found is None:
        connection.execute(database.dialect.insert_missing(sites).values(name=name))
        found = connection.execute(query).scalar_one()
    return int(found)


def find_site_id(connection: Connection, name: str) -> int | None:
    """The number of the site's row, or None when it was never crawled into this database."""
    return connection.execute(select(sites.c.id).where(sites.c.name == name)).scalar()


def base_of(connection: Connection, site_id: int) -> str | None:
    """The origin the site is fetched from in this database; None for its own."""
    return connection.execute(select(sites.c.base).where(sites.c.id == site_id)).scalar()


def bind_base(connection: Connection, site_id: int, name: str, base: str | None) -> str | None:
    """Give the origin the site is fetched from, None for its own; remember it at the first crawl.

    Raises WrongUsage when the database holds pages of another one: two origins in one table could not be told apart.
    """
    bound: str | None = connection.execute(
        select(sites.c.base).where(sites.c.id == site_id).with_for_update()
    ).scalar_one()
    if base is None or base == bound:
        return bound
    if bound is not None:
        raise WrongUsage(
            f"this database holds {name} as fetched from {bound}; "
            "leave base= out, or set DATABASE_URL to another database"
        )
    if connection.execute(select(urls.c.id).where(urls.c.site_id == site_id).limit(1)).first():
        raise WrongUsage(
            f"this database holds {name} as fetched from the real site; "
            f"leave base={base} out, or set DATABASE_URL to another database"
        )
    connection.execute(update(sites).where(sites.c.id == site_id).values(base=base))
    return base


def host_ids(database: Database, connection: Connection, site_id: int, authorities: Iterable[str]) -> dict[str, int]:
    """The numbers of these hosts, made and joined to the site where missing."""
    wanted = sorted(set(authorities))
    query = select(hosts.c.authority, hosts.c.id).where(hosts.c.authority.in_(wanted))
    found = dict(connection.execute(query).all())
    if missing := [{"authority": name} for name in wanted if name not in found]:
        connection.execute(database.dialect.insert_missing(hosts), missing)
        found = dict(connection.execute(query).all())
    joined = set(
        connection.execute(
            select(site_hosts.c.host_id).where(
                site_hosts.c.site_id == site_id, site_hosts.c.host_id.in_(found.values())
            )
        ).scalars()
    )
    if new := [{"site_id": site_id, "host_id": number} for number in sorted(found.values()) if number not in joined]:
        connection.execute(database.dialect.insert_missing(site_hosts), new)
    return found


def hosts_of(connection: Connection, site_id: int) -> list[int]:
    """The hosts that have urls of the site."""
    return list(connection.execute(select(site_hosts.c.host_id).where(site_hosts.c.site_id == site_id)).scalars())
