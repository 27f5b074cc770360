"""Who does the work: each function prepares itself outside the clock and returns what is timed.

The data are N×d normal inputs and p smooth outputs with noise; every contender has the same number of columns, the
same lengthscale and an equivalent ridge. The first line of a function's documentation is its name in the table. What
it returns is the work, or the work and what to find out afterwards, outside the clock and the account of memory.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

RIDGE = 1e-3
"""λ of the mean loss; scikit-learn's alpha is nλ."""
HELD_OUT = 10_000
"""Rows on which fits are judged."""

TWICE = {f"{who}_{what}" for who in ("orff", "sklearn") for what in ("predict", "transform", "structured", "dense")}
"""Timed at their second call: at the first, most of the time goes to a virtual machine that gets its memory."""


class Missing(Exception):
    """Why a contender cannot take part."""


@dataclass
class Setting:
    """The size of the work."""

    rows: int = 100_000
    inputs: int = 20
    columns: int = 2000
    outputs: int = 4
    dtype: str = "float64"
    feature_map: str = "auto"

    @property
    def lengthscale(self) -> float:
        return float(np.sqrt(self.inputs))

    @property
    def gamma(self) -> float:
        """The lengthscale as scikit-learn has it."""
        return 0.5 / self.lengthscale**2

    @property
    def alpha(self) -> float:
        """The ridge as scikit-learn has it."""
        return self.rows * RIDGE

    def data(self, rows: int | None = None, seed: int = 7) -> tuple[np.ndarray, np.ndarray]:
        """Inputs and outputs."""
        rows = self.rows if rows is None else rows
        directions = np.random.default_rng(1).standard_normal((self.inputs, self.outputs)) / self.lengthscale
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((rows, self.inputs), dtype=np.float32).astype(self.dtype)
        Y = np.sin(X @ directions) + 0.1 * rng.standard_normal((rows, self.outputs))
        return X, Y.astype(self.dtype)

    def r2(self, predict: Callable[[np.ndarray], np.ndarray]) -> dict[str, float]:
        """R² on rows that were held out, averaged over the outputs."""
        X, Y = self.data(HELD_OUT, seed=8)
        rest = ((Y - np.asarray(predict(X)).reshape(Y.shape)) ** 2).sum(axis=0)
        return {"r2": float(np.mean(1 - rest / ((Y - Y.mean(axis=0)) ** 2).sum(axis=0)))}


Work = Callable[[], object]
Task = Work | tuple[Work, Callable[[], dict[str, object]]]


def fitting(s: Setting, model) -> Task:
    """A fit, judged on held-out rows, and what it said of its memory."""
    X, Y = s.data()

    def after() -> dict[str, object]:
        said = re.search(r"memory about (\d+) MB", "\n".join(getattr(model, "choices_", [])))
        return s.r2(model.predict) | ({"estimate": float(said[1])} if said else {})

    return lambda: model.fit(X, Y), after


# Orff.


def orff_learner(s: Setting, name: str = "OperatorRidge", *first: str, **given: object):
    import orff

    learner = getattr(orff, name)
    settings: dict[str, object] = {"lengthscale": s.lengthscale, "alpha": RIDGE, "posterior": False}
    known = inspect.signature(learner).parameters
    if "feature_map" in known:
        settings |= {"n_components": s.columns, "feature_map": s.feature_map}
    return learner(*first, **{**settings, **given})


def orff_fit(s: Setting) -> Task:
    """Orff, one ridge"""
    return fitting(s, orff_learner(s))


def orff_double(s: Setting) -> Task:
    """Orff, one ridge, every product in double precision"""
    return fitting(s, orff_learner(s, precision="double"))


def orff_path(s: Setting) -> Task:
    """Orff, every ridge of its path"""
    return fitting(s, orff_learner(s, alpha="evidence"))


def orff_path_double(s: Setting) -> Task:
    """Orff, every ridge of its path, every product in double precision"""
    return fitting(s, orff_learner(s, alpha="evidence", precision="double"))


def orff_leave_one_out(s: Setting) -> Task:
    """Orff, every ridge of its path with leave-one-out"""
    return fitting(s, orff_learner(s, alpha="loo"))


