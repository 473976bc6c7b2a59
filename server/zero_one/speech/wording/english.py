"""English: abbreviations, acronyms, sums, and every number that no other step took."""

from __future__ import annotations

import re

from zero_one.speech.wording import units
from zero_one.speech.wording.numbers import cardinal, digits, number, ordinal

_ABBREVIATIONS = {
    r"e\.\s?g\.": "for example", r"i\.\s?e\.": "that is", r"etc\.": "et cetera", r"vs\.?": "versus",
    r"approx\.": "about",
    r"Mr\.": "Mister", r"Mrs\.": "Missus", r"Ms\.": "Miz", r"Dr\.": "Doctor", r"Prof\.": "Professor", r"Jr\.": "Junior",
    r"Sr\.": "Senior", r"Inc\.": "Incorporated", r"Ltd\.": "Limited", r"Corp\.": "Corporation", r"dept\.": "department",
    r"est\.": "estimated", r"min\.": "minimum", r"max\.": "maximum", r"Fig\.": "Figure", r"fig\.": "figure",
    r"p\.(?=\s?\d)": "page", r"pp\.(?=\s?\d)": "pages", r"No\.(?=\s?\d)": "number", r"Nr\.(?=\s?\d)": "number",
    r"ca\.(?=\s?\d)": "about", r"c\.(?=\s?\d)": "about", r"w/o": "without", r"w/(?=\s|\w)": "with ", r"b/c": "because",
    r"a\.k\.a\.|aka": "also known as", r"ASAP": "as soon as possible", r"FYI": "for your information",
    r"Ave\.": "Avenue", r"Blvd\.": "Boulevard", r"Rd\.": "Road", r"ft\.(?=\s[A-Z])": "featuring",
    r"N/A|n/a": "not available",
    r"Mon\.": "Monday", r"Tue\.|Tues\.": "Tuesday", r"Wed\.": "Wednesday", r"Thu\.|Thurs\.": "Thursday",
    r"Fri\.": "Friday", r"U\.S\.A\.": "U S A", r"U\.S\.": "U S", r"U\.K\.": "U K", r"Ph\.?D\.?": "P H D",
    r"ver\.(?=\s?\d)": "version",
    r"vol\.(?=\s?\d)": "volume", r"resp\.": "respectively", r"incl\.": "including", r"excl\.": "excluding",
    r"tel\.|Tel\.": "telephone", r"24/7": "twenty-four seven", r"and/or": "and or", r"he/she": "he or she",
    r"I/O": "I O",
    r"C\+\+": "C plus plus", r"C#": "C sharp", r"F#": "F sharp", r"\.NET": "dot net", r"R&D": "R and D",
    r"Q&A": "Q and A",
    r"wi-?fi|Wi-?Fi|WIFI": "Wi-Fi",
}  # fmt: skip
_ABBREVIATION = re.compile("|".join(rf"(?<![\w.])({pattern})(?!\w)" for pattern in _ABBREVIATIONS))
_ABBREVIATION_WORDS = tuple(_ABBREVIATIONS.values())
"""What group n + 1 of the pattern stands for: the patterns look ahead, so that their text alone does not tell which."""
_DAYS = {
    "Mon": "Monday", "Tue": "Tuesday", "Wed": "Wednesday", "Thu": "Thursday", "Fri": "Friday", "Sat": "Saturday",
    "Sun": "Sunday",
}  # fmt: skip
_DAY_RANGE = re.compile(rf"\b({'|'.join(_DAYS)})\s?[-–]\s?({'|'.join(_DAYS)})\b")

