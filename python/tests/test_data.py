"""Every layout of the same numbers gives the same bits, and nothing large is copied."""

import os
import subprocess
import sys
import tracemalloc

import numpy as np
import orff
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from orff import _data
from orff._learners import CLASSES

OPTIONS = {"n_components": 64, "alpha": 1e-3, "lengthscale": 1.5}


@pytest.fixture(scope="module")
def fitted(rows):
    X, Y = rows
    return orff.OperatorRidge(**OPTIONS).fit(X, Y).predict(X)


def strided(a):
    out = np.zeros((a.shape[0] * 2, a.shape[1] * 3))
    out[::-2, 1::3] = a
    return out[::-2, 1::3]


def unaligned(a):
    raw = np.zeros(a.nbytes + 1, dtype=np.uint8)
    out = raw[1:].view(np.float64).reshape(a.shape)
    out[...] = a
    return out


def table(names, values):
    return {name: values[:, k] for k, name in enumerate(names)}


def chunked(names, values):
    parts = [pa.table(table(names, part)) for part in np.array_split(values, 7)]
    return pa.concat_tables(parts)


@pytest.mark.parametrize(
    "form",
    [
        np.asfortranarray,
        strided,
        unaligned,
        lambda a: a.tolist(),
        lambda a: pd.DataFrame(a),
        lambda a: pd.DataFrame(table("abc", a)) if a.shape[1] == 3 else pd.DataFrame(table("uv", a)),
        lambda a: pl.DataFrame(table("abc"[: a.shape[1]], a)),
        lambda a: pa.table(table("abc"[: a.shape[1]], a)),
        lambda a: chunked("abc"[: a.shape[1]], a),
        lambda a: pd.DataFrame(table("abc"[: a.shape[1]], a)).convert_dtypes(dtype_backend="pyarrow"),
    ],
    ids=["fortran", "strided", "unaligned", "list", "pandas", "named", "polars", "pyarrow", "chunked", "extension"],
)
def test_layouts_give_the_same_bits(rows, fitted, form, tmp_path):
    X, Y = rows
    model = orff.OperatorRidge(**OPTIONS).fit(form(X), form(Y))
    assert (model.predict(form(X)) == fitted).all()


def test_read_only_memory_maps(rows, fitted, tmp_path):
    X, Y = rows
    for name, a in (("x", X), ("y", Y)):
        np.save(tmp_path / f"{name}.npy", a)
    x, y = (np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in "xy")
    assert (orff.OperatorRidge(**OPTIONS).fit(x, y).predict(x) == fitted).all()


@pytest.mark.parametrize("form", [sp.csr_array, sp.csc_matrix, sp.coo_array])
def test_sparse_rows(rows, form):
    X, Y = rows
    X = np.where(np.abs(X) > 1, X, 0)
    dense = orff.OperatorRidge(**OPTIONS).fit(X, Y).predict(X)
    sparse = orff.OperatorRidge(**OPTIONS).fit(form(X), Y).predict(form(X))
    assert np.allclose(sparse, dense, atol=1e-9)
    Z = orff.FourierFeatures("gaussian(2.0)", n_components=50).fit(form(X))
    # a shift of the inputs turns the features, so kernels are compared
    F, G = Z.transform(form(X)), orff.FourierFeatures("gaussian(2.0)", n_components=50).fit_transform(X)
    assert np.allclose(F @ F.T, G @ G.T, atol=1e-12)


def test_missing_values_of_tables(rows, fitted):
    X, Y = rows
    holes = Y.copy()
    holes[::5, 1] = np.nan
    a = orff.OperatorRidge(**OPTIONS).fit(X, holes).predict(X)
    nulls = pl.DataFrame(table("uv", holes)).with_columns(pl.all().fill_nan(None))
    assert nulls["v"].null_count() == 30
    model = orff.OperatorRidge(**OPTIONS).fit(X, nulls)
    assert (model.predict(X) == a).all() and np.isfinite(model.score(X, nulls))
    with pytest.raises(ValueError, match=r"^X: row 1, column 2 \('v'\): NaN is not a finite number"):
        orff.OperatorRidge(**OPTIONS).fit(nulls, X[:, :2])


