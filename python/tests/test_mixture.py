"""Spectral mixtures: values, what is learned, refusals."""

import numpy as np
import pytest

import orff


def test_values_are_those_of_the_formula():
    rng = np.random.default_rng(0)
    rows = np.array([[0.7, 1.0, -2.0, 0.3, 0.9], [0.4, 0.5, 3.0, 1.1, 0.2]])
    x = rng.normal(size=(6, 2))
    t = (x[:, None] - x[None]) / 1.5
    expected = sum(
        w * np.exp(-0.5 * ((t * s) ** 2).sum(-1)) * np.cos(t @ m) for w, m, s in zip(rows[:, 0], rows[:, 1:3], rows[:, 3:])
    )
    kernel = orff.spectral_mixture(rows, lengthscale=1.5)
    np.testing.assert_allclose(kernel(x)[:, :, 0, 0], expected / rows[:, 0].sum(), atol=1e-14)
    assert orff.Kernel(str(kernel)) == kernel
    assert orff.spectral_mixture() == orff.Kernel("spectral-mixture(3)")


def test_what_is_learned_goes_on_beyond_the_rows(tmp_path):
    rng = np.random.default_rng(1)
    x = rng.uniform(0, 8, size=(200, 1))
    y = np.sin(6 * x[:, 0]) + 0.3 * x[:, 0] + 0.05 * rng.normal(size=200)
    beyond = np.linspace(8.3, 9.3, 20)[:, None]
    expected = np.sin(6 * beyond[:, 0]) + 0.3 * beyond[:, 0]

    def missed(model):
        return np.sqrt(np.mean((model.predict(beyond) - expected) ** 2))

    learned = orff.OperatorRidge(orff.spectral_mixture(2)).fit(x, y)
    assert missed(learned) < 0.2 < 0.5 < missed(orff.OperatorRidge().fit(x, y))
    assert any(line.startswith("components 2") for line in learned.choices_)
    # one wave of 6 for each unit; the rows were scaled by their deviation
    means = [abs(row[1]) / x.std() for row in learned.kernel_.form["spectrum"]["components"]]
    assert min(abs(mean / 6 - 1) for mean in means) < 0.02
    learned.save(tmp_path / "waves.orff")
    back = orff.load(tmp_path / "waves.orff")
    assert back.kernel_ == learned.kernel_
    np.testing.assert_array_equal(back.predict(beyond), learned.predict(beyond))


def test_classes_and_two_outputs():
    x = np.linspace(0, 6, 240)[:, None]
    stripes = np.sin(5 * x[:, 0]) > 0
    # stripes are a wave and its overtones
    model = orff.OperatorClassifier(orff.spectral_mixture(2)).fit(x[:200], stripes[:200])
    assert model.score(x[200:], stripes[200:]) > 0.9
    both = np.c_[np.sin(5 * x[:, 0]), np.cos(5 * x[:, 0])]
    two = orff.ExactOperatorRidge(orff.spectral_mixture(1)).fit(x[:200], both[:200])
    assert two.score(x[200:], both[200:]) > 0.9


@pytest.mark.parametrize("components", [0, 2.5, "many", [[1.0, 2.0]], [[1.0, 0.0, -1.0]], [[0.0, 0.0, 1.0]], None])
def test_components_that_are_none(components):
    with pytest.raises(orff.ParameterError, match="components"):
        orff.spectral_mixture(components)


def test_open_components_have_no_values():
    with pytest.raises(ValueError, match="learn"):
        orff.spectral_mixture(2, lengthscale=1.0)([[0.0], [1.0]])
    with pytest.raises(ValueError, match="give their rows"):
        orff.OperatorRidge(orff.curl_free(orff.spectral_mixture(2))).fit(np.eye(2), np.eye(2))


def test_fields_learn_their_components():
    rng = np.random.default_rng(4)
    X = rng.uniform(-2, 2, size=(220, 2))
    wave = lambda X: np.cos(5 * X[:, :1] + 2 * X[:, 1:]) * [1.0, 0.4]  # noqa: E731
    inside = (X**2).sum(1) < 0.7
    model = orff.VectorField(orff.curl_free(orff.spectral_mixture(2))).fit(X[~inside], wave(X[~inside]))
    assert np.sqrt(np.mean((model.predict(X[inside]) - wave(X[inside])) ** 2)) < 0.1
    assert np.abs(model.curl(X)).max() < 1e-8
    with pytest.raises(ValueError, match="give their rows"):
        orff.OperatorRidge(orff.spectral_mixture(2) + orff.gaussian()).fit(X, wave(X))
