"""How the window looks: colours by role, measures, icons, and how figures and outcomes are worded.

Lives under every widget, model and page of the desktop, knows none of them. ``colours``, ``roles`` and ``motion``
need no window; the rest needs Qt.
"""

from honeyguide.desktop.theme.colours import Colour
from honeyguide.desktop.theme.icons import icon, icon_names, paint_icon, use_icon
from honeyguide.desktop.theme.metrics import Metrics, Type
from honeyguide.desktop.theme.motion import motion_ms
from honeyguide.desktop.theme.roles import Bases, Role, Scheme, Theme, derive
from honeyguide.desktop.theme.switching import ThemeChoice, ThemeSwitch, active_theme, apply_theme, qcolor, wear_theme

__all__ = [
    "Bases",
    "Colour",
    "Metrics",
    "Role",
    "Scheme",
    "Theme",
    "ThemeChoice",
    "ThemeSwitch",
    "Type",
    "active_theme",
    "apply_theme",
    "derive",
    "icon",
    "icon_names",
    "motion_ms",
    "paint_icon",
    "qcolor",
    "use_icon",
    "wear_theme",
]