_AS_WORDS = {
    "JSON": "Jason", "JPEG": "J peg", "JPG": "J peg", "GIF": "gif", "RAM": "ram", "ROM": "rom", "NASA": "Nasa",
    "LAN": "lan",
    "WAN": "wan", "PIN": "pin", "SIM": "sim", "WIFI": "Wi-Fi", "YAML": "yaml", "TOML": "toml", "LASER": "laser",
    "UNESCO": "Unesco", "NATO": "Nato", "OPEC": "Opec", "BIOS": "bios", "CRUD": "crud", "GUI": "gooey", "SQL": "S Q L",
    "NASDAQ": "Nasdaq", "ASCII": "askey", "POSIX": "posix", "REST": "rest", "AJAX": "ajax", "SCSI": "scuzzy",
    "OK": "okay",
    "COVID": "Covid", "AIDS": "aids", "RADAR": "radar", "SCUBA": "scuba", "SWAT": "swat", "ZIP": "zip", "MIDI": "middy",
    "CAPTCHA": "captcha", "FAQ": "F A Q", "README": "read me", "TODO": "to do", "ID": "I D", "IDs": "I Ds",
    "GNOME": "gnome",
    "BASIC": "basic", "PHP": "P H P", "LED": "L E D", "OLED": "O led", "CRON": "cron", "SSH": "S S H", "VAT": "V A T",
}  # fmt: skip
# Short words that are written in capitals for emphasis, not acronyms.
_SHOUTED = frozenset(
    "NO NOT YES ON OFF IN OUT UP DOWN TO DO GO ALL ANY AND OR BUT THE A I IS IT IF SO AN AS AT BE BY HE ME MY OF "
    "WE YOU ARE CAN NEW OLD NOW NEVER ALWAYS ONLY VERY MUST STOP WAIT DONE FAIL ERROR WARN WARNING NOTE TRUE "
    "FALSE NULL NONE OPEN CLOSE READ WRITE FILE HELP HIGH LOW LEFT RIGHT BACK THIS THAT WITH FROM WILL HAVE HAS "
    "BIG RED END TOP SAVE EXIT QUIT PLAY HELLO WORLD WELL GOOD BAD BEST FREE SALE TEST DATA USER NAME TIME DATE "
    "HOME MAIN KEY SELECT WHERE INTO JUST LIKE INFO DEBUG FATAL PLEASE THANKS SORRY WOW HEY OH AM WAS HOW WHAT "
    "WHEN WHO WHY DON CANNOT IMPORTANT ATTENTION".split()
)
_CAPS = re.compile(r"(?<![\w'])([A-Z]{2,}(?:&[A-Z]+)?)(s)?(?![\w'])|(?<![\w'])([A-Z]{2,})('s)\b")
_MIXED = re.compile(r"\b([A-Z]{1,5})[- ]?(\d{1,5})\b|\b(\d{1,2})([A-Z]{1,2})\b")
_VOWELS = frozenset("AEIOUY")

