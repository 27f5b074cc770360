"""Learning from rows without outputs."""

import numpy as np
import orff
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC


@pytest.fixture
def moons():
    rng = np.random.default_rng(3)
    t, first = rng.uniform(0, np.pi, 240), np.arange(240) % 2 == 0
    X = np.where(first, [np.cos(t), np.sin(t)], [1 - np.cos(t), 0.5 - np.sin(t)]).T
    X += 0.05 * rng.normal(size=X.shape)
    truth = np.where(first, 1.0, -1.0)
    return X, truth, np.where(np.arange(240) < 2, truth, np.nan)


@pytest.mark.parametrize("Class", [orff.LaplacianRidge, orff.ExactLaplacianRidge, orff.SemiSupervisedRidge])
def test_one_label_for_each_moon(moons, Class, tmp_path):
    X, truth, y = moons
    model = Class().fit(X, y)
    assert (np.sign(model.predict(X)) == truth).mean() > 0.97
    assert any("2 labelled rows and 238 without" in line for line in model.choices_)
    assert any(line.startswith("graph: 10 neighbours") for line in model.choices_)
    model.save(tmp_path / "m.orff")
    assert (orff.load(tmp_path / "m.orff").predict(X) == model.predict(X)).all()


def test_missing_rows_of_several_outputs(moons):
    X, truth, _ = moons
    Y = np.column_stack([truth, -2 * truth])
    Y[4:] = np.nan
    masked = np.ma.masked_invalid(Y)
    model = orff.LaplacianRidge(n_components=200)
    assert (model.fit(X, Y).predict(X) == model.fit(X, masked).predict(X)).all()
    with pytest.raises(ValueError, match="no output was observed"):
        model.fit(X, np.full(240, np.nan))


def test_features_are_the_warped_kernel(moons):
    X, truth, y = moons
    warped = orff.LaplacianFeatures("gaussian(0.3)", n_components=300, strength=20.0, n_neighbors=7)
    plain = orff.LaplacianFeatures("gaussian(0.3)", n_components=300, strength=0.0, n_neighbors=7)
    Z, P = warped.fit(X).transform(X), plain.fit(X).transform(X)
    sigma = float(next(line for line in warped.choices_ if line.startswith("bandwidth")).split()[1])
    square = ((X[:, None] - X[None]) ** 2).sum(-1)
    near = np.argsort(square + np.diag(np.full(240, np.inf)), 1)[:, :7]
    joined = np.zeros((240, 240), bool)
    joined[np.arange(240)[:, None], near] = True
    W = np.where(joined | joined.T, np.exp(-square / (2 * sigma**2)), 0)
    root = np.sqrt(W.sum(1))
    M = 20.0 * (np.eye(240) - W / np.outer(root, root))
    K = P @ P.T
    # the bandwidth was read from a sentence, with four digits
    assert np.abs(Z @ Z.T - (K - K @ np.linalg.solve(np.eye(240) + M @ K, M @ K))).max() < 1e-3
    assert warped.transform(X[:3].astype(np.float32)).dtype == np.float32
    low = orff.LaplacianFeatures("gaussian(0.3)", n_components=300, strength=20.0, rank=40).fit(X)
    assert low.n_components_ == 40 and low.transform(X[:5]).shape == (5, 40)
    piped = make_pipeline(orff.LaplacianFeatures(n_components=600), Ridge(alpha=1e-3))
    features = piped[0].fit(X).transform(X)
    assert (np.sign(piped[1].fit(features[:2], truth[:2]).predict(features)) == truth).mean() > 0.97


def test_views(moons):
    X, truth, _ = moons
    rng = np.random.default_rng(0)
    two = np.hstack([X, X[:, ::-1] + 0.02 * rng.normal(size=X.shape)])
    y = np.where(np.arange(240) < 12, truth, np.nan)
    model = orff.SemiSupervisedRidge(views="1-2; 3-4", n_components=400).fit(two, y)
    assert (np.sign(model.predict(two)) == truth).mean() > 0.95
    with pytest.raises(ValueError, match="views: expected two or more groups"):
        orff.SemiSupervisedRidge(views="1-9").fit(two, y)


