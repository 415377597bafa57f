"""Table models over rows that are kept here as plain data: they sort and filter on an index of their own.

Models hold rows and no logic. They know no widget and no workspace; a page hands them rows. Widgets and pages may
import from here.
"""
