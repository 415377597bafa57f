"""What a run has cost so far, against the ceilings a person set."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from honeyguide.desktop.theme import Metrics, Role, Type, figures
from honeyguide.desktop.widgets.bars import LimitsBar
from honeyguide.desktop.widgets.labels import PlainLabel, named


class SpendMeter(QWidget):
    """Calls and money, each with its bar; money that is not known is "unknown", never nothing."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "spend-meter", self.tr("Spend"))
        self._calls = MoneyBar()
        self._money = MoneyBar()
        self._note = PlainLabel("", Type.CAPTION, Role.TEXT_2)
        bars = QHBoxLayout()
        bars.setSpacing(Metrics.GAP_3)
        bars.addWidget(self._calls)
        bars.addWidget(self._money)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(Metrics.GRID)
        column.addLayout(bars)
        column.addWidget(self._note)
        self.set_spend(0, 0.0)

    def set_spend(
        self,
        calls: int,
        usd: float | None,
        *,
        max_calls: int | None = None,
        max_usd: float | None = None,
        replayed: int = 0,
        costs_money: bool = True,
    ) -> None:
        """Show what was taken.

        Args:
            usd: ``None`` when a price is unknown.
            replayed: calls whose reply was already paid for.
            costs_money: whether the model in use can cost anything.
        """
        self._calls.set_amount(
            self.tr("Calls"), figures.whole(calls), figures.whole(max_calls) if max_calls else None, calls, max_calls
        )
        if costs_money:
            limit = figures.money(max_usd) if max_usd is not None else None
            self._money.set_amount(self.tr("Cost"), figures.money(usd), limit, usd, max_usd)
        else:
            self._money.set_amount(self.tr("Cost"), self.tr("free"), None, None, None)
        note = ""
        if replayed:
            note = (
                self.tr("1 more call was replayed from the journal and not paid again.")
                if replayed == 1
                else self.tr("%n more calls were replayed from the journal and not paid again.", "", replayed)
            )
        if usd is None and costs_money:
            unpriced = self.tr("The price of this model is unknown; the ceiling on calls holds.")
            note = f"{note} {unpriced}".strip()
        self._note.set_text(note)
        self._note.setVisible(bool(note))
        self.setAccessibleDescription(f"{self._calls.accessibleName()}. {self._money.accessibleName()}. {note}".strip())


class MoneyBar(LimitsBar):
    """A limits bar whose amounts are already written with their unit."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = ""

    def set_amount(
        self, name: str, used: str, limit: str | None, used_value: float | None, limit_value: float | None
    ) -> None:
        """Show ``used`` against ``limit``; the values fill the bar."""
        self._text = self.tr("{used} of at most {limit}").format(used=used, limit=limit) if limit else used
        scale = 1000 / limit_value if limit_value else 0.0
        self.set_limit(name, round((used_value or 0.0) * scale), 1000 if scale else None, "")

    @property
    def words(self) -> str:
        return self._text
