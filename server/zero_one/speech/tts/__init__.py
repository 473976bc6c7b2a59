"""Speaking: engines that turn text into PCM."""
