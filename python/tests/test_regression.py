"""What estimators answer."""

import json
import subprocess
import sys
import warnings

import numpy as np
import orff
import pytest
import scipy.sparse
from orff._field import Field
from orff._learners import CLASSES
from orff._regressor import Regressor
from sklearn.exceptions import NotFittedError
from sklearn.metrics import r2_score

REGRESSORS = [Class for Class in CLASSES.values() if issubclass(Class, Regressor) and not issubclass(Class, Field)]


# the exact twin of LaplacianRidge and other losses than the squared one have no error bars
@pytest.mark.parametrize("Class", [C for C in REGRESSORS if C not in (orff.ExactLaplacianRidge, orff.RiskRegressor)])
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


@pytest.mark.parametrize("Class", [C for C in REGRESSORS if C is not orff.RiskRegressor])  # which has no path
def test_what_was_chosen_is_told(rows, Class):
    X, Y = rows
    model = Class().fit(X, Y)
    path = model.path_
    assert model.alpha_ > 0 and model.choices_ and model.kernel_
    assert len({len(values) for values in path.values()}) == 1 and len(path["alpha"]) > 5
    assert (np.diff(path["alpha"]) > 0).all()
    if "Laplacian" in Class.__name__ or "SemiSupervised" in Class.__name__:
        assert model.evidence_ <= path["evidence"].max()  # rows that are left out choose their ridge
    else:
        assert model.evidence_ == path["evidence"].max()
    assert model.lengthscale_.shape == (3,) and (model.lengthscale_ > 0).all()
    given = Class(alpha=1e-3, lengthscale=0.8).fit(X, Y)
    assert given.alpha_ == 1e-3 and np.allclose(given.lengthscale_, 0.8)


@pytest.mark.parametrize("Class", [orff.OperatorRidge, orff.ExactOperatorRidge, orff.NystromRidge])
def test_weights_that_are_no_repetitions_are_warned_of(rows, Class):
    X, Y = rows
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Class().fit(X, Y, sample_weight=np.linspace(0.5, 1.5, 150))
        bootstrapped = np.random.default_rng(0).multinomial(150, np.full(150, 1 / 150))
        assert bootstrapped.sum() > 1.5 * np.count_nonzero(bootstrapped)
        Class().fit(X, Y, sample_weight=bootstrapped)
    for weight in (0.1, 2.0):
        with pytest.warns(UserWarning, match=rf"the weights of 150 rows add up to {150 * weight:.0f}.*divide them"):
            Class().fit(X, Y, sample_weight=np.full(150, weight))


def test_warnings_point_at_the_line_that_called(rows):
    X, Y = rows
    twice = np.full(150, 2.0)
    gathered = orff.OperatorRidge(n_components=16).partial_fit(X, Y, sample_weight=twice)
    for call in (
        lambda: orff.OperatorRidge(n_components=16).fit(X, Y, sample_weight=twice),
        lambda: orff.OperatorRidge(n_components=16, warm_start=True).fit(X, Y, sample_weight=twice),
        lambda: orff.ExactOperatorRidge(lengthscale=1.0).fit(X, Y, sample_weight=twice),
        lambda: gathered.predict(X),
    ):
        with pytest.warns(UserWarning, match="the weights of 150 rows add up to 300") as seen:
            call()
        assert [warning.filename for warning in seen] == [__file__]


