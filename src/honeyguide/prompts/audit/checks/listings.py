"""Listings of skills that are fuller than the room a program gives them."""

from __future__ import annotations

from collections.abc import Iterator

from honeyguide.prompts import listing
from honeyguide.prompts.audit.findings import Finding
from honeyguide.prompts.audit.shelf import Shelf
from honeyguide.prompts.listing import Listed, ListingBudget

_NEARLY_FULL = 0.8


def budgets(shelf: Shelf) -> tuple[ListingBudget, ...]:
    """Return the listing budget of each program that lists something on this shelf."""
    listed = [Listed(p.kind, p.name, p.path, p.document.fields) for p in shelf.documents]
    context = shelf.context
    found = (
        listing.budget(
            rule,
            listed,
            context_tokens=context.context_tokens,
            characters=context.listing_characters if rule.override else None,
        )
        for rule in listing.RULES
    )
    return tuple(budget for budget in found if budget.entries)


def check(shelf: Shelf) -> Iterator[Finding]:
    """Yield listings that are full or nearly so, and descriptions that are cut."""
    for budget in budgets(shelf):
        largest = budget.entries[0]
        sentence = f"The listing of {budget.program} uses {budget.used:,} of {budget.maximum:,} characters"
        if budget.used > budget.maximum:
            hidden = ", ".join(budget.hidden[:5]) + (
                f" and {len(budget.hidden) - 5} more" if len(budget.hidden) > 5 else ""
            )
            why = "The agent does not see what no longer fits, and never calls it."
            message = f"{sentence}; no room is left for {hidden}. The longest entry is {largest.name!r}."
            yield Finding("warning", "listing-full", largest.path, 1, message, why)
        elif budget.share > _NEARLY_FULL:
            why = "A few more skills, and some are hidden from the agent."
            yield Finding("info", "listing-nearly-full", largest.path, 1, f"{sentence}.", why)
