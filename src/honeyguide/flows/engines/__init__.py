"""What runs a flow: agent programs with their command lines, and our own access to models.

`table` knows each program's command line, `ladder` finds out which one a flow wants, `running` runs it.
"""
