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


WORK = """
import os, sys, tempfile
import numpy as np, sklearn.base, sklearn.metrics, sklearn.utils.validation
before = set(sys.modules)
import orff
X = np.random.default_rng(0).normal(size=(40, 2))
model = orff.OperatorRidge(n_components=16, verbose=1).fit(X, X, sample_weight=np.ones((40, 2)))
model.predict(X, return_std=True), model.score(X, X), model.path_
orff.VectorField("curl-free", n_components=16).partial_fit(X, X).jacobian(X)
orff.FourierFeatures(n_components=16).fit_transform(X)
orff.OperatorClassifier(n_components=16).fit(X, X[:, 0] > 0).predict_proba(X)
orff.FourierVAR("linear").fit(X).forecast(2, interval=0.9)
with tempfile.TemporaryDirectory() as folder:
    model.save(os.path.join(folder, "m.orff"))
    orff.load(os.path.join(folder, "m.orff")).predict(X)
orff.plot, orff.bounds
print(sorted({name.split(".")[0] for name in set(sys.modules) - before} & {"pandas", "polars", "pyarrow", "matplotlib"}))
"""


def test_work_on_arrays_imports_no_tables_and_no_plots():
    assert run(WORK).strip() == "[]"


def test_every_name_is_there():
    for name in orff.__all__:
        assert getattr(orff, name) is not None
    assert set(orff.__all__) <= set(dir(orff))
    assert orff.__version__.count(".") == 2
