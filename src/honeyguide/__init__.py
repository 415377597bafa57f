"""Honeyguide improves the prompts that drive AI agents, with proof, and lets a person decide."""

__version__ = "0.1.0"
