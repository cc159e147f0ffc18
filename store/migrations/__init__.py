"""The history of the schema (alembic); `store.migrate` runs it."""
