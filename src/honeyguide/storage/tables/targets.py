"""Targets in files of their own, their locked passages, and an index over the version store."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Index, Integer, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from honeyguide.storage.tables.base import Base


class TargetRow(Base):
    """A registered target: a text in a file of its own."""

    __tablename__ = "targets"

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    kind: Mapped[str]
    name: Mapped[str]
    path: Mapped[str]
    span: Mapped[dict[str, Any]]
    encoding: Mapped[str]
    options: Mapped[dict[str, Any]]
    added_at: Mapped[str]

    __table_args__ = (UniqueConstraint("kind", "name"),)


class LockRow(Base):
    """A passage of a target that must stay word for word."""

    __tablename__ = "locks"

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    target_kind: Mapped[str]
    target_name: Mapped[str]
    text: Mapped[str]
    sha256: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[str]

    __table_args__ = (
        UniqueConstraint("target_kind", "target_name", "sha256"),
        {"sqlite_autoincrement": True},
    )


class VersionRow(Base):
    """What the version store on disk holds; the files are the truth, this is an index over them."""

    __tablename__ = "versions"

    target_kind: Mapped[str] = mapped_column(primary_key=True)
    target_name: Mapped[str] = mapped_column(primary_key=True)
    n: Mapped[int] = mapped_column(primary_key=True)
    sha256: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[str]
    origin: Mapped[str]
    run_uuid: Mapped[str | None] = mapped_column(index=True)
    note: Mapped[str | None]

    __table_args__ = (Index("ix_versions_sha256", "sha256"),)
