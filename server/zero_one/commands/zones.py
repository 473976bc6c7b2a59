"""Which time zone a city or country keeps. Cities come from the system's zone names, the rest from a short list."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from zoneinfo import available_timezones

_MORE = {
    "America/New_York": "nyc, boston, miami, washington, washington dc, philadelphia, atlanta, "
    "east coast, eastern time, "
    "orlando, florida, georgia, massachusetts",
    "America/Chicago": "houston, dallas, austin, texas, central time, new orleans, minneapolis, nashville, st louis",
    "America/Denver": "mountain time, colorado, salt lake city, utah, albuquerque",
    "America/Phoenix": "arizona",
    "America/Los_Angeles": "la, san francisco, seattle, california, pacific time, west coast, san diego, portland, "
    "las vegas, silicon valley, oakland, san jose",
    "Pacific/Honolulu": "hawaii",
    "America/Anchorage": "alaska",
    "America/Toronto": "ottawa, montreal, quebec",
    "America/Vancouver": "british columbia",
    "America/Sao_Paulo": "brazil, rio, rio de janeiro, brasilia",
    "America/Argentina/Buenos_Aires": "argentina",
    "America/Mexico_City": "mexico",
    "America/Bogota": "colombia",
    "America/Santiago": "chile",
    "America/Lima": "peru",
    "Europe/London": "england, uk, the uk, britain, great britain, scotland, wales, edinburgh, glasgow, manchester, "
    "liverpool, birmingham, united kingdom, cambridge, oxford",
    "Europe/Dublin": "ireland",
    "Europe/Paris": "france, lyon, marseille, nice, toulouse",
    "Europe/Berlin": "germany, munich, hamburg, frankfurt, cologne, stuttgart, dresden, leipzig, central european time",
    "Europe/Madrid": "spain, barcelona, valencia, seville",
    "Europe/Rome": "italy, milan, naples, florence, venice, turin",
    "Europe/Amsterdam": "holland, the netherlands, netherlands, rotterdam",
    "Europe/Brussels": "belgium",
    "Europe/Zurich": "switzerland, geneva, basel, bern",
    "Europe/Vienna": "austria, salzburg",
    "Europe/Stockholm": "sweden, gothenburg",
    "Europe/Oslo": "norway, bergen",
    "Europe/Copenhagen": "denmark",
    "Europe/Helsinki": "finland",
    "Europe/Warsaw": "poland, krakow",
    "Europe/Prague": "czech republic, czechia",
    "Europe/Budapest": "hungary",
    "Europe/Athens": "greece",
    "Europe/Lisbon": "portugal, porto",
    "Europe/Moscow": "russia, saint petersburg, st petersburg",
    "Europe/Kyiv": "ukraine, kiev, kyiv",
    "Europe/Bucharest": "romania",
    "Europe/Istanbul": "turkey, ankara",
    "Asia/Tokyo": "japan, osaka, kyoto",
    "Asia/Seoul": "korea, south korea",
    "Asia/Shanghai": "china, beijing, shenzhen, guangzhou",
    "Asia/Taipei": "taiwan",
    "Asia/Kolkata": "india, mumbai, delhi, new delhi, bangalore, bombay, chennai, calcutta, hyderabad, pune",
    "Asia/Dubai": "the emirates, uae, abu dhabi",
    "Asia/Bangkok": "thailand",
    "Asia/Jakarta": "indonesia",
    "Asia/Ho_Chi_Minh": "vietnam, saigon, ho chi minh city, hanoi",
    "Asia/Manila": "philippines, the philippines",
    "Asia/Jerusalem": "israel, tel aviv",
    "Asia/Karachi": "pakistan, lahore, islamabad",
    "Asia/Riyadh": "saudi arabia",
    "Asia/Tehran": "iran",
    "Africa/Cairo": "egypt",
    "Africa/Johannesburg": "south africa, cape town",
    "Africa/Lagos": "nigeria",
    "Africa/Nairobi": "kenya",
    "Australia/Sydney": "australia, canberra",
    "Pacific/Auckland": "new zealand, wellington",
    "Atlantic/Reykjavik": "iceland",
    "UTC": "utc, gmt, greenwich, universal time, zulu",
}


@dataclass(frozen=True, slots=True)
class Place:
    name: str
    zone: str


@functools.cache
def _places() -> dict[str, str]:
    found: dict[str, str] = {}
    for zone in sorted(available_timezones()):
        area, _, city = zone.rpartition("/")
        if area.split("/")[0] in ("Africa", "America", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific"):
            found.setdefault(city.replace("_", " ").lower(), zone)
    for zone, names in _MORE.items():
        found |= dict.fromkeys((name.strip() for name in names.split(",")), zone)
    return found


def find(said: str) -> Place | None:
    """The zone of "tokyo", "new york city", "japan", "paris france"; None for a place we do not know."""
    name = re.sub(r"^(the|city of|beautiful|sunny) ", "", said.strip())
    for candidate in (said.strip(), name, name.removesuffix(" city"), name.removesuffix(" time")):
        if candidate in _places():
            return Place(candidate.title(), _places()[candidate])
    head, _, tail = name.partition(" ")
    while tail:
        if head in _places() and tail in _places() and _places()[head] == _places()[tail]:
            return Place(head.title(), _places()[head])
        more, _, tail = tail.partition(" ")
        head = f"{head} {more}"
    return None


def spoken() -> list[str]:
    """Places that the embedded recogniser listens for."""
    names = (
        "amsterdam, athens, australia, beijing, berlin, cairo, california, chicago, china, denver, dubai, dublin, "
        "england, france, germany, hong kong, india, istanbul, italy, japan, lisbon, london, los angeles, madrid, "
        "mexico city, moscow, new york, new zealand, oslo, paris, rome, san francisco, singapore, spain, stockholm, "
        "sydney, tel aviv, texas, tokyo, toronto, vienna"
    )
    return names.split(", ")
