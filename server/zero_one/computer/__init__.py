"""Acting on the host computer: languages, screen, mouse, keyboard, files, sound."""
