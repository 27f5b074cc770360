"""Objects of other programs that cannot be used: their own errors do not come through, the argument is named."""

import matplotlib.pyplot as plt
import numpy as np
import orff
import pandas as pd
import pytest
from orff import bounds

N = 24
X = np.random.default_rng(0).uniform(-1, 1, (N, 2))


class NoArray:
    """Says that it is an array, and is none."""

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("no array")


class Silent:
    """Fails when it is asked for anything."""

    def __getattr__(self, name):
        raise RuntimeError("silent")


class Broken:
    """Says that it is a table of Arrow, and is none."""

    shape = (24, 2)

    def __init__(self, capsule):
        self.capsule = capsule

    def __arrow_c_stream__(self, requested_schema=None):
        if isinstance(self.capsule, Exception):
            raise self.capsule
        return self.capsule


class Memory:
    """An array that is too large."""

    def __array__(self, dtype=None, copy=None):
        raise MemoryError("too large")


def ridge():
    return orff.OperatorRidge(n_components=16)


def runs(values):
    """A column of Arrow in runs of equal values, which it makes no array of."""
    pa = pytest.importorskip("pyarrow")
    return pa.RunEndEncodedArray.from_arrays(pa.array([N // 2, N], pa.int32()), values)


CALLS = {
    "y": lambda given: ridge().fit(X, given),
    "sample_weight": lambda given: ridge().fit(X, X, given),
    "task": lambda given: ridge().fit(X, X[:, 0], task=given),
    "Y": lambda given: orff.FourierVAR("linear", order=1).fit(given),
    "delta": lambda given: bounds.variance("gaussian", given),
}


@pytest.mark.parametrize("name", CALLS)
def test_what_makes_no_array_is_named(name):
    with pytest.raises((ValueError, TypeError), match=f"^{name}: expected"):
        CALLS[name](NoArray())
    with pytest.raises(MemoryError):  # that is no fault of the argument's kind
        CALLS[name](Memory())


@pytest.mark.parametrize("name", CALLS)
def test_objects_that_fail_to_say_what_they_are_are_named(name):
    with pytest.raises((ValueError, TypeError), match=f"^{name}: "):
        CALLS[name](Silent())


def test_parameters_that_fail_to_say_what_they_are_are_named():
    with pytest.raises(orff.ParameterError, match="^alpha: expected evidence, gcv, loo or a number ≥ 0, got "):
        orff.OperatorRidge(alpha=Silent()).fit(X, X)
    with pytest.raises(orff.ParameterError, match="^by: expected a matrix"):
        orff.conjugate(Silent(), "gaussian")
    with pytest.raises((ValueError, TypeError), match="^X: "):
        ridge().fit(Silent(), X)

    class NoPath:
        def __fspath__(self):
            raise RuntimeError("no path")

    with pytest.raises(orff.ParameterError, match="^path: expected a text or a path"):
        orff.load(NoPath())


def test_tables_of_arrow_that_are_none_are_named():
    for capsule in ("no capsule", RuntimeError("no stream")):
        with pytest.raises(ValueError, match="^X: Arrow table: "):
            ridge().fit(Broken(capsule), X)
        with pytest.raises(ValueError, match="^y: Arrow table: "):
            ridge().fit(X, Broken(capsule))
    with pytest.raises(MemoryError):
        ridge().fit(Broken(MemoryError()), X)
    with pytest.raises((ValueError, TypeError), match="^X: "):
        ridge().fit(pd.DataFrame, X)  # the class


def test_columns_of_arrow_in_runs_are_read():
    y = np.repeat([1.0, 2.0], N // 2)
    ours, theirs = ridge().fit(X, y), ridge().fit(X, runs([1.0, 2.0]))
    assert (ours.predict(X) == theirs.predict(X)).all()
    labels = orff.OperatorClassifier(n_components=16).fit(X, runs(["a", "b"]))
    assert labels.classes_.tolist() == ["a", "b"]
    pa = pytest.importorskip("pyarrow")
    for given in (runs([1.0, 2.0]), pa.table({"y": runs([1.0, 2.0])})):
        figure, ax = plt.subplots()
        try:
            assert len(orff.plot.learning_curve(ridge(), X, given, train_sizes=[0.5, 1.0], cv=2, ax=ax).lines) == 2
        finally:
            plt.close(figure)


def test_columns_of_pandas_that_it_cannot_read_are_refused():
    pandas = pd.Series(pd.arrays.ArrowExtensionArray(runs([1.0, 2.0])))
    for name, call in (("y", CALLS["y"]), ("Y", CALLS["Y"])):
        with pytest.raises((ValueError, TypeError), match=f"^{name}: expected numbers, got run_end_encoded"):
            call(pandas)
    with pytest.raises((ValueError, TypeError), match="^X, column 'a': expected numbers, got run_end_encoded"):
        ridge().fit(pd.DataFrame({"a": pandas}), X)
    with pytest.raises((ValueError, TypeError), match="^y: "):
        orff.OperatorClassifier(n_components=16).fit(X, pandas)
    with pytest.raises((ValueError, TypeError), match="^task: expected a word or a number in each of 24 rows"):
        CALLS["task"](pandas)


def test_labels_that_cannot_be_compared_are_refused():
    class Never:
        def __eq__(self, other):
            raise RuntimeError("never")

        __hash__ = None

    for Class in (orff.OperatorClassifier, orff.LaplacianClassifier):
        with pytest.raises((ValueError, TypeError), match="^y: "):
            Class(n_components=16).fit(X, np.array([Never() for _ in range(N)], dtype=object))
    some = np.array([pd.NA, "a", "b", "none"] * (N // 4), dtype=object)  # NA has no truth
    model = orff.LaplacianClassifier(n_components=16, unlabeled="none").fit(X, some)
    assert model.classes_.tolist() == ["a", "b"]


def test_tables_leave_products_with_kernels_to_kernels():
    kernel = orff.gaussian()
    for other in (pd.DataFrame(X), pd.Series(X[:, 0]), pd.Index([1.0, 2.0])):
        for make in (lambda: other * kernel, lambda: kernel * other, lambda: other + kernel, lambda: kernel / other):
            with pytest.raises(TypeError, match="unsupported operand type"):
                make()
