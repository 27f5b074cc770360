"""Learned kernels, against their definitions in NumPy and a generic convex solver."""

import warnings

import numpy as np
import orff
import pytest
from orff import bounds
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline


@pytest.fixture
def waves():
    rng = np.random.default_rng(3)
    X = rng.uniform(0, 6, size=(400, 3)) * [1.0, 20.0, 0.1]
    y = np.array(["low", "middle", "high"])[np.digitize(np.sin(2 * X[:, 0]) + 0.2 * rng.normal(size=400), [-0.5, 0.5])]
    return X, y


def losses(omega, X, like):
    """Over ordered pairs of different rows."""
    n = len(X)
    cosines = np.cos((X[:, None, :] - X[None, :, :]) @ omega.T)  # n×n×N
    pairs = 0.5 * (1 - like[:, :, None] * cosines)
    pairs[np.arange(n), np.arange(n)] = 0
    return pairs.sum((0, 1)) / (n * (n - 1))


def test_losses_and_posterior_of_labels(waves):
    X, y = waves[0][:120], waves[1][:120]
    model = orff.AlignedFeatures(n_components=20, n_candidates=60, beta=2.0).fit(X, y)
    like = np.where(y[:, None] == y[None, :], 1.0, -1.0)
    expected = losses(model.candidates_, X, like)
    np.testing.assert_allclose(model.alignment_, 1 - 2 * expected, atol=1e-11)
    weights = np.exp(-2.0 * np.sqrt(120) * expected)
    np.testing.assert_allclose(model.posterior_, weights / weights.sum(), atol=1e-12)
    np.testing.assert_allclose(model.prior_, 1 / 60, rtol=1e-12)


def test_losses_of_targets(waves):
    X = waves[0][:100]
    y = np.column_stack([np.sin(X[:, 0]), X[:, 1] ** 2])
    model = orff.AlignedFeatures(n_components=20, n_candidates=40).fit(X, y)
    z = (y - y.mean(0)) / (y.std(0) * np.sqrt(2))
    z /= np.maximum(1, np.linalg.norm(z, axis=1))[:, None]
    np.testing.assert_allclose(model.alignment_, 1 - 2 * losses(model.candidates_, X, z @ z.T), atol=1e-11)


@pytest.mark.parametrize(("method", "mu", "rho"), [("chi2", 2.0, 0.4), (1.5, 1.5, 0.3), (4.0, 4.0, 3.0)])
def test_the_dual_solution_is_that_of_a_generic_solver(waves, method, mu, rho):
    X, y = waves
    model = orff.AlignedFeatures(n_components=10, n_candidates=25, method=method, rho=rho).fit(X, y)
    v, p = model.alignment_, model.prior_
    found = minimize(
        lambda q: -q @ v,
        p,
        jac=lambda q: -v,
        method="SLSQP",
        bounds=[(0, None)] * 25,
        constraints=[
            {"type": "eq", "fun": lambda q: q.sum() - 1, "jac": lambda q: np.ones(25)},
            {
                "type": "ineq",
                "fun": lambda q: 1 + rho - np.sum(p * (np.maximum(q, 0) / p) ** mu),
                "jac": lambda q: -mu * (np.maximum(q, 0) / p) ** (mu - 1),
            },
        ],
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    ours = model.posterior_
    assert ours @ v >= found.x @ v - 1e-9  # the solver is at most as good
    np.testing.assert_allclose(ours @ v, found.x @ v, atol=1e-6)
    np.testing.assert_allclose(ours, found.x, atol=2e-3)


def test_features_are_those_of_the_learned_kernel(waves):
    X, y = waves
    model = orff.AlignedFeatures(lengthscale=[0.6, 200.0, 1.0], n_components=40, n_candidates=400, method="chi2").fit(X, y)
    Z, k = model.transform(X[:30]), model.learned_kernel()
    np.testing.assert_allclose(Z @ Z.T, k(X[:30])[:, :, 0, 0], atol=1e-10)
    numbers = np.column_stack([y == "low", y == "high"]).astype(float)
    ridge = orff.OperatorRidge(kernel=model.learned_kernel(outputs=2)).fit(X, numbers)
    assert ridge.score(X, numbers) > 0.5


# draws with replacement of a posterior that rests on two candidates are two features
@pytest.mark.parametrize(("sampling", "beta"), [("weights", 20), ("without-replacement", 20), ("with-replacement", 2)])
def test_few_learned_features_do_what_few_drawn_ones_cannot(sampling, beta):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(1600, 5))
    y = np.sin(6 * X[:, 0]) > 0

    def score(features):
        piped = make_pipeline(features, LogisticRegression(C=1e3, max_iter=1000))
        return piped.fit(X[:1200], y[:1200]).score(X[1200:], y[1200:])

    learned = orff.AlignedFeatures("gaussian(0.3)", n_components=40, n_candidates=4000, beta=beta, sampling=sampling)
    drawn = orff.FourierFeatures("gaussian(0.3)", n_components=40)
    assert score(learned) > 0.8 > 0.7 > score(drawn)


def test_a_classifier_and_its_file(waves, tmp_path):
    X, y = waves
    for Class, size in ((orff.AlignedClassifier, {"n_components": 60}), (orff.LandmarkClassifier, {"n_landmarks": 40})):
        model = Class(lengthscale=[0.6, 200.0, 1.0], **size)
        model.fit(X[:300], y[:300])
        assert model.score(X[300:], y[300:]) > 0.7
        model.save(tmp_path / "m.orff")
        back = orff.load(tmp_path / "m.orff")
        for name in ("candidates_", "posterior_", "alignment_", "prior_"):
            np.testing.assert_array_equal(getattr(back, name), getattr(model, name))
        assert back.bound_ == model.bound_
        np.testing.assert_array_equal(back.predict_proba(X), model.predict_proba(X))


