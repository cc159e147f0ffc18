"""The history of the schema (alembic); `store.engine.migrate` runs it."""
