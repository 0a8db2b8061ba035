"""A text that is too long loses the sentences that tell least, not its end."""

from summaries.quality_score import Source
from summaries.shortening import shortened, without_headings


def words(text: str) -> int:
    return len(text.split())


TEXT = "Nora lives in Porto. Nora asked what helps against a sore throat. Her rent is 980 euros. Mara is in Oslo."


def test_what_fits_stays_and_of_the_rest_what_tells_most() -> None:
    assert shortened(TEXT, 100, count=words) == TEXT
    assert shortened(TEXT, 18, count=words) == "Nora lives in Porto. Her rent is 980 euros. Mara is in Oslo."
    assert shortened("One sentence without an end of it", 3, count=words) == "One sentence without an end of it"


def test_copied_headings_are_no_part_of_a_summary() -> None:
    below = [Source(text=f"[2026-03-02 to 2026-03-03] {TEXT}", is_user=False)]
    assert without_headings(f"[2026-03-02 to 2026-03-03] {TEXT}", below) == TEXT
    assert without_headings("[sic] Nora [1]", below) == "[sic] Nora [1]"