def test_single_precision_stays_single(rows, plane):
    X, Y = rows
    x = X.astype(np.float32)
    model = orff.OperatorRidge(**OPTIONS).fit(x, Y.astype(np.float32))
    mean, std, cov = model.predict(x, return_std=True, return_cov=True)
    assert mean.dtype == std.dtype == cov.dtype == np.float32
    assert model.predict(X).dtype == np.float64
    assert np.abs(model.predict(x.astype(np.float64)) - mean).max() < 2e-5 * np.abs(mean).max()
    assert orff.FourierFeatures().fit_transform(x).dtype == np.float32
    frame = pl.DataFrame(table("abc", x))
    assert orff.OperatorRidge(**OPTIONS).fit(frame, Y).predict(frame).dtype == np.float32
    assert orff.VectorField().fit(*plane).curl(plane[0].astype(np.float32)).dtype == np.float32


def test_names_are_kept_and_checked(rows):
    X, Y = rows
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    for make in (lambda f: f, pl.from_pandas, pa.Table.from_pandas):
        model = orff.OperatorRidge(**OPTIONS).fit(make(frame), pd.DataFrame(Y, columns=["u", "v"]))
        assert list(model.feature_names_in_) == ["a", "b", "c"]
        assert model._info["inputs"] == ["a", "b", "c"] and model._info["outputs"] == ["u", "v"]
        with pytest.raises(ValueError, match="feature names"):
            model.predict(make(frame[["b", "a", "c"]]))
        with pytest.raises(ValueError, match="feature"):
            model.predict(make(frame[["a", "b"]]))
    with pytest.raises(ValueError, match="column 'w': expected numbers"):
        orff.OperatorRidge().fit(pd.DataFrame({"w": ["p", "q"]}), [1.0, 2.0])
    with pytest.raises(ValueError, match="^X, column 'w': expected numbers, got words"):
        orff.OperatorRidge().fit(pl.DataFrame({"w": ["p", "q"]}), [1.0, 2.0])


def test_set_output():
    X = np.random.default_rng(0).normal(size=(20, 2))
    features = orff.FourierFeatures(n_components=4).fit(X)
    names = ["fourierfeatures0", "fourierfeatures1", "fourierfeatures2", "fourierfeatures3"]
    assert list(features.get_feature_names_out()) == names
    plain = features.transform(X)
    for library, Frame in (("pandas", pd.DataFrame), ("polars", pl.DataFrame)):
        out = features.set_output(transform=library).transform(X)
        assert isinstance(out, Frame) and list(out.columns) == names
        assert (out.to_numpy() == plain).all()


