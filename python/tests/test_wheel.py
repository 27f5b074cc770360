"""The wheel holds the package, says what it needs, and works away from its sources."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

import orff
import pytest

ROOT = Path(__file__).parents[2]
MATURIN = shutil.which("maturin", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")

pytestmark = pytest.mark.skipif(not (MATURIN and shutil.which("cargo")), reason="maturin and cargo build wheels")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel as pip asks for it, but for the optimisation: from what the tests have compiled."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run([MATURIN, "build", "--quiet", "--locked", "--out", folder], cwd=ROOT, check=True)
    (path,) = folder.iterdir()
    return path


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """A folder with what the wheel holds."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as held:
        held.extractall(folder)
    return folder


def test_one_wheel_serves_every_python_from_3_11(wheel, installed):
    assert re.fullmatch(rf"orff-{re.escape(orff.__version__)}-cp311-abi3-\w+\.whl", wheel.name)
    (library,) = [path for path in (installed / "orff").iterdir() if path.suffix in (".so", ".pyd")]
    assert library.name in ("_orff.abi3.so", "_orff.pyd")


def test_it_holds_the_package_and_nothing_else(installed):
    package = {path.name for path in (ROOT / "python" / "orff").iterdir() if path.suffix in (".py", ".pyi", ".typed")}
    assert {"__init__.pyi", "_orff.pyi", "py.typed"} <= package
    held = {path.name for path in (installed / "orff").iterdir() if path.suffix not in (".so", ".pyd")}
    assert held == package
    (told,) = installed.glob("*.dist-info")
    assert {path.name for path in installed.iterdir()} == {"orff", told.name}
    assert {path.name for path in told.glob("licenses/*")} >= {"LICENSE-MIT", "LICENSE-APACHE"}


def test_it_does_not_tell_where_it_was_built(installed):
    # panics in code that build scripts of dependencies have made name that code, in the folder of the build
    place = re.compile(re.escape(str(ROOT).encode()) + rb"(?!/target/)")
    telling = [path.name for path in installed.rglob("*") if path.is_file() and place.search(path.read_bytes())]
    assert not telling


def test_it_says_what_it_needs(installed):
    (told,) = installed.glob("*.dist-info")
    about = Parser().parsestr((told / "METADATA").read_text())
    assert about["Name"] == "orff" and about["Version"] == orff.__version__
    assert about["Requires-Python"] == ">=3.11" and about["License-Expression"] == "MIT OR Apache-2.0"
    needs = {need.split(";")[0]: need.partition(";")[2].strip() for need in about.get_all("Requires-Dist")}
    needs = {re.match(r"[\w-]+", need)[0]: when for need, when in needs.items()}
    # matplotlib is for those who ask for it; pandas is for those who have it
    assert needs.keys() == {"numpy", "scikit-learn", "matplotlib"}
    assert needs["numpy"] == needs["scikit-learn"] == "" and "plot" in needs["matplotlib"]
    assert "orff=orff.__main__:main" in (told / "entry_points.txt").read_text().replace(" ", "")


@pytest.mark.skipif(sys.platform != "linux" or not shutil.which("readelf"), reason="reads ELF")
def test_it_needs_no_library_of_linear_algebra(installed):
    (library,) = (installed / "orff").glob("*.so")
    said = subprocess.run(["readelf", "--dynamic", library], capture_output=True, text=True, check=True).stdout
    needed = {name.split(".so")[0] for name in re.findall(r"\(NEEDED\).*\[(.*)\]", said)}
    assert "libc" in needed
    assert needed <= {"libc", "libm", "libgcc_s", "libpthread", "libdl", "librt", "ld-linux-x86-64", "ld-linux-aarch64"}


ELSEWHERE = """
import numpy as np, orff
X = np.linspace(0, 6, 40).reshape(-1, 1)
print(orff.__file__, orff.OperatorRidge(n_components=64).fit(X, np.sin(X)).score(X, np.sin(X)) > 0.99)
"""


def test_it_works_away_from_its_sources(installed, tmp_path):
    def python(*arguments):
        env = {**os.environ, "PYTHONPATH": str(installed)}
        asked = [sys.executable, *arguments]
        return subprocess.run(asked, cwd=tmp_path, env=env, capture_output=True, text=True, check=True).stdout

    assert python("-c", ELSEWHERE) == f"{installed / 'orff' / '__init__.py'} True\n"
    assert python("-m", "orff", "--version") == f"orff {orff.__version__}\n"
