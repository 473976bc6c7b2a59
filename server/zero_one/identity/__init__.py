"""Who a device is. A leaf shared with the desktop client."""
