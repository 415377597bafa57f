"""What a provider says in its headers about how much more it will take, and when to come back.

Anthropic: ``anthropic-ratelimit-{requests,tokens,input-tokens,output-tokens}-{remaining,reset}``, reset as RFC 3339.
OpenAI and compatible: ``x-ratelimit-{remaining,reset}-{requests,tokens}``, reset as a duration such as ``6m0s``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_WHOLE = re.compile(r"[0-9]{1,15}")
_DURATION = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,15})?)(ms|s|m|h|d)")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_RESOURCES = ("requests", "tokens", "input-tokens", "output-tokens")


@dataclass(frozen=True, slots=True)
class RateReport:
    """One allowance: how much is left of it, and in how many seconds it is full again (``None``: not said)."""

    resource: str
    remaining: int
    resets_in: float | None


def rate_reports(headers: Mapping[str, str], now: datetime) -> list[RateReport]:
    """Read the allowances from ``headers`` (names in any case); unreadable ones are left out."""
    lower = {name.lower(): value for name, value in headers.items()}
    found = []
    for resource in _RESOURCES:
        for remaining, reset in (
            (f"anthropic-ratelimit-{resource}-remaining", f"anthropic-ratelimit-{resource}-reset"),
            (f"x-ratelimit-remaining-{resource}", f"x-ratelimit-reset-{resource}"),
        ):
            left = lower.get(remaining, "").strip()
            if _WHOLE.fullmatch(left):
                found.append(RateReport(resource, int(left), _seconds_until(lower.get(reset, ""), now)))
    return found


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds asked for by ``retry-after-ms`` or ``retry-after`` (seconds or a date), uncapped."""
    lower = {name.lower(): value.strip() for name, value in headers.items()}
    if (milliseconds := _number(lower.get("retry-after-ms", ""))) is not None:
        return milliseconds / 1000
    text = lower.get("retry-after", "")
    if (seconds := _number(text)) is not None:
        return seconds
    try:
        moment = parsedate_to_datetime(text)
    except (TypeError, ValueError, OverflowError):
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (aware - now).total_seconds())


def _seconds_until(text: str, now: datetime) -> float | None:
    text = text.strip()
    if (plain := _number(text)) is not None:
        return plain
    if _DURATION.sub("", text) == "" and text:
        return sum(float(amount) * _UNITS[unit] for amount, unit in _DURATION.findall(text))
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (aware - now).total_seconds())


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"[0-9]{1,15}(\.[0-9]{1,15})?", text) else None
