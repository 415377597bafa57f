"""The window: a Qt application on the ``Workspace`` façade. Only ``__main__`` may import it.

``main`` starts it; pages show what the workspace knows; widgets and models know nothing of the workspace; ``theme``
says how everything looks. Nothing is exported here, so that importing the package costs nothing.
"""
