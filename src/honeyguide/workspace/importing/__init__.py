"""Importing history: which files, who reads them, what is stored, what is reported.

Only ``workspace.history`` imports this folder. ``files`` lists inputs and knows unchanged ones, ``reading`` reads
them here or in spawned processes, ``storing`` writes finished batches, ``run`` holds one import together.
"""
