"""Variables of the environment that say which code a program loads or runs."""

from __future__ import annotations

import re

_STEERS = re.compile(
    r"(LD|DYLD)_|BASH_(ENV|FUNC)|ENV$|SHELLOPTS$|BASHOPTS$|PS[04]$|PROMPT_COMMAND$"
    r"|GIT_(SSH|EXTERNAL|PROXY|CONFIG|EXEC|ASKPASS|TEMPLATE)|LESS(OPEN|CLOSE|KEY)|(SSH|SUDO|GIT)_ASKPASS$|RSYNC_(RSH|CONNECT)|CVS_RSH$"
    r"|PERL5?(LIB|OPT|5DB)|PERLLIB$|RUBY(LIB|OPT)|GEM_(HOME|PATH)|PYTHON(PATH|HOME|STARTUP|INSPECT|BREAKPOINT|USERBASE|EXECUTABLE)"
    r"|NODE_(OPTIONS|PATH)|(JAVA_TOOL|_JAVA|JDK_JAVA|MAVEN|GRADLE|SBT)_?OPT\w*|CLASSPATH$|LUA_(INIT|PATH|CPATH)|PHPRC$|PHP_INI_SCAN_DIR$"
    r"|R_(PROFILE|ENVIRON)\w*|MAKE(FLAGS|FILES)|TAR_OPTIONS$|RIPGREP_CONFIG_PATH$|WGETRC$|CURL_HOME$|GCONV_PATH$|OPENSSL_(CONF|ENGINES|MODULES)"
    r"|TERMINFO\w*|XDG_CONFIG_(HOME|DIRS)|HOSTALIASES$|(RUSTC|CC|CXX)(_WRAPPER)?$|RUSTFLAGS$|GOFLAGS$|CARGO_\w+(RUNNER|LINKER)"
    r"|NPM_CONFIG_(SCRIPT_SHELL|REGISTRY)|npm_config_script_shell|PIP_(INDEX|EXTRA_INDEX)_URL|DOCKER_HOST$|KUBECONFIG$|EXINIT$|VIMINIT$"
)
_CALLED = re.compile(r"\w*(PAGER|EDITOR|BROWSER|SHELL|VISUAL)$|GIT_SEQUENCE_EDITOR$")
_HARMLESS_PROGRAM = re.compile(
    r"|(/usr)?(/local)?(/s?bin/)?(cat|less|more|most|bat|vim?|nvim|nano|emacs|true|false|code|firefox|chromium|safari|(ba|z|da|fi)?sh)"
    r"(\s+-[\w-]+)*"
)


def steers(variable: str, value: str | None) -> bool:
    """Whether setting ``variable`` decides which code runs. ``value`` is None where it is computed."""
    if _CALLED.match(variable):
        return value is None or not _HARMLESS_PROGRAM.fullmatch(value.strip("\"'"))
    return _STEERS.match(variable) is not None
