"""Kernels as values."""

import copy
import json
import pickle
import subprocess
import sys

import cloudpickle
import numpy as np
import orff
import pytest
from orff import _orff
from sklearn.base import clone


def test_every_function_of_expressions_is_a_function_here():
    for name, _ in json.loads(_orff.declarations())["kernels"]:
        if name == "sum":  # written with +
            continue
        assert callable(getattr(orff, name.replace("-", "_"))), name
    assert orff.matern(2.5) == orff.Kernel("matern(2.5)")
    assert orff.skewed_chi2(0.3) == orff.Kernel("skewed-chi2(0.3)")


@pytest.mark.parametrize(
    "value, text",
    [
        (orff.gaussian(0.5), "decomposable(gaussian(0.5))"),
        (orff.curl_free(orff.matern(1.5)) + 0.1 * orff.div_free(), "curl-free(matern(1.5)) + 0.1*div-free"),
        (orff.gaussian(1.0) * orff.laplace(2.0), "decomposable(gaussian(1))*decomposable(laplace(2))"),
        (orff.helmholtz(orff.cauchy(1.0), 0.3), "helmholtz(cauchy(1), 0.3)"),
        (orff.decomposable("gaussian", output="covariance"), "decomposable(gaussian, covariance)"),
        (orff.transformable("gaussian", [[1, 0]], [[0, 1]]), "transformable(gaussian, [[1, 0]], [[0, 1]])"),
        (orff.atoms([[1.0, 2.0]], [[[1.0], [2.0]]], [3.0]), "atoms([[1, 2]], [[1], [2]], [3])"),
        (orff.conjugate([[1, 2]], orff.gaussian(1.0)), "conjugate([[1, 2]], decomposable(gaussian(1)))"),
        (orff.gaussian(1.0).precompose([[1.0, 2.0]]), "precompose([[1, 2]], decomposable(gaussian(1)))"),
    ],
)
def test_they_print_as_expressions_and_come_back(value, text):
    assert str(value) == text
    assert orff.Kernel(text) == value
    assert eval(repr(value), {"Kernel": orff.Kernel}) == value
    for again in (
        copy.deepcopy(value),
        pickle.loads(pickle.dumps(value)),
        cloudpickle.loads(cloudpickle.dumps(value)),
    ):
        assert again == value and hash(again) == hash(value)


def test_algebra_is_flat():
    k = orff.gaussian(1.0)
    assert len((k + k + k).form["terms"]) == 3
    assert (2 * (3 * k)).form["factor"] == 6
    assert 2 * k != 3 * k and k != "decomposable(gaussian(1))"


def test_exact_values_against_closed_forms():
    rng = np.random.default_rng(1)
    X, Z = rng.normal(size=(4, 2)), rng.normal(size=(3, 2))
    delta = X[:, None, :] - Z[None, :, :]
    k = np.exp(-0.5 * (delta**2).sum(-1) / 0.7**2)
    assert np.allclose(orff.gaussian(0.7)(X, Z)[:, :, 0, 0], k, atol=1e-15)
    curl_free = k[..., None, None] * (np.eye(2) / 0.7**2 - delta[..., :, None] * delta[..., None, :] / 0.7**4)
    assert np.allclose(orff.curl_free(orff.gaussian(0.7))(X, Z), curl_free, atol=1e-13)
    G = np.array([[2.0, 0.5, 0.1], [0.5, 1.0, 0.2], [0.1, 0.2, 3.0]])
    coupled = orff.decomposable(orff.gaussian(0.7), output=G)
    assert np.allclose(coupled(X, Z), k[..., None, None] * G, atol=1e-14)
    M = rng.normal(size=(2, 3))
    assert np.allclose(coupled.conjugate(M)(X, Z), M @ coupled(X, Z) @ M.T, atol=1e-13)
    T = rng.normal(size=(1, 2))
    assert np.allclose(orff.gaussian(0.7).precompose(T)(X, Z), orff.gaussian(0.7)(X @ T.T, Z @ T.T), atol=1e-14)
    assert np.allclose((2 * coupled + coupled * coupled)(X, Z), 2 * coupled(X, Z) + coupled(X, Z) ** 2, atol=1e-13)
    assert orff.gaussian(0.7)(X, outputs=2).shape == (4, 4, 2, 2)
    assert orff.gaussian(0.7)(X.astype(np.float32)).dtype == np.float32


