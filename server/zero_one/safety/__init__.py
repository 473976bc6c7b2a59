"""Risk, approvals, sandbox, undo, audit."""
