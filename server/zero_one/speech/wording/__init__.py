"""How written things are said: the steps behind ``speakable``."""
