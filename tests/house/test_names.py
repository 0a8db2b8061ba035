"""One name, one thing: whoever reads the name of a class knows which class it is."""

import ast
from collections import defaultdict
from pathlib import Path

from tests.house.test_wiring import parsed, product
from tests.paths import ROOT


def test_no_two_classes_have_one_name() -> None:
    places = defaultdict[str, list[str]](list)
    for file in product():
        for node in ast.walk(parsed(file)):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{file.relative_to(ROOT)}:{node.lineno}")
    assert len(places) > 100
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_no_module_has_the_name_of_a_folder_next_to_it() -> None:
    """A file `a/erasure.py` next to a folder `erasure/` of the same room leaves open which one is meant."""
    rooms = defaultdict[str, list[Path]](list)
    for file in product():
        path = file.relative_to(ROOT)
        if len(path.parts) > 1 and path.name != "__init__.py":
            rooms[path.parts[0]].append(path)
    for paths in rooms.values():
        folders = {path.parent.name for path in paths}
        assert [str(path) for path in paths if path.stem in folders] == []