def decided(model, rows):
    return model.decision_function(rows) if hasattr(model, "decision_function") else model.predict(rows)


SAME_VIEWS = [
    [[0, 2], [1, 3]],
    ([-4, 2], np.array([1, 3])),
    [["a", "c"], ["b", "d"]],
    [slice(None, None, 2), range(1, 4, 2)],
    np.array([[True, False, True, False], [False, True, False, True]]),
]


@pytest.mark.parametrize("views", SAME_VIEWS, ids=str)
@pytest.mark.parametrize("Class", [orff.SemiSupervisedRidge, orff.SemiSupervisedClassifier])
def test_views_by_lists_names_slices_and_masks(moons, Class, views):
    X, truth, _ = moons
    table = pd.DataFrame(np.hstack([X, 2 * X[:, ::-1]]), columns=list("abcd"))
    y = np.where(np.arange(240) < 12, truth, np.nan)
    fit = {"kernel": "gaussian(0.3)", "n_components": 60, "n_neighbors": 10, "power": 2, "intrinsic": 1e-3, "alpha": 1e-3}
    expected = Class(views="1,3; 2,4", combination="0.75, 0.25", **fit).fit(table, y)
    for combination in ([0.75, 0.25], np.array([0.75, 0.25])):
        model = Class(views=views, combination=combination, **fit).fit(table, y)
        assert np.array_equal(decided(model, table), decided(expected, table))
    assert model.get_params()["views"] is views
    other = Class(views="1,2; 3,4", combination="0.75, 0.25", **fit).fit(table, y)
    assert not np.allclose(decided(other, table), decided(expected, table))


@pytest.mark.parametrize(
    "views, given",
    [
        ([[0, 1], [2, 4]], "4"),
        ([[0, 1], ["a"]], '"a"'),
        ([[0, 1]], r"\[\[0, 1\]\]"),
        ([[0, 1], []], r"\[\[0, 1\], \[\]\]"),
        ([0, 1], "0"),
        (["1-2", "3-4"], '"1-2"'),
        ([[0.5], [1]], "0.5"),
        ([[True], [1]], "true"),
        ([slice("a", "b"), [1]], "\"slice.*"),
    ],
)
def test_views_that_are_none(moons, views, given):
    X, _, y = moons
    sentence = '^views: expected two or more groups of the 4 columns of X: .* "1-3; 4,6", or lists of indices from 0'
    with pytest.raises(orff.ParameterError, match=f"{sentence}, got {given}$"):
        orff.SemiSupervisedRidge(views=views).fit(np.hstack([X, X]), y)
    with pytest.raises(orff.ParameterError, match="combination: expected 2 numbers other than 0"):
        orff.SemiSupervisedRidge(views="1-2; 3-4", combination=[1, 2, 3]).fit(np.hstack([X, X]), y)


def test_sparse_rows(moons):
    X, truth, y = moons
    wide = np.hstack([X, np.zeros((240, 30))])
    model = orff.LaplacianRidge("gaussian(0.3)", n_components=400, bandwidth=0.1)
    answers = model.fit(sparse.csr_array(wide), y).predict(sparse.csr_array(wide))
    assert (np.sign(answers) == truth).mean() > 0.97


CLASSIFIERS = [orff.LaplacianClassifier, orff.ExactLaplacianClassifier, orff.SemiSupervisedClassifier]


@pytest.mark.parametrize("Class", CLASSIFIERS)
@pytest.mark.parametrize("loss", ["squared", "simplex-hinge", "logistic"])
def test_one_label_for_each_class(moons, Class, loss, tmp_path):
    X, truth, _ = moons
    words = np.where(truth > 0, "up", "down")
    model = Class(loss=loss).fit(X, np.where(np.arange(240) < 2, words, ""))
    assert list(model.classes_) == ["down", "up"]
    assert (model.predict(X) == words).mean() > 0.97
    assert np.allclose(model.predict_proba(X).sum(1), 1)
    model.save(tmp_path / "m.orff")
    again = orff.load(tmp_path / "m.orff")
    assert (again.predict(X) == model.predict(X)).all() and list(again.classes_) == ["down", "up"]


