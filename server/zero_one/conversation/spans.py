"""How long each stage of a turn takes, from the real button release to the first sample played."""

from __future__ import annotations

import logging
from typing import Literal, get_args

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from zero_one.conversation.playback import Clock

log = logging.getLogger(__name__)

Stage = Literal["release", "transcript", "first_token", "first_clause", "first_audio", "first_played"]
STAGES: tuple[Stage, ...] = get_args(Stage)

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 8, 13, 21, 34)


class Metrics:
    """What ``/metrics`` shows. One per server, so that two servers in one process do not add up."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.stage = Histogram(
            "zero_one_turn_seconds",
            "Seconds from the button release (or the typed request) to each stage of a turn",
            ["stage"],
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self.turns = Counter("zero_one_turns_total", "Turns by how they ended", ["end"], registry=self.registry)
        self.errors = Counter("zero_one_errors_total", "Failures told to the user", ["where"], registry=self.registry)
        self.links = Gauge("zero_one_links", "Connected devices", registry=self.registry)
        self.slow = Counter(
            "zero_one_links_too_slow_total", "Devices cut off because they did not read", registry=self.registry
        )


class Spans:
    """The stages of one turn. A stage counts the first time it is marked."""

    def __init__(self, clock: Clock, metrics: Metrics | None, *, ago_ms: float = 0.0) -> None:
        self._clock, self._metrics = clock, metrics
        self._start = clock() - ago_ms / 1000
        self.ms: dict[Stage, float] = {"release": 0.0}

    def mark(self, stage: Stage, *, later_ms: float = 0.0) -> None:
        """The stage is reached now, or ``later_ms`` from now."""
        if stage in self.ms:
            return
        seconds = max(0.0, self._clock() - self._start + later_ms / 1000)
        self.ms[stage] = round(seconds * 1000, 3)
        if self._metrics is not None:
            self._metrics.stage.labels(stage).observe(seconds)

    def log(self, device: str) -> None:
        log.debug("turn of %s: %s", device, "  ".join(f"{stage} {self.ms[stage]:.0f} ms" for stage in self.ordered()))

    def ordered(self) -> list[Stage]:
        return [stage for stage in STAGES if stage in self.ms]
