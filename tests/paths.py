"""Where the tests find the project's own files."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
EXPORTS = ROOT / "tests" / "support" / "exports"
"""Sample files for /import."""
CHAT = ROOT / "benchmarks" / "data" / "chat-en.json"
