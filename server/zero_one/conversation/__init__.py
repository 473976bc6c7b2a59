"""One conversation per device: turns, speech queue, pacing, latency spans."""