def orff_mixed(s: Setting) -> Task:
    """Orff in mixed precision"""
    import orff

    if "precision" not in inspect.signature(orff.OperatorRidge).parameters:
        raise Missing("this version of Orff has no parameter precision")
    model = orff_learner(s, precision="mixed")
    work, judged = fitting(s, model)

    def after() -> dict[str, object]:
        X, Y = s.data()
        double = orff_learner(s, precision="double").fit(X, Y)
        X, Y = s.data(HELD_OUT, seed=8)
        gap = np.abs(model.predict(X) - double.predict(X)).max(axis=0) / Y.std(axis=0)
        said = [line for line in model.choices_ if "precision" in line or "mixed" in line]
        return judged() | {"difference": float(gap.max()), "said": "; ".join(said)}

    return work, after


def orff_curl_free(s: Setting) -> Task:
    """Orff, a curl-free field"""
    model, (X, Y) = orff_learner(s, "VectorField", "curl-free"), s.data()
    return lambda: model.fit(X, Y)


def orff_exact(s: Setting) -> Task:
    """Orff's ExactOperatorRidge"""
    return fitting(s, orff_learner(s, "ExactOperatorRidge"))


def orff_nystrom(s: Setting) -> Task:
    """Orff's NystromRidge"""
    return fitting(s, orff_learner(s, "NystromRidge", n_components=s.columns))


def orff_predict(s: Setting) -> Task:
    """Orff"""
    X, Y = s.data()
    model = orff_learner(s).fit(X[:4000], Y[:4000])
    return lambda: model.predict(X)


def orff_features(s: Setting, draw: str) -> Task:
    import orff

    X, _ = s.data()
    settings = {"n_components": s.columns, "lengthscale": s.lengthscale, "draw": draw}
    features = orff.FourierFeatures(**settings).fit(X[:1000])
    return lambda: features.transform(X)


def orff_transform(s: Setting) -> Task:
    """Orff"""
    return orff_features(s, "auto")


def orff_structured(s: Setting) -> Task:
    """Orff, structured draw"""
    return orff_features(s, "structured")


def orff_dense(s: Setting) -> Task:
    """Orff, dense draw"""
    return orff_features(s, "iid")


# Peers.


def sklearn_pipeline(s: Setting):
    from sklearn.kernel_approximation import RBFSampler
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline

    sampler = RBFSampler(gamma=s.gamma, n_components=s.columns, random_state=0)
    return make_pipeline(sampler, Ridge(alpha=s.alpha, solver="cholesky"))


def sklearn_fit(s: Setting) -> Task:
    """scikit-learn RBFSampler + Ridge(cholesky)"""
    return fitting(s, sklearn_pipeline(s))


def sklearn_predict(s: Setting) -> Task:
    """scikit-learn RBFSampler + Ridge"""
    X, Y = s.data()
    model = sklearn_pipeline(s).fit(X[:4000], Y[:4000])
    return lambda: model.predict(X)


def sklearn_transform(s: Setting) -> Task:
    """scikit-learn RBFSampler.transform"""
    X, _ = s.data()
    sampler = sklearn_pipeline(s)[0].fit(X[:4000])
    return lambda: sampler.transform(X)


def ridge_cv(s: Setting) -> Task:
    """scikit-learn RBFSampler + RidgeCV, 20 ridges (leave-one-out)"""
    from sklearn.linear_model import RidgeCV
    from sklearn.pipeline import make_pipeline

    alphas = s.alpha * np.logspace(-6, 3, 20)
    return fitting(s, make_pipeline(sklearn_pipeline(s)[0], RidgeCV(alphas=alphas)))


def nystroem_fit(s: Setting) -> Task:
    """scikit-learn Nystroem + Ridge(cholesky)"""
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline

    landmarks = Nystroem(gamma=s.gamma, n_components=s.columns, random_state=0)
    return fitting(s, make_pipeline(landmarks, Ridge(alpha=s.alpha, solver="cholesky")))


def kernel_ridge(s: Setting) -> Task:
    """scikit-learn KernelRidge"""
    from sklearn.kernel_ridge import KernelRidge

    return fitting(s, KernelRidge(alpha=s.alpha, kernel="rbf", gamma=s.gamma))


