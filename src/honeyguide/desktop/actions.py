"""Every action of the window as data: menus, command palette, shortcut sheet and shortcut editor are made from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QCoreApplication


class Menu(StrEnum):
    """The menus, in their order."""

    FILE = "file"
    EDIT = "edit"
    VIEW = "view"
    GO = "go"
    RUN = "run"
    HELP = "help"


class Reach(StrEnum):
    """Where an action is carried out, which decides when it can be."""

    WINDOW = "window"
    PAGE = "page"
    """By the page in front, if it can."""


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a person can do.

    Attributes:
        id: stable name, kept in the memory of changed keys.
        title: what menus and the palette say; three dots when a dialog follows.
        group: a line separates groups in a menu.
        keys: work wherever the focus is in the window; the first one is shown.
        single: one key without Ctrl or Alt; works only while a list or a text under review has the focus.
        role: ``quit``, ``about`` or ``preferences`` where macOS has its own place for it.
        checkable: whether it is switched on and off.
        page: the only page it is for; there its single key goes before those of others.
    """

    id: str
    title: str
    menu: Menu
    group: int = 0
    keys: tuple[str, ...] = ()
    single: str = ""
    icon: str = ""
    about: str = ""
    reach: Reach = Reach.WINDOW
    role: str = ""
    checkable: bool = False
    page: str = ""


@dataclass(frozen=True, slots=True)
class Handler:
    """What carries an action out.

    Attributes:
        do: does it.
        off: why it cannot be done now; an empty text when it can.
        on: for a checkable one, whether it is switched on.
        words: what the entry says now, where that depends ("Undo never send 3 traces"); empty for the title.
    """

    do: Callable[[], object]
    off: Callable[[], str] = lambda: ""
    on: Callable[[], bool] | None = None
    words: Callable[[], str] = lambda: ""


Handlers = Mapping[str, Handler]

PAGE_IDS = ("inbox", "traces", "corrections", "targets", "feedback", "harnesses", "flows", "settings")


def page_titles() -> dict[str, str]:
    """Return the pages of the window with their titles, in the order of the side bar."""
    tr = QCoreApplication.translate
    return {
        "inbox": tr("Actions", "Inbox"),
        "traces": tr("Actions", "Traces"),
        "corrections": tr("Actions", "Corrections"),
        "targets": tr("Actions", "Targets"),
        "feedback": tr("Actions", "Feedback"),
        "harnesses": tr("Actions", "Harnesses"),
        "flows": tr("Actions", "Flows"),
        "settings": tr("Actions", "Settings"),
    }


def menu_titles() -> dict[Menu, str]:
    """Return the menus with their titles."""
    tr = QCoreApplication.translate
    return {
        Menu.FILE: tr("Actions", "&File"),
        Menu.EDIT: tr("Actions", "&Edit"),
        Menu.VIEW: tr("Actions", "&View"),
        Menu.GO: tr("Actions", "&Go"),
        Menu.RUN: tr("Actions", "&Run"),
        Menu.HELP: tr("Actions", "&Help"),
    }


def actions() -> tuple[Action, ...]:
    """Return every action, in menu order."""
    return (*_file(), *_edit(), *_view(), *_go(), *_run(), *_help())


