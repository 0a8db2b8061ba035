"""Numbers with the name of what they count. Does not know what that is."""


def counted(number: int, one: str, many: str) -> str:
    """A number and what it counts, by its name for one or for several."""
    return f"{number:,} {one if number == 1 else many}"
