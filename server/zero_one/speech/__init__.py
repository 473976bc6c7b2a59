"""Hearing and speaking, one small file per engine."""
