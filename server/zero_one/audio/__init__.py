"""Sound as numbers: formats, resampling, voice activity, devices. A leaf shared with the desktop client."""
