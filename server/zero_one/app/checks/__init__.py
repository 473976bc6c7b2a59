"""What ``01 doctor`` looks at. Each check says what was found, and the one command that mends what is missing."""
