"""Level sets and the one-class support vector machine, beside scikit-learn's."""

import os
import subprocess

import matplotlib.pyplot as plt
import numpy as np
import orff
import pandas as pd
import pytest
import scipy.sparse
from orff import ParameterError
from scipy.stats import spearmanr
from sklearn.base import is_outlier_detector
from sklearn.metrics import roc_auc_score
from sklearn.svm import OneClassSVM

BOTH = [orff.LevelSets, orff.FourierOneClassSVM]


@pytest.fixture(scope="module")
def moons():
    """Two arcs in the plane, some rows far from them, and which these are."""
    rng = np.random.default_rng(1)
    angle, side = rng.uniform(0, np.pi, 400), rng.choice([-1, 1], 400)
    X = np.column_stack([side * (np.cos(angle) - 0.5), 10 * side * np.sin(angle)])
    X += rng.normal(size=X.shape) * [0.1, 1]
    far = np.arange(400) % 40 == 0
    X[far] = np.column_stack([rng.choice([-4, 4], far.sum()), rng.uniform(-20, 20, far.sum())])
    return X, far


@pytest.fixture(scope="module")
def fitted(moons):
    return orff.LevelSets().fit(moons[0])


@pytest.mark.parametrize("nu", [0.05, 0.3, 0.7])
def test_the_plain_machine_is_that_of_scikit_learn(nu, moons):
    X, _ = moons
    ours = orff.FourierOneClassSVM(nu=nu, lengthscale=[0.5, 5.0], n_components=1024, tol=1e-5, max_iter=100_000).fit(X)
    same = orff.FourierFeatures("gaussian", lengthscale=[0.5, 5.0], n_components=1024).fit(X)
    Z = same.transform(X)
    K = Z @ Z.T
    theirs = OneClassSVM(kernel="precomputed", nu=nu, tol=1e-8).fit(K)
    # scikit-learn's function is n·nu times that of the objective
    f, b = theirs.score_samples(K) / (len(X) * nu), theirs.offset_[0] / (len(X) * nu)
    g, c = ours.score_samples(X), ours.offset_

    def objective(values, offset):
        norm = values @ np.linalg.lstsq(K, values, rcond=1e-12)[0]
        return nu / 2 * norm - nu * offset + np.maximum(offset - values, 0).mean()

    best = objective(f, b)
    assert objective(g, c) == pytest.approx(best, rel=1e-4)
    assert np.abs(g - f).max() < 1e-2 * f.std() and abs(c - b) < 1e-2 * f.std()
    on = np.abs(f - b) < 1e-2 * f.std()  # rows on the boundary are on either side
    assert ((ours.predict(X) == theirs.predict(K)) | on).all() and on.mean() < 0.2
    assert ours.n_iter_ > 1 and "duality gap" in " ".join(ours.choices_)


def test_all_levels_beside_scikit_learn(moons):
    X, _ = moons
    # about the median distance: of shorter ones sorting the curves moves rows that are deep inside at small nu
    length = np.array([1.7, 11.7])
    fitted = orff.LevelSets(lengthscale=list(length)).fit(X)
    for nu in (0.1, 0.5, 0.9):
        theirs = OneClassSVM(gamma=0.5, nu=nu, tol=1e-6).fit(X / length)
        found = fitted.decision_function(X, nu)
        assert abs((fitted.predict(X, nu) == -1).mean() - (theirs.predict(X / length) == -1).mean()) < 0.02
        assert spearmanr(found, theirs.decision_function(X / length))[0] > 0.95


def test_levels_scores_and_labels_agree(moons, fitted):
    X, far = moons
    scores = fitted.score_samples(X)
    assert is_outlier_detector(fitted) and scores.shape == (400,) and (0 < scores).all() and (scores < 1).all()
    assert fitted.offset_ == 0.05 and (fitted.decision_function(X) == scores - 0.05).all()
    assert (fitted.predict(X) == fitted.predict(X, 0.05)).all()
    assert roc_auc_score(far, -scores) > 0.97 and (fitted.predict(X[far]) == -1).mean() > 0.75
    nu = np.linspace(0.01, 0.99, 50)
    labels, inside = fitted.predict(X, nu), fitted.decision_function(X, nu)
    assert labels.shape == inside.shape == (400, 50)
    # sets are nested; how far inside a row is, is what the machine of each level says
    assert (np.diff(labels, axis=1) <= 0).all()
    assert ((labels == 1) == (scores[:, None] >= nu)).all() and ((inside >= 0) == (labels == 1)).mean() > 0.9999
    assert np.abs((labels == -1).mean(axis=0) - nu).max() < 0.03
    assert (fitted.predict(X, 0.3) == fitted.predict(X, [0.3])[:, 0]).all()
    told = orff.LevelSets(nu=0.3).fit(X)
    assert told.offset_ == 0.3 and (told.predict(X) == fitted.predict(X, 0.3)).all()
    assert (told.fit_predict(X) == told.predict(X)).all()


