"""Spoken commands that need no language model."""
