"""A function that destroys or sends does so whoever calls it: kept, handed on, given back or picked out of a table."""

from __future__ import annotations

import pytest

from zero_one.safety.risk import Risk, classify

PYTHON_FUNCTIONS = (
    ("import os", "os.remove"),
    ("from shutil import rmtree as gone", "gone"),
    ("from pathlib import Path", "Path.unlink"),
    ("from pathlib import Path", "Path('x').unlink"),
    ("import subprocess", "subprocess.getoutput"),
    ("", "exec"),
    ("import requests", "requests.post"),
    ("import requests\nsession = requests.Session()", "session.delete"),
    ("import boto3\nclient = boto3.client('s3')", "client.delete_bucket"),
    ("import sqlite3\nbase = sqlite3.connect('x.db')", "base.execute"),
    ("import pymongo\nbase = pymongo.MongoClient().shop", "base.users.drop"),
    ("import git\nrepo = git.Repo('.')", "repo.git.clean"),
    ("import keyring", "keyring.get_password"),
)
PYTHON_WAYS = (
    "go = {F}\ngo('x')",
    "[{F}][0]('x')",
    "{{'k': {F}}}['k']('x')",
    "{{'k': {F}}}.get('k')('x')",
    "({F} if True else print)('x')",
    "(None or {F})('x')",
    "(lambda go: go('x'))({F})",
    "(lambda go={F}: go('x'))()",
    "def run(go={F}):\n    go('x')\nrun()",
    "def run(go):\n    go('x')\nrun({F})",
    "def make():\n    return {F}\nmake()('x')",
    "def make():\n    yield {F}\nfor go in make():\n    go('x')",
    "class C:\n    go = staticmethod({F})\nC.go('x')",
    "class C:\n    def __init__(self):\n        self.go = {F}\nC().go('x')",
    "class C: pass\nsetattr(C, 'go', {F})\nC.go('x')",
    "list(map({F}, ['x']))",
    "list(filter({F}, ['x']))",
    "sorted(['x'], key={F})",
    "for go in ({F},):\n    go('x')",
    "[go('x') for go in [{F}]]",
    "next(iter([{F}]))('x')",
    "go, *_ = [{F}]\ngo('x')",
    "(go := {F})('x')",
    "import threading\nthreading.Thread(target={F}, args=('x',)).start()",
    "from concurrent.futures import ThreadPoolExecutor\nThreadPoolExecutor().submit({F}, 'x')",
    "import functools\nfunctools.partial({F}, 'x')()",
    "import operator\noperator.call({F}, 'x')",
    "import atexit\natexit.register({F}, 'x')",
    "import weakref\nweakref.finalize(object, {F}, 'x')",
    "import asyncio\nasyncio.run(asyncio.to_thread({F}, 'x'))",
    "import types\ntypes.SimpleNamespace(go={F}).go('x')",
    "{F}.__call__('x')",
)
JAVASCRIPT_FUNCTIONS = (
    ("const fs = require('fs');", "fs.rmSync"),
    ("import { unlink } from 'node:fs/promises';", "unlink"),
    ("const cp = require('child_process');", "cp.execSync"),
    ("const axios = require('axios');", "axios.post"),
    ("const redis = require('redis').createClient();", "redis.flushAll"),
    ("", "eval"),
    ("", "navigator.sendBeacon"),
)
JAVASCRIPT_WAYS = (
    "['x()'].forEach({F})",
    "const o = {{go: {F}}}; o.go('x()')",
    "(true ? {F} : 0)('x()')",
    "(null || {F})('x()')",
    "((go) => go('x()'))({F})",
    "((go = {F}) => go('x()'))()",
    "const [go] = [{F}]; go('x()')",
    "for (const go of [{F}]) go('x()')",
    "setTimeout({F}, 1, 'x()')",
    "{F}.call(null, 'x()')",
    "Reflect.apply({F}, null, ['x()'])",
    "globalThis.go = {F}; go('x()')",
    "const f = () => {F}; f()('x()')",
)


@pytest.mark.parametrize("way", PYTHON_WAYS)
def test_python_hands_nothing_grave_on_unseen(way: str) -> None:
    lowered = [f for setup, f in PYTHON_FUNCTIONS if risk(f"{setup}\n{way.format(F=f)}", "python") is Risk.OBSERVE]
    assert not lowered


@pytest.mark.parametrize("way", JAVASCRIPT_WAYS)
def test_javascript_hands_nothing_grave_on_unseen(way: str) -> None:
    found = {f: risk(f"{setup}\n{way.format(F=f)}", "javascript") for setup, f in JAVASCRIPT_FUNCTIONS}
    assert not [f for f, said in found.items() if said is Risk.OBSERVE]


def risk(code: str, language: str) -> Risk:
    return classify(code, language).risk


@pytest.mark.parametrize(
    ("code", "language"),
    [
        ("import requests\nrun = requests.get\nprint(run('https://x.example').text)", "python"),
        ("import os\nprint(sorted(os.listdir('.'), key=os.path.getsize))", "python"),
        ("import subprocess\nrun = subprocess.run\nprint(run(['ls'], capture_output=True).stdout)", "python"),
        ("from pathlib import Path\nprint([*map(Path.exists, [Path('a')])])", "python"),
        ("print(article.post, order.send)", "python"),
        ("console.log([1, 2].map(String), ['a'].map(parseFloat))", "javascript"),
        ("const fs = require('fs'); console.log(['a'].filter(fs.existsSync))", "javascript"),
    ],
)
def test_what_looks_may_be_handed_on(code: str, language: str) -> None:
    assert classify(code, language).risk is Risk.OBSERVE
