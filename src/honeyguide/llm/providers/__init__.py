"""The innermost clients, one for each way a model is reached; imported by ``llm.registry`` only.

The SDKs are imported inside functions that run in a worker thread, never when a module here is imported.
"""
