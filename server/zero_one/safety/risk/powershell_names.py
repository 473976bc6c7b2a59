"""What PowerShell's commands, types and methods do, by name."""

from __future__ import annotations

import re

ALIASES: dict[str, str] = {
    alias: command
    for line in """
        remove-item: rm del erase rd ri rmdir
        get-childitem: ls dir gci
        get-content: cat gc type
        copy-item: cp copy cpi
        move-item: mv move mi
        rename-item: ren rni
        invoke-expression: iex
        invoke-webrequest: iwr curl wget
        invoke-restmethod: irm
        invoke-command: icm
        invoke-item: ii
        start-process: start saps
        stop-process: kill spps
        start-service: sasv
        stop-service: spsv
        get-process: ps gps
        get-service: gsv
        get-member: gm
        get-ciminstance: gcim
        get-wmiobject: gwmi
        get-location: pwd gl
        get-item: gi
        get-itemproperty: gp
        get-command: gcm
        get-help: help man
        get-history: h history ghy
        get-clipboard: gcb
        set-clipboard: scb clip
        get-timezone: gtz
        get-random: random
        set-location: cd chdir sl
        push-location: pushd
        pop-location: popd
        set-content: sc
        add-content: ac
        clear-content: clc
        set-item: si
        set-itemproperty: sp
        remove-itemproperty: rp
        new-item: ni
        where-object: where ?
        foreach-object: foreach %
        select-object: select
        select-string: sls
        sort-object: sort
        measure-object: measure
        group-object: group
        compare-object: compare diff
        format-table: ft
        format-list: fl
        format-wide: fw
        tee-object: tee
        write-output: echo write
        out-host: oh
        new-alias: nal
        set-alias: sal
        set-variable: sv set
        get-variable: gv
        import-csv: ipcsv
        export-csv: epcsv
        start-sleep: sleep
        start-job: sajb
        receive-job: rcjb
        clear-host: cls clear
        import-module: ipmo
        new-psdrive: mount
        remove-variable: rv
    """.strip().splitlines()
    for command, _, names in [line.strip().partition(":")]
    for alias in names.split()
}