def test_similarities_to_landmarks(waves):
    X, y = waves
    model = orff.LandmarkFeatures(n_landmarks=9, n_atoms=30, centers="rows", beta=3.0).fit(X, y)
    psi = model.transform(X)
    assert psi.shape == (400, 9) and model.candidates_.shape == (9, 30, 3) and model.posterior_.shape == (9, 30)
    for l, point in enumerate(model.landmarks_):
        (row,) = np.flatnonzero(np.abs(X - point).max(1) < 1e-9)
        others = np.arange(400) != row
        like = np.where(y == y[row], 1.0, -1.0)[others]
        cosines = np.cos((point - X) @ model.candidates_[l].T)
        loss = 0.5 * (1 - like @ cosines[others] / 399)
        q = np.exp(-3.0 * 20 * loss)
        q /= q.sum()
        np.testing.assert_allclose(model.posterior_[l], q, atol=1e-11)
        np.testing.assert_allclose(psi[:, l], cosines @ q, atol=1e-11)
    kl = np.log(30) + np.sum(model.posterior_ * np.log(model.posterior_), axis=1)
    loss = np.sum(model.posterior_ * 0.5 * (1 - model.alignment_), axis=1)
    each = [bounds.landmark(compared=399, loss=a, kl=b, t=60.0, landmarks=9) for a, b in zip(loss, kl, strict=True)]
    assert model.bound_ == {"theorem-1": pytest.approx(np.mean(each))}


def test_broken_assumptions_of_bounds_are_warned_of(waves):
    X, y = waves
    model = orff.LandmarkFeatures(n_landmarks=9, n_atoms=30).fit(X, y)  # centroids of the rows themselves
    with pytest.warns(UserWarning, match="bounds: an assumption is violated: landmarks are centroids of the rows"):
        assert 0.0 < model.bound_["theorem-1"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert orff.AlignedFeatures(n_components=20, n_candidates=80).fit(X, y).bound_


def test_bounds_are_those_of_the_papers_formulas(waves):
    X, y = waves
    model = orff.AlignedFeatures(n_components=20, n_candidates=80, beta=1.5).fit(X, y)
    q, loss, n, t = model.posterior_, 0.5 * (1 - model.alignment_), 400, 1.5 * 20
    kl, chi2 = np.log(80) + np.sum(q * np.log(q)), 80 * np.sum(q**2) - 1
    expected = {
        "theorem-3": q @ loss + (kl + t**2 / (2 * n) + np.log(20)) / t,
        "corollary-2": q @ loss + 2 / t * (kl + t**2 / (2 * (n - 1)) + np.log((n + 1) / 0.05)),
        "corollary-5": q @ loss + np.sqrt((chi2 + 1) / (2 * n * 0.05)),  # three classes
    }
    assert model.bound_ == {name: pytest.approx(value) for name, value in expected.items()}
    again = bounds.alignment(q, loss, rows=n, t=t, classes=3)
    assert again["theorem_3"] == pytest.approx(expected["theorem-3"])
    assert again["theorem_4"] == again["corollary_5"] == pytest.approx(expected["corollary-5"])
    assert model.bounds(0.5)["theorem-3"] < model.bound_["theorem-3"]
    with pytest.raises(orff.ParameterError, match="sum to 1"):
        bounds.alignment([0.5, 0.4], [0.1, 0.2], rows=10)


def test_weights_count_as_repetitions(waves):
    X, y = waves[0][:100], waves[1][:100]
    weights = np.arange(100) % 3
    model = orff.AlignedFeatures("gaussian(2.0)", n_components=20)
    weighted = model.fit(X, y, sample_weight=weights).alignment_
    repeated = model.fit(np.repeat(X, weights, axis=0), np.repeat(y, weights)).alignment_
    np.testing.assert_allclose(weighted, repeated, atol=1e-12)


def test_refusals(waves):
    X, y = waves
    with pytest.raises(ValueError, match="requires y"):
        orff.AlignedFeatures().fit(X, None)
    with pytest.raises(orff.ParameterError, match="method"):
        orff.AlignedFeatures(method=1.0).fit(X, y)
    with pytest.raises(ValueError, match="one class only"):
        orff.LandmarkFeatures().fit(X, np.zeros(400, dtype=int))
    plain = orff.FourierFeatures().fit(X)
    assert not hasattr(plain, "posterior_")


def test_numbers_of_other_methods_are_refused(waves):
    X, y = waves
    for options, name in [({"rho": 2.0}, "rho"), ({"method": "chi2", "beta": 2.0}, "beta"), ({"method": 3, "beta": 2.0}, "beta")]:
        for estimator in (orff.AlignedFeatures, orff.AlignedClassifier):
            with pytest.raises(orff.ParameterError, match=f"{name}: expected auto with"):
                estimator(n_components=20, n_candidates=50, **options).fit(X, y)


@pytest.mark.parametrize("method", [1.0001, 150, 1000])
def test_every_power_has_weights(waves, method):
    X, y = waves
    model = orff.AlignedClassifier(n_components=20, n_candidates=400, method=method).fit(X, y)
    q = model.posterior_
    assert abs(q.sum() - 1) < 1e-12 and (q >= 0).all() and np.isfinite(list(model.bound_.values())).all()
    # as far from the prior as uniform weights of ten atoms: D + 1 = 40^(μ−1)
    kept = q > 0
    far = np.log(np.sum(np.exp(method * np.log(q[kept] * 400) - np.log(400) - (method - 1) * np.log(40))))
    assert abs(far) < 1e-6 * method
    assert model.score(X, y) > 0.5
