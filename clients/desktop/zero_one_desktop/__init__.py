"""The desktop client: hold a hotkey, speak, hear the answer."""
