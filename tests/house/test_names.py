"""Names of classes and types are unique, and no module has the name of a folder in its package."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.house.test_wiring import iterate_product_files, parse_file
from tests.paths import ROOT


def iterate_type_names(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield the names of classes and type aliases with their lines. Type variables may recur, as loop variables do."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield node.name, node.lineno
    for node in tree.body:
        if isinstance(node, ast.Assign) and not isinstance(node.value, ast.Call):
            for target in node.targets:
                if isinstance(target, ast.Name) and target.id[0].isupper() and not target.id.isupper():
                    yield target.id, node.lineno


def test_names_of_classes_and_types_are_unique() -> None:
    places = defaultdict[str, list[str]](list)
    for file in iterate_product_files():
        for name, line in iterate_type_names(parse_file(file)):
            places[name].append(f"{file.relative_to(ROOT)}:{line}")
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
