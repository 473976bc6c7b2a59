"""A notification area: ``notifications.py LOG`` takes the name on the session bus and writes down what it is shown."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from jeepney import HeaderFields, MessageType, new_method_return
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection


def main(log: Path) -> None:
    connection = open_dbus_connection(bus=os.environ["DBUS_SESSION_BUS_ADDRESS"])
    connection.send_and_get_reply(message_bus.RequestName("org.freedesktop.Notifications"))
    log.touch()
    while True:
        message = connection.receive()
        if message.header.message_type != MessageType.method_call:
            continue
        if message.header.fields.get(HeaderFields.member) == "Notify":
            app, _, _, title, text, _, hints, _ = message.body
            with log.open("a", encoding="utf-8") as file:
                file.write(json.dumps([app, title, text, hints.get("urgency", ("y", 1))[1]]) + "\n")
            connection.send(new_method_return(message, "u", (1,)))
        else:
            connection.send(new_method_return(message))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
