"""What is given to a program's own functions: ``run(["ls"])`` says what ``subprocess.run(cmd)`` inside ``run`` does."""

from __future__ import annotations

import ast

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Sites:
    """The functions of one program, and the calls of each that stand in it."""

    def __init__(self, tree: ast.AST) -> None:
        self._calls: dict[str, list[ast.Call]] = {}
        self._mentions: dict[str, int] = {}
        self._functions: dict[str, Function | None] = {}
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Name(id=name)):
                    self._calls.setdefault(name, []).append(node)
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    self._functions[name] = None if name in self._functions else node
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                self._mentions[node.id] = self._mentions.get(node.id, 0) + 1

    def given(self, function: Function, parameter: str) -> list[ast.expr] | None:
        """Every expression that ``parameter`` is given; None when there may be others (it is handed on, or starred)."""
        calls = self._calls.get(function.name, [])
        names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
        only = self._functions.get(function.name) is function and self._mentions.get(function.name, 0) == len(calls)
        rebound = any(
            isinstance(inner, ast.Name) and inner.id == parameter and isinstance(inner.ctx, ast.Store)
            for inner in ast.walk(function)
        )
        if not only or rebound or not calls or parameter not in names or function.decorator_list:
            return None
        at, out = names.index(parameter), []
        for call in calls:
            if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
                return None
            named = next((k.value for k in call.keywords if k.arg == parameter), None)
            value = call.args[at] if at < len(call.args) else named
            if value is None:
                return None
            out.append(value)
        return out