def _file() -> tuple[Action, ...]:
    tr = QCoreApplication.translate
    return (
        Action("new-run", tr("Actions", "New run…"), Menu.FILE, 0, ("Ctrl+N",), icon="plus",
               about=tr("Actions", "Look for a better text for a target.")),
        Action("import-traces", tr("Actions", "Import history…"), Menu.FILE, 1, ("Ctrl+I",), icon="import",
               about=tr("Actions", "Read what an agent did from its files.")),
        Action("add-target", tr("Actions", "Add a file as target…"), Menu.FILE, 1, ("Ctrl+Shift+A",), icon="targets",
               about=tr("Actions", "A skill, an instruction file, a subagent, a command.")),
        Action("find-agents", tr("Actions", "Find my agents…"), Menu.FILE, 1, icon="search",
               about=tr("Actions", "Look in the usual places; nothing is read before you choose.")),
        Action("open-workspace", tr("Actions", "Open another workspace…"), Menu.FILE, 2, ("Ctrl+O",), icon="folder"),
        Action("recent-workspace", tr("Actions", "Open a recent workspace…"), Menu.FILE, 2, ("Ctrl+Shift+O",),
               icon="folder"),
        Action("open-review", tr("Actions", "Open a review…"), Menu.FILE, 2, icon="document",
               about=tr("Actions", "Show a proof that somebody handed to you.")),
        Action("export-rows", tr("Actions", "Export the list…"), Menu.FILE, 3, ("Ctrl+E",), icon="export",
               reach=Reach.PAGE, about=tr("Actions", "As CSV, JSON or Markdown.")),
        Action("export-run", tr("Actions", "Export the proof as a page…"), Menu.FILE, 3, ("Ctrl+Shift+E",),
               icon="document", reach=Reach.PAGE, about=tr("Actions", "One file to hand to a colleague.")),
        Action("settings", tr("Actions", "Settings…"), Menu.FILE, 4, ("Ctrl+,",), icon="settings", role="preferences"),
        Action("quit", tr("Actions", "Quit"), Menu.FILE, 5, ("Ctrl+Q",), role="quit"),
    )  # fmt: skip


def _edit() -> tuple[Action, ...]:
    tr = QCoreApplication.translate
    return (
        Action("undo", tr("Actions", "Undo"), Menu.EDIT, 0, ("Ctrl+Z",), icon="undo",
               about=tr("Actions", "Takes back typing or a change to a list; a deploy is taken back by Roll back.")),
        Action("redo", tr("Actions", "Redo"), Menu.EDIT, 0, ("Ctrl+Shift+Z", "Ctrl+Y"), icon="redo"),
        Action("copy", tr("Actions", "Copy"), Menu.EDIT, 1, ("Ctrl+C",), icon="copy"),
        Action("find", tr("Actions", "Find"), Menu.EDIT, 2, ("Ctrl+F",), single="/", icon="search",
               reach=Reach.PAGE, about=tr("Actions", "Search this page.")),
        Action("find-in-text", tr("Actions", "Find in the text under review"), Menu.EDIT, 2, ("Ctrl+Shift+F",),
               icon="search", reach=Reach.PAGE),
    )  # fmt: skip


def _view() -> tuple[Action, ...]:
    tr = QCoreApplication.translate
    return (
        Action("next-change", tr("Actions", "Next change"), Menu.VIEW, 0, ("F7",), single="N", icon="arrow-down",
               reach=Reach.PAGE),
        Action("previous-change", tr("Actions", "Previous change"), Menu.VIEW, 0, ("F8", "Shift+F7"), single="P",
               icon="arrow-up", reach=Reach.PAGE),
        Action("diff-layout", tr("Actions", "Changes side by side or in one column"), Menu.VIEW, 1, ("Ctrl+D",),
               icon="side-by-side", reach=Reach.PAGE),
        Action("diff-rendered", tr("Actions", "Changes rendered as Markdown"), Menu.VIEW, 1, ("Ctrl+Shift+M",),
               icon="eye", reach=Reach.PAGE, checkable=True),
        Action("diff-blanks", tr("Actions", "Hide changes of blanks only"), Menu.VIEW, 1, ("Ctrl+Shift+B",),
               icon="ignore-blanks", reach=Reach.PAGE, checkable=True),
        Action("review-size", tr("Actions", "Give the review the whole page"), Menu.VIEW, 1, ("Ctrl+Return",),
               icon="unfold", reach=Reach.PAGE, checkable=True),
        Action("review-beside", tr("Actions", "Review beside the list"), Menu.VIEW, 1, ("Ctrl+\\",),
               icon="columns", reach=Reach.PAGE, checkable=True),
        Action("theme-system", tr("Actions", "As the system"), Menu.VIEW, 2, icon="settings", checkable=True,
               about=tr("Actions", "Light or dark as the system is.")),
        Action("theme-light", tr("Actions", "Light"), Menu.VIEW, 2, icon="sun", checkable=True),
        Action("theme-dark", tr("Actions", "Dark"), Menu.VIEW, 2, icon="moon", checkable=True),
        Action("refresh", tr("Actions", "Read anew"), Menu.VIEW, 3, ("F5",), icon="retry", reach=Reach.PAGE),
        Action("full-screen", tr("Actions", "Full screen"), Menu.VIEW, 4, ("F11",), checkable=True),
    )  # fmt: skip


