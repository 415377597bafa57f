"""The one place that names the database's dialect for repositories: an insert that knows what to do on conflict.

Connections (``engine``), the default of a moment (``tables.base``) and full-text search (``fulltext``) are the others.
"""

from __future__ import annotations

from sqlalchemy.dialects.sqlite import insert as insert_on_conflict

__all__ = ["insert_on_conflict"]
