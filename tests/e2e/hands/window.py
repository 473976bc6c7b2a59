"""A window that writes down what is done to it: ``window.py TITLE LOG``."""

from __future__ import annotations

import sys
import tkinter
from pathlib import Path

RED = "#c81e28"


def main(title: str, log: Path) -> None:
    def note(event: str) -> None:
        with log.open("a", encoding="utf-8") as file:
            file.write(event + "\n")

    root = tkinter.Tk(className=title.split()[0].capitalize())
    root.title(title)
    root.geometry("300x200+80+60")
    text = tkinter.StringVar()
    text.trace_add("write", lambda *_: note(f"text {text.get()}"))
    entry = tkinter.Entry(root, textvariable=text)
    entry.pack(fill="x")
    field = tkinter.Frame(root, background=RED)
    field.pack(fill="both", expand=True)
    for number, button in ((1, "left"), (2, "middle"), (3, "right")):
        field.bind(f"<Button-{number}>", lambda event, button=button: note(f"{button} {event.x_root},{event.y_root}"))
    field.bind("<Double-Button-1>", lambda event: note("double"))
    field.bind("<B1-Motion>", lambda event: note(f"drag {event.x_root},{event.y_root}"))
    field.bind("<ButtonRelease-1>", lambda event: note(f"release {event.x_root},{event.y_root}"))
    field.bind("<Button-4>", lambda event: note("wheel up"))
    field.bind("<Button-5>", lambda event: note("wheel down"))
    root.bind("<Control-s>", lambda event: note("control s"))
    root.bind("<Escape>", lambda event: note("escape"))
    root.bind("<Return>", lambda event: note("return"))
    root.bind("<FocusIn>", lambda event: event.widget is root and note("focus"))
    # The field is painted when there is nothing else to do; a question to the X server comes back after that.
    field.bind("<Expose>", lambda event: root.after_idle(lambda: root.winfo_pointerx() is not None and note("painted")))
    entry.focus_force()
    root.update()
    root.after(100, lambda: note("ready"))
    root.mainloop()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