def _go() -> tuple[Action, ...]:
    tr = QCoreApplication.translate
    pages = tuple(
        Action(f"go-{page}", title, Menu.GO, 0, (f"Ctrl+{number}",), icon=_PAGE_ICONS[page])
        for number, (page, title) in enumerate(page_titles().items(), 1)
    )
    return (
        *pages,
        Action("back", tr("Actions", "Back"), Menu.GO, 1, ("Alt+Left",), icon="chevron-left"),
        Action("next-waiting", tr("Actions", "Next proposal that waits"), Menu.GO, 1, ("Ctrl+J",), icon="waiting"),
        Action("welcome", tr("Actions", "Welcome"), Menu.GO, 2, icon="bee"),
    )


def _run() -> tuple[Action, ...]:
    tr = QCoreApplication.translate
    page = Reach.PAGE
    return (
        Action("accept", tr("Actions", "Accept and deploy…"), Menu.RUN, 0, single="A", icon="deploy", reach=page,
               about=tr("Actions", "Shows the exact file first.")),
        Action("reject", tr("Actions", "Reject…"), Menu.RUN, 0, single="R", icon="cross", reach=page),
        Action("try", tr("Actions", "Try it…"), Menu.RUN, 0, single="T", icon="play", reach=page,
               about=tr("Actions", "One input, both answers side by side.")),
        Action("edit-proposal", tr("Actions", "Edit the proposed text"), Menu.RUN, 0, single="E", icon="edit",
               reach=page),
        Action("roll-back", tr("Actions", "Roll back…"), Menu.RUN, 1, ("Ctrl+Shift+R",), icon="rollback", reach=page,
               about=tr("Actions", "Bring the version before back, as a new one.")),
        Action("back-up", tr("Actions", "Back up now…"), Menu.RUN, 1, ("Ctrl+B",), icon="backup", reach=page),
        Action("retry", tr("Actions", "Try deploying again…"), Menu.RUN, 1, icon="retry", reach=page),
        Action("continue-proof", tr("Actions", "Measure more…"), Menu.RUN, 1, single="M", icon="play", reach=page,
               about=tr("Actions", "Go on with the evidence of a proposal that is not proven.")),
        Action("pause", tr("Actions", "Pause or go on"), Menu.RUN, 2, icon="pause", reach=page),
        Action("stop", tr("Actions", "Stop the run"), Menu.RUN, 2, ("Ctrl+.",), icon="stop", reach=page,
               about=tr("Actions", "What was paid for is kept.")),
        Action("resume", tr("Actions", "Resume the run"), Menu.RUN, 2, icon="play", reach=page),
        Action("connect-model", tr("Actions", "Connect a model…"), Menu.RUN, 3, icon="model"),
        Action("judge-exam", tr("Actions", "Examine the judge…"), Menu.RUN, 3, icon="check",
               about=tr("Actions", "Grade answers by keyboard; the judge is compared with you.")),
        *(
            Action(f"tab-{name}", title, Menu.RUN, 4, single=str(number), icon=icon, reach=page)
            for number, (name, title, icon) in enumerate(review_tabs(), 1)
        ),
        Action("correction-yes", tr("Actions", "Yes, a correction"), Menu.RUN, 5, single="Y", icon="check", reach=page,
               page="corrections", about=tr("Actions", "It becomes a case to learn from.")),
        Action("correction-no", tr("Actions", "No, not a correction"), Menu.RUN, 5, single="N", icon="cross",
               reach=page, page="corrections"),
        Action("correction-edit", tr("Actions", "Say what an answer must do…"), Menu.RUN, 5, single="E", icon="edit",
               reach=page, page="corrections"),
        Action("never-send", tr("Actions", "Never send to a model"), Menu.RUN, 6, single="L", icon="lock", reach=page,
               page="traces", about=tr("Actions", "The chosen traces never leave this computer.")),
        Action("replay-traces", tr("Actions", "Run again on two versions…"), Menu.RUN, 6, icon="play", reach=page,
               page="traces", about=tr("Actions", "The chosen inputs, both answers side by side.")),
        Action("delete-traces", tr("Actions", "Delete for good…"), Menu.RUN, 6, ("Delete",), icon="trash", reach=page,
               page="traces", about=tr("Actions", "With everything that quotes them.")),
        Action("propose-flow", tr("Actions", "Propose a change of a flow…"), Menu.RUN, 7, icon="flows", reach=page,
               page="flows", about=tr("Actions", "Shows the plan first; the flow stays as it is.")),
        Action("harness-draft", tr("Actions", "Draft a change of a harness…"), Menu.RUN, 7, icon="harness", reach=page,
               page="harnesses", about=tr("Actions", "Shows the plan first; nothing is applied.")),
        Action("harness-prove", tr("Actions", "Prove a draft with the suite…"), Menu.RUN, 7, icon="check", reach=page,
               page="harnesses", about=tr("Actions", "Runs the suite on copies, with and without the draft.")),
        Action("harness-run", tr("Actions", "Run a harness once…"), Menu.RUN, 7, icon="play", reach=page,
               page="harnesses"),
    )  # fmt: skip


