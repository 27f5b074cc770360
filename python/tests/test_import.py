"""`import orff` is light."""

import subprocess
import sys

import orff


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_import_is_lazy():
    heavy = "('sklearn', 'scipy', 'pandas', 'polars', 'pyarrow', 'matplotlib', 'numpy')"
    assert run(f"import sys, orff; print([m for m in {heavy} if m in sys.modules])").strip() == "[]"


def test_classes_import_no_tables_and_no_plots():
    # beyond what scikit-learn itself imports
    heavy = "{'pandas', 'polars', 'pyarrow', 'matplotlib'}"
    theirs = (
        f"import sys, sklearn.base, sklearn.metrics, sklearn.utils.validation; before = {heavy} & set(sys.modules)"
    )
    assert (
        run(f"{theirs}; import orff; orff.OperatorRidge; print({heavy} & set(sys.modules) - before)").strip()
        == "set()"
    )


def test_every_name_is_there():
    for name in orff.__all__:
        assert getattr(orff, name) is not None
    assert set(orff.__all__) <= set(dir(orff))
    assert orff.__version__.count(".") == 2