def test_estimators_take_values_and_expressions(rows):
    X, Y = rows
    value = orff.gaussian(1.0) + 0.5 * orff.laplace(2.0)
    a = clone(orff.OperatorRidge(value, n_components=64)).fit(X, Y)
    b = orff.OperatorRidge("gaussian(1.0) + 0.5*laplace(2.0)", n_components=64).fit(X, Y)
    assert (a.predict(X) == b.predict(X)).all()
    assert a.get_params()["kernel"] == value and clone(a).kernel == value


K = orff.gaussian(1.0)
OMEGA, FACTORS = [[1.0, 2.0]], [[[1.0], [2.0]]]


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), "a", None, -1, True, {}, object()], ids=repr)
@pytest.mark.parametrize(
    "function, argument",
    [(name, argument) for name, arguments in json.loads(_orff.declarations())["kernels"] for argument in arguments
     if argument in ("lengthscale", "smoothness")],
)  # fmt: skip
def test_arguments_of_scalar_kernels_are_refused_by_name(function, argument, bad):
    with pytest.raises(ValueError, match=f"^{argument}: expected "):
        getattr(orff, function.replace("-", "_"))(**{argument: bad})


@pytest.mark.parametrize(
    "make, said",
    [
        (lambda: orff.Kernel("gausian"), "did you mean gaussian?"),
        (lambda: orff.gaussian(-1.0), "lengthscale: expected finite numbers > 0, got -1"),
        (lambda: orff.gaussian([]), "lengthscale: expected one number, or one number per input, got an empty list"),
        (lambda: orff.gaussian([1.0, "a"]), "lengthscale: expected auto, a finite number > 0 or a list of them"),
        (lambda: orff.gaussian()([[0.0]]), "lengthscale: expected a number"),
        (lambda: orff.matern(-1), "smoothness: expected a number from 0.1 to 1000000, got -1"),
        (lambda: 0 * K, "factor of a kernel: expected a finite number > 0, got 0"),
        (lambda: -1 * K, "factor of a kernel: expected a finite number > 0, got -1"),
        (lambda: K * float("nan"), "factor of a kernel: expected a finite number > 0, got nan"),
        (lambda: K * 10**400, "factor of a kernel: expected a finite number > 0, got inf"),
        (lambda: orff.helmholtz(K, 2), "gradient: expected a number > 0 and < 1"),
        (lambda: orff.helmholtz(K, float("nan")), "gradient: expected auto or a number > 0 and < 1"),
        (lambda: orff.helmholtz(K, "x"), "gradient: expected auto or a number > 0 and < 1"),
        (lambda: orff.curl_free(orff.curl_free()), "kernel: expected a scalar kernel"),
        (lambda: orff.curl_free(kernel=3), "kernel: expected a kernel such as"),
        (lambda: orff.curl_free(orff.laplace(1.0)), "curl-free with laplace is refused"),
        (lambda: orff.decomposable(K, output=[1.0]), "output: expected a matrix given by its rows"),
        (lambda: orff.decomposable(K, output=[["a"]]), 'output: expected finite numbers, got "a" at row 1, column 1'),
        (lambda: orff.decomposable(K, [[1, 2], [3]]), "output: expected 2 numbers in every row, got 1 in row 2"),
        (lambda: orff.decomposable(K, [[1, 2], [3, 4]]), "output: expected a symmetric positive semi-definite"),
        (lambda: orff.decomposable(K, [[np.nan]]), "output: expected finite numbers, got nan at row 1, column 1"),
        (lambda: orff.decomposable(K, output=None), "output: expected a word such as identity or covariance, or"),
        (lambda: orff.decomposable(K, output="x"), 'output: "x": unknown output "x"'),
        (lambda: orff.decomposable(K, output="covariance, 3"), 'output: "covariance, 3": '),
        (lambda: orff.transformable(K), "views: expected at least one: a matrix for each output, got none"),
        (lambda: orff.transformable(K, [[1, 0]], [[1]]), "views: expected 1×2 in each, got another in view 2"),
        (lambda: orff.transformable(K, [[1, 0]], "a"), "view 2: expected a matrix given by its rows"),
        (lambda: orff.atoms(OMEGA, FACTORS, 3), "weights: expected finite numbers ≥ 0, one per row of omega, got 3"),
        (lambda: orff.atoms(OMEGA, FACTORS, [-3.0]), "weights: expected finite numbers ≥ 0, got -3"),
        (lambda: orff.atoms(OMEGA, FACTORS, [1.0, 2.0]), "weights: expected 1, one per row of omega, got 2"),
        (lambda: orff.atoms(3, FACTORS), "omega: expected a matrix given by its rows"),
        (lambda: orff.atoms(OMEGA, "a"), "factors: expected a matrix given by its rows"),
        (lambda: orff.conjugate("a", K), "by: expected a matrix given by its rows"),
        (lambda: orff.conjugate([[1]], 3), "of: expected a kernel such as"),
        (lambda: orff.conjugate([[1]], "gausian"), 'of: "gausian": unknown kernel'),
        (lambda: orff.precompose("a", K), "by: expected a matrix given by its rows"),
        (lambda: orff.transformable(K, [[1, 0]]) + K, "a sum of a transformable kernel is refused"),
        (lambda: orff.Kernel({"kernel": "sum", "terms": []}), "sum of kernels: expected at least one term, got none"),
        (lambda: orff.Kernel(None), "kernel: expected a kernel such as"),
        (lambda: orff.Kernel({"kernel": "decomposable", "spectrum": 3}), "kernel: expected a kernel such as"),
        (lambda: K([0.0]), "X: expected an array with two axes"),
        (lambda: K([[0.0]], [0.0]), "Z: expected an array with two axes"),
        (lambda: K([["a"]]), "X: expected an array of numbers"),
        (lambda: K([[1j]]), "X: expected an array of numbers"),
        (lambda: K([[0.0], [np.nan]]), "X: expected finite numbers, got NaN in row 2, column 1"),
        (lambda: K([[0.0]], [[np.inf]]), "Z: expected finite numbers, got inf in row 1, column 1"),
        (lambda: K(np.zeros((2, 0))), "X: expected at least one column, got 0"),
        (lambda: K([[0.0]], outputs=-1), "outputs: expected a whole number ≥ 1, got -1"),
        (lambda: K([[0.0]], outputs=0), "outputs: expected a whole number ≥ 1, got 0"),
        (lambda: K([[0.0]], outputs=1.5), "outputs: expected a whole number ≥ 1, got 1.5"),
        (lambda: orff.curl_free(K)([[0.0, 1.0]], outputs=3), "outputs: expected 2, as many as this kernel has on"),
        (
            lambda: (orff.curl_free(K) + orff.decomposable(K, np.eye(3)))([[0.0, 1.0]]),
            "terms of a sum of kernels: expected 2 outputs in each, got 3",
        ),
        (lambda: orff.gaussian(1.0)([[0.0]], [[0.0, 1.0]]), "Z: expected 1 columns as in X, got 2"),
    ],
)
def test_mistakes_are_named(make, said):
    with pytest.raises(ValueError) as error:
        make()
    assert said in str(error.value)


