"""Invented examples are the same at every run, and a busy machine is no reason to refuse them."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "unit", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("unit")
