"""Changing a harness: what may never change, gates, proposals and their queue, proof, applying, going back."""
