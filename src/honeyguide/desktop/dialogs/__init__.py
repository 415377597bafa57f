"""The dialogs: each asks one thing, is opened with ``open`` and awaited; pages and the window may import from here."""
