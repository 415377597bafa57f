"""Tests of the installers and of what ships with them."""
