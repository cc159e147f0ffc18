"""Alembic's way in: runs the revisions on the connection that `store.engine.migrate` hands over, in its transaction."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()
