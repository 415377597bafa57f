"""An exported review, which another person's Honeyguide made: looked at before a browser shows it.

A browser would not know the file's name as a page, so it gets a private copy with ``.html``. Only pages that begin
as ours do are shown: that beginning forbids scripts and anything loaded from elsewhere.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from honeyguide.kernel.errors import InvalidInput, NotFound, Unreadable

BEGINNING = '<!doctype html><html lang="en"><meta charset="utf-8">'
POLICY = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
HEAD_CHARACTERS = 400
"""How far into the page the policy must stand."""
LARGEST = 64 * 1024 * 1024
"""Bytes; a review with thousands of examples has a few."""


def review_page(file: Path) -> Path:
    """Return a copy of a review that a browser shows. Raises as ``read_review``."""
    page = read_review(file)
    copy = Path(tempfile.mkdtemp(prefix="honeyguide-review-")) / f"{file.stem}.html"
    copy.write_text(page, encoding="utf-8")
    return copy


def read_review(file: Path) -> str:
    """Return the page. Raises NotFound, Unreadable, and InvalidInput for a page that is not one of ours."""
    try:
        if file.stat().st_size > LARGEST:
            raise InvalidInput(f"{file.name} is larger than any review.", hint="Ask for a new export.")
        page = file.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise NotFound(f"{file} does not exist.", hint="Check the path.") from error
    except (OSError, UnicodeDecodeError) as error:
        raise Unreadable(f"{file} cannot be read.", hint="Ask for a new export.") from error
    head = page[:HEAD_CHARACTERS]
    before, policy, _ = head.partition(POLICY)
    if not page.startswith(BEGINNING) or not policy or before.count("<") > BEGINNING.count("<") + 1:
        raise InvalidInput(
            f"{file.name} is not a review from Honeyguide.", hint="Export one with 'honeyguide runs export'."
        )
    return page