def xgpr_fit(s: Setting) -> Task:
    """xGPR, exact, one output"""
    from xGPR import build_regression_dataset, xGPRegression

    X, Y = s.data()
    model = xGPRegression(num_rffs=s.columns, kernel_choice="RBF", device="cpu", verbose=False)
    hyper = np.log([np.sqrt(s.alpha), 1 / s.lengthscale])  # the root of the ridge, the inverse lengthscale

    def work() -> None:
        dataset = build_regression_dataset(X, Y[:, 0])
        model.set_hyperparams(hyper, dataset)
        model.fit(dataset, mode="exact", suppress_var=True)

    return work, lambda: s.r2(model.predict)


def rfflearn_fit(s: Setting) -> Task:
    """rfflearn RFFRegressor (least squares without a ridge)"""
    from rfflearn.cpu import RFFRegressor, seed

    seed(0)
    return fitting(s, RFFRegressor(dim_kernel=s.columns, std_kernel=1 / s.lengthscale))


def numpy_ridge(s: Setting, threads: int) -> Task:
    """Blocked, in place, BLAS' rank-k update, one Cholesky; sines and cosines in some threads."""
    from scipy.linalg import cho_factor, cho_solve, get_blas_funcs

    (X, Y), half, block = s.data(), s.columns // 2, 2048
    frequencies = np.random.default_rng(0).standard_normal((s.inputs, half)) / s.lengthscale
    omega, update = frequencies.astype(s.dtype), get_blas_funcs("syrk", dtype=s.dtype)
    pool = ThreadPoolExecutor(threads)

    def characters(X: np.ndarray, angles: np.ndarray, C: np.ndarray) -> None:
        """Cosines and sines of n angles: n×d, n×D, n×2D."""
        np.matmul(X, omega, out=angles)
        edges = [len(X) * t // threads for t in range(threads + 1)]
        cuts = list(map(slice, edges, edges[1:]))
        jobs = [pool.submit(np.cos, angles[cut], out=C[cut, :half]) for cut in cuts]
        jobs += [pool.submit(np.sin, angles[cut], out=C[cut, half:]) for cut in cuts]
        for job in jobs:
            job.result()

    def work() -> tuple[np.ndarray, np.ndarray]:
        gram = np.zeros((s.columns, s.columns), dtype=s.dtype, order="F")
        cross = np.zeros((s.columns, s.outputs + 1), dtype=s.dtype)  # CᵀY and Cᵀ1
        angles, C = np.empty((block, half), dtype=s.dtype), np.empty((block, s.columns), dtype=s.dtype)
        mean, Z = Y.mean(axis=0), np.ones((block, s.outputs + 1), dtype=s.dtype)
        for a in range(0, s.rows, block):
            n = min(block, s.rows - a)
            characters(X[a : a + n], angles[:n], C[:n])
            np.subtract(Y[a : a + n], mean, out=Z[:n, :-1])
            gram = update(1.0, C[:n].T, beta=1.0, c=gram, overwrite_c=True, lower=True)
            cross += C[:n].T @ Z[:n]
        center = cross[:, -1] / s.rows
        gram = update(-s.rows, center[:, None], beta=1.0, c=gram, overwrite_c=True, lower=True)
        gram[np.diag_indices_from(gram)] += s.alpha * half
        factor = cho_factor(gram, lower=True, overwrite_a=True, check_finite=False)
        weights = cho_solve(factor, cross[:, :-1], check_finite=False)
        result.append((weights, mean - center @ weights))
        return result[0]

    def predict(X: np.ndarray) -> np.ndarray:
        (weights, constant), angles = result[0], X @ omega
        return np.hstack([np.cos(angles), np.sin(angles)]) @ weights + constant

    result: list[tuple[np.ndarray, np.ndarray]] = []
    return work, lambda: s.r2(predict)


def numpy_fit(s: Setting) -> Task:
    """NumPy, blocked, OpenBLAS"""
    return numpy_ridge(s, 1)


def numpy_threads_fit(s: Setting) -> Task:
    """NumPy, blocked, OpenBLAS, sines in as many threads"""
    return numpy_ridge(s, int(os.environ.get("OMP_NUM_THREADS") or os.cpu_count() or 1))


def blas_update(s: Setting) -> Task:
    """OpenBLAS' rank-k update alone"""
    from scipy.linalg import get_blas_funcs

    update, block = get_blas_funcs("syrk", dtype=s.dtype), min(4000, s.rows)
    C = np.random.default_rng(0).standard_normal((block, s.columns)).astype(s.dtype)

    def work() -> np.ndarray:
        gram = np.zeros((s.columns, s.columns), dtype=s.dtype, order="F")
        for a in range(0, s.rows, block):
            gram = update(1.0, C[: s.rows - a].T, beta=1.0, c=gram, overwrite_c=True, lower=True)
        return gram

    return work


# Series.


def walk(s: Setting) -> np.ndarray:
    """A stable linear series of the rows and inputs of the setting."""
    rng = np.random.default_rng(5)
    A = 0.5 * np.eye(s.inputs) + 0.3 * rng.standard_normal((s.inputs, s.inputs)) / np.sqrt(s.inputs)
    noise = rng.standard_normal((s.rows, s.inputs))
    Y = np.zeros((s.rows, s.inputs))
    for t in range(1, s.rows):
        Y[t] = A @ Y[t - 1] + noise[t]
    return Y


def one_step(s: Setting, predict: Callable[[np.ndarray], np.ndarray]) -> dict[str, float]:
    """R² of the next row, on the series that was learned from."""
    Y = walk(s)
    rest = ((Y[1:] - predict(Y)) ** 2).sum(axis=0)
    return {"r2": float(np.mean(1 - rest / ((Y[1:] - Y[1:].mean(axis=0)) ** 2).sum(axis=0)))}


def orff_var(s: Setting) -> Task:
    """Orff, VAR(1)"""
    import orff

    Y, model = walk(s), orff.FourierVAR("linear")
    return lambda: model.fit(Y), lambda: one_step(s, lambda Y: model.predict(Y)[1:])


def feature_var(s: Setting, **options: object) -> object:
    """A model of series with the features of the setting."""
    import orff

    return orff.FourierVAR(n_components=s.columns, lengthscale=4 * s.lengthscale, alpha=RIDGE, **options)


def orff_feature_var(s: Setting) -> Task:
    """Orff, VAR(1) with random features"""
    Y, model = walk(s), feature_var(s, posterior=False)
    return lambda: model.fit(Y), lambda: one_step(s, lambda Y: model.predict(Y)[1:])


def statsmodels_var(s: Setting) -> Task:
    """statsmodels, VAR(1)"""
    try:
        from statsmodels.tsa.api import VAR
    except ImportError as missing:
        raise Missing("statsmodels is not installed") from missing
    Y, found = walk(s), []

    def work() -> object:
        found.append(VAR(Y).fit(1))
        return found[0]

    def predict(Y: np.ndarray) -> np.ndarray:
        return np.hstack([np.ones((len(Y) - 1, 1)), Y[:-1]]) @ found[0].params

    return work, lambda: one_step(s, predict)


WINDOWS = 100
"""Windows of sequential cross-validation that are compared."""


def sequential(s: Setting, model) -> Task:
    """Sequential cross-validation of a model."""
    Y, found = walk(s), []
    work = lambda: found.append(model.validate(Y, window=s.rows - WINDOWS))  # noqa: E731
    return work, lambda: {"r2": 1 - float(found[0].mse / Y.var())}


def orff_sequential(s: Setting) -> Task:
    """Orff, 100 windows of sequential cross-validation of VAR(1)"""
    import orff

    return sequential(s, orff.FourierVAR("linear"))


def orff_feature_sequential(s: Setting) -> Task:
    """Orff, 100 windows of sequential cross-validation with random features"""
    return sequential(s, feature_var(s))


def statsmodels_sequential(s: Setting) -> Task:
    """statsmodels, VAR(1) refitted on each of 100 windows"""
    try:
        from statsmodels.tsa.api import VAR
    except ImportError as missing:
        raise Missing("statsmodels is not installed") from missing
    Y, errors = walk(s), []

    def work() -> object:
        for end in range(s.rows - WINDOWS, s.rows):
            window = Y[end - (s.rows - WINDOWS) : end]
            mean = VAR(window).fit(1).forecast(window[-1:], 1)[0]
            errors.append(((Y[end] - mean) ** 2).mean())
        return errors

    return work, lambda: {"r2": 1 - float(np.mean(errors)) / Y.var()}


FOREST = {"n_estimators": 100, "max_samples": 256}
"""The trees of isolation forests as their authors have them."""


def scoring(s: Setting, model) -> Task:
    """Fitting a detector of outliers and scoring the rows it was fitted on."""
    X, _ = s.data()
    return lambda: model.fit(X).score_samples(X)


LEVELS = (0.1, 0.3, 0.5, 0.7, 0.9)


def orff_quantiles(s: Setting) -> Task:
    """Orff's QuantileFunction, every level at once to a duality gap of 1e-3"""
    import orff

    X, Y = s.data()
    y = Y[:, 0]
    model = orff.QuantileFunction(lengthscale=s.lengthscale, n_components=s.columns, alpha=1e-5)
    return lambda: model.fit(X, y).predict(X, levels=LEVELS), lambda: s.r2(model.predict)


def sklearn_quantiles(s: Setting) -> Task:
    """scikit-learn's QuantileRegressor on as many random features, five levels"""
    from sklearn.kernel_approximation import RBFSampler
    from sklearn.linear_model import QuantileRegressor
    from sklearn.pipeline import make_pipeline

    X, Y = s.data()
    y = Y[:, 0]
    features = {"gamma": s.gamma, "n_components": s.columns, "random_state": 0}
    models = [make_pipeline(RBFSampler(**features), QuantileRegressor(quantile=t, alpha=1e-4)) for t in LEVELS]
    return lambda: [model.fit(X, y).predict(X) for model in models], lambda: s.r2(models[2].predict)


def orff_isolation(s: Setting) -> Task:
    """Orff's IsolationForest, fitted and asked for the scores of its rows"""
    import orff

    return scoring(s, orff.IsolationForest(**FOREST))


def orff_one_class(s: Setting) -> Task:
    """Orff's OneClassForest on as many rows per tree, the same"""
    import orff

    return scoring(s, orff.OneClassForest(**FOREST))


def orff_one_class_default(s: Setting) -> Task:
    """Orff's OneClassForest with its defaults (a fifth of the rows per tree), the same"""
    import orff

    return scoring(s, orff.OneClassForest())


def sklearn_isolation(s: Setting) -> Task:
    """scikit-learn's IsolationForest"""
    from sklearn.ensemble import IsolationForest

    return scoring(s, IsolationForest(**FOREST, random_state=0, n_jobs=int(os.environ.get("OMP_NUM_THREADS", -1))))


def orff_svm(s: Setting, nu: float) -> Task:
    import orff

    return scoring(s, orff.FourierOneClassSVM(nu=nu, lengthscale=s.lengthscale, n_components=s.columns))


def orff_svm_tenth(s: Setting) -> Task:
    """Orff's FourierOneClassSVM, ν = 0.1, fitted and asked for the scores of its rows"""
    return orff_svm(s, 0.1)


def orff_svm_half(s: Setting) -> Task:
    """Orff's FourierOneClassSVM, ν = 0.5, the same"""
    return orff_svm(s, 0.5)


def orff_level_sets(s: Setting) -> Task:
    """Orff's LevelSets, every ν at once, the same"""
    import orff

    return scoring(s, orff.LevelSets(lengthscale=s.lengthscale, n_components=s.columns))


def sklearn_svm(s: Setting, nu: float) -> Task:
    from sklearn.svm import OneClassSVM

    return scoring(s, OneClassSVM(nu=nu, gamma=s.gamma, cache_size=1000))


def sklearn_svm_tenth(s: Setting) -> Task:
    """scikit-learn's OneClassSVM, ν = 0.1, one thread (it has no other)"""
    return sklearn_svm(s, 0.1)


def sklearn_svm_half(s: Setting) -> Task:
    """scikit-learn's OneClassSVM, ν = 0.5, one thread (it has no other)"""
    return sklearn_svm(s, 0.5)
