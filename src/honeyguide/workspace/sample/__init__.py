"""The sample workspace: a small web shop's agent with five personas, five sections, a tool and a skill.

Only the workspace imports it. The history is written by hand and composed from hand-written pieces by a
seeded generator, so that a newcomer sees the whole story without a key or a network.
"""

from honeyguide.workspace.sample.compose import compose_history
from honeyguide.workspace.sample.files import write_base

__all__ = ["compose_history", "write_base"]