def test_arrays_are_not_copied():
    X = np.zeros((400_000, 8), order="C")
    X[:, 0] = np.arange(len(X))
    y = np.sin(np.arange(len(X)) / 1e5)
    model = orff.OperatorRidge(n_components=4, alpha=1e-3, lengthscale=1e5)
    model.fit(X[:100], y[:100])
    tracemalloc.start()
    model.fit(X[:, ::2], y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < X.nbytes / 10


def test_columns_reach_the_library_where_they_are(rows):
    X, Y = rows
    model = orff.OperatorRidge(**OPTIONS)
    frame = pd.DataFrame(table("abc", X.astype(np.float32)))
    frame["b"] = np.arange(150)
    for frame in (frame, pd.DataFrame(X)[::2], pd.DataFrame(X).astype("float32")):
        parts = _data.inputs(model, frame, reset=True)
        assert [part.dtype for part in parts] == list(frame.dtypes)
        assert all(np.shares_memory(part, frame.iloc[:, k].to_numpy()) for k, part in enumerate(parts))
    sparse = sp.csr_array(X)
    values, indices, starts, _ = _data.inputs(model, sparse, reset=True)
    assert values is sparse.data and indices is sparse.indices and starts is sparse.indptr
    assert np.shares_memory(_data.inputs(model, X[::2, ::-1], reset=True), X)
    assert np.shares_memory(_data.outputs(Y[:, 1])[0], Y) and np.shares_memory(
        _data.outputs(pd.Series(Y[:, 1], copy=False))[0], Y
    )
    # the extension asks these for their own buffers
    for mine in (pl.DataFrame(X), pa.table(table("abc", X))):
        assert _data.inputs(model, mine, reset=True) is mine and _data.outputs(mine)[0] is mine


PEAK = """
import sys
import numpy as np, orff, pandas as pd, polars as pl, pyarrow as pa

def memory(line):
    return next(1024 * int(l.split()[1]) for l in open("/proc/self/status") if l.startswith(line))

X = np.random.default_rng(0).normal(size=(8, 500_000))
y = X[0].copy()
columns = dict(zip("abcdefgh", X))
make = {"numpy": lambda: X.T, "pandas": lambda: pd.DataFrame(columns, copy=False), "polars": lambda: pl.DataFrame(columns),
        "pyarrow": lambda: pa.table(columns)}
table = make[sys.argv[1]]()
model = orff.OperatorRidge(n_components=4, alpha=1e-3, lengthscale=1.0).fit(table[:5000], y[:5000])
open("/proc/self/clear_refs", "w").write("5")  # the peak is now what is in use
before = memory("VmRSS")
model.fit(table, y)
print((memory("VmHWM") - before) / X.nbytes)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/clear_refs"), reason="needs Linux to ask for its peak of memory")
@pytest.mark.parametrize("form", ["numpy", "pandas", "polars", "pyarrow"])
def test_a_fit_never_holds_a_second_table(form):
    run = subprocess.run([sys.executable, "-c", PEAK, form], capture_output=True, text=True, check=True)
    assert float(run.stdout) < 0.8


TIMES = np.datetime64("2020-01-01") + np.arange(150)


@pytest.mark.parametrize(
    "made, said",
    [
        (lambda X: pd.DataFrame({"a": X[:, 0], "when": TIMES}), "column 'when': expected numbers, got times"),
        (lambda X: pd.DataFrame({"a": X[:, 0], "when": TIMES}).diff(), "column 'when': expected numbers, got times"),
        (lambda X: pd.DataFrame({"when": pd.Series(TIMES).dt.tz_localize("UTC")}), "column 'when': expected numbers"),
        (lambda X: np.column_stack([TIMES, TIMES]), "expected numbers, got times"),
        (lambda X: X * 1j, "Complex data not supported"),
        (lambda X: sp.csr_array(X * 1j), "Complex data not supported"),
        (lambda X: pd.DataFrame({"z": X[:, 0] * 1j}), "column 'z': Complex data not supported"),
        (lambda X: X.astype(str), "expected numbers, got words"),
        (lambda X: X.astype(bytes), "expected numbers, got words"),
        (lambda X: X.astype(str).tolist(), "expected numbers, got words"),
        (lambda X: X.astype(str).astype(object), "expected numbers, got words"),
        (lambda X: pd.DataFrame(table("abc", X.astype(str))), "column 'a': expected numbers, got words"),
        (lambda X: pd.DataFrame({"c": pd.Categorical([1, 2] * 75)}), "column 'c': expected numbers, got categories"),
        (lambda X: pd.DataFrame({"p": pd.period_range("2020", periods=150)}), "column 'p': expected numbers"),
        (lambda X: pd.DataFrame({"n": [10**400] * 150}), "column 'n': expected numbers"),
        (lambda X: np.full((150, 2), {}), "expected numbers"),
        (lambda X: pl.DataFrame(X.astype(str), schema=["a", "b", "c"]), "column 'a': expected numbers, got words"),
        (lambda X: pl.DataFrame({"a": X[:, 0], "when": TIMES}), "column 'when': expected numbers, got times"),
        (lambda X: pl.DataFrame({"when": TIMES.astype("M8[us]")}), "column 'when': expected numbers, got times"),
        (lambda X: pl.DataFrame({"d": (TIMES - TIMES[0]).astype("m8[us]")}), "column 'd': expected numbers, got times"),
        (lambda X: pl.DataFrame({"c": pl.Series(["p", "q"] * 75, dtype=pl.Categorical)}), "column 'c': .*, got categories"),
        (lambda X: pl.DataFrame({"l": [[1.0, 2.0]] * 150}), "column 'l': expected numbers, got lists"),
        (lambda X: pl.DataFrame({"s": [{"u": 1}] * 150}), "column 's': expected numbers, got records"),
        (lambda X: pl.DataFrame({"n": [None] * 150}), "column 'n': expected numbers, got a column without values"),
        (lambda X: pa.table({"w": ["p"] * 150}), "column 'w': expected numbers, got words"),
        (lambda X: pa.table({"c": pa.array([1, 2] * 75).dictionary_encode()}), "column 'c': .*, got categories"),
        (lambda X: pa.table({"b": [b"p"] * 150}), "column 'b': expected numbers, got bytes"),
        (lambda X: pd.DataFrame(), "got a table of shape \\(0, 0\\)"),
        (lambda X: pd.DataFrame(index=range(150)), "got a table of shape \\(150, 0\\)"),
        (lambda X: pl.DataFrame({"a": []}), "got a table of shape \\(0, 1\\)"),
        (lambda X: pa.table({}), "got a table of shape \\(0, 0\\)"),
    ],
)
def test_what_is_no_number_is_refused(rows, made, said):
    X, Y = rows
    data = made(X)
    arrow = isinstance(data, (pl.DataFrame, pa.Table))
    with pytest.raises(ValueError if arrow else (ValueError, TypeError), match=f"^X.*{said}" if arrow else said):
        orff.OperatorRidge(**OPTIONS).fit(data, Y)
    with pytest.raises((ValueError, TypeError), match=said):
        orff.FourierFeatures().fit(data)
    if not sp.issparse(data):
        with pytest.raises((ValueError, TypeError), match=f"^y.*{said}"):
            orff.OperatorRidge(**OPTIONS).fit(X, data)
    model = orff.OperatorRidge(**OPTIONS).partial_fit(X, Y)
    with pytest.raises((ValueError, TypeError), match=said):
        model.moments_.add(data, Y)
    if not sp.issparse(data):
        with pytest.raises((ValueError, TypeError), match=f"^y.*{said}"):
            model.score(X, data)
    with pytest.raises((ValueError, TypeError), match=f"^Y.*{said}"):
        orff.FourierVAR("linear").fit(data.toarray() if sp.issparse(data) else data)


def test_columns_of_words_and_times_as_outputs_are_refused(rows):
    X, Y = rows
    for series in (pd.Series(TIMES), pd.Series(Y[:, 0].astype(str)), pd.Series(["p", "q"] * 75, dtype="category")):
        with pytest.raises(ValueError, match="y: expected numbers"):
            orff.OperatorRidge(**OPTIONS).fit(X, series)
    for frame in (pl.DataFrame({"when": TIMES}), pa.table({"when": pa.array(["p", "q"] * 75).dictionary_encode()})):
        with pytest.raises(ValueError, match="^y, column 'when': expected numbers, got (times|categories)"):
            orff.OperatorRidge(**OPTIONS).fit(X, frame)


def test_masked_entries_are_missing(rows):
    X, Y = rows
    holes = np.where(Y > 1, np.nan, Y)
    masked = np.ma.masked_array(Y, mask=Y > 1)
    a, b = (orff.OperatorRidge(**OPTIONS).fit(X, y) for y in (holes, masked))
    assert np.isnan(holes).any() and (a.predict(X) == b.predict(X)).all()
    assert a.score(X, holes) == b.score(X, masked)
    with pytest.raises(ValueError, match="X: expected no masked entries, got 1"):
        a.predict(np.ma.masked_array(X, mask=X == X[3, 1]))
    with pytest.raises(ValueError, match="sample_weight: expected no masked entries, got 2"):
        orff.OperatorRidge().fit(X, Y, np.ma.masked_array(np.ones(150), mask=[1, 1] + 148 * [0]))
    assert (a.predict(np.ma.masked_array(X)) == a.predict(X)).all()


def test_missing_values_of_pandas(rows):
    X, Y = rows
    whole = np.where(Y[:, 0] > 1, np.nan, np.round(Y[:, 0]))
    expected = orff.OperatorRidge(**OPTIONS).fit(X, whole).predict(X)
    for dtype in ("Int64", "Float64", "object", "double[pyarrow]", "int64[pyarrow]"):
        series = pd.Series(whole).astype("Int64").astype(dtype)
        assert series.isna().sum() == np.isnan(whole).sum() > 0
        assert (orff.OperatorRidge(**OPTIONS).fit(X, series).predict(X) == expected).all()
        assert (orff.OperatorRidge(**OPTIONS).fit(X, series.to_frame()).predict(X)[:, 0] == expected).all()


def test_rows_and_weights_that_do_not_match_are_named(rows):
    X, Y = rows
    model = orff.OperatorRidge(**OPTIONS)
    for y in (Y[:-1], Y[:-1, 0], pd.DataFrame(Y[:-1]), pl.DataFrame(Y[:-1]), sum(Y.tolist()[:-1], [])[:149]):
        with pytest.raises(ValueError, match="^y: expected 150 rows as in X, got 149$"):
            model.fit(X, y)
        with pytest.raises(ValueError, match="^y: expected 150 rows as in X, got 149$"):
            model.partial_fit(sp.csr_array(X), y)
    for w in (np.ones((150, 1)), np.ones(149), np.ones((150, 3)), np.ones((150, 2, 1))):
        with pytest.raises(ValueError, match=r"^sample_weight: expected shape \(150,\) or \(150, 2\) as in X and y, got"):
            model.fit(X, Y, sample_weight=w)
    with pytest.raises(ValueError, match=r"^sample_weight: expected shape \(150,\) as in X, got \(150, 2\)$"):
        orff.FourierFeatures().fit(X, sample_weight=np.ones((150, 2)))
    with pytest.raises(ValueError, match="^sample_weight: expected numbers, got words"):
        model.fit(X, Y, sample_weight=["1"] * 150)


@pytest.mark.parametrize("estimator", CLASSES.values(), ids=lambda made: made.__name__)
@pytest.mark.parametrize(
    "wrong",
    [None, "rows", 3.0, np.zeros(40), np.zeros((40, 0)), np.zeros((0, 2)), np.zeros((4, 2, 2)), [[1.0, 2.0], [3.0]]],
    ids=["none", "word", "number", "one axis", "no columns", "no rows", "three axes", "ragged"],
)
def test_inputs_of_a_wrong_shape_are_named(estimator, wrong):
    with pytest.raises((TypeError, ValueError), match=r"^X\b"):
        estimator().fit(wrong, np.arange(40) % 2)


def test_columns_of_the_same_name_are_refused(rows):
    X, Y = rows
    twice = pd.DataFrame(Y, columns=["u", "u"])
    for fit in (orff.OperatorRidge(n_components=16).fit, orff.OperatorRidge(n_components=16).partial_fit):
        with pytest.raises(ValueError, match="^y: expected columns with different names, got 'u' twice$"):
            fit(X, twice)
        with pytest.raises(ValueError, match="^X: expected columns with different names, got 'u' twice$"):
            fit(twice, Y)


def test_sparse_rows_that_lead_nowhere_are_refused(rows):
    Y = rows[1]
    for index in (-1, 3, 10**6):
        X = sp.csr_array(rows[0])
        X.indices[4] = index
        with pytest.raises(ValueError, match=f"^X: expected column indices from 0 to 2, got {index}$"):
            orff.OperatorRidge(n_components=16).fit(X, Y)
    X = sp.csr_array(rows[0])
    X.indptr[3] = 10**6
    said = "^X: expected an indptr that grows"
    with pytest.raises(ValueError, match=said):
        orff.OperatorRidge(n_components=16).fit(X, Y)
    with pytest.raises(ValueError, match=said):  # before SciPy takes rows of it
        orff.plot.learning_curve(orff.OperatorRidge(n_components=16), X, Y)
    with pytest.raises(ValueError, match=said):
        orff.OperatorRidge(n_components=16).fit(sp.csc_array((X.data, X.indices % 3, X.indptr), X.shape[::-1]), Y[:3])
    X = sp.csc_array(rows[0])
    X.indices[4] = len(Y)
    with pytest.raises(ValueError, match=f"^X: expected row indices from 0 to {len(Y) - 1}, got {len(Y)}$"):
        orff.OperatorRidge(n_components=16).fit(X, Y)
    X = sp.csr_array(rows[0])
    X.indptr = X.indptr[:-1]
    with pytest.raises(ValueError, match=f"^X: expected an indptr of length {len(Y) + 1}, got {len(Y)}$"):
        orff.OperatorRidge(n_components=16).fit(X, Y)


@pytest.mark.parametrize("make", [lambda f: f, pl.from_pandas, pa.Table.from_pandas], ids=["pandas", "polars", "pyarrow"])
def test_values_that_cannot_be_used_are_named_by_their_column(rows, make):
    frame, fields = pd.DataFrame(rows[0], columns=["a", "b", "c"]), pd.DataFrame(rows[1], columns=["u", "v"])
    hole, gap, none = frame.copy(), fields.copy(), fields.copy()
    hole.loc[3, "b"], gap.loc[5, "u"], none["v"] = np.nan, np.inf, np.nan
    model = orff.OperatorRidge(**OPTIONS)
    fitted = orff.OperatorRidge(**OPTIONS).partial_fit(make(frame), make(fields))
    field = orff.VectorField(n_components=20).fit(make(frame), make(frame))
    classes = orff.OperatorClassifier(n_components=20).fit(make(frame), fields["u"] > 0)
    features = orff.FourierFeatures(n_components=20).fit(make(frame))
    bad = r"^X: row 4, column 2 \('b'\): NaN is not a finite number"
    for ask in (
        lambda: model.fit(make(hole), make(fields)),
        lambda: model.partial_fit(make(hole), make(fields)),
        lambda: orff.OperatorRidge(**OPTIONS, warm_start=True).fit(make(hole), make(fields)),
        lambda: fitted.moments_.add(make(hole), make(fields)),
        lambda: fitted.predict(make(hole)),
        lambda: field.curl(make(hole)),
        lambda: field.decompose(make(hole)),
        lambda: classes.predict(make(hole)),
        lambda: features.transform(make(hole)),
    ):
        with pytest.raises(ValueError, match=bad):
            ask()
    for said, y in (
        (r"^y: row 6, column output 1 \('u'\): inf is not a finite number", gap),
        (r"^y: output 2 \('v'\): not observed", none),
        (r"^y: output 1 \('u'\): its values spread too far", fields * 1e160),
    ):
        with pytest.raises(ValueError, match=said):
            model.fit(make(frame), y if make is pl.from_pandas and y is none else make(y))
    with pytest.raises(ValueError, match=r"^X: input 1 \('a'\): its values spread too far"):
        model.fit(make(frame * 1e160), make(fields))
    # of columns without names there is the number
    with pytest.raises(ValueError, match="^X: row 4, column 2: NaN"):
        model.fit(hole.to_numpy(), fields.to_numpy())


def test_series_are_named_by_their_column():
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 2)), columns=["a", "b"])
    model = orff.FourierVAR("linear").fit(table)
    bad = table.copy()
    bad.loc[7, "b"] = np.inf
    with pytest.raises(ValueError, match=r"^Y: row 8, column variable 2 \('b'\): inf is not a finite number"):
        orff.FourierVAR("linear").fit(bad)
    with pytest.raises(ValueError, match=r"^exog: row 8, column exogenous 2 \('b'\): inf"):
        orff.FourierVAR("linear").fit(table, exog=bad)
    with pytest.raises(ValueError, match="^history: row 8, column b of the history: inf"):
        model.forecast(2, history=bad[:8])
    with pytest.raises(ValueError, match="^time: row 3, column time: 0 "):
        orff.FourierVAR("linear").fit(table, time=[0, 1, 0, *range(3, 40)])


def test_values_so_small_that_their_squares_vanish_are_refused(rows):
    X, Y = rows
    for Class in (orff.OperatorRidge, orff.ExactOperatorRidge, orff.NystromRidge, orff.VectorField):
        y = X if Class is orff.VectorField else Y
        with pytest.raises(ValueError, match="^X: input 1: its values lie too close together for floating-point"):
            Class().fit(X * 1e-300, y)
        with pytest.raises(ValueError, match="^y: output 1: its values lie too close together for floating-point"):
            Class().fit(X, y * 1e-200)
    # what is constant, or small only, is none of it
    small = orff.OperatorRidge(n_components=64).fit(X * 1e-100, Y * 1e-100)
    assert small.score(X * 1e-100, Y * 1e-100) > 0.9
    assert orff.OperatorRidge(n_components=64).fit(np.hstack([X, np.zeros((150, 1))]), Y).score(
        np.hstack([X, np.zeros((150, 1))]), Y
    ) > 0.9


def test_frames_without_rows_yet_are_refused(rows):
    X, Y = (pl.DataFrame(part) for part in rows)
    said = "expected rows, got a LazyFrame, which has none yet; use collect\\(\\)"
    for ask, name in (
        (lambda: orff.OperatorRidge().fit(X.lazy(), Y), "X"),
        (lambda: orff.OperatorRidge().fit(X, Y.lazy()), "y"),
        (lambda: orff.OperatorRidge().fit(X, Y, Y[:, :1].lazy()), "sample_weight"),
        (lambda: orff.FourierFeatures().fit(X.lazy()), "X"),
        (lambda: orff.OperatorClassifier().fit(X, Y.lazy()), "y"),
        (lambda: orff.FourierVAR().fit(Y.lazy()), "Y"),
    ):
        with pytest.raises(TypeError, match=f"^{name}: {said}$"):
            ask()


def test_numbers_across_the_words_of_memory():
    def across(values):
        return np.frombuffer(b"\0" + values.tobytes(), np.uint8)[1:].view(np.float64).reshape(values.shape)

    rng = np.random.default_rng(0)
    X, Y = rng.uniform(-1, 1, (24, 2)), np.cumsum(rng.normal(size=(24, 2)), axis=0)
    assert not across(Y).flags.aligned
    series = orff.FourierVAR("linear", order=1).fit(Y)
    assert (orff.FourierVAR("linear", order=1).fit(across(Y)).params == series.params).all()
    assert (series.forecast(3, history=across(Y)).mean == series.forecast(3, history=Y).mean).all()
    quantiles = orff.QuantileFunction(n_components=16).fit(across(X), across(Y[:, :1]))
    assert (quantiles.cdf(X, across(Y[:, :1])) == quantiles.cdf(X, Y[:, :1])).all()
    curves = orff.FunctionalRidge(n_components=16).fit(X, Y)
    assert (curves.predict(X, at=across(np.abs(X))) == curves.predict(X, at=np.abs(X))).all()
    assert (orff.gaussian(0.5)(across(X)) == orff.gaussian(0.5)(X)).all()
