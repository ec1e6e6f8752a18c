"""Runs the revisions on the connection that `scraper.store.schema` holds."""

from alembic import context

from scraper.store.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
