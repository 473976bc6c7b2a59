"""Thinking: the model loop, its prompt, history and tools."""
