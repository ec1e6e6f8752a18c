"""The schema's history, by Alembic; a revision once released is never edited."""
