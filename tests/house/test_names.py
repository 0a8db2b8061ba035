"""Class names are unique, and no module has the name of a folder in its package."""

import ast
from collections import defaultdict
from pathlib import Path

from tests.house.test_wiring import iterate_product_files, parse_file
from tests.paths import ROOT


def test_class_names_are_unique() -> None:
    places = defaultdict[str, list[str]](list)
    for file in iterate_product_files():
        for node in ast.walk(parse_file(file)):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{file.relative_to(ROOT)}:{node.lineno}")
    assert len(places) > 100
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_no_module_shares_name_with_folder_of_its_package() -> None:
    """With both `a/erasure.py` and a folder `a/erasure/`, the name would be ambiguous."""
    rooms = defaultdict[str, list[Path]](list)
    for file in iterate_product_files():
        path = file.relative_to(ROOT)
        if len(path.parts) > 1 and path.name != "__init__.py":
            rooms[path.parts[0]].append(path)
    for paths in rooms.values():
        folders = {path.parent.name for path in paths}
        assert [str(path) for path in paths if path.stem in folders] == []
