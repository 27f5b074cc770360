"""Classes: labels of any type in and out, probabilities, weights, files."""

import json
import subprocess
import sys

import numpy as np
import orff
import pytest
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import cross_val_score

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")


@pytest.fixture(scope="module")
def moons():
    """Three noisy arcs in the plane."""
    rng = np.random.default_rng(7)
    y = rng.integers(0, 3, 240)
    angle = rng.uniform(0, np.pi, 240) + y * 2.1
    X = np.column_stack([np.cos(angle), np.sin(angle)]) * (1 + 0.3 * y)[:, None]
    return X + 0.1 * rng.normal(size=X.shape), y


def test_labels_of_any_type_come_back(moons, tmp_path):
    X, y = moons
    words = np.array(["ant", "bee", "cat"])
    plain = orff.OperatorClassifier(n_components=60).fit(X, y).predict(X)
    for labels in [np.array([4, -2, 9]), np.array([3.0, 1.0, 2.0]), words, words.astype(object)]:
        model = orff.OperatorClassifier(n_components=60).fit(X, labels[y])
        assert (model.classes_ == np.unique(labels)).all()
        found = model.predict(X)
        assert accuracy_score(labels[y], found) > 0.9
        model.save(tmp_path / "m.orff")
        again = orff.load(tmp_path / "m.orff")
        assert again.classes_.dtype.kind == model.classes_.dtype.kind
        assert (again.predict(X) == found).all()
        assert (again.predict_proba(X) == model.predict_proba(X)).all()
    both = orff.OperatorClassifier(n_components=60).fit(X, y > 0)
    both.save(tmp_path / "m.orff")
    assert orff.load(tmp_path / "m.orff").predict(X).dtype == both.predict(X).dtype == bool
    # the order of classes is no matter
    other = orff.OperatorClassifier(n_components=60).fit(X, words[::-1][y]).predict(X)
    assert (other == words[::-1][plain]).all()


def test_tables_of_labels(moons):
    X, y = moons
    words = np.array(["ant", "bee", "cat"])[y]
    expected = orff.OperatorClassifier(n_components=60).fit(X, words).predict(X)
    series = pd.Series(words, name="animal")
    for labels in [
        list(words), series, series.astype("category"), series.astype("string"), series.to_frame(),
        pl.Series("animal", words), pl.DataFrame({"animal": words}), pa.array(words), pa.table({"animal": words}),
    ]:  # fmt: skip
        model = orff.OperatorClassifier(n_components=60).fit(X, labels)
        assert (model.predict(X) == expected).all(), type(labels)
    frame = orff.OperatorClassifier(n_components=60).fit(pd.DataFrame(X, columns=["u", "v"]), series)
    assert frame._info["outputs"] == ["animal"] and list(frame.feature_names_in_) == ["u", "v"]


def test_scores_and_probabilities(moons):
    X, y = moons
    model = orff.OperatorClassifier().fit(X, y)
    scores, p = model.decision_function(X), model.predict_proba(X)
    assert scores.shape == p.shape == (240, 3)
    assert np.allclose(p.sum(axis=1), 1) and np.allclose(scores.sum(axis=1), 0, atol=1e-9)
    assert (scores.argmax(axis=1) == p.argmax(axis=1)).all()
    assert log_loss(y, p) < 0.3 and np.allclose(model.predict_log_proba(X), np.log(p))
    assert cross_val_score(orff.OperatorClassifier(n_components=100), X, y, cv=4).mean() > 0.9
    two = orff.OperatorClassifier().fit(X, y == 1)
    signs = two.decision_function(X)
    assert signs.shape == (240,) and ((signs > 0) == two.predict(X)).all()
    assert model.score(X, y) == accuracy_score(y, model.predict(X))
    single = model.predict_proba(X.astype(np.float32))
    assert single.dtype == np.float32 and np.abs(single - p).max() < 1e-3


