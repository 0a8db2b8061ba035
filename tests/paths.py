"""Paths of the project's files that tests use."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
EXPORTS = ROOT / "tests" / "support" / "exports"
"""The folder of sample files for /import."""
CHAT = ROOT / "benchmarks" / "data" / "chat-en.json"
