"""The examples of the documentation run."""

import doctest
import importlib
import pathlib
import pkgutil
import re

import matplotlib.pyplot as plt
import orff
import pytest

ROOT = pathlib.Path(__file__).parents[2]
MODULES = [name for _, name, _ in pkgutil.iter_modules(orff.__path__) if name not in ("_orff", "__main__")]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_the_package(name):
    module = importlib.import_module(f"orff.{name}")
    failed, _ = doctest.testmod(module)
    assert failed == 0


def test_classes_have_examples():
    finder = doctest.DocTestFinder(recurse=False)
    for name in orff.__all__:
        thing = getattr(orff, name)
        if isinstance(thing, type) and not issubclass(thing, Exception):
            assert any(test.examples for test in finder.find(thing)), name


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_examples_of_the_pages(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), flags=re.S)
    assert blocks
    names = {}
    for block in blocks:  # one page is one session
        exec(compile(block, page, "exec"), names)
    plt.close("all")
