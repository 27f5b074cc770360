"""The stub of the extension module says what the module has."""

import ast
import inspect
from pathlib import Path

import orff
from orff import _orff

STUB = ast.parse((Path(orff.__file__).parent / "_orff.pyi").read_text())


def public(names):
    return {name for name in names if not name.startswith("_") or name in ("__version__", "__reduce__")}


def arguments(function):
    """Names of the arguments, in order, without the first of a method."""
    return [a.arg for a in function.args.args if a.arg not in ("self", "cls")]


def test_every_name_of_the_module_is_in_the_stub_and_no_other():
    functions = {node.name: node for node in STUB.body if isinstance(node, ast.FunctionDef)}
    classes = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}
    values = {node.target.id for node in STUB.body if isinstance(node, ast.AnnAssign)}
    assert {*functions, *classes, *values} == public(vars(_orff))
    for name, node in functions.items():
        assert list(inspect.signature(getattr(_orff, name)).parameters) == arguments(node), name


def test_every_method_of_its_classes_is_in_the_stub_and_no_other():
    for node in STUB.body:
        if not isinstance(node, ast.ClassDef):
            continue
        Class = getattr(_orff, node.name)
        methods = {part.name: part for part in node.body if isinstance(part, ast.FunctionDef)}
        made = methods.pop("__init__", None)
        assert methods.keys() == public(vars(Class)), node.name
        if made is not None:
            assert list(inspect.signature(Class).parameters) == arguments(made), node.name
        for name, part in methods.items():
            taken = [p for p in inspect.signature(getattr(Class, name)).parameters if p != "self"]
            assert taken == arguments(part), f"{node.name}.{name}"
