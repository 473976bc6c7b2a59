"""Settings and profiles, typed and layered."""