def test_atoms_have_a_factor_each():
    with pytest.raises(ValueError, match="factors: expected one for each of the 2 rows of omega, got 3"):
        orff.atoms([[1.0, 2.0], [1.0, 1.0]], np.ones((3, 2, 1)))


def test_a_sum_has_the_outputs_of_its_fields():
    X = np.random.default_rng(2).normal(size=(3, 2))
    both = (orff.curl_free(K) + K)(X)
    assert np.allclose(both, orff.curl_free(K)(X) + K(X, outputs=2), atol=1e-15)
    assert (orff.gaussian(1.0).precompose([[1.0, 2.0]]) * orff.div_free(K))(X).shape == (3, 3, 2, 2)


@pytest.mark.parametrize(
    "make, said",
    [
        # beyond the addresses of the machine, and beyond the largest count
        (lambda: K(np.zeros((4_000_000, 1)), outputs=4), "4000000 × 4000000 points with 4 outputs needs 2.0 PB"),
        (lambda: K(np.zeros((1, 1)), outputs=2**62), "1 × 1 points with 4611686018427387904 outputs needs"),
    ],
)
def test_kernels_beyond_all_memory_are_refused_before_any_work(make, said):
    with pytest.raises(MemoryError) as error:
        make()
    assert said in str(error.value) and "ask for fewer points at a time" in str(error.value)


