"""Harness folders: reading them, what their runs show, gated changes, running and deploying them.

``spec`` reads and hashes ``harness.yaml``; ``evidence`` ingests journals and counts; ``changes`` proposes, gates,
queues and applies; ``running`` executes; ``deploy`` packages and serves. Only ``workspace`` and the rooms above may
import it.
"""
