"""Command lines of hosters: looking is free, the rest costs money, is seen by others, or destroys."""

from __future__ import annotations

import re

from zero_one.safety.risk import paths, verbs
from zero_one.safety.risk.model import Effect, Risk, changes, destroys, fetches, opaque, sends
from zero_one.safety.risk.programs.call import Call, Handler, table

_LOOKS = re.compile(
    r"(get|list|ls|describe|show|status|versions?|info|logs?|top|explain|whoami|plan|validate|output|events|wait|tail|read|view"
    r"|head|search|lookup|scan|query|filter|estimate|preview|check|diff|history|help|releases|ps|regions|current-context|can-i"
    r"|api-resources|api-versions|cluster-info|get-contexts|get-clusters|get-users|current|ping|usage|inspect|test|lint|template|cat|stat|du|tree"
    r"|batch-get|presign|graph|providers|dashboard|account|limits|tags)(-\S+)?|(apps|addons|domains|projects|functions|features|hosting|pg|redis|config"
    r"|releases|certs|keys|access|members|ps|buildpacks)(:(info|list|get|channel|index|backups|ps|psql-diagnose|diagnose|wait|output|report))?"
)
_ENDS = re.compile(
    r"delete|del|destroy|rm|rb|purge|drop|remove|prune|uninstall|drain|reset|(delete|terminate|remove|deregister)\S*"
)
_SECRETS = re.compile(
    r"get-secret-value|access|print-(access|identity)-token|get-(session-token|login-password|password-data|federation-token"
    r"|authorization-token|access-key-info|credentials|ssh-host-keys)|assume-role\S*|generate-db-auth-token|tokens?|export-credentials"
    r"|get-access-token|list-keys|create-access-key|get-credentials|sas|generate-sas"
)
_HIDDEN = set("secret secrets keyvault ssm secretsmanager config:get credentials kms env config:env variables".split())
_VERB_FIRST = set("kubectl helm terraform pulumi oc eksctl k9s tofu".split())
_VALUED = (
    "npcgoefslz",
    """
    --namespace --profile --region --context --kubeconfig --output --format --project --app --filter --query
    --selector --zone
    --resource-group --name --subscription --max-items --limit --tail --since --container --bucket --log-group-name
    --function-name --instance-ids --message --topic-arn --team --account --sort-by --field-selector --org --workspace
    """,
)


def _cloud(call: Call) -> list[Effect]:
    operands = [o.lower() for o in call.options(*_VALUED)[1]]
    words = [o.lower() for o in call.operands]
    what = f"{call.program} {' '.join(call.operands[:3])}"
    options = " ".join(t for t in call.texts if t.startswith("-"))
    acting = operands[:2] if call.program in _VERB_FIRST else operands
    ends = any(_ENDS.fullmatch(part) for w in acting for part in (w, *re.split(r"[:/.-]", w)))
    if ends or re.search(r"(^|\s)--?(destroy|delete|force-delete|purge|prune)(\s|=|$)|-X\s*DELETE", options):
        return [destroys("delete", what)]
    if _tells_secrets(call, operands, words, options):
        return [Effect("credential", what, Risk.SPEND_OR_SEND)]
    if call.program == "aws" and operands[:1] == ["s3"] and operands[1:2] in (["cp"], ["sync"], ["mv"]):
        return [sends(what), *(e for e in map(paths.reading, call.operands) if e.risk)]
    if operands[:1] == ["exec"] or operands[:2] in (["compute", "ssh"], ["ssm", "start-session"]):
        return [sends(what), opaque(what)]
    if call.program in ("terraform", "tofu") and operands[:1] == ["fmt"]:
        return [] if call.has("-check", "-diff") else [changes("process", what)]
    if not operands or _looking(call.program, operands):
        return [fetches(what)] if all(a.sure for a in call.args) or call.program in _VERB_FIRST else [sends(what)]
    if (
        operands[0] in ("config", "configure", "workspace", "context", "completion", "init", "repo", "stack")
        and len(operands) > 1
    ):
        return [changes("process", what)] if call.program != "aws" else [Effect("credential", what, Risk.SPEND_OR_SEND)]
    return [Effect("spend", what, Risk.SPEND_OR_SEND)]


