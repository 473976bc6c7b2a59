"""A few characters of code can ask for gigabytes. Reading them must cost neither memory nor time."""

from __future__ import annotations

import resource

import pytest

from zero_one.safety.risk import Risk, classify

BOMBS = (
    "eval(1000000000 * 'a')",
    "eval('a' * 10000000000)",
    "exec(bytes(20000000000))",
    "exec('%99999999999d' % 1)",
    "exec('%*d' % (99999999999, 1))",
    "exec('{:99999999999}'.format(1))",
    "exec('1'.zfill(99999999999))",
    "x = 'a' * 150000\nexec(x.replace('a', x))",
    "x = 'a' * 150000\nexec(x.join(list(x)))",
    "x = 'a' * 150000\nexec('{0}' * 20000)\nexec(('{0}' * 20000).format(x))",
    "x = 'a' * 150000\nexec(f'" + "{x}" * 20000 + "')",
    "x = 'a' * 150000\nexec('%s' * 20000 % ((x,) * 20000))",
    "exec([[1 for x in range(9999)] for y in range(9999)])",
    "import codecs\nexec(codecs.decode(b'x', 'zlib'))",
    "exec([0] * 99999999999)",
)


@pytest.mark.parametrize("code", BOMBS, ids=range(len(BOMBS)))
def test_a_bomb_is_opaque_and_costs_nothing(code: str) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert classify(code, "python").risk is Risk.DESTROY
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000, "kilobytes"
