"""What names say: the verb in ``delete_bucket``, ``DeleteBucketCommand``, ``apps:destroy`` or ``--purge``.

For things of which nothing is known but their name, the verb in it is what a careful reader goes by.
"""

from __future__ import annotations

import re

from zero_one.safety.risk.model import Risk

_DESTROYS = set(
    """
    delete del destroy drop erase wipe purge uninstall nuke zap unlink remove removetree rm rmdir rmtree terminate
    truncate flushall flushdb format shred expunge prune deregister empty trash clear strip reset obliterate discard
    drain deleteall removeall kill killall rmi evict decommission undefine wipeout factoryreset overwrite encrypt revoke
    """.split()
)
_SPENDS = set("buy sell pay order charge purchase checkout transfer withdraw donate refund bid payment pays".split())
_SENDS = set(
    """
    send post publish upload push tweet email mail share invite submit forward dial broadcast deploy exfil expose tunnel
    sendmail sms transmit reply webhook tip
    """.split()
)
_CHANGES = set(
    """
    create insert update write set save put add install start stop restart move rename copy touch patch modify edit
    register enable disable append merge apply run exec execute play pause open launch register mount import build
    replace commit store make new clone checkout init setup configure connect attach detach upgrade downgrade migrate
    release switch use select activate deactivate toggle load unload tag close lock unlock assign link
    """.split()
)
_LOOKS = set(
    """
    list ls get show status info version versions describe inspect view search find query read help devices count
    exists is has fetch head ping ps top stats logs log history diff check validate lint print dump? tree explain
    doctor whoami which where env config? summary report test? cat peek scan select browse lookup display outdated
    properties details state health monitor about capabilities probe measure temp usage metrics iter
    """.replace("?", "").split()
) - {"dump", "config", "test"}


def words(name: str) -> list[str]:
    """``deleteS3Object`` is delete, s, object."""
    return [w.lower() for w in re.findall(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+", name)]


def _stem(word: str) -> str:
    """``sendwhatmsg`` and ``deleteall`` begin with what they do; ``sender`` and ``deleted`` do nothing."""
    if word.endswith(("ed", "er", "ers", "able")) and word not in ("transfer", "order"):
        return ""
    return next(
        (verb for verb in ("send", "delete", "remove", "destroy", "upload", "wipe", "purge") if word.startswith(verb)),
        word,
    )


def risk_of(name: str, *, first: bool = False) -> Risk | None:
    """The class that the verbs of a name say, None when they say nothing. ``first``: only the leading word counts."""
    said = words(name)
    said_set = {_stem(w) for w in (said[:1] if first else said)}
    if said_set & _DESTROYS:
        return Risk.DESTROY
    if said_set & (_SPENDS | _SENDS):
        return Risk.SPEND_OR_SEND
    if said[:1] and said[0] in _LOOKS:
        return Risk.OBSERVE
    return Risk.CHANGE if said_set & _CHANGES else None


def spends(name: str) -> bool:
    return bool(set(words(name)) & _SPENDS)


def looks(name: str) -> bool:
    """Whether a name begins with looking and says nothing else."""
    return risk_of(name) is Risk.OBSERVE
