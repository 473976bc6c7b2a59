"""Messages and the Light wire protocol. No I/O: a leaf shared with the desktop client."""
