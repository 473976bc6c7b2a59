"""What may fill a slot: readers by what they read."""
