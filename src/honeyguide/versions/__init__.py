"""Changing files safely."""