LOOKS = re.compile(
    r"^((get|select|where|sort|measure|test|compare|group|resolve|find|search|show|convertto|convertfrom|wait)-\w+"
    r"|join-(path|string)|split-path|convert-(path|string)|read-host|add-member|format-(table|list|wide|custom|hex)|write-(output|host|verbose|warning"
    r"|information|debug|error|progress)|out-(string|host|null|gridview|default)|foreach-object|import-(csv|clixml|json"
    r"|powershelldatafile|localizeddata)|new-(timespan|guid|variable)|set-(location|variable|strictmode|psdebug)|start-sleep"
    r"|(push|pop)-location|clear-(host|variable)|remove-(variable|typedata)|receive-job)$"
)
SECRETS = re.compile(
    r"^(convertfrom-securestring|export-pfx\w+|get-adrepl\w*|get-(?!\w*policy)\w*(password|credential|secret|token|laps)\w*"
    r"|get-(credential|storedcredential|secret\w*|aduserpassword|lapsadpassword|clipboardhistory))$"
)
DESTROYS = re.compile(
    r"^((remove|clear|format|uninstall|reset|disable|unregister|dismount|initialize|revoke|block|deny|optimize)-\w+|shutdown|bcdedit"
    r"|diskpart|cipher|format|stop-computer|restart-computer|restore-computer|set-(executionpolicy|mppreference|acl"
    r"|netfirewall\w*|netconnectionprofile|authenticodesignature|localuser|aduser\w*|adaccountpassword|bcd\w*|smbserver\w*|vm\w*)"
    r"|add-(mppreference|localgroupmember|adgroupmember|netfirewall\w*)|new-(localuser|aduser|service|netfirewallrule|smbshare)"
    r"|enable-(psremoting|wsman\w*|localuser|adaccount)|grant-\w+|takeown|icacls|set-service|suspend-bitlocker)$"
)
PERSISTS = re.compile(
    r"^(register-(scheduledtask|scheduledjob|wmievent|objectevent|cimindicationevent)|new-scheduledtask\w*|set-scheduledtask)$"
)
SENDS = re.compile(
    r"^((send|publish|push|submit)-\w+|new-pssession|enter-pssession|connect-\w+|start-bitstransfer|invoke-azrestmethod)$"
)
OPAQUE = re.compile(
    r"^(add-type|invoke-history|invoke-(wmimethod|cimmethod|item|pester|build\w*|plaster|sqlcmd\w*|azvmruncommand|dsc\w*)|import-module|new-module|enter-\w+|debug-runspace|start-threadjob)$"
)
PACKAGES = re.compile(r"^(install|update|save)-(module|package|script|psresource|windowsfeature|packageprovider)$")
CHANGES = re.compile(
    r"^(set|new|copy|move|rename|add|start|stop|restart|out|export|expand|compress|enable|suspend|resume|import|register"
    r"|mount|update|tee|edit|merge|save|backup|checkpoint|sync|undo|use|lock|unlock|step|switch|protect|unprotect|repair|complete)-\w+$"
)
KEYWORDS = set(
    """
    if else elseif foreach for while do until switch try catch finally return throw begin process end param function
    filter class trap break continue exit in default data dynamicparam using enum workflow parallel sequence
    """.split()
)
PURE_TYPES = re.compile(
    r"(?i)^(system\.)?(math|int\d*|uint\d*|long|double|float|single|decimal|byte|bool|boolean|string|char|datetime|datetimeoffset"
    r"|timespan|timezoneinfo|guid|version|uri|regex|console|object|array|void|ref|hashtable|ordered|pscustomobject|psobject|enum|xml"
    r"|bigint|convert|bitconverter|random|tuple|nullable.*|text\..*|collections\..*|globalization\..*|linq\..*|numerics\..*|web\.httputility"
    r"|io\.path|io\.fileinfo|io\.directoryinfo|io\.stringreader|io\.stringwriter|io\.driveinfo|io\.searchoption|diagnostics\.stopwatch|net\.ipaddress"
    r"|net\.networkinformation\..*|security\.cryptography\..*|runtime\.interopservices\.runtimeinformation|stringcomparison|consolecolor"
    r"|environment|windows\.forms\.(screen|systeminformation)|char\[\]|byte\[\]|string\[\]|int\[\]|object\[\]|switch|validate\w+|parameter|cmdletbinding"
    r"|alias|outputtype|net\.webutility|net\.httpstatuscode|net\.dns|net\.servicepointmanager|net\.securityprotocoltype|io\.file|io\.directory|media\.systemsounds)$"
)
METHODS: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(
            r"(?i)^(delete\w*|kill|terminate\w*|shutdown|win32shutdown|reboot|format|emptyrecyclebin|deletetree|clearlog|remove(all|accessrule)|drop\w*|truncate)$"
        ),
        "destroy",
    ),
    (
        re.compile(
            r"(?i)^(invoke\w*|shellexecute|run|exec|load\w*|create(instance|scriptblock)|addscript|download(string|data)\w*|execute\w*|ExpandString|start)$"
        ),
        "opaque",
    ),
    (re.compile(r"(?i)^(send\w*|upload\w*|post\w*|put\w*|connect\w*|getstream)$"), "send"),
    (
        re.compile(
            r"(?i)^(create\w*|write\w*|save\w*|move\w*|copy\w*|stop|set(value|accesscontrol|info|text|password)\w*|downloadfile\w*|open\w*|rename\w*|commit\w*|put)$"
        ),
        "change",
    ),
)
METHODS_THAT_LOOK = re.compile(
    r"(?i)(to(string|upper|lower|array|list|char\w*|short\w*|long\w*|universal\w*|local\w*|oadate|unix\w*|int\d*|base64\w*|hashset|dictionary|lookup)"
    r"|to(upper|lower)invariant|sub(string|tract)|split|replace|trim(start|end)?|contains(key|value)?|(starts|ends)with|(last)?indexof\w*|pad(left|right)"
    r"|insert(range)?|remove(at|range)?|clear|add(range|days|hours|minutes|seconds|months|years|milliseconds|ticks|first|last)?|append\w*|get\w*|equals"
    r"|compare(to|ordinal)?|join|concat|format|count|where|foreach|read\w*|(try)?parse\w*|match(es)?|ismatch|close|dispose|exists|find\w*|refresh|sort"
    r"|reverse|push|pop|peek|enqueue|dequeue|waitforexit|next\w*|has\w*|is\w*|select\w*|first\w*|last\w*|any|all|sum|min|max|average|distinct"
    r"|skip|take|union\w*|intersect\w*|except\w*|group\w*|order\w*|zip|aggregate|copyto|clone|enumerate\w*|movenext|new|of|as\w*|computehash|transform\w*"
    r"|hash\w*|restart|startnew|elapsed|split\w*|normalize|lengthof|item|key|value|describe|query\w*|list\w*|search\w*|lookup|keyavailable|flush"
    r"|begin\w*|end\w*|with\w*|to\w{1,3}|union|setequals|overlaps|binarysearch|truetostring|sequenceequal|validate|test\w*|round|floor|ceiling"
    r"|abs|pow|sqrt|log\w*|truncate|beep|newguid|now|parseexact|tryparseexact|fromfiletime|toarray|invariantculture|unescape\w*|escape\w*)"
)
"""Methods that compute or show; any other acts on what it is called on."""
SECRET_METHODS = re.compile(
    r"(?i)getnetworkcredential|ptrtostring\w*|decrypt\w*|unprotect\w*|export(pkcs12|cspblob|parameters)?"
)
STATICS_THAT_LOOK = re.compile(
    r"(?i)diagnostics\.(process::get\w+|fileversioninfo::\w+)|security\.principal\.(windowsidentity|windowsprincipal|windowsbuiltinrole|securityidentifier)"
    r"(::\w*)?|system\.windows\.forms\.cursor::position|management\.automation\.\w*psobject(::\w*)?|threading\.thread::(sleep|currentthread)"
    r"|diagnostics\.eventlog::get\w+|microsoft\.win32\.registry::(localmachine|currentuser|classesroot|users)|net\.mail\.mailaddress"
)
PROTECTS = re.compile(
    r"(?i)defend|mpssvc|wscsvc|firewall|bfe\b|sense\b|wuauserv|eventlog|vss\b|sysmon|falcon|crowdstrike|sentinel|backup|clam|edr|antivirus"
)
REGISTRY_PROTECTION = re.compile(
    r"(?i)policies\\|defender|EnableLUA|SafeBoot|Winlogon|Image File Execution|\\Lsa\b|firewall"
    r"|DisableTaskMgr|ConsentPrompt|SecurityHealth|AmsiEnable"
)