def review_tabs() -> tuple[tuple[str, str, str], ...]:
    """Return id, title and icon of the tabs of a review; the digit keys follow this order."""
    tr = QCoreApplication.translate
    return (
        ("changes", tr("Actions", "Changes"), "side-by-side"),
        ("evidence", tr("Actions", "Evidence"), "list"),
        ("charts", tr("Actions", "Charts"), "chart"),
        ("checks", tr("Actions", "Checks"), "shield"),
        ("lineage", tr("Actions", "Lineage"), "tree"),
        ("journal", tr("Actions", "Journal"), "note"),
    )


def _help() -> tuple[Action, ...]:
    tr = QCoreApplication.translate
    return (
        Action("palette", tr("Actions", "Find an action…"), Menu.HELP, 0, ("Ctrl+K", "Ctrl+Shift+P"), icon="search"),
        Action("shortcuts", tr("Actions", "All keys…"), Menu.HELP, 0, ("F1", "Ctrl+/"), single="?", icon="keyboard"),
        Action("tour", tr("Actions", "Show me around"), Menu.HELP, 0, icon="flag",
               about=tr("Actions", "A short tour of a run, its proof and what you can decide.")),
        Action("doctor", tr("Actions", "What works here…"), Menu.HELP, 1, icon="tool",
               about=tr("Actions", "Checks this installation and says what to do.")),
        Action("log", tr("Actions", "Log…"), Menu.HELP, 1, icon="note",
               about=tr("Actions", "What the window wrote down, without secrets.")),
        Action("reports", tr("Actions", "Error reports…"), Menu.HELP, 1, icon="folder",
               about=tr("Actions", "Shows the folder of reports.")),
        Action("check-updates", tr("Actions", "Check for updates"), Menu.HELP, 2, icon="info",
               about=tr("Actions", "Asks once, now; nothing is downloaded.")),
        Action("about", tr("Actions", "About Honeyguide"), Menu.HELP, 2, icon="bee", role="about"),
    )  # fmt: skip


_PAGE_ICONS = {
    "inbox": "inbox",
    "traces": "traces",
    "corrections": "corrections",
    "targets": "targets",
    "feedback": "feedback",
    "harnesses": "harness",
    "flows": "flows",
    "settings": "settings",
}


def page_icon(page: str) -> str:
    """Return the icon of a page."""
    return _PAGE_ICONS[page]
