"""Where the parts are put together: serve, demo, ask, doctor."""
