"""The 01 platform: a voice assistant for one's own computer."""

__version__ = "0.1.0"
