"""Time zones as people write them: "Europe/Berlin", "Seattle", "UTC+3", "GMT-5:30", "PST" → the tz database's name.

Owns the table of cities and abbreviations that the database does not name itself. Pure. Does not know whose zone it is.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import tzinfo
from difflib import get_close_matches
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from text.characters import normalized

LONGEST_NAME = 60
"""Characters; nothing longer is the name of a place."""
UTC_NAMES = frozenset({"utc", "gmt", "z", "zulu", "ut", "uct", "universal", "greenwich"})

# Zones of the southern half of the earth, where summer begins in December.
_SOUTHERN = ("Australia/", "Antarctica/", "America/Argentina/", "Brazil/", "Chile/")
_SOUTHERN_CITIES = """
Africa/Blantyre Africa/Gaborone Africa/Harare Africa/Johannesburg Africa/Luanda Africa/Lubumbashi Africa/Lusaka
Africa/Maputo Africa/Maseru Africa/Mbabane Africa/Windhoek America/Asuncion America/Bahia America/Buenos_Aires
America/Campo_Grande America/Coyhaique America/Cuiaba America/La_Paz America/Lima America/Maceio America/Montevideo
America/Punta_Arenas America/Recife America/Santiago America/Sao_Paulo Atlantic/South_Georgia Atlantic/Stanley
Indian/Antananarivo Indian/Mauritius Indian/Reunion NZ Pacific/Apia Pacific/Auckland Pacific/Chatham Pacific/Easter
Pacific/Fiji Pacific/Norfolk Pacific/Noumea Pacific/Pitcairn Pacific/Rarotonga Pacific/Tahiti Pacific/Tongatapu
"""
_OFFSET = re.compile(r"(?:utc|gmt|z)?([+-])(\d{1,2})(?::?([0-5]\d))?")
_FIXED = re.compile(r"Etc/GMT([+-])(\d{1,2})")
# Zones without daylight saving time whose offset is no whole number of hours: minutes east of Greenwich.
_PARTS_OF_HOURS: Mapping[int, str] = {
    -570: "Pacific/Marquesas",
    210: "Asia/Tehran",
    270: "Asia/Kabul",
    330: "Asia/Kolkata",
    345: "Asia/Kathmandu",
    390: "Asia/Yangon",
    525: "Australia/Eucla",
    570: "Australia/Darwin",
}
# Abbreviations that mean one zone to nearly everybody. "IST", "BST" outside Europe, "CST" in China do not.
_ABBREVIATIONS: Mapping[str, str] = {
    "est": "America/New_York",
    "edt": "America/New_York",
    "et": "America/New_York",
    "eastern": "America/New_York",
    "central": "America/Chicago",
    "mountain": "America/Denver",
    "pacific": "America/Los_Angeles",
    "cdt": "America/Chicago",
    "ct": "America/Chicago",
    "mst": "America/Denver",
    "mdt": "America/Denver",
    "mt": "America/Denver",
    "pst": "America/Los_Angeles",
    "pdt": "America/Los_Angeles",
    "pt": "America/Los_Angeles",
    "akst": "America/Anchorage",
    "hst": "Pacific/Honolulu",
    "bst": "Europe/London",
    "wet": "Europe/Lisbon",
    "cet": "Europe/Paris",
    "cest": "Europe/Paris",
    "eet": "Europe/Athens",
    "eest": "Europe/Athens",
    "msk": "Europe/Moscow",
    "jst": "Asia/Tokyo",
    "kst": "Asia/Seoul",
    "hkt": "Asia/Hong_Kong",
    "sgt": "Asia/Singapore",
    "aest": "Australia/Sydney",
    "aedt": "Australia/Sydney",
    "awst": "Australia/Perth",
    "nzst": "Pacific/Auckland",
    "nzdt": "Pacific/Auckland",
}
# Cities and regions of one zone that the tz database does not name, since each zone has the name of one city alone.
_PLACES: Mapping[str, str] = {
    "America/Los_Angeles": "Seattle, San Francisco, San Diego, San Jose, Sacramento, Oakland, Fresno, Long Beach, "
    "Portland, Las Vegas, Reno, Tacoma, Spokane, California, LA, SF, Washington State, Silicon Valley, Palo Alto, "
    "Berkeley",
    "America/Denver": "Salt Lake City, Albuquerque, Santa Fe, Colorado Springs, El Paso, Boulder, Colorado, Utah, "
    "Wyoming, Montana, New Mexico, Billings, Cheyenne",
    "America/Phoenix": "Tucson, Scottsdale, Mesa, Arizona",
    "America/Chicago": "Houston, Dallas, Austin, San Antonio, Fort Worth, Minneapolis, St Louis, Saint Louis, "
    "Kansas City, New Orleans, Milwaukee, Nashville, Memphis, Oklahoma City, Tulsa, Omaha, St Paul, Madison, Des "
    "Moines, Illinois, Wisconsin, Iowa, Missouri, Oklahoma, Louisiana, Arkansas, Mississippi, Alabama",
    "America/New_York": "Boston, Washington, Washington DC, Philadelphia, Miami, Atlanta, Orlando, Tampa, "
    "Charlotte, Raleigh, Pittsburgh, Baltimore, Cleveland, Columbus, Cincinnati, Buffalo, Jacksonville, Brooklyn, "
    "Manhattan, NYC, Newark, Richmond, Hartford, Providence, New Jersey, Massachusetts, Pennsylvania, Georgia "
    "USA, Virginia, Maryland, Connecticut, Ohio, North Carolina, South Carolina, Vermont, Maine, New Hampshire, "
    "Delaware",
    "America/Argentina/Cordoba": "Cordoba",
    "America/Argentina/Mendoza": "Mendoza",
    "America/Indiana/Indianapolis": "Indianapolis, Indiana",
    "America/Kentucky/Louisville": "Louisville",
    "America/Toronto": "Ottawa, Quebec, Quebec City, Hamilton, Mississauga, Ontario",
    "America/Vancouver": "Victoria BC, Surrey BC, Burnaby, British Columbia",
    "America/Edmonton": "Calgary, Alberta",
    "America/Regina": "Saskatoon, Saskatchewan",
    "America/Mexico_City": "Guadalajara, Puebla, CDMX, Ciudad de Mexico",
    "America/Sao_Paulo": "Rio de Janeiro, Rio, Brasilia, Belo Horizonte, Curitiba, Porto Alegre, Florianopolis, "
    "Campinas",
    "America/Bahia": "Salvador",
    "America/Argentina/Buenos_Aires": "Buenos Aires, Rosario, La Plata, Mar del Plata",
    "America/Bogota": "Medellin, Cali, Cartagena, Barranquilla",
    "America/Guayaquil": "Quito",
    "America/Santiago": "Valparaiso, Concepcion",
    "America/Lima": "Cusco, Arequipa",
    "America/Caracas": "Maracaibo",
    "Europe/London": "England, Scotland, Wales, UK, United Kingdom, Manchester, Birmingham, Edinburgh, Glasgow, "
    "Liverpool, Leeds, Bristol, Cardiff, Oxford, Cambridge, Sheffield, Newcastle, Nottingham, Brighton",
    "Europe/Dublin": "Cork, Galway, Limerick, Ireland",
    "Europe/Lisbon": "Porto, Braga, Coimbra, Faro, Lisboa, Portugal",
    "Europe/Madrid": "Barcelona, Valencia, Sevilla, Seville, Bilbao, Malaga, Zaragoza, Spain, España",
    "Europe/Paris": "Lyon, Marseille, Toulouse, Nice, Bordeaux, Lille, Strasbourg, Nantes, Montpellier, Rennes, "
    "Grenoble, France",
    "Europe/Brussels": "Antwerp, Antwerpen, Ghent, Gent, Bruges, Bruxelles, Belgium",
    "Europe/Amsterdam": "Rotterdam, The Hague, Den Haag, Utrecht, Eindhoven, Groningen, Netherlands",
    "Europe/Berlin": "Munich, München, Hamburg, Frankfurt, Cologne, Köln, Stuttgart, Düsseldorf, Leipzig, "
    "Dresden, Bremen, Hannover, Hanover, Nuremberg, Nürnberg, Dortmund, Essen, Bonn, Karlsruhe, Freiburg, "
    "Heidelberg, Germany, Deutschland",
    "Europe/Zurich": "Geneva, Genf, Genève, Basel, Bern, Lausanne, Switzerland, Schweiz",
    "Europe/Vienna": "Wien, Graz, Salzburg, Linz, Innsbruck, Austria, Österreich",
    "Europe/Rome": "Roma, Milan, Milano, Naples, Napoli, Turin, Torino, Florence, Firenze, Venice, Venezia, "
    "Bologna, Palermo, Genoa, Italy, Italia",
    "Europe/Prague": "Praha, Brno, Ostrava, Czechia",
    "Europe/Warsaw": "Krakow, Kraków, Gdansk, Gdańsk, Wroclaw, Wrocław, Poznan, Poznań, Łódź, Warszawa, Katowice, "
    "Poland, Polska",
    "Europe/Copenhagen": "Aarhus, Odense, Aalborg, København, Denmark",
    "Europe/Stockholm": "Gothenburg, Göteborg, Malmö, Uppsala, Sweden",
    "Europe/Oslo": "Bergen, Trondheim, Stavanger, Norway",
    "Europe/Helsinki": "Tampere, Espoo, Turku, Finland",
    "Asia/Nicosia": "Nicosia, Cyprus",
    "Europe/Athens": "Thessaloniki, Patras, Greece",
    "Europe/Bucharest": "Cluj, Cluj-Napoca, Timisoara, Iasi, Bucuresti, Romania",
    "Europe/Sofia": "Plovdiv, Varna, Bulgaria",
    "Europe/Belgrade": "Novi Sad, Serbia",
    "Europe/Kyiv": "Lviv, Kharkiv, Odesa, Odessa, Dnipro, Kiev, Киев, Київ, Одесса, Львов, Львів, Харьков, Ukraine",
    "Europe/Moscow": "St Petersburg, Saint Petersburg, Sochi, Kazan, Nizhny Novgorod, Rostov, Krasnodar, Москва, "
    "Санкт-Петербург, Питер, Казань, Сочи, Краснодар",
    "Europe/Minsk": "Минск, Gomel",
    "Asia/Yekaterinburg": "Ekaterinburg, Екатеринбург, Perm, Ufa, Chelyabinsk",
    "Asia/Novosibirsk": "Новосибирск",
    "Asia/Vladivostok": "Владивосток",
    "Europe/Istanbul": "Istanbul, Ankara, Izmir, Antalya, Bursa, Turkey",
    "Asia/Jerusalem": "Haifa, Beersheba, Israel",
    "Africa/Cairo": "Alexandria, Giza, Egypt",
    "Africa/Lagos": "Abuja, Ibadan, Kano, Nigeria",
    "Africa/Johannesburg": "Cape Town, Durban, Pretoria, South Africa",
    "Africa/Nairobi": "Mombasa, Kenya",
    "Africa/Casablanca": "Rabat, Marrakesh, Marrakech, Fez, Morocco",
    "Africa/Abidjan": "Yamoussoukro",
    "Asia/Dubai": "Abu Dhabi, Sharjah, UAE",
    "Asia/Riyadh": "Jeddah, Mecca, Medina, Dammam, Saudi Arabia",
    "Asia/Qatar": "Doha",
    "Asia/Tehran": "Isfahan, Mashhad, Shiraz, Tabriz, Iran",
    "Asia/Tashkent": "Uzbekistan",
    "Asia/Almaty": "Astana, Алматы, Астана",
    "Asia/Tbilisi": "Batumi",
    "Asia/Karachi": "Lahore, Islamabad, Rawalpindi, Faisalabad, Pakistan",
    "Asia/Kolkata": "Mumbai, Bombay, Delhi, New Delhi, Bangalore, Bengaluru, Chennai, Hyderabad, Pune, Ahmedabad, "
    "Jaipur, Kochi, Goa, Lucknow, India",
    "Asia/Dhaka": "Chittagong, Bangladesh",
    "Asia/Colombo": "Kandy, Sri Lanka",
    "Asia/Bangkok": "Chiang Mai, Phuket, Pattaya, Hanoi, Ha Noi, Thailand",
    "Asia/Ho_Chi_Minh": "Da Nang, Vietnam, HCMC",
    "Asia/Jakarta": "Bandung, Surabaya, Yogyakarta",
    "Asia/Makassar": "Bali, Denpasar",
    "Asia/Kuala_Lumpur": "Penang, Johor Bahru, Malaysia, KL",
    "Asia/Manila": "Cebu, Davao, Quezon City, Philippines",
    "Asia/Shanghai": "Beijing, Peking, Shenzhen, Guangzhou, Chengdu, Hangzhou, Wuhan, Nanjing, Xian, Tianjin, "
    "China, 北京, 上海, 深圳, 广州, 成都, 杭州",
    "Asia/Hong_Kong": "香港",
    "Asia/Taipei": "Kaohsiung, Taichung, Taiwan, 台北",
    "Asia/Tokyo": "Osaka, Kyoto, Yokohama, Nagoya, Sapporo, Fukuoka, Kobe, Hiroshima, Sendai, 東京, 大阪, 京都",
    "Asia/Seoul": "Busan, Incheon, Daegu, South Korea, 서울, 부산",
    "Australia/Sydney": "Canberra, Wollongong, New South Wales",
    "Australia/Melbourne": "Geelong, Ballarat",
    "Australia/Brisbane": "Gold Coast, Cairns, Queensland",
    "Pacific/Auckland": "Wellington, Christchurch, Dunedin, Queenstown, New Zealand",
    "Pacific/Honolulu": "Hawaii, Maui",
}


def zone_named(words: str) -> str | None:
    """The tz database's name of what somebody writes, "" for UTC; None for none, or for several.

    "GMT-5" and "UTC-5" both mean five hours behind Greenwich, as in everyday use. The database's own "Etc/GMT-5", whose
    sign is the other way round, means that only where it is written out in full.
    """
    if len(words) > LONGEST_NAME:
        return None
    exact = {_plain(zone): zone for zone in available_timezones()}
    name = _plain(words)
    if name in UTC_NAMES or name.removeprefix("etc/") in UTC_NAMES:
        return ""
    offset = _OFFSET.fullmatch(name.replace(" ", "").replace("−", "-"))
    if offset:
        return _fixed(offset)
    if found := _ABBREVIATIONS.get(name) or exact.get(name):
        return found
    cities = _cities()
    # "Seattle, WA" means the city alone, where nothing is known by the whole.
    return cities.get(name) or cities.get(_plain(words.partition(",")[0]))


def similar_names(words: str, most: int = 5) -> Sequence[str]:
    """Names that contain the words, or that are nearly written so."""
    part = _plain(words)
    if not 2 < len(part) <= LONGEST_NAME:
        return []
    zones = sorted(zone for zone in available_timezones() if part in _plain(zone))
    near = get_close_matches(part, _cities(), n=most, cutoff=0.8)
    return list(dict.fromkeys([*zones, *(_cities()[city] for city in near)]))[:most]


def label(name: str) -> str:
    """A zone as it is shown: the offset where its name has the sign the other way round, "UTC" for none."""
    fixed = _FIXED.fullmatch(name)
    if fixed is None:
        return name or "UTC"
    return f"UTC{'-' if fixed[1] == '+' else '+'}{int(fixed[2])}" if int(fixed[2]) else "UTC"


def _fixed(offset: re.Match[str]) -> str | None:
    """The zone of a fixed offset, "" for none, None where no part of the world has it all year round."""
    minutes = int(offset[2]) * 60 + int(offset[3] or 0)
    east = minutes if offset[1] == "+" else -minutes
    if not minutes:
        return ""
    if minutes % 60:
        return _PARTS_OF_HOURS.get(east)
    # In the names of the database the sign is that of POSIX: Etc/GMT+5 is five hours behind Greenwich.
    return f"Etc/GMT{-east // 60:+d}" if -12 <= east // 60 <= 14 else None


@cache
def _cities() -> Mapping[str, str]:
    """Names of places → their zone: our table, and the last part of the database's names where only one has it."""
    ends: dict[str, set[str]] = {}
    for zone in available_timezones():
        area, _, city = zone.rpartition("/")
        if area and area != "Etc":
            ends.setdefault(_plain(city), set()).add(zone)
    found = {city: zones.pop() for city, zones in ends.items() if len(zones) == 1}
    for zone, names in _PLACES.items():
        found.update({_plain(name): zone for name in names.split(",")})
    return found


def _plain(text: str) -> str:
    """Lower case, without accents; spaces, underscores and full stops are one and the same."""
    folded = normalized("NFKD", text.casefold())
    bare = "".join(letter for letter in folded if not unicodedata.combining(letter)).replace("ł", "l").replace("ø", "o")
    return " ".join(re.sub(r"[_.\s]+", " ", bare).split())


def is_southern(zone: tzinfo | None) -> bool:
    """Whether a zone of the database lies in the southern half of the earth; where that is not known, it does not."""
    name = zone.key if isinstance(zone, ZoneInfo) else ""
    return name.startswith(_SOUTHERN) or name in _SOUTHERN_CITIES.split()