def test_what_is_no_level_is_refused(moons, fitted):
    X, _ = moons
    for wrong in (0, 1, -0.5, np.nan, "many", [0.1, 2], [[0.1]], []):
        for ask in (fitted.predict, fitted.decision_function):
            with pytest.raises(ParameterError, match="^nu: expected numbers between 0 and 1, got"):
                ask(X, nu=wrong)
    for wrong in (0.0, 1.0, "much"):
        with pytest.raises(ParameterError, match="^nu: expected"):
            orff.LevelSets(nu=wrong).fit(X)
        with pytest.raises(ParameterError, match="^nu: expected"):
            orff.FourierOneClassSVM(nu=wrong).fit(X)


@pytest.mark.parametrize("Detector", BOTH)
def test_rows_of_any_kind(Detector, moons):
    X, _ = moons
    model = Detector(n_components=100, lengthscale=1.0)
    scores = model.fit(X).score_samples(X)
    assert (model.score_samples(np.asfortranarray(X)) == scores).all()
    sparse = scipy.sparse.csr_array(X)
    assert np.isfinite(model.fit(sparse).score_samples(sparse)).all()
    assert model.fit(X.astype(np.float32)).score_samples(X.astype(np.float32)).dtype == np.float64
    flat = np.column_stack([X, np.full(len(X), 3.0)])
    assert np.isfinite(Detector(n_components=100).fit(flat).score_samples(flat)).all()
    hole = X.copy()
    hole[3, 1] = np.nan
    with pytest.raises(ValueError, match="row 4, column 2.*NaN"):
        model.fit(hole)
    with pytest.raises(ValueError, match="all rows are equal"):
        model.fit(X[:1])
    with pytest.raises(AttributeError, match="importance"):
        model.fit(X).feature_importances_  # noqa: B018


@pytest.mark.parametrize("Detector", BOTH)
def test_files_and_names(Detector, moons, tmp_path):
    X, _ = moons
    table = pd.DataFrame(X, columns=list("ab"))
    model = Detector(n_components=100).fit(table)
    model.save(tmp_path / "m.orff")
    again = orff.load(tmp_path / "m.orff")
    assert type(again) is Detector and again.get_params() == model.get_params()
    assert list(again.feature_names_in_) == list("ab") and again.offset_ == model.offset_
    assert (again.score_samples(table) == model.score_samples(table)).all()
    command = os.environ.get("ORFF_COMMAND")
    if command:  # the command has the bits of the package
        table.to_csv(tmp_path / "d.csv", index=False, float_format="%.17g")
        run = [command, "-q", "predict", tmp_path / "m.orff", tmp_path / "d.csv", "-o", tmp_path / "out.npy"]
        levels = ["--levels", "0.2,0.6"] if Detector is orff.LevelSets else []
        subprocess.run([*run, *levels], check=True)
        found = np.load(tmp_path / "out.npy")
        assert (found[:, 0] == model.score_samples(table)).all()
        assert (found[:, 1] == (model.predict(table) == -1)).all()
        if levels:
            assert (found[:, 2:] == (model.predict(table, [0.2, 0.6]) == -1)).all()


def test_pictures(fitted, moons):
    ax = orff.plot.level_sets(fitted, nu=[0.1, 0.5])
    assert ax.get_xlabel() == "x1" and len(ax.figure.axes) == 2
    plt.close()
    with pytest.raises(ValueError, match="expected two inputs, got 3"):
        orff.plot.level_sets(orff.LevelSets(n_components=64, lengthscale=1.0).fit(np.eye(3)))
    with pytest.raises(TypeError, match="expected a fitted LevelSets, got FourierOneClassSVM"):
        orff.plot.level_sets(orff.FourierOneClassSVM())
    with pytest.raises(ParameterError, match="^nu: expected numbers"):
        orff.plot.level_sets(fitted, nu=1.5)
    with pytest.raises(TypeError, match="^options: no_such"):
        orff.plot.level_sets(fitted, no_such=1)
    assert plt.get_fignums() == []
