"""What the harness page is made of: versions over time, the differences of files, locked lines, parts to approve.

Widgets over plain data; none of them knows the workspace.
"""
