"""Every layout of the same numbers gives the same bits, and nothing large is copied."""

import tracemalloc

import numpy as np
import orff
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

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
    with pytest.raises(ValueError, match=r"row 1, column 2: NaN is not a finite number"):
        orff.OperatorRidge(**OPTIONS).fit(nulls, X[:, :2])


def test_single_precision_stays_single(rows, plane):
    X, Y = rows
    x = X.astype(np.float32)
    model = orff.OperatorRidge(**OPTIONS).fit(x, Y.astype(np.float32))
    mean, std, cov = model.predict(x, return_std=True, return_cov=True)
    assert mean.dtype == std.dtype == cov.dtype == np.float32
    assert model.predict(X).dtype == np.float64
    assert (model.predict(x.astype(np.float64)).astype(np.float32) == mean).all()
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
    with pytest.raises(TypeError, match='column "w" holds'):
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
