"""Languages a model may write, each behind one small interface."""