_PHONE = re.compile(
    r"(?<![\w.])(?:\+\d{1,3}[\s.-]?)?\(\d{2,5}\)[\s.-]?\d{2,4}(?:[\s.-]\d{2,4}){0,3}(?![\w.]\d)"
    r"|(?<![\w.])\+\d{1,3}(?:[\s.-]?\d{2,5}){2,5}(?!\w)"
    r"|(?<![\w.-])(?:1[-.])?\d{3}[-.]\d{3}[-.]\d{4}(?!\w)|(?<![\w.-])\d{3}-\d{4}(?![\w-])"
    r"|(?<![\w.,])0\d{2,4}[\s/-]\d{3,8}(?:[\s-]\d{2,4})*(?!\w)"
)
_EMERGENCY = re.compile(r"\b(call|dial|phone|ring)\s+([1-9]11|112|999|11[089])\b(?![.,:]\d)", re.IGNORECASE)
_GROUPS = re.compile(r"(?<![\w.,-])\d{1,7}(?:-\d{1,7}){2,}(?![\w-])")
"""ISBNs, formations, serial numbers: digit by digit."""
_ROMAN = re.compile(r"\b(?!The\b|An\b)([A-Z][a-z]+|chapter|part|type|phase|volume|section|act|book)\s([IVX]{2,6})\b")
_RATIO = re.compile(r"(?<![\w:.])(\d{1,4}):(\d{1,4})(?![\w:]|\.\d)")
_ORDINAL = re.compile(r"(?<![\w.,])(\d{1,3}(?:,\d{3})+|\d+)(?:st|nd|rd|th)\b", re.IGNORECASE)
_FRACTION_WORDS = {2: ("half", "halves"), 4: ("quarter", "quarters")}
_FRACTION = re.compile(r"(?<![\w./])(?:(\d+)\s)?(\d{1,3})/(\d{1,4})(?![\w./]*\d|/)")
_SCIENCE = re.compile(r"(?<![\w.])([-−+]?\d+(?:\.\d+)?)(?:[eE]|\s?[×x]\s?10\^)([-−+]?\d+)\b")
_POWER = re.compile(r"(\w|\))\s?(?:\^|\*\*)\s?(?:\{?([-−]?\w+)\}?)|(\w|\))([²³])")
_RANGE = re.compile(rf"(?<![\w.,/:-])({units.N})\s?[-–]\s?(\d(?:[\d,]*\d)?(?:\.\d+)?)(?![\w:/-])")
_APPROX = re.compile(r"~\s?(?=[\d$€£])")
_NUMBER_SIGN = re.compile(r"(?<!\w)#\s?(\d+)\b")
_THAN = re.compile(r"(?<![\w<>=-])[<>]\s?(?=\d)")
_TAG = re.compile(r"(?<!\w)#([A-Za-z]\w+)")
_MENTION = re.compile(r"(?<!\w)@([A-Za-z]\w+)")
_NUMBER = re.compile(r"(?<![\d.,])(?:(?<![\w)])[-−+])?(?:\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d\d)+,\d{3}|\d+)(?:\.\d+)?")
_POINT_ONLY = re.compile(r"(?<![\w.])\.(\d+)\b")
_MATH = (
    (re.compile(r"<="), " at most "), (re.compile(r">="), " at least "), (re.compile(r"!=|<>"), " is not "),
    (re.compile(r"==+"), " equals "), (re.compile(r"[-=]+>"), " to "), (re.compile(r"<[-=]+"), " from "),
    (re.compile(r"(?<=[\w)\s])=(?=[\w(\s-])"), " equals "), (re.compile(r"(?<=[\w)\s])\+(?=[\w(\s])"), " plus "),
    (re.compile(r"(?<=[\w)])\s<\s(?=[\w(-])"), " less than "),
    (re.compile(r"(?<=[\w)])\s>\s(?=[\w(-])"), " more than "),
    (re.compile(r"&&"), " and "), (re.compile(r"\|\|"), " or "), (re.compile(r"&"), " and "),
    (re.compile(r"(?<=\d)\s-\s(?=\d)"), " minus "),
    (re.compile(r"(?<=[a-z])\s?/\s?(?=[a-z])", re.IGNORECASE), " or "), (re.compile(r"/"), " slash "),
    (re.compile(r"@"), " at "), (re.compile(r"[$€£¥₹]"), " "), (re.compile(r"\+{1,}|={1,}"), " "), (re.compile(r"%"),
    " percent "),
    (re.compile(r"°"), " degrees "),
)  # fmt: skip


def say(text: str) -> str:
    """Everything in ``text`` that is not plain words yet, in words."""
    text = _DAY_RANGE.sub(lambda m: f"{_DAYS[m[1]]} to {_DAYS[m[2]]}", text)
    text = _ABBREVIATION.sub(_abbreviation, text)
    text = _PHONE.sub(_phone, text)
    text = _EMERGENCY.sub(lambda m: f"{m[1]} {digits(m[2])}", text)
    text = _GROUPS.sub(_phone, text)
    text = _ROMAN.sub(_roman, text)
    text = _APPROX.sub("about ", text)
    text = _SCIENCE.sub(lambda m: f"{number(m[1])} times ten to the {_power_word(m[2])}", text)
    text = _POWER.sub(_power, text)
    text = units.say(text)
    text = _ORDINAL.sub(lambda m: ordinal(int(m[1].replace(",", ""))), text)
    text = _FRACTION.sub(_fraction, text)
    text = _RANGE.sub(_range, text)
    text = _RATIO.sub(lambda m: f"{number(m[1])} to {number(m[2])}", text)
    text = _THAN.sub(lambda m: " less than " if m[0][0] == "<" else " more than ", text)
    text = _NUMBER_SIGN.sub(lambda m: f"number {number(m[1])}", text)
    text = _TAG.sub(r"hashtag \1", text)
    text = _MENTION.sub(r"at \1", text)
    text = _MIXED.sub(_mixed, text)
    text = _CAPS.sub(_acronym, text) if not _is_shouting(text) else _calm(text)
    text = _POINT_ONLY.sub(lambda m: f"zero point {digits(m[1])}", text)
    text = re.sub(r"(?<=\d)\s-\s(?=\d)", " minus ", text)
    text = re.sub(r"(?<=[\d)])\s?\*\s?(?=[\d(])", " times ", text)
    text = _NUMBER.sub(lambda m: f" {number(m[0])} " if _touches(text, m) else number(m[0]), text)
    for sign, said in _MATH:
        text = sign.sub(said, text)
    return re.sub(r"\d", lambda m: f" {_digit(m[0])} ", text)


