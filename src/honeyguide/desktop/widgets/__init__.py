"""The widgets: each takes plain data, says with signals what a person did, and can be shown alone in a test.

They know nothing of the workspace. They may import ``theme``, ``models`` and ``kernel``; pages and dialogs import
them. The charts import pyqtgraph only when they are first seen.
"""
