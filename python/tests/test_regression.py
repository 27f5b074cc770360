"""What estimators answer."""

import numpy as np
import orff
import pytest
from sklearn.metrics import r2_score

REGRESSORS = [orff.OperatorRidge, orff.ExactOperatorRidge, orff.NystromRidge]


@pytest.mark.parametrize("Class", REGRESSORS)
def test_shapes_follow_the_outputs(rows, Class):
    X, Y = rows
    model = Class().fit(X, Y)
    mean, std, cov = model.predict(X, return_std=True, return_cov=True)
    assert mean.shape == std.shape == (150, 2) and cov.shape == (150, 2, 2)
    assert np.allclose(np.sqrt(np.diagonal(cov, axis1=1, axis2=2)), std)
    assert model.score(X, Y) == r2_score(Y, mean) > 0.95
    flat = Class().fit(X, Y[:, 0])
    mean, std, cov = flat.predict(X, return_std=True, return_cov=True)
    assert mean.shape == std.shape == cov.shape == (150,) and np.allclose(std**2, cov)
    assert flat.n_outputs_ == 1 and model.n_outputs_ == 2
    bare = flat.predict(X, return_std=True, noise=False)[1]
    assert np.allclose(bare**2 + flat.noise_[0, 0], cov)


@pytest.mark.parametrize("Class", REGRESSORS)
def test_what_was_chosen_is_told(rows, Class):
    X, Y = rows
    model = Class().fit(X, Y)
    path = model.path_
    assert model.alpha_ > 0 and model.choices_ and model.kernel_
    assert len({len(values) for values in path.values()}) == 1 and len(path["alpha"]) > 5
    assert (np.diff(path["alpha"]) > 0).all()
    assert model.evidence_ == path["evidence"].max()
    assert model.lengthscale_.shape == (3,) and (model.lengthscale_ > 0).all()
    given = Class(alpha=1e-3, lengthscale=0.8).fit(X, Y)
    assert given.alpha_ == 1e-3 and np.allclose(given.lengthscale_, 0.8)


def test_the_features_approach_the_exact_kernel(rows):
    X, Y = rows
    options = {"alpha": 1e-3, "lengthscale": 1.5}
    exact = orff.ExactOperatorRidge(**options).fit(X, Y).predict(X)
    far, close = (
        np.abs(orff.OperatorRidge(**options, n_components=m, draw="iid").fit(X, Y).predict(X) - exact).max()
        for m in (100, 2500)
    )
    assert close < 0.1 < far


def test_missing_outputs_do_not_count(rows):
    X, Y = rows
    holes = Y.copy()
    holes[::3, 0] = np.nan
    holes[1::4, 1] = np.nan
    options = {"alpha": 1e-3, "lengthscale": 1.5, "n_components": 200}
    model = orff.OperatorRidge(**options).fit(X, holes)
    some = np.isfinite(holes).any(axis=1).sum()
    for t in range(2):
        seen = np.isfinite(holes[:, t])
        # the same function as from the observed rows alone, where the ridge is that of as many rows
        alone = orff.OperatorRidge(**{**options, "alpha": 1e-3 * some / seen.sum()})
        alone.fit(X, np.where(seen, Y[:, t], 0), sample_weight=seen.astype(float))
        assert np.allclose(model.predict(X)[:, t], alone.predict(X), atol=1e-6)
    expected = np.mean(
        [r2_score(holes[s, t], model.predict(X)[s, t]) for t in range(2) for s in [~np.isnan(holes[:, t])]]
    )
    assert model.score(X, holes) == pytest.approx(expected)


def test_weights(rows):
    X, Y = rows
    options = {"alpha": 1e-3, "lengthscale": 1.5, "n_components": 100}
    times = np.arange(150) % 3
    a = orff.OperatorRidge(**options).fit(X, Y, sample_weight=times).predict(X)
    b = orff.OperatorRidge(**options).fit(np.repeat(X, times, axis=0), np.repeat(Y, times, axis=0)).predict(X)
    assert np.allclose(a, b, atol=1e-8)
    precise = np.ones((150, 2))
    precise[:75, 1] = 1e-6
    c = orff.OperatorRidge(**options).fit(X, Y, sample_weight=precise)
    half = orff.OperatorRidge(**options).fit(X, Y)
    assert np.allclose(c.predict(X)[:, 0], half.predict(X)[:, 0], atol=0.05)
    assert np.abs(c.predict(X)[:75, 1] - half.predict(X)[:75, 1]).max() > 0.01
    with pytest.raises(ValueError, match="every weight is zero"):
        orff.OperatorRidge().fit(X, Y, sample_weight=np.zeros(150))
    with pytest.raises(ValueError, match="row 1, column weight: -1 is not a weight"):
        orff.OperatorRidge().fit(X, Y, sample_weight=-np.ones(150))


