"""How the disk image looks: the app on the left, the folder to drag it to on the right. Read by dmgbuild."""

from __future__ import annotations

import os

app = os.environ["HONEYGUIDE_APP"]
format = "ULFO"
filesystem = "HFS+"
files = [app]
symlinks = {"Applications": "/Applications"}
icon = os.path.join(os.environ["HONEYGUIDE_ROOT"], "packaging", "macos", "honeyguide.icns")  # noqa: PTH118
icon_locations = {os.path.basename(app): (150, 170), "Applications": (410, 170)}  # noqa: PTH119
background = "builtin-arrow"
window_rect = ((240, 200), (560, 360))
default_view = "icon-view"
icon_size = 112
text_size = 13
show_status_bar = show_tab_view = show_toolbar = show_pathbar = show_sidebar = False