def test_what_is_no_label(moons):
    X, truth, _ = moons
    first = np.arange(240) < 12
    up = (truth > 0).astype(int)
    model = orff.LaplacianClassifier(n_components=200)
    expected = model.fit(X, [int(v) if k else None for v, k in zip(up, first, strict=True)]).predict(X)
    for y in [
        np.where(first, up, np.nan),
        np.ma.MaskedArray(up, ~first),
        pd.Series(up).where(first),
        pd.Series(up, dtype="Int64").where(pd.Series(first)),
        pl.Series("label", [int(v) if k else None for v, k in zip(up, first, strict=True)]),
    ]:
        assert (model.fit(X, y).predict(X) == expected).all()
    marked = np.where(first, up, -1)
    assert len(model.fit(X, marked).classes_) == 3
    model.set_params(unlabeled=-1).fit(X, marked)
    assert list(model.classes_) == [0, 1] and (model.predict(X) == expected).all()
    with pytest.raises(ValueError, match="every label is missing"):
        model.fit(X, np.full(240, -1))
    with pytest.raises(ValueError, match="one class only"):
        model.fit(X, np.where(first & (up == 1), 1, -1))
    with pytest.raises(ValueError, match="loss: expected one of squared"):
        orff.LaplacianClassifier(loss="huber").fit(X, up)


def test_a_graph_of_ones_own(moons):
    X, truth, y = moons
    square = ((X[:, None] - X[None]) ** 2).sum(-1)
    W = sparse.csr_array(np.where(square < 0.09, np.exp(-square / 0.02), 0))
    for model in [orff.LaplacianRidge(n_components=400), orff.ExactLaplacianRidge()]:
        assert (np.sign(model.fit(X, y, graph=W).predict(X)) == truth).mean() > 0.97
        assert any(line.startswith("graph: given") for line in model.choices_)
    labels = np.where(np.isnan(y), -1, y > 0)
    classes = orff.LaplacianClassifier(n_components=400, unlabeled=-1).fit(X, labels, graph=W.tocoo())
    assert (classes.predict(X) == (truth > 0)).mean() > 0.97
    assert orff.LaplacianFeatures(n_components=50).fit(X, graph=W).transform(X).shape == (240, 50)
    with pytest.raises(ValueError, match="^graph: expected weights between .* as in X, got"):
        orff.LaplacianRidge().fit(X, y, graph=W[:5])
    with pytest.raises(TypeError, match="graph: expected a sparse matrix"):
        orff.LaplacianRidge().fit(X, y, graph=W.toarray())


def test_support_vectors_are_those_of_scikit_learn(moons):
    """The same machine on the same warped features; scikit-learn's C is 1/(2nλ) where each row stands once."""
    X, truth, _ = moons
    first = np.arange(240) < 30
    options = {"n_components": 200, "strength": 3.0, "n_neighbors": 6, "power": 2}
    kernel = "gaussian(0.4)"
    Z = orff.LaplacianFeatures(kernel, measure="trace", **options).fit_transform(X)
    ridge = 1e-3
    model = orff.LaplacianClassifier(kernel, loss="simplex-hinge", alpha=ridge, offset="none", **options)
    model.fit(X, np.where(first, truth, np.nan))
    other = SVC(kernel="precomputed", C=1 / (4 * 30 * ridge), tol=1e-8)
    # without a constant: rows and their opposites, so each stands twice
    G = Z[first] @ Z[first].T
    other.fit(np.block([[G, -G], [-G, G]]), np.concatenate([truth[first], -truth[first]]))
    both = np.hstack([Z @ Z[first].T, -Z @ Z[first].T])
    mine = model.decision_function(X)
    theirs = other.decision_function(both)
    assert np.abs(mine - theirs).max() < 0.03 * np.abs(theirs).max()