def test_features_give_back_the_kernel():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    for kernel in (
        orff.gaussian(2.0),
        orff.matern(1.5, 3.0),
        orff.laplace(4.0),
        0.5 * orff.cauchy(2.0) + orff.gaussian(1.5),
    ):
        for options in ({}, {"feature_map": "phases"}, {"draw": "iid"}, {"draw": "orthogonal"}):
            if options.get("draw") == "orthogonal" and "gaussian" != str(kernel)[13:21]:
                continue
            Z = orff.FourierFeatures(kernel, n_components=6000, **options).fit_transform(X)
            assert Z.shape == (60, 6000)
            assert np.abs(Z @ Z.T - kernel(X)[:, :, 0, 0]).max() < 0.12
    with pytest.raises(ValueError, match="kernel: expected one with one output"):
        orff.FourierFeatures("curl-free").fit(X)


def test_fields(plane):
    X, Y = plane
    field = orff.VectorField("curl-free").fit(X, Y)
    at = np.random.default_rng(0).uniform(-1, 1, (40, 2))
    assert (
        field.score(at, np.column_stack([np.cos(at[:, 0]) * np.cos(at[:, 1]), -np.sin(at[:, 0]) * np.sin(at[:, 1])]))
        > 0.999
    )
    assert np.abs(field.curl(at)).max() < 1e-8
    phi = field.potential(at) - np.sin(at[:, 0]) * np.cos(at[:, 1])
    assert np.ptp(phi) < 0.01
    assert field.divergence(at) == pytest.approx(np.trace(field.jacobian(at), axis1=1, axis2=2))
    step = 1e-5
    numeric = (field.predict(at + [step, 0]) - field.predict(at - [step, 0])) / (2 * step)
    assert np.allclose(field.jacobian(at)[:, :, 0], numeric, atol=1e-6)

    both = orff.VectorField().fit(X, Y + X @ [[0, 1], [-1, 0]])
    parts = both.decompose(at)
    whole = parts["gradient"] + parts["rotation"] + parts["mean"]
    assert np.allclose(whole, both.predict(at), atol=1e-10)
    energies = parts["energies"]
    square = ((both.predict(at) - parts["mean"]) ** 2).sum(axis=1).mean()
    assert energies["gradient"] + energies["rotation"] + energies["cross"] == pytest.approx(square)
    gradient = (both.potential(at + [step, 0]) - both.potential(at - [step, 0])) / (2 * step)
    assert np.allclose(gradient, parts["gradient"][:, 0], atol=1e-5)
    stream = (both.stream_function(at + [0, step]) - both.stream_function(at - [0, step])) / (2 * step)
    assert np.allclose(stream, parts["rotation"][:, 0], atol=1e-5)
    with pytest.raises(ValueError, match="as many outputs as inputs"):
        orff.VectorField().fit(X, Y[:, :1])


def test_fields_in_space():
    rng = np.random.default_rng(2)
    X = rng.uniform(-1, 1, (150, 3))
    field = orff.VectorField("div-free", n_components=300).fit(X, np.cross(X, [0.3, -0.5, 1.0]))
    at = rng.uniform(-0.8, 0.8, (10, 3))
    assert field.curl(at).shape == field.vector_potential(at).shape == (10, 3)
    assert np.allclose(field.curl(at), [-0.6, 1.0, -2.0], atol=0.05)  # ∇×(x×a) = −2a
    assert np.abs(field.divergence(at)).max() < 1e-8
    step, d = 1e-5, np.eye(3) * 1e-5
    A = [(field.vector_potential(at + e) - field.vector_potential(at - e)) / (2 * step) for e in d]
    turned = np.column_stack([A[1][:, 2] - A[2][:, 1], A[2][:, 0] - A[0][:, 2], A[0][:, 1] - A[1][:, 0]])
    assert np.allclose(turned, field.predict(at), atol=1e-5)
