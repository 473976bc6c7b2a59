"""The enclosure of the 01 Light: shell, lid and button cap, drawn around the numbers of `mechanical.toml`."""