def test_probabilities_of_a_known_law():
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, (4000, 1))
    p = 1 / (1 + np.exp(-2 * np.sin(2 * X[:, 0])))
    model = orff.OperatorClassifier().fit(X, rng.random(4000) < p)
    grid = np.linspace(-2.9, 2.9, 200).reshape(-1, 1)
    truth = 1 / (1 + np.exp(-2 * np.sin(2 * grid[:, 0])))
    assert np.sqrt(np.mean((model.predict_proba(grid)[:, 1] - truth) ** 2)) < 0.05


def test_weights_of_classes_are_weights_of_rows(moons):
    X, y = moons
    options = {"n_components": 60, "alpha": 1e-2, "lengthscale": 0.5}
    weights = np.array([1.0, 3.0, 0.5])
    by_class = orff.OperatorClassifier(**options, class_weight=dict(enumerate(weights))).fit(X, y)
    by_row = orff.OperatorClassifier(**options).fit(X, y, sample_weight=weights[y])
    assert np.allclose(by_class.decision_function(X), by_row.decision_function(X), atol=1e-10)
    counts = np.bincount(y)
    balanced = orff.OperatorClassifier(**options, class_weight="balanced").fit(X, y)
    by_row = orff.OperatorClassifier(**options).fit(X, y, sample_weight=240 / (3 * counts[y]))
    assert np.allclose(balanced.decision_function(X), by_row.decision_function(X), atol=1e-10)
    words = orff.OperatorClassifier(**options, class_weight={"b": 3.0}).fit(X, np.array(["a", "b", "a"])[y])
    assert words.predict(X).dtype.kind == "U"


def test_the_command_and_python_agree(moons, tmp_path):
    X, y = moons
    labels = np.array(["ant", "bee", "cat"])[y]
    frame = pd.DataFrame({"u": X[:, 0], "v": X[:, 1], "animal": labels})
    frame.to_csv(tmp_path / "d.csv", index=False)

    def command(*arguments):
        done = subprocess.run([sys.executable, "-m", "orff", "-q", *arguments], capture_output=True, cwd=tmp_path)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    command("fit", "classification", "d.csv", "--target", "animal", "--features", "60", "-o", "c.orff")
    theirs = orff.load(tmp_path / "c.orff")
    ours = orff.OperatorClassifier(n_components=60).fit(frame[["u", "v"]], frame["animal"])
    assert (theirs.predict_proba(frame[["u", "v"]]) == ours.predict_proba(frame[["u", "v"]])).all()
    assert (theirs.classes_ == ours.classes_).all()
    ours.save(tmp_path / "p.orff")
    found = json.loads(command("evaluate", "p.orff", "d.csv", "--format", "json"))
    assert found["overall"]["accuracy"] == pytest.approx(ours.score(X, labels))
    assert found["overall"]["log_loss"] == pytest.approx(log_loss(labels, ours.predict_proba(X)), rel=1e-6)
    predicted = command("predict", "p.orff", "d.csv").split("\n")[1:-1]
    assert predicted == list(ours.predict(X))


@pytest.mark.parametrize(
    ("y", "said"),
    [
        (None, "requires y"),
        (["a"] * 240, "one class only"),
        (np.linspace(0, 1, 240), "Unknown label type"),
        ([None, "a"] * 120, "got none (or NaN) in row 1"),
        ([1.0, np.nan] * 120, "got none (or NaN) in row 2"),
        (["a"] * 239, "expected 240 rows as in X, got 239"),
        (np.zeros((240, 2)), "y"),
        (pd.DataFrame({"a": range(240), "b": range(240)}), "expected one column of labels, got 2"),
    ],
)
def test_what_are_no_labels_is_said(moons, y, said):
    with pytest.raises(ValueError) as error:
        orff.OperatorClassifier(n_components=16).fit(moons[0], y)
    assert said in str(error.value)


def test_wrong_weights_are_said(moons):
    X, y = moons
    for weight, said in [("even", "class_weight: expected balanced"), ({7: 2.0}, "0, 1, 2"), ({0: -1.0}, "class_weight")]:
        with pytest.raises(ValueError) as error:
            orff.OperatorClassifier(class_weight=weight).fit(X, y)
        assert said in str(error.value)
    with pytest.raises(ValueError, match="sample_weight"):
        orff.OperatorClassifier().fit(X, y, sample_weight=np.ones((240, 2)))
