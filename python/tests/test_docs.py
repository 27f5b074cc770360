"""The examples of the documentation run."""

import doctest
import importlib
import pathlib
import pkgutil
import re

import matplotlib.pyplot as plt
import orff
import pytest
from orff._field import Field

ROOT = pathlib.Path(__file__).parents[2]
MODULES = [name for _, name, _ in pkgutil.iter_modules(orff.__path__) if name not in ("_orff", "__main__")]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_the_package(name):
    module = importlib.import_module(f"orff.{name}")
    failed, _ = doctest.testmod(module)
    plt.close("all")
    assert failed == 0


def own():
    """What says that it is the package's own, which is in none of its modules for doctest."""
    return [pytest.param(thing, id=name) for name, thing in public() if getattr(thing, "__module__", "") == "orff"]


def public():
    """Everything that is called by its name: classes, functions, those of pictures, the calculus of fields."""
    for name in orff.__all__:
        thing = getattr(orff, name)
        if callable(thing) and not (isinstance(thing, type) and issubclass(thing, Exception)):
            yield f"orff.{name}", thing
    for name in orff.plot.__all__:
        yield f"orff.plot.{name}", getattr(orff.plot, name)
    for name, thing in vars(Field).items():
        if not name.startswith(("_", "set_")):  # scikit-learn makes set_fit_request and its like
            yield f"orff.VectorField.{name}", thing


@pytest.mark.parametrize("thing", own())
def test_examples_of_what_the_package_calls_its_own(thing):
    tests = doctest.DocTestFinder(recurse=False).find(thing, thing.__name__, module=False)
    runner = doctest.DocTestRunner()
    for test in tests:
        runner.run(test)
    assert runner.tries > 0 and runner.failures == 0


def test_moments_are_among_them():
    assert "orff.Moments" in [case.id for case in own()]


def test_what_is_public_has_examples():
    finder = doctest.DocTestFinder(recurse=False)
    bare = [name for name, thing in public() if not any(test.examples for test in finder.find(thing, name))]
    assert not bare, bare


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_examples_of_the_pages(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), flags=re.S)
    assert blocks
    names = {}
    for block in blocks:  # one page is one session
        exec(compile(block, page, "exec"), names)
    plt.close("all")
