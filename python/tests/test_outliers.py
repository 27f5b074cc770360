"""Detectors of outliers: scikit-learn's interface, beside its own isolation forest."""

import os
import subprocess

import numpy as np
import orff
import pandas as pd
import pytest
import scipy.sparse
from scipy.stats import spearmanr
from sklearn.base import is_outlier_detector
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score

DETECTORS = [orff.OneClassForest, orff.IsolationForest]


@pytest.fixture(scope="module")
def odd():
    """A cloud with some rows far away, and which these are."""
    rng = np.random.default_rng(4)
    far = np.arange(600) % 30 == 0
    X = rng.normal(size=(600, 5)) * [1, 2, 3, 4, 5] + np.where(far, 5, 0)[:, None] * [1, 0, 3, 0, 0]
    return X, far


@pytest.mark.parametrize("Detector", DETECTORS)
def test_scores_decisions_and_labels_agree(Detector, odd):
    X, far = odd
    model = Detector().fit(X)
    scores = model.score_samples(X)
    assert is_outlier_detector(model) and scores.shape == (600,) and scores.dtype == np.float64
    assert (model.decision_function(X) == scores - model.offset_).all()
    assert (model.predict(X) == np.where(scores < model.offset_, -1, 1)).all()
    assert (model.predict(X[~far]) == 1).mean() > 0.75 and (model.predict(X[far]) == -1).mean() > 0.75
    assert (Detector().fit_predict(X) == model.predict(X)).all()
    assert roc_auc_score(far, -scores) > 0.97
    assert (scores == Detector(n_jobs=1).fit(X).score_samples(X)).all()
    assert (scores != Detector(random_state=1).fit(X).score_samples(X)).any()


@pytest.mark.parametrize("Detector", DETECTORS)
def test_contamination_is_optional(Detector, odd):
    X, _ = odd
    model = Detector(contamination=0.05).fit(X)
    assert (model.predict(X) == -1).sum() == 30
    assert model.offset_ == pytest.approx(np.percentile(model.score_samples(X), 5))


def test_the_isolation_forest_is_that_of_scikit_learn(odd):
    X, _ = odd
    ours = orff.IsolationForest(n_estimators=400).fit(X).score_samples(X)
    theirs = IsolationForest(n_estimators=400, random_state=0).fit(X).score_samples(X)
    # as alike as two of theirs
    other = IsolationForest(n_estimators=400, random_state=1).fit(X).score_samples(X)
    noise = np.abs(theirs - other).max()
    assert np.abs(ours - theirs).max() < 2 * noise and spearmanr(ours, theirs)[0] > 0.97
    for options in ({"max_samples": 64}, {"max_samples": 0.3, "max_features": 3}, {"bootstrap": True}):
        a = orff.IsolationForest(n_estimators=300, **options).fit(X).score_samples(X)
        b = IsolationForest(n_estimators=300, random_state=0, **options).fit(X).score_samples(X)
        # theirs does not count the copies of a row in a leaf
        close = "bootstrap" in options or abs(a.mean() - b.mean()) < 0.01
        assert close and spearmanr(a, b)[0] > 0.95, options


def test_what_a_one_class_forest_can_be_told(odd):
    X, far = odd
    for options in (
        {"scoring": "density"},
        {"scoring": "typical-cell"},
        {"criterion": "shannon"},
        {"gamma": 0.5, "min_samples_split": 5, "max_density": 1e3, "min_density": 1e-3},
        {"max_samples": 256, "max_features": 1.0, "max_features_node": 2, "max_depth": 6},
    ):
        scores = orff.OneClassForest(**options).fit(X[~far]).score_samples(X)
        assert roc_auc_score(far, -scores) > 0.9, options
    shares = orff.OneClassForest().fit(X).feature_importances_
    assert shares.shape == (5,) and shares.sum() == pytest.approx(1) and shares.argmax() in (0, 2)
    assert not hasattr(orff.IsolationForest().fit(X), "feature_importances_")
    assert not hasattr(orff.OneClassForest().fit(X), "kernel_")


@pytest.mark.parametrize("Detector", DETECTORS)
def test_files_and_names(Detector, odd, tmp_path):
    X, _ = odd
    table = pd.DataFrame(X, columns=list("abcde"))
    model = Detector(n_estimators=20, contamination=0.1).fit(table)
    model.save(tmp_path / "m.orff")
    again = orff.load(tmp_path / "m.orff")
    assert type(again) is Detector and again.get_params() == model.get_params()
    assert list(again.feature_names_in_) == list("abcde") and again.offset_ == model.offset_
    assert (again.score_samples(table) == model.score_samples(table)).all()
    with pytest.raises(ValueError, match="feature names"):
        again.predict(table.rename(columns={"a": "z"}))
    command = os.environ.get("ORFF_COMMAND")
    if command:  # the command has the bits of the package
        table.to_csv(tmp_path / "d.csv", index=False, float_format="%.17g")
        run = [command, "-q", "predict", tmp_path / "m.orff", tmp_path / "d.csv", "-o", tmp_path / "out.npy"]
        subprocess.run(run, check=True)
        found = np.load(tmp_path / "out.npy")
        assert (found[:, 0] == model.score_samples(table)).all()
        assert (found[:, 1] == (model.predict(table) == -1)).all()


@pytest.mark.parametrize("Detector", DETECTORS)
def test_rows_of_any_kind(Detector, odd):
    X, _ = odd
    model = Detector(n_estimators=10)
    scores = model.fit(X).score_samples(X)
    single = X.astype(np.float32)
    assert np.abs(model.score_samples(np.asfortranarray(X)) - scores).max() == 0
    assert (model.fit(scipy.sparse.csr_array(X)).score_samples(scipy.sparse.csr_array(X)) == scores).all()
    assert model.fit(single).score_samples(single).dtype == np.float64
    hole = X.copy()
    hole[3, 1] = np.nan
    with pytest.raises(ValueError, match="row 4, column 2.*NaN"):
        model.fit(hole)


@pytest.mark.parametrize("Class", [orff.OneClassForest, orff.IsolationForest])
def test_columns_beyond_the_memory_are_refused_before_they_are_held(Class):
    with pytest.raises(MemoryError, match="a forest of 1000000000 inputs and 1 rows or more needs"):
        Class().fit(scipy.sparse.csr_array((24, 10**9)))
