"""What Alembic runs for each migration: on the connection that it was given, inside that connection's transaction."""

from alembic import context

from honeyguide.storage.tables import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    transactional_ddl=True,
    render_as_batch=True,
    include_name=lambda name, kind, parents: not (kind == "table" and (name or "").startswith("trace_words")),
)
with context.begin_transaction():
    context.run_migrations()
