"""The façade's methods, a file for each topic; ``Workspace`` is all of them together.

Only ``workspace.workspace`` imports this folder.
"""