@pytest.mark.parametrize("Class", [orff.OperatorRidge, orff.ExactOperatorRidge])
def test_units_that_a_given_matrix_does_not_know_are_warned_of(rows, Class):
    X, Y = rows
    kernel = orff.kernels.decomposable(output=[[1.0, 0.2], [0.2, 1.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Class(kernel).fit(X, Y)
    with pytest.warns(UserWarning, match="deviations of the outputs.*divide the outputs by their deviations"):
        Class(kernel).fit(X, Y * [1.0, 1e-3])


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


def test_scores_with_weights_of_rows_are_those_of_scikit_learn(rows):
    X, Y = rows
    w = np.random.default_rng(0).uniform(size=150)
    model = orff.OperatorRidge(n_components=32).fit(X, Y)
    assert model.score(X, Y, sample_weight=w) == r2_score(Y, model.predict(X), sample_weight=w)
    assert model.score(X, Y, sample_weight=2.0) == model.score(X, Y)
    flat = orff.OperatorRidge(n_components=32).fit(X, Y[:, 0])
    assert (
        flat.score(X, Y[:, 0], w) == flat.score(X, Y[:, :1], w) == r2_score(Y[:, 0], flat.predict(X), sample_weight=w)
    )
    # an entry that counts twice is one that is there twice
    twice = 1.0 + (np.random.default_rng(1).random(Y.shape) < 0.5)
    again = [np.repeat(np.arange(150), twice[:, t].astype(int)) for t in range(2)]
    each = [r2_score(Y[i, t], model.predict(X)[i, t]) for t, i in enumerate(again)]
    assert model.score(X, Y, sample_weight=twice) == pytest.approx(np.mean(each))
    holes = np.where(twice == 2, np.nan, Y)
    assert model.score(X, holes, sample_weight=twice) == pytest.approx(model.score(X, holes))
    assert model.score(X, Y, sample_weight=2 - twice) == pytest.approx(model.score(X, holes))


def test_scores_need_something_to_compare(rows):
    X, Y = rows
    model = orff.OperatorRidge(n_components=32).fit(X, Y)
    one = Y.copy()
    one[:, 0] = np.nan
    assert model.score(X, one) == pytest.approx(r2_score(Y[:, 1], model.predict(X)[:, 1]))
    one[7, 0] = 1.0
    assert model.score(X, one) == pytest.approx(r2_score(Y[:, 1], model.predict(X)[:, 1]))
    with pytest.raises(ValueError, match="y: no output has two entries that count"):
        model.score(X, np.full((150, 2), np.nan))
    for y in (Y[:, :1], Y[:-1], Y[:, 0], np.hstack([Y, Y])):
        for y in (y, np.where(y > 1, np.nan, y)):
            with pytest.raises(ValueError, match=r"y: expected shape \(150, 2\) as in the predictions of X, got"):
                model.score(X, y)
    with pytest.raises(ValueError, match=r"sample_weight: expected shape \(150,\) or \(150, 2\) as in X and y, got \(150, 1\)"):
        model.score(X, Y, sample_weight=np.ones((150, 1)))


def test_what_is_asked_of_a_prediction(rows):
    X, Y = rows
    model = orff.OperatorRidge(n_components=32).fit(X, Y)
    mean, std = model.predict(X, return_std=1)
    assert (std == model.predict(X, return_std=np.True_, noise=1)[1]).all() and std.shape == mean.shape
    features = orff.FourierFeatures(n_components=32).fit(X)
    for jobs in ("a", 0, 2.5, True, 5000):
        with pytest.raises(
            orff.ParameterError, match=f"n_jobs: expected None, .* or a whole number .*, got {json.dumps(jobs)}"
        ):
            model.set_params(n_jobs=jobs).predict(X)
        with pytest.raises(orff.ParameterError, match="n_jobs"):
            features.set_params(n_jobs=jobs).transform(X)
    for jobs in (None, -1, -2, 1, np.int64(2)):
        assert (model.set_params(n_jobs=jobs).predict(X) == mean).all()


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
    anywhere = ({}, {"feature_map": "phases"}, *({"draw": draw} for draw in ("iid", "quasi-monte-carlo", "qmc")))
    round_laws = ({"draw": "orthogonal"}, {"draw": "structured"})
    for kernel, ways in (
        # product laws refuse orthogonal draws
        (orff.gaussian(2.0), (*anywhere, *round_laws)),
        (orff.matern(1.5, 3.0), (*anywhere, *round_laws)),
        (orff.laplace(4.0), anywhere),
        (0.5 * orff.cauchy(2.0) + orff.gaussian(1.5), anywhere),
    ):
        for options in ways:
            Z = orff.FourierFeatures(kernel, n_components=6000, **options).fit_transform(X)
            assert Z.shape == (60, 6000)
            assert np.abs(Z @ Z.T - kernel(X)[:, :, 0, 0]).max() < 0.12
    # Li, Ionescu and Sminchisescu's kernel of histograms
    P, c = np.abs(X), 0.5
    x, z = P[:, None] + c, P[None] + c
    skewed = np.prod(2 * np.sqrt(x * z) / (x + z), axis=2)
    for options in anywhere:
        Z = orff.FourierFeatures(orff.skewed_chi2(1.0), n_components=6000, group=f"skewed({c})", **options).fit_transform(P)
        assert np.abs(Z @ Z.T - skewed).max() < 0.12
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
    # up to a constant, which is a gradient and a rotation
    assert np.allclose(gradient - gradient.mean(), parts["gradient"][:, 0], atol=1e-5)
    stream = (both.stream_function(at + [0, step]) - both.stream_function(at - [0, step])) / (2 * step)
    assert np.allclose(stream - stream.mean(), parts["rotation"][:, 0], atol=1e-5)
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


def test_fields_on_the_line(rows):
    X, Y = rows
    field = orff.VectorField("curl-free", n_components=100).fit(X[:, :1], Y[:, :1])
    assert np.allclose(field.divergence(X[:5, :1]), field.jacobian(X[:5, :1])[:, 0, 0])
    with pytest.raises(ValueError, match="curl: expected a field with two inputs or more, got one"):
        field.curl(X[:5, :1])
    with pytest.raises(NotFittedError):
        orff.VectorField().curl(X)


def test_a_field_on_the_line_that_is_none_says_so(rows):
    X, Y = rows
    for learn in ("fit", "partial_fit"):
        with pytest.raises(ValueError, match=r"helmholtz in one dimension \(n_features = 1\) is refused"):
            getattr(orff.VectorField(n_components=20), learn)(X[:, :1], Y[:, :1])


def test_more_than_the_machine_has_is_refused(rows, plane):
    X, Y = rows
    far = np.broadcast_to(0.0, (10**15, 2))
    with pytest.raises(MemoryError, match="2 components at 1000000000000000 points needs 16 PB of memory"):
        orff.VectorField(n_components=20).fit(*plane).decompose(far)
    wide = np.broadcast_to(0.0, (150, 10**15))
    for ask in (lambda: orff.OperatorRidge().fit(X, wide), lambda: orff.FourierFeatures().fit(wide)):
        with pytest.raises(MemoryError, match="an array of 1000000000000000 columns needs 48 PB of memory"):
            ask()


FEW = """
import resource
import numpy as np, orff

X = np.random.default_rng(0).normal(size=(50, 2))
orff.OperatorRidge(n_components=20).fit(X, X)
pages = int(open("/proc/self/statm").read().split()[0])
most = pages * resource.getpagesize() + 200_000_000
resource.setrlimit(resource.RLIMIT_AS, (most, most))
try:
    orff.OperatorRidge(n_components=20).fit(np.broadcast_to(0.0, (4096, 10**4)), np.zeros(4096))
except MemoryError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_matrices_without_room_are_memory_errors():
    done = subprocess.run([sys.executable, "-c", FEW], capture_output=True, text=True, check=True)
    said = "orff ran out of memory: no room for 81920000 bytes more, ask for fewer features or rows\n"
    assert done.stdout == said


def test_errors_name_the_arguments_of_python(rows):
    X, Y = rows

    def make(**options):
        return orff.OperatorRidge(n_components=20, lengthscale=1.0, **options)

    model = make().fit(X, Y)
    hole, none, gap = X.copy(), Y.copy(), Y.copy()
    hole[3, 1] = none[:, 1] = np.nan
    gap[5, 0] = np.inf
    many = np.random.default_rng(0).normal(size=(6000, 3))
    for said, ask in [
        ("^X: row 4, column 2: NaN", lambda: make().fit(hole, Y)),
        ("^X: row 4, column 2: NaN", lambda: model.predict(hole)),
        ("^y: row 6, column output 1: inf", lambda: make().fit(X, gap)),
        ("^y: output 2: not observed", lambda: make().fit(X, none)),
        ("^y: output 1: its values spread too far", lambda: make().fit(X, 1e160 * Y)),
        ("^sample_weight: row 1, column weight: -1", lambda: make().fit(X, Y, -np.ones(150))),
        ("^sample_weight: row 1, column weight 1: -1", lambda: make().fit(X, Y, -np.ones((150, 2)))),
        ("^sample_weight, y: no row counts", lambda: make().fit(X, Y, np.zeros(150))),
        ("^sample_weight: no row counts", lambda: orff.FourierFeatures().fit(X, sample_weight=np.zeros(150))),
        ("^X, y: expected as many outputs as inputs", lambda: orff.VectorField().fit(X, Y)),
        ("^X, y: expected 3 inputs and 2 outputs", lambda: make().partial_fit(X, Y).moments_.add(X, Y[:, 0])),
        ("call fit, or choose alpha by", lambda: make(alpha="loo").partial_fit(X, Y)),
        (r"\(alpha 0, too few", lambda: make(posterior=False).fit(X, Y).predict(X, return_std=True)),
        (
            "choosing alpha .* give an alpha > 0, or use OperatorRidge or NystromRidge",
            lambda: orff.ExactOperatorRidge(lengthscale=1.0, memory=10**6).fit(many, many[:, 0]),
        ),
    ]:
        with pytest.raises(ValueError, match=said):
            ask()


@pytest.mark.parametrize("at, offset", [(10, 10**6), (10, -5), (-1, 10**8), (0, 1), (10, 0)])
def test_sparse_rows_that_lead_nowhere_are_refused(at, offset):
    X = scipy.sparse.random(50, 6, 0.5, "csr", random_state=0)
    model = orff.OperatorRidge(n_components=20, lengthscale=1.0).fit(X, X.toarray()[:, 0])
    X.indptr[at] = offset
    X.has_canonical_format = True  # so that SciPy does not read it first
    said = f"X: expected an indptr that grows from 0 to 150 at most, got {offset} at"
    for ask in (lambda: model.predict(X), lambda: model.fit(X, np.ones(50))):
        with pytest.raises(ValueError, match=said):
            ask()


def test_a_metric_takes_what_was_observed():
    """Generalised least squares by hand: the covariance of the noise of what was observed of each row."""
    rng = np.random.default_rng(3)
    X = rng.uniform(-1, 1, (40, 2))
    noise = np.array([[1.0, 0.7], [0.7, 1.0]])
    Y = np.column_stack([np.sin(3 * X[:, 0]), X[:, 1] ** 2]) + 0.2 * rng.normal(size=(40, 2)) @ np.linalg.cholesky(noise).T
    Y[rng.uniform(size=Y.shape) < 0.3] = np.nan
    weights = rng.uniform(0.5, 2, Y.shape)
    omega = rng.normal(size=(6, 2))
    factors = np.repeat(np.eye(2)[None], 6, axis=0)
    alpha = 0.01
    model = orff.OperatorRidge(orff.atoms(omega, factors), metric=noise, alpha=alpha, fit_intercept=False, tol=1e-12)
    model.fit(X, Y, sample_weight=weights)
    # two outputs, each a function of the cosines and sines of the atoms
    C = np.hstack([np.cos(X @ omega.T), np.sin(X @ omega.T)])
    left, right, n = np.zeros((24, 24)), np.zeros(24), 0.0
    for c, y, w in zip(C, Y, weights):
        seen = np.flatnonzero(np.isfinite(y))
        if len(seen) == 0:
            continue
        n += w[seen].mean()
        root = np.sqrt(w[seen])
        S = np.linalg.inv(noise[np.ix_(seen, seen)]) * np.outer(root, root)
        F = np.kron(np.eye(2), c)[seen]
        left += F.T @ S @ F
        right += F.T @ S @ y[seen]
    # an atom has the weight 1/6: its coefficients are those of θ/√6
    theta = np.linalg.solve(left + n * alpha * 6 * np.eye(24), right).reshape(2, 12)
    assert np.allclose(model.predict(X), C @ theta.T, atol=1e-6)


@pytest.mark.parametrize("name", ["return_std", "return_cov", "noise"])
@pytest.mark.parametrize("wrong", ["yes", 2, None, 0.5], ids=str)
def test_flags_of_predictions_are_true_or_false(rows, name, wrong):
    model = orff.OperatorRidge(n_components=10, alpha=1.0, lengthscale=1.0).fit(*rows)
    with pytest.raises(orff.ParameterError, match=f"^{name}: expected true or false, got "):
        model.predict(rows[0], **{name: wrong})
    std = model.predict(rows[0], return_std=np.True_)[1]
    assert (std == model.predict(rows[0], return_std=1)[1]).all()
