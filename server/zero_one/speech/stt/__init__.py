"""Hearing: engines that turn PCM into text."""
