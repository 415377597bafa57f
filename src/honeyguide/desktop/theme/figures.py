"""How numbers are written: with their unit and their uncertainty; what is unknown is "unknown", never 0."""

from __future__ import annotations

from datetime import datetime, timedelta

from PySide6.QtCore import QCoreApplication, QDate, QLocale

MINUS = "−"


def unknown() -> str:
    """The word for what is not known."""
    return QCoreApplication.translate("Figures", "unknown")


def whole(number: int | None) -> str:
    """Return a count with the locale's grouping, e.g. ``12,480``."""
    return unknown() if number is None else QLocale().toString(number)


def decimal(number: float, digits: int = 1) -> str:
    """Return a number with a true minus and the locale's decimal sign."""
    text = QLocale().toString(float(abs(number)), "f", digits)
    negative = number < 0 and any(sign not in "0.,'  " for sign in text)
    return f"{MINUS}{text}" if negative else text


def score(value: float | None) -> str:
    """Return a score in [0, 1] with two digits."""
    return QCoreApplication.translate("Figures", "unscored") if value is None else decimal(value, 2)


def signed_points(delta: float | None) -> str:
    """Return a difference of scores in points without the unit, e.g. ``+14`` for 0.14; one digit below 10."""
    if delta is None:
        return unknown()
    points = delta * 100
    digits = 0 if abs(points) >= 9.95 or abs(points - round(points)) < 0.05 else 1
    text = decimal(abs(points), digits)
    if not any(sign.isdigit() and sign != "0" for sign in text):
        return text
    return f"{'+' if points > 0 else MINUS}{text}"


def counted(count: int, one: str, many: str) -> str:
    """Return the sentence for one, or the one for any other number with ``{n}`` filled in."""
    return one if count == 1 else many.replace("{n}", whole(count))


def points_range(low: float, high: float) -> str:
    """Return two differences of scores in points without the unit: ``9 to 19``; signs only where one is negative."""
    said = [signed_points(value) for value in (low, high)]
    if low >= 0:
        said = [text.removeprefix("+") for text in said]
    return QCoreApplication.translate("Figures", "{low} to {high}").format(low=said[0], high=said[1])


def points(delta: float | None) -> str:
    """Return a difference of scores with its unit, e.g. ``+14 pts``."""
    if delta is None:
        return unknown()
    return QCoreApplication.translate("Figures", "{points} pts").format(points=signed_points(delta))


def gain(delta: float | None, interval: tuple[float, float] | None = None) -> str:
    """Return a gain with its uncertainty: ``+14 ±5 pts``; ``+14 (9 to 21) pts`` where the interval is lopsided."""
    if delta is None or interval is None:
        return points(delta)
    low, high = interval
    below, above = (delta - low) * 100, (high - delta) * 100
    if abs(below - above) <= max(1.0, 0.15 * (below + above)):
        half = decimal((below + above) / 2, 0 if below + above >= 3.9 else 1)
        text = QCoreApplication.translate("Figures", "{points} ±{half} pts")
        return text.format(points=signed_points(delta), half=half)
    text = QCoreApplication.translate("Figures", "{points} ({low} to {high}) pts")
    return text.format(points=signed_points(delta), low=signed_points(low), high=signed_points(high))


def money(usd: float | None) -> str:
    """Return US dollars: ``$0.31``, ``<$0.01`` for less than a cent."""
    if usd is None:
        return unknown()
    words = QCoreApplication.translate("Figures", "${amount}")
    if 0 < usd < 0.01:
        return f"<{words.format(amount=decimal(0.01, 2))}"
    return f"{MINUS if usd < 0 else ''}{words.format(amount=QLocale().toString(float(abs(usd)), 'f', 2))}"


def money_range(low: float | None, high: float | None) -> str:
    """Return ``$0.10 to $0.40``, one price where both are the same, "unknown" where there is no upper one."""
    if high is None:
        return unknown()
    if low is None or money(low) == money(high):
        return money(high)
    return QCoreApplication.translate("Figures", "{low} to {high}").format(low=money(low), high=money(high))


def percent(share: float | None) -> str:
    """Return a share in [0, 1] as ``62 %``."""
    return unknown() if share is None else f"{decimal(share * 100, 0)} %"


def size(count: int) -> str:
    """Return bytes as ``812 bytes``, ``3.4 KB``, ``80 MB``, ``1.2 GB`` (powers of 1000)."""
    if count < 1000:
        return QCoreApplication.translate("Figures", "{n} bytes").format(n=whole(count))
    power = 1
    while power < 4 and count / 1000**power >= 999.5:
        power += 1
    value = count / 1000**power
    return f"{decimal(value, 0 if value >= 10 else 1)} {('KB', 'MB', 'GB', 'TB')[power - 1]}"


def age(moment: datetime | None, now: datetime) -> str:
    """Return how long ago ``moment`` was: ``now``, ``5 min``, ``2 h``, ``3 d``; a date after 30 days."""
    if moment is None:
        return unknown()
    gone = now - moment
    seconds = gone.total_seconds()
    if seconds < 60:
        return QCoreApplication.translate("Figures", "now")
    if seconds < 3600:
        return QCoreApplication.translate("Figures", "{n} min").format(n=int(seconds // 60))
    if seconds < 86_400:
        return QCoreApplication.translate("Figures", "{n} h").format(n=int(seconds // 3600))
    if gone < timedelta(days=30):
        return QCoreApplication.translate("Figures", "{n} d").format(n=gone.days)
    day = moment.astimezone()
    return QLocale().toString(QDate(day.year, day.month, day.day), QLocale.FormatType.ShortFormat)


def exact_time(moment: datetime | None) -> str:
    """Return date and time to the second in the computer's zone, for a tooltip."""
    if moment is None:
        return unknown()
    local = moment.astimezone()
    return f"{local:%Y-%m-%d %H:%M:%S} {local.tzname() or ''}".strip()


def duration(seconds: float | None) -> str:
    """Return a length of time: ``0.8 s``, ``42 s``, ``3 min 20 s``, ``1 h 5 min``."""
    if seconds is None:
        return unknown()
    if seconds < 10:
        return f"{decimal(seconds, 1)} s"
    rounded = round(seconds)
    if rounded < 60:
        return f"{rounded} s"
    minutes, rest = divmod(rounded, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"
