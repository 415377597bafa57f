"""Small facts that the workspace keeps for itself. Settings that a person changes stand in ``honeyguide.toml``."""

from __future__ import annotations

from typing import Any

from sqlalchemy import delete, select

from honeyguide.storage.tables import SettingRow
from honeyguide.storage.work import Work


class SettingsRepository:
    """Keys with JSON values."""

    def __init__(self, work: Work) -> None:
        self._work = work

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of ``key``, or ``default``."""
        row = self._work.session.execute(select(SettingRow.value).where(SettingRow.key == key)).first()
        return default if row is None else row[0]

    def put(self, key: str, value: Any) -> None:
        """Set ``key``."""
        self._work.session.merge(SettingRow(key=key, value=value, updated_at=self._work.now()))
        self._work.event("setting:changed", key)

    def remove(self, key: str) -> bool:
        """Remove ``key``; returns whether it was there."""
        changed = self._work.change(delete(SettingRow).where(SettingRow.key == key))
        if changed:
            self._work.event("setting:changed", key)
        return changed == 1

    def all(self) -> dict[str, Any]:
        """Return every key with its value."""
        rows = self._work.session.execute(select(SettingRow.key, SettingRow.value))
        return {row.key: row.value for row in rows}