def _digit(sign: str) -> str:
    try:
        return cardinal(int(sign))
    except ValueError:
        return " "


def _touches(text: str, match: re.Match[str]) -> bool:
    before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
    return before.isalpha() or after.isalpha()


def _abbreviation(match: re.Match[str]) -> str:
    said = _ABBREVIATION_WORDS[(match.lastindex or 1) - 1]
    at_end = (
        match.end() == len(match.string) and match[0].endswith(".") and said in ("et cetera", "Incorporated", "U S")
    )
    return f"{said}." if at_end else said


def _phone(match: re.Match[str]) -> str:
    groups = re.findall(r"\d+", match[0])
    lead = "plus " if match[0].lstrip().startswith("+") else ""
    return lead + ", ".join(digits(group) for group in groups)


def _roman(match: re.Match[str]) -> str:
    """World War II → World War two. What is no numeral stays."""
    values = [{"I": 1, "V": 5, "X": 10}[letter] for letter in match[2]]
    total = sum(-one if one < after else one for one, after in zip(values, [*values[1:], 0], strict=True))
    written = "X" * (total // 10) + ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")[total % 10]
    return f"{match[1]} {cardinal(total)}" if written == match[2] else match[0]


def _power(match: re.Match[str]) -> str:
    base, exponent = (match[1], match[2]) if match[1] else (match[3], {"²": "2", "³": "3"}[match[4]])
    if exponent == "2":
        return f"{base} squared"
    if exponent == "3":
        return f"{base} cubed"
    return f"{base} to the {_power_word(exponent)}"


def _power_word(exponent: str) -> str:
    if exponent.lstrip("+-−").isdigit():
        value = int(exponent.replace("−", "-"))
        return f"minus {cardinal(-value)}" if value < 0 else ordinal(value)
    return exponent


def _fraction(match: re.Match[str]) -> str:
    top, bottom = int(match[2]), int(match[3])
    lead = f"{cardinal(int(match[1]))} and " if match[1] else ""
    if bottom and top < bottom and bottom <= 100 and (bottom in _FRACTION_WORDS or bottom <= 20):
        one, many = _FRACTION_WORDS.get(bottom) or (ordinal(bottom), f"{ordinal(bottom)}s")
        article = "a" if match[1] and top == 1 else cardinal(top)
        return f"{lead}{article} {one if top == 1 else many}"
    whole = f"{cardinal(int(match[1]))} " if match[1] else ""
    return f"{whole}{cardinal(top)} {'of' if top <= bottom else 'over'} {cardinal(bottom)}"


def _range(match: re.Match[str]) -> str:
    spaced = re.search(r"\d\s-\s\d", match[0])
    if spaced:  # "7 - 3" is a sum
        return f"{number(match[1])} minus {number(match[2])}"
    return f"{number(match[1])} to {number(match[2])}"


def _mixed(match: re.Match[str]) -> str:
    if match[1]:
        count = match[2]
        said = digits(count) if len(count) > 2 and (count[0] == "0" or len(count) > 3) else number(count)
        return f"{' '.join(match[1]) if match[1] not in _AS_WORDS else _AS_WORDS[match[1]]} {said}"
    return f"{number(match[3])} {' '.join(match[4])}"


def _is_shouting(text: str) -> bool:
    words = re.findall(r"[A-Za-z]{2,}", text)
    return len(words) >= 3 and sum(word.isupper() for word in words) / len(words) > 0.7


def _calm(text: str) -> str:
    text = re.sub(r"\bA\b(?=\s[A-Z]{2})", "a", text)
    return re.sub(r"\b[A-Z]{2,}\b", lambda m: _AS_WORDS.get(m[0]) or m[0].lower(), text)


def _acronym(match: re.Match[str]) -> str:
    word, plural = (match[1], match[2] or "") if match[1] else (match[3], match[4])
    if "&" in word:
        return " and ".join(" ".join(part) for part in word.split("&")) + plural
    if word == "AM" and not plural and match.string[match.end() : match.end() + 1].isspace():
        return "am"
    if word in _AS_WORDS:
        return _AS_WORDS[word] + plural
    if word in _SHOUTED or (len(word) > 5 and _VOWELS & set(word)):
        return word.lower() + plural
    return " ".join(word) + plural
