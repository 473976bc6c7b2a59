"""One thread per engine, shared fairly: order, cancellation, errors, and streams that end when nobody listens."""

from __future__ import annotations

import asyncio
import threading

import pytest

from zero_one.speech.worker import Emit, Worker, stream


@pytest.fixture
async def worker():
    made = Worker("test")
    yield made
    await made.close()


async def test_turns_are_taken_and_finishing_beats_partials(worker: Worker) -> None:
    """Owner a floods the queue; b and c still get their turn, and an urgent job overtakes everything."""
    gate = threading.Event()
    order: list[str] = []
    blocker = worker.submit("x", gate.wait)
    a, b, c = object(), object(), object()
    jobs = [worker.submit(a, lambda n=n: order.append(f"a{n}")) for n in range(3)]
    jobs += [worker.submit(b, lambda: order.append("b")), worker.submit(c, lambda: order.append("c"))]
    jobs.append(worker.submit(a, lambda: order.append("finish"), urgent=True))
    gate.set()
    await asyncio.gather(*(asyncio.wrap_future(job) for job in [blocker, *jobs]))
    assert order[0] == "finish"
    assert order[1:3] == ["b", "c"], "owners that were not served yet come before the flood"
    assert order[3:] == ["a0", "a1", "a2"]


async def test_an_owner_can_be_forgotten(worker: Worker) -> None:
    gate = threading.Event()
    blocker = worker.submit("x", gate.wait)
    mine = object()
    ran: list[int] = []
    dropped = worker.submit(mine, lambda: ran.append(1))
    kept = worker.submit(object(), lambda: ran.append(2))
    worker.forget(mine)
    gate.set()
    await asyncio.wrap_future(blocker)
    await asyncio.wrap_future(kept)
    assert dropped.cancelled()
    assert ran == [2]


async def test_an_error_reaches_whoever_waits_and_the_thread_lives_on(worker: Worker) -> None:
    def fail() -> None:
        raise ValueError("boom")

    with pytest.raises(ValueError, match="boom"):
        await worker.do(self_ := object(), fail)
    assert await worker.do(self_, lambda: 42) == 42


async def test_after_closing_nothing_is_accepted(worker: Worker) -> None:
    await worker.close()
    with pytest.raises(RuntimeError, match="closed"):
        await worker.do(object(), lambda: 1)


async def test_closing_a_stream_stops_its_producer(worker: Worker) -> None:
    """The producer is told on its next piece that nobody listens."""
    stopped = threading.Event()
    go_on = threading.Event()

    def produce(emit: Emit) -> None:
        assert emit(b"first")
        go_on.wait(60)
        if not emit(b"second"):
            stopped.set()

    pieces = stream(worker, produce)
    assert await anext(pieces) == b"first"
    await pieces.aclose()
    go_on.set()
    await worker.do(object(), lambda: None)
    assert stopped.is_set()


async def test_a_stream_ends_and_hands_on_errors(worker: Worker) -> None:
    def produce(emit: Emit) -> None:
        emit(b"ab")
        raise OSError("no voice")

    pieces = stream(worker, produce)
    assert await anext(pieces) == b"ab"
    with pytest.raises(OSError, match="no voice"):
        await anext(pieces)
