"""The Light wire protocol: both ends of one connection as state machines without I/O, asyncio or clock."""

from zero_one.protocol.client_side import ClientEvent, ClientSide, Pong, Problem, Welcome
from zero_one.protocol.events import Received
from zero_one.protocol.server_side import Dialect, ServerSide
from zero_one.protocol.wire import HELLO_WAIT_MS, MAX_BINARY_FRAME, MAX_TEXT_FRAME, PROTOCOL, Frame

__all__ = [
    "HELLO_WAIT_MS",
    "MAX_BINARY_FRAME",
    "MAX_TEXT_FRAME",
    "PROTOCOL",
    "ClientEvent",
    "ClientSide",
    "Dialect",
    "Frame",
    "Pong",
    "Problem",
    "Received",
    "ServerSide",
    "Welcome",
]
