"""Window code of each system, imported only there."""