def test_answers_beyond_all_memory_are_refused_before_any_work():
    # rows that take no memory of their own: one row again and again
    X = np.broadcast_to(np.zeros((1, 2)), (2**40, 2))
    features = orff.FourierFeatures(n_components=1024).fit(np.eye(2))
    with pytest.raises(MemoryError, match="the table of 1024 features at 1099511627776 rows needs 9.0 PB of memory"):
        features._model.transform(X)
    model = orff.OperatorRidge(n_components=16).fit(np.eye(8), np.eye(8))
    X = np.broadcast_to(np.zeros((1, 8)), (2**40, 8))
    with pytest.raises(MemoryError, match="prediction of 8 outputs at 1099511627776 rows, with covariances, needs"):
        model._model.predict(X, False, True)


FEW = """
import resource
import numpy as np, orff

one = np.zeros((1, 1))
orff.gaussian(1.0)(one)
pages = int(open("/proc/self/statm").read().split()[0])
# room for the answer and for what a new thread reserves, not for the points too
most = pages * resource.getpagesize() + 1_200_000_000
resource.setrlimit(resource.RLIMIT_AS, (most, most))
try:
    orff.gaussian(1.0)(np.broadcast_to(0.0, (10**8, 1)), one)
except MemoryError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_points_without_room_are_refused():
    done = subprocess.run([sys.executable, "-c", FEW], capture_output=True, text=True, check=True)
    assert done.stdout == "X of 100000000 × 1 numbers needs 800 MB of memory: ask for fewer points at a time\n"


def test_columns_without_room_are_refused():
    with pytest.raises(MemoryError, match="an array of 1000000000000000 columns needs 48 PB of memory"):
        orff.gaussian(1.0)(np.broadcast_to(0.0, (1, 10**15)))


def test_points_in_many_blocks():
    X = np.random.default_rng(0).normal(size=(9000, 2))
    found = orff.gaussian(0.7)(X, X[:1])[:, 0, 0, 0]
    assert np.allclose(found, np.exp(-0.5 * ((X - X[0]) ** 2).sum(1) / 0.7**2), atol=1e-14)
    X[8000, 1] = np.nan
    with pytest.raises(ValueError, match="X: expected finite numbers, got NaN in row 8001, column 2"):
        orff.gaussian(0.7)(X, X[:1])


def test_kernels_nested_too_deep_are_refused():
    k = orff.gaussian(0.5)
    for _ in range(63):
        k = k.precompose([[1.0]])
    said = "^kernel: expected kernels nested at most 64 deep, got more$"
    with pytest.raises(orff.ParameterError, match=said):
        k.precompose([[1.0]])
    for depth in (65, 300, 5000):
        form = orff.gaussian(0.5).form
        for _ in range(depth - 1):
            form = {"kernel": "scaled", "factor": 1.0, "of": form}
        with pytest.raises(orff.ParameterError, match=said):
            orff.Kernel(form)
        with pytest.raises(orff.ParameterError, match=said):
            orff.OperatorRidge(form).fit([[0.0], [1.0]], [0.0, 1.0])


def test_sums_and_quotients():
    k, x = orff.gaussian(0.5), [[0.1], [0.4]]
    assert np.allclose(sum([k, k])(x), 2 * k(x)) and np.allclose((k / 4)(x), k(x) / 4)
    for wrong in (lambda: 1 + k, lambda: k / "a", lambda: 2 / k):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(ValueError, match="factor of a kernel"):
        k / 0


def test_a_sum_is_drawn_as_its_terms_are():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(60, 2))
    y = np.sin(4 * X[:, 0]) + X[:, 1]

    def fitted(draw):
        model = orff.OperatorRidge(orff.gaussian(0.5) + orff.matern(2.5, 1.0), n_components=16, alpha=1e-3, draw=draw)
        return model.fit(X, y).predict(X)

    np.testing.assert_array_equal(fitted("auto"), fitted("quasi-monte-carlo"))
    assert (fitted("auto") != fitted("iid")).any()
