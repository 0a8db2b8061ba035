"""The benchmarks' command-line arguments. An invalid argument ends the program with a message and exit status 2."""

import argparse
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from records.errors import SettingsError
from settings import Settings, read_environment


def make_number_parser(minimum: int, maximum: int | None = None) -> Callable[[str], int]:
    """Return a parser for whole numbers from `minimum` to `maximum`, or without an upper limit if `maximum` is None."""
    limits = f"of {minimum} or more" if maximum is None else f"from {minimum} to {maximum}"

    def parse_number(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = minimum - 1
        if number < minimum or (maximum is not None and number > maximum):
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number {limits}")
        return number

    return parse_number


def parse_numbers(text: str) -> list[int]:
    """Parse whole numbers of 1 or more, separated by commas."""
    return [make_number_parser(1)(part) for part in text.split(",")]


def parse_output_path(text: str) -> Path:
    """Parse the path of an output file in an existing folder."""
    path = Path(text)
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"{text} is a folder")
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"{text} cannot be written: there is no folder {path.parent}")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise argparse.ArgumentTypeError(f"{text} cannot be written: permission denied")
    return path


def read_settings_or_exit(
    parser: argparse.ArgumentParser, environ: Callable[[], Mapping[str, str]] = read_environment
) -> Settings:
    """Read the settings from the environment. If one is invalid, print its error and exit with status 2."""
    try:
        return Settings.from_env(environ())
    except SettingsError as error:
        parser.exit(2, f"{parser.prog}: error: {error.sentence}\n")