def _tells_secrets(call: Call, operands: list[str], words: list[str], options: str) -> bool:
    hidden = set(operands[:3]) & _HIDDEN
    shows = {
        "show",
        "access",
        "get",
        "download",
        "get-parameter",
        "get-parameters",
        "list-keys",
        "config:get",
        "decrypt",
        "pull",
    }
    bare_config = call.program == "heroku" and operands[:1] == ["config"]
    return bool(
        (hidden and set(words) & shows)
        or bare_config
        or (call.program in ("kubectl", "oc") and operands[:2] == ["config", "view"] and "--raw" in options)
        or any(_SECRETS.fullmatch(o) for o in operands[:3])
        or re.match(r"(get|describe) secrets?\b", " ".join(operands))
        or "--with-decryption" in options
        or "--show-secrets" in options
    )


def _looking(program: str, operands: list[str]) -> bool:
    """Whether the verb looks. It stands first, second (``aws ec2 describe-…``), or behind the things it is about."""
    if program == "aws":
        verb = operands[1] if len(operands) > 1 else ""
        return verb != "wait" and verb != "presign" and (_LOOKS.fullmatch(verb) is not None or operands[0] == "help")
    if program in _VERB_FIRST:
        if operands[0] in ("config", "rollout", "state", "workspace", "auth", "stack", "repo", "plugin", "certificate"):
            return len(operands) > 1 and _LOOKS.fullmatch(operands[1]) is not None
        return _LOOKS.fullmatch(operands[0]) is not None
    if len(operands) > 1 and operands[0] in ("config", "access", "keys", "apps", "functions"):
        operands = operands[1:]
    for word in operands[:5]:
        said = verbs.risk_of(word, first=True)
        if (
            said is not None
            and said > Risk.OBSERVE
            and word not in ("config", "compute", "build", "builds", "run", "functions", "app", "apps", "storage")
        ):
            return False
        if _LOOKS.fullmatch(word):
            return word not in ("config", "apps", "functions", "access", "keys") or len(operands) == 1
    return False


_GH_LOOKS = set("list view status diff checks search watch browse get verify ls".split())


def _gh(call: Call) -> list[Effect]:
    words = call.operands
    if words[:2] == ["auth", "token"] or (words[:1] == ["auth"] and call.has("-t", "--show-token")):
        return [Effect("credential", "the GitHub token", sends("").risk)]
    if words[:1] == ["alias"] or words[:2] == ["extension", "exec"]:
        return [opaque(call.line)]
    method = (call.value("-X", "--method") or "").upper()
    if "delete" in words or "archive" in words or method == "DELETE" or "remove" in words[1:2]:
        return [destroys("delete", " ".join(words[:3]))]
    if words[:1] == ["api"] and not call.has("-X", "--method", "-f", "-F", "--field", "--raw-field", "--input"):
        return [fetches("GitHub")]
    if words[:1] == ["search"] or words[:1] == ["status"] or (words[1:2] and words[1] in _GH_LOOKS):
        return [fetches("GitHub")]
    if words[1:2] in (["clone"], ["checkout"]):
        return [changes("process", f"gh {' '.join(words[:3])}")]
    return [sends("GitHub: " + " ".join(words[:3]))]


TABLE: dict[str, Handler] = {
    **table(
        _cloud,
        """
        s3cmd s5cmd mc oc eksctl gam doctl azcopy exo scw railway wrangler firebase supabase aws gcloud az
        kubectl helm terraform tofu pulumi heroku flyctl fly vercel netlify doctl gsutil stripe
        linode-cli hcloud ibmcloud oci vultr-cli civo
        """,
    ),
    "gh": _gh,
}
