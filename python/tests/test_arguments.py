"""Arguments that cannot be used are refused by their names, with what they take and what was given."""

import json
import re

import matplotlib.pyplot as plt
import numpy as np
import orff
import pandas as pd
import pytest
import scipy.sparse
from orff import bounds

N, HUGE = 24, 10**400
RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, (N, 2))
Y = X + 0.1 * RNG.normal(size=X.shape)
LABELS = np.arange(N) % 2
RAGGED = [[1, 2], [3]] + [[4]] * (N - 2)
SERIES = np.cumsum(RNG.normal(size=(N, 2)), axis=0)
KNOWN = RNG.normal(size=(N, 1))
FAR = np.where(np.arange(N)[:, None] == 5, 1e308, SERIES)
NONE = np.full((3, 1), np.nan)
ONE_MORE = orff.decomposable("gaussian", np.eye(3))
THREE = [orff.gaussian(), orff.matern(), orff.laplace()]
ATOMS = orff.atoms(np.ones((4, 3)), np.ones((4, 2, 1)))
SELF: list = [1.0]
SELF.append(SELF)
INSIDE: dict = {}
FRAME = pd.DataFrame(SERIES, columns=["y1", "y2"])
DATED = FRAME.set_index(pd.date_range("2020", periods=N))
DEEP: dict = {"kernel": "decomposable"}
for _ in range(70):
    DEEP = {"kernel": "scaled", "factor": 1.0, "of": DEEP}
INSIDE["a"] = INSIDE
TWICE = pd.DataFrame(np.column_stack([Y, Y]), columns=["a", "b", "a", "b"])


def once(make):
    """What is fitted when it is first asked for, and once."""
    kept = []

    def made():
        if not kept:
            kept.append(make())
        return kept[0]

    return made


def ridge(**options):
    return orff.OperatorRidge(n_components=16, **options)


def classifier():
    return orff.OperatorClassifier(n_components=16)


def laplacian(**options):
    return orff.LaplacianClassifier(n_components=16, **options)


def curves():
    return orff.FunctionalRidge(n_components=16)


def var():
    return orff.FourierVAR("linear", order=1)


def waves():
    return orff.FourierVAR("features", order=1, n_components=16)


fitted = once(lambda: ridge().fit(X, Y))
labelled = once(lambda: classifier().fit(X, LABELS))
quantiles = once(lambda: orff.QuantileFunction(n_components=16).fit(X[:, :1], Y[:, 0]))
sets = once(lambda: orff.LevelSets(n_components=16).fit(X))
curved = once(lambda: curves().fit(X, np.column_stack([Y, Y])))
follows = once(lambda: var().fit(SERIES))
beside = once(lambda: var().fit(SERIES, KNOWN))
aligned = once(lambda: orff.AlignedFeatures(n_components=16).fit(X, LABELS))
field = once(lambda: orff.VectorField("curl-free", n_components=16).fit(X, Y))
gathered = once(lambda: ridge().partial_fit(X, Y))
alike_to = once(lambda: orff.LandmarkFeatures().fit(X, LABELS))
warped = once(lambda: orff.LaplacianFeatures(n_components=16).fit(X))


def ragged(n):
    return [1.0] * (n - 1) + [[2.0, 3.0]]


def chapter_7(**options):
    given = {"rows": 9, "alpha": 1, "kappa": 1, "trace": 1, "largest": 1, "norm": 1}
    return bounds.generalisation(**{**given, **options})


def consistent(**options):
    given = {"rows": 9, "atoms": 9, "lipschitz": 1, "largest": 1, "norm": 1, "trace": 1, "largest_operator": 1}
    return bounds.consistency(**{**given, **options})


def ask(**options):
    return bounds.bound("gaussian", **{"dimension": 2, "n_components": 10, **options})


def alike(posterior=(0.5, 0.5), losses=(0.1, 0.2), rows=10, **options):
    return bounds.alignment(posterior, losses, rows=rows, **options)


def about(**options):
    return bounds.landmark(**{"compared": 9, "loss": 0.3, "kl": 0.5, **options})


def draw(name, model, *given, **options):
    figure, ax = plt.subplots()
    try:
        return getattr(orff.plot, name)(model, *given, ax=ax, **options)
    finally:
        plt.close(figure)


JOBS = "n_jobs: expected None, a negative number"
EACH = "task: expected a word or a number in each"
SHAPE = "task: expected shape (24,), a word or a number for each row"
MEMBER = "member: expected shape (24,), a word or a number for each row"
NAMED = "member: expected a word or a number in each"
TIME = "time: expected numbers or dates, one for each row"
LABEL = "y: expected a label for each row"
KIND = "y: expected labels: words, whole numbers or booleans"
UNLABELED = "unlabeled: expected None, a word or a number"
WEIGHT = "sample_weight: expected"
LEVEL = "expected numbers between 0 and 1"
SIZE = "expected a number ≥ 0 and ≤ 1e+100"

CASES = {
    # threads
    "n_jobs-many": (lambda: ask(n_jobs=10**9), JOBS),
    "n_jobs-huge": (lambda: ask(n_jobs=HUGE), JOBS),
    "n_jobs-true": (lambda: ask(n_jobs=True), JOBS),
    "n_jobs-word": (lambda: ask(n_jobs="x"), JOBS),
    "bound-all": (
        lambda: ask(epsilon=0.1, probability=0.1),
        "n_components, epsilon, probability: expected two of them",
    ),
    "bound-diameter": (lambda: ask(diameter=1e308, draws=2), "diameter: expected a number > 0 and ≤ 1e100 where atoms"),
    "bound-verbose": (lambda: ask(verbose="x"), "verbose: expected true or false"),
    # numbers that are too large
    "sample-many": (lambda: quantiles().sample(X[:, :1], 10**30), "n_samples: expected a whole number ≥ 1"),
    "sample-seed": (lambda: quantiles().sample(X[:, :1], 1, 2**70), "random_state: expected a whole number from 0"),
    "impulse-many": (lambda: follows().impulse_response(10**30), "steps: expected a whole number from 0 to 10000000"),
    "levels": (lambda: quantiles().predict(X[:, :1], levels=HUGE), f"levels: {LEVEL}"),
    "levels-word": (lambda: quantiles().predict(X[:, :1], levels="0.5"), f"levels: {LEVEL}"),
    "coverage": (lambda: quantiles().predict_interval(X[:, :1], HUGE), "coverage: expected a number between 0 and 1"),
    "cdf": (lambda: quantiles().cdf(X[:, :1], HUGE), "y: expected numbers"),
    "cdf-none": (lambda: quantiles().cdf(X[:, :1], None), "y: expected numbers, got none"),
    "at": (lambda: curved().predict(X, at=HUGE), "at: expected finite numbers"),
    "nu": (lambda: sets().predict(X, nu=HUGE), f"nu: {LEVEL}"),
    "kernel-point": (lambda: orff.gaussian()([[HUGE]]), "X: expected an array of numbers with a row per point"),
    "kernel-number": (lambda: orff.gaussian(HUGE), "lengthscale: expected auto, a finite number > 0"),
    "kernel-digits": (lambda: orff.gaussian(-(10**5000)), "lengthscale: expected auto, a finite number > 0"),
    "parameter": (lambda: ridge(alpha=HUGE).fit(X, Y), "alpha: expected evidence, gcv, loo or a number ≥ 0"),
    "names-out": (lambda: aligned().get_feature_names_out("x"), "input_features: expected the names of the inputs"),
    # labels that stand for none, tasks
    "unlabeled-list": (lambda: laplacian(unlabeled=[1]).fit(X, LABELS), UNLABELED),
    "unlabeled-call": (lambda: laplacian(unlabeled=len).fit(X, LABELS), UNLABELED),
    "unlabeled-dict": (lambda: laplacian(unlabeled={}).fit(X, LABELS), UNLABELED),
    "task-bytes": (lambda: ridge().fit(X, Y[:, 0], task=[b"\xff"] * N), "task: expected words in UTF-8"),
    "task-call": (lambda: ridge().fit(X, Y[:, 0], task=len), SHAPE),
    "task-dict": (lambda: ridge().fit(X, Y[:, 0], task={}), SHAPE),
    "task-set": (lambda: ridge().fit(X, Y[:, 0], task={1}), SHAPE),
    "task-sparse": (lambda: ridge().fit(X, Y[:, 0], task=scipy.sparse.eye_array(N).tocsr()), SHAPE),
    "task-ragged": (lambda: ridge().fit(X, Y[:, 0], task=RAGGED), EACH),
    "task-lists": (lambda: ridge().fit(X, Y[:, 0], task=pd.Series([[1]] * N)), EACH),
    # formulas of bounds
    "rows-word": (lambda: chapter_7(rows="x"), "rows: expected a whole number from 1"),
    "rows-negative": (lambda: chapter_7(rows=-1), "rows: expected a whole number from 1"),
    "alpha-nan": (lambda: chapter_7(alpha=np.nan), "alpha: expected a number > 0"),
    "alpha-none": (lambda: chapter_7(alpha=None), "alpha: expected a number > 0"),
    "norm-large": (lambda: chapter_7(norm=1e308), f"norm: {SIZE}"),
    "kappa-negative": (lambda: chapter_7(kappa=-1), f"kappa: {SIZE}"),
    "probability": (lambda: chapter_7(probability="x"), "probability: expected a number > 0 and < 1"),
    "atoms": (lambda: consistent(atoms=2.5), "atoms: expected a whole number from 1"),
    "largest-operator": (lambda: consistent(largest_operator=HUGE), f"largest_operator: {SIZE}"),
    "delta-word": (lambda: bounds.variance("gaussian", "x"), "delta: expected finite numbers"),
    "delta-none": (lambda: bounds.variance("gaussian", []), "delta: expected finite numbers"),
    "outputs-none": (
        lambda: bounds.variance("gaussian", [1.0], outputs=0),
        "outputs: expected a whole number from 1",
    ),
    "measure-word": (
        lambda: bounds.variance("gaussian", [1.0], measure="x"),
        "measure: expected trace, plain or tilted",
    ),
    "measure-none": (
        lambda: bounds.variance("gaussian", [1.0], measure=None),
        "measure: expected trace, plain or tilted",
    ),
    "map": (
        lambda: bounds.warped(rows=9, atoms=9, graph_norm=1, feature_map=3),
        "feature_map: expected pairs or phases",
    ),
    "graph-norm": (lambda: bounds.warped(rows=9, atoms=9, graph_norm="x"), f"graph_norm: {SIZE}"),
    "kernel-norm": (lambda: bounds.warped(rows=9, atoms=9, graph_norm=1, kernel_norm=10), "kernel_norm: expected"),
    "alike-rows": (lambda: alike(rows=-1), "rows: expected a number ≥ 2"),
    "alike-rows-none": (lambda: alike(rows=None), "rows: expected a number ≥ 2"),
    "mu-word": (lambda: alike(mu="x"), "mu: expected a number > 1"),
    "mu-array": (lambda: alike(mu=np.array([2.0, 3.0])), "mu: expected a number > 1"),
    "mu-large": (lambda: alike((1.0, 0.0), mu=1e200), "mu: expected a number > 1 and ≤ 1e+100"),
    "sum-word": (lambda: bounds.variance("gaussian", [1.0], sum="x"), "sum: expected concatenation or mixture"),
    # bounds of a fitted model
    "report-model": (lambda: bounds.report("x", X, Y), "model: expected a fitted estimator of this package"),
    "report-rows": (lambda: bounds.report(fitted(), X[1:], Y[1:]), f"X: expected the {N} rows that the model was learned from"),
    "report-outputs": (lambda: bounds.report(fitted(), X), "y: expected the outputs of"),
    "report-probability": (lambda: bounds.report(fitted(), X, Y, probability=0), "probability: expected a number > 0 and < 1"),
    "report-jobs": (lambda: bounds.report(fitted(), X, Y, n_jobs=0), "n_jobs: expected None"),
    "prior-short": (lambda: alike(prior=[1.0]), "prior: expected 2 weights ≥ 0 that sum to 1"),
    "losses-outside": (lambda: alike(losses=(0.1, 1.2)), "losses: expected 2 numbers from 0 to 1"),
    "losses-short": (lambda: alike(losses=(0.1,)), "losses: expected 2 numbers from 0 to 1"),
    "alike-t": (lambda: alike(t="x"), "t: expected a number > 0"),
    "alike-classes": (lambda: alike(classes=-1), "classes: expected a whole number from 0"),
    "compared": (lambda: about(compared="x"), "compared: expected a number ≥ 1"),
    "loss": (lambda: about(loss=1.5), "loss: expected a number from 0 to 1"),
    "landmarks": (lambda: about(landmarks=0), "landmarks: expected a whole number from 1"),
    "kl": (lambda: about(kl=None), f"kl: {SIZE}"),
    # members and times of series
    "member-axes": (lambda: var().fit(SERIES, member=np.zeros((N, 2))), MEMBER),
    "member-none": (lambda: var().fit(SERIES, member=[None] * N), NAMED),
    "member-nan": (lambda: var().fit(SERIES, member=[np.nan] * N), NAMED),
    "member-word": (lambda: var().fit(SERIES, member="x"), MEMBER),
    "member-number": (lambda: var().fit(SERIES, member=3.0), MEMBER),
    "member-dict": (lambda: var().fit(SERIES, member={}), MEMBER),
    "member-call": (lambda: var().fit(SERIES, member=len), MEMBER),
    "member-set": (lambda: var().fit(SERIES, member={1}), MEMBER),
    "member-sparse": (lambda: var().fit(SERIES, member=scipy.sparse.eye_array(N).tocsr()), MEMBER),
    "member-ragged": (lambda: var().fit(SERIES, member=RAGGED), NAMED),
    "time-number": (lambda: var().fit(SERIES, time=3.0), TIME),
    "time-ragged": (lambda: var().fit(SERIES, time=RAGGED), TIME),
    "time-huge": (lambda: var().fit(SERIES, time=[HUGE] * N), "time: expected numbers"),
    "size-ragged": (lambda: follows().impulse_response(2, size=[1, [2]]), "size: expected one number, or 2"),
    "size-nan": (lambda: follows().impulse_response(2, size=np.nan), "size: expected one number, or 2"),
    "Y-columns": (
        lambda: follows().predict(SERIES[:, :1]),
        "Y: expected 2 columns (y1, y2), as was learned from, got 1",
    ),
    "exog-none": (lambda: beside().predict(SERIES), "exog: expected 1 columns (u1), as was learned from, got none"),
    "exog-other": (lambda: follows().predict(SERIES, KNOWN), "exog: expected none, as was learned from, got 1"),
    "Y-empty": (lambda: var().fit(np.zeros((0, 2))), "Y: a series needs rows"),
    # weights
    "weight-fit": (lambda: ridge().fit(X, Y, ragged(N)), WEIGHT),
    "weight-score": (lambda: fitted().score(X, Y, ragged(N)), WEIGHT),
    "weight-part": (lambda: ridge().partial_fit(X, Y, ragged(N)), WEIGHT),
    "weight-add": (lambda: gathered().moments_.add(X, Y, ragged(N)), WEIGHT),
    "weight-labels": (lambda: classifier().fit(X, LABELS, ragged(N)), WEIGHT),
    "weight-curves": (lambda: curves().fit(X, Y, ragged(N)), WEIGHT),
    "weight-features": (lambda: orff.FourierFeatures(n_components=16).fit(X, None, ragged(N)), WEIGHT),
    "weight-zero": (lambda: fitted().score(X, Y, np.zeros(N)), "sample_weight: expected a sum > 0"),
    "weight-negative-labels": (lambda: labelled().score(X, LABELS, np.full(N, -1)), WEIGHT),
    "weight-large-labels": (lambda: labelled().score(X, LABELS, np.full(N, 1e308)), WEIGHT),
    "weight-negative-levels": (lambda: quantiles().score(X[:, :1], Y[:, 0], np.full(N, -1)), WEIGHT),
    "weight-large-levels": (lambda: quantiles().score(X[:, :1], Y[:, 0], np.full(N, 1e308)), WEIGHT),
    # labels
    "labels-ragged": (lambda: classifier().fit(X, RAGGED), KIND),
    "labels-axes": (lambda: classifier().fit(X, np.zeros((N, 2, 2))), LABEL),
    "labels-none": (lambda: classifier().fit(X, np.zeros((N, 0))), LABEL),
    "labels-complex": (lambda: classifier().fit(X, LABELS + 1j), KIND),
    "labels-continuous": (lambda: classifier().fit(X, Y[:, 0]), "y: Unknown label type"),
    "labels-lists": (lambda: classifier().fit(X, pd.Series([[1]] * N)), KIND),
    "labels-landmarks": (lambda: orff.LandmarkFeatures().fit(X, Y[:, 0]), "y: Unknown label type"),
    "labels-landmarks-ragged": (lambda: orff.LandmarkFeatures().fit(X, RAGGED), KIND),
    "labels-partly": (lambda: laplacian().fit(X, np.zeros((N, 2, 2))), LABEL),
    "labels-aligned": (lambda: orff.AlignedFeatures(n_components=16).fit(X, RAGGED), "y: expected labels or targets"),
    "labels-one": (lambda: classifier().fit(X, np.zeros(N, int)), "y: one class only (0)"),
    "labels-one-landmarks": (lambda: orff.LandmarkFeatures().fit(X, np.zeros(N, int)), "y: one class only (0)"),
    "labels-no-weight": (lambda: classifier().fit(X, LABELS, np.zeros(N)), "sample_weight, y: no row counts"),
    # scores
    "score-columns": (lambda: labelled().score(X, TWICE), "y: expected one column of labels, got 4"),
    "score-twice": (lambda: quantiles().score(X[:, :1], TWICE), "y: expected columns with different names"),
    "score-labels-rows": (lambda: labelled().score(X, LABELS[1:]), "y: expected 24 rows as in X, got 23"),
    "score-labels-words": (lambda: labelled().score(X, np.full(N, "a")), "y: expected labels that are numbers"),
    "score-labels-nan": (lambda: labelled().score(X, [*LABELS[1:], np.nan]), LABEL),
    "score-rows": (
        lambda: quantiles().score(X[:, :1], Y[1:, 0]),
        "y: expected shape (24, 1) as in the predictions of X",
    ),
    "score-infinite": (
        lambda: quantiles().score(X[:, :1], np.full(N, np.inf)),
        "y: row 1, column output 1: inf is not",
    ),
    "score-large": (lambda: fitted().score(X, 1e308 * Y), "y: row 1, column output 1: "),
    "score-none": (lambda: fitted().score(X, np.zeros(0)), "y: expected shape (24, 2) as in the predictions of X"),
    "score-pairs": (lambda: curved().score(X, [([0, 1], [1, 2])]), "y: expected 24 rows as in X, got 1"),
    "score-arguments": (
        lambda: curved().score(X, [([0, np.nan], [1, 2])] * N),
        "y: row 1, column argument 2: nan is not",
    ),
    "pairs-close": (
        lambda: curves().fit(X, [([0, 5e-324], [1, 2])] * N),
        "y, grid: the argument of the curves: its values lie too close together",
    ),
    "score-arguments-far": (
        lambda: curved().score(X, [([0, 1e308], [1, 2])] * N),
        "y: arguments: expected numbers nearer to those learned from",
    ),
    "score-values": (lambda: curved().score(X, [([0, 1], [1, np.inf])] * N), "y: row 1, column output 2: inf is not"),
    "pairs-ragged": (lambda: curves().fit(X, [([0, [1]], [1, 2])] * N), "y: curve 1: expected numbers"),
    # learned kernels
    "outputs-word": (lambda: aligned().learned_kernel("x"), "outputs: expected a whole number from 1"),
    "outputs-negative": (lambda: aligned().learned_kernel(-1), "outputs: expected a whole number from 1"),
    "outputs-zero": (lambda: aligned().learned_kernel(0), "outputs: expected a whole number from 1"),
    "outputs-true": (lambda: aligned().learned_kernel(True), "outputs: expected a whole number from 1"),
    "guarantee-word": (lambda: aligned().bounds("x"), "probability: expected a number > 0 and < 1"),
    "guarantee-none": (lambda: aligned().bounds(None), "probability: expected a number > 0 and < 1"),
    # plots
    "plot-points": (lambda: draw("field", field(), points="x"), "points: expected true or false"),
    "plot-fan": (lambda: draw("quantile_fan", quantiles(), points="x"), "points: expected true or false"),
    "plot-sets": (lambda: draw("level_sets", sets(), points="x"), "points: expected true or false"),
    "plot-history-negative": (
        lambda: draw("forecast", follows(), history=-1),
        "history: expected a whole number ≥ 0",
    ),
    "plot-history-nan": (lambda: draw("forecast", follows(), history=np.nan), "history: expected a whole number ≥ 0"),
    "plot-history-word": (lambda: draw("forecast", follows(), history="x"), "history: expected a whole number ≥ 0"),
    "plot-history-part": (lambda: draw("forecast", follows(), history=2.5), "history: expected a whole number ≥ 0"),
    "plot-intervals-word": (lambda: draw("forecast", follows(), intervals="x"), "intervals: expected probabilities"),
    "plot-intervals-zero": (lambda: draw("forecast", follows(), intervals=0), "intervals: expected probabilities"),
    "plot-intervals-large": (lambda: draw("forecast", follows(), intervals=2.5), "intervals: expected probabilities"),
    "plot-curves-word": (lambda: draw("curves", curved(), X, "x"), "y: expected shape (n,) or (n, p)"),
    "plot-curves-number": (lambda: draw("curves", curved(), X, 3), "y: expected shape (n,) or (n, p)"),
    "plot-curves-ragged": (
        lambda: draw("curves", curved(), X, RAGGED),
        "y: expected numbers, a row for each row of X",
    ),
    "plot-learning": (lambda: draw("learning_curve", ridge(), X, Y[1:]), "y: expected 24 rows as in X, got 23"),
    "plot-learning-number": (lambda: draw("learning_curve", ridge(), 3, Y), "X: "),
    "plot-learning-labels": (lambda: draw("learning_curve", ridge(), X, 3), "y: expected 24 rows as in X, got 3"),
    "plot-learning-sizes": (
        lambda: draw("learning_curve", ridge(), X, Y, train_sizes=[np.nan, 1.0]),
        "train_sizes: expected numbers > 0",
    ),
    "plot-learning-folds": (lambda: draw("learning_curve", ridge(), X, Y, cv=[]), "cv: expected folds of numbers of rows"),
    "plot-bounds": (lambda: draw("field", field(), bounds=(0, HUGE, 0, 1)), "bounds: expected (left, right, bottom, top)"),
    "warm_start": (
        lambda: ridge(warm_start=np.array([True, False])).fit(X, Y),
        "warm_start: expected true or false, got [true, false]",
    ),
    "kernel-words": (lambda: orff.gaussian(1.0)([["1", "2"]]), "X: expected an array of numbers"),
    "kernel-masked": (lambda: orff.gaussian(1.0)(np.ma.masked_all((3, 2))), "X: expected an array of numbers"),
    # the argument that is at fault
    "graph": (
        lambda: laplacian().fit(X, LABELS, graph=scipy.sparse.csr_array(1j * np.eye(N))),
        "graph: Complex data not supported",
    ),
    "curves-nan": (lambda: curves().fit(X, np.full((N, 3), np.nan)), "y: expected a value in one of the curves"),
    "moments-empty": (
        lambda: ridge().fit_moments(gathered().moments_.empty()),
        "moments: expected those of some rows",
    ),
    "moments-other": (
        lambda: gathered().moments_.merge(orff.VectorField(n_components=16).partial_fit(X, Y).moments_),
        "other: expected moments of OperatorRidge, got those of VectorField",
    ),
    # series by their names in Python
    "forecast-exog-none": (lambda: beside().forecast(3), "exog: expected 3 rows to come (steps) of 1 variables"),
    "forecast-exog-few": (
        lambda: beside().forecast(3, exog=[[1.0]]),
        "exog: expected 3 rows to come (steps) of 1 variables, got 1×1",
    ),
    "forecast-exog-nan": (lambda: beside().forecast(1, exog=[[np.nan]]), "exog: every value of the rows to come"),
    "Y-infinite": (
        lambda: follows().predict(np.full((N, 2), np.inf)),
        "Y: row 1, column variable 1 ('y1'): inf is not",
    ),
    "Y-missing": (lambda: var().fit(np.full((N, 2), np.nan)), "Y: no 2 consecutive rows of the series are complete"),
    "exog-missing": (lambda: var().fit(SERIES, np.full((N, 1), np.nan)), "exog: no value beside 2 rows that follow"),
    "exog-large": (lambda: var().fit(SERIES, FAR[:, :1]), "exog: row 6, column exogenous 1 ('u1'): 1"),
    "exog-large-features": (lambda: waves().fit(SERIES, FAR[:, :1]), "exog: row 6, column exogenous 1 ('u1'): 1"),
    "exog-large-validate": (lambda: beside().validate(SERIES, FAR[:, :1]), "exog: row 6, column exogenous 1"),
    "exog-large-predict": (lambda: beside().predict(SERIES, FAR[:, :1]), "exog: row 6, column exogenous 1"),
    "exog-small": (lambda: var().fit(SERIES, 1e-310 * KNOWN), "exog: exogenous 1: its values lie too close together"),
    "exog-small-features": (lambda: waves().fit(SERIES, 1e-310 * KNOWN), "exog: exogenous 1: its values lie too close"),
    "exog-small-validate": (lambda: var().validate(SERIES, 1e-310 * KNOWN), "exog: exogenous 1: its values lie too"),
    "Y-large": (lambda: var().fit(FAR), "Y: row 6, column variable 1 ('y1'): 1"),
    "Y-small": (lambda: waves().fit(1e-310 * SERIES), "Y: variable 1: its values lie too close together"),
    "impulse-exog-nan": (lambda: beside().impulse_response(3, exog=NONE), "exog: every value of the rows to come"),
    "impulse-exog-few": (
        lambda: beside().impulse_response(3, exog=[[1.0]]),
        "exog: expected 3 rows to come (steps) of 1 variables, got 1×1",
    ),
    "impulse-exog-other": (
        lambda: follows().impulse_response(3, exog=np.ones((3, 1))),
        "exog: expected 3 rows to come (steps) of 0 variables, got 3×1",
    ),
    "alpha-large": (lambda: orff.FourierVAR("linear", order=1, alpha=1e308).fit(SERIES), "alpha: expected a number ≥ 0"),
    "forecast-member": (lambda: follows().forecast(member=[SELF]), "member: expected a word or a number, got"),
    "forecast-member-long": (lambda: follows().forecast(member="x" * 10**5), "member: expected none, as one series"),
    "impulse-member": (lambda: follows().impulse_response(member=X), "member: expected a word or a number, got"),
    # kernels of another size
    "kernel-output": (lambda: ridge(kernel=ONE_MORE).fit(X, Y), "kernel: output matrix: expected 2×2"),
    "kernel-sum": (lambda: ridge(kernel=orff.curl_free() + ONE_MORE).fit(X, Y), "kernel: output matrix: expected 2×2"),
    "kernel-conjugate": (
        lambda: ridge(kernel=orff.conjugate(np.ones((3, 1)), "gaussian")).fit(X, Y),
        "kernel: matrix of M K Mᵀ: expected 2 rows, one per column of y, got 3",
    ),
    "kernel-precompose": (
        lambda: ridge(kernel=orff.precompose(np.ones((2, 3)), "gaussian")).fit(X, Y),
        "kernel: matrix of K(T·,T·): expected 2 columns, one per column of X, got 3",
    ),
    "kernel-atoms": (lambda: ridge(kernel=ATOMS).fit(X, Y), "kernel: omega of the listed atoms: expected 2 columns"),
    "kernel-atoms-exact": (
        lambda: orff.ExactOperatorRidge(ATOMS).fit(X, Y),
        "kernel: omega of the listed atoms: expected 2 columns, one per column of X, got 3",
    ),
    "kernel-views": (
        lambda: ridge(kernel=orff.transformable("gaussian", [[1.0, 0.0]])).fit(X, Y),
        "kernel: views: expected 2, one per column of y, got 1",
    ),
    "kernel-view": (
        lambda: ridge(kernel=orff.transformable("gaussian", np.ones((1, 3)), np.ones((1, 3)))).fit(X, Y),
        "kernel: view 1: expected 2 columns, one per column of X, got 3",
    ),
    "kernel-bound": (
        lambda: bounds.variance(ATOMS, [0.1, 0.2, 0.3]),
        "kernel: the variance of atoms(",
    ),
    "kernel-mapping": (lambda: orff.decomposable("gaussian", {"a": 1}), "output: expected a word such as identity"),
    "kernel-masked-by": (lambda: orff.conjugate(np.ma.masked_all((2, 2)), "gaussian"), "by: expected a matrix given by"),
    "kernel-large": (lambda: orff.conjugate(np.zeros((24, 10**6)), "gaussian"), "by: expected at most 10000000 numbers"),
    "kernel-records": (lambda: orff.conjugate(np.zeros(2, "f8,f8"), "gaussian"), "by: expected a matrix given by"),
    "kernel-outputs": (lambda: orff.gaussian(1.0)(X, outputs=True), "outputs: expected a whole number ≥ 1, got true"),
    "kernel-text": (lambda: orff.gaussian(1.0)(np.array([["1"]], dtype=object)), "X: expected an array of numbers"),
    # words
    "plot-style-array": (lambda: draw("field", field(), style=X), "style: expected quiver or streamlines"),
    "plot-variable-array": (lambda: draw("forecast", follows(), variable=X), "variable: expected one of y1, y2"),
    "plot-variable-frame": (lambda: draw("forecast", follows(), variable=TWICE), "variable: expected one of y1, y2"),
    "plot-output-true": (
        lambda: draw("quantile_fan", quantiles(), output=False),
        "output: expected a whole number from 0 to 0, got false",
    ),
    "plot-cv-numbers": (lambda: draw("learning_curve", ridge(), X, Y, cv=X), "cv: expected folds of numbers of rows"),
    "plot-cv-many": (lambda: draw("learning_curve", ridge(), X, Y, cv=10**9), "cv: expected folds as scikit-learn"),
    "plot-cv-none": (lambda: draw("learning_curve", ridge(), X, Y, cv={}), "cv: expected folds"),
    "plot-cv-far": (lambda: draw("learning_curve", ridge(), X, Y, cv=[([0, 1], [99])]), "cv: expected folds of numbers"),
    "plot-estimator": (lambda: draw("learning_curve", len, X, Y), "estimator: expected an estimator"),
    "plot-learning-fails": (lambda: draw("learning_curve", ridge(), X * np.nan, Y, cv=2), "X: row "),
    "likeness-array": (
        lambda: orff.AlignedFeatures(likeness=X, n_components=16).fit(X, LABELS),
        "likeness: expected",
    ),
    # files
    "save-empty": (lambda: fitted().save(""), 'path: expected a text or a path that a file can have, got ""'),
    "save-nul": (lambda: fitted().save("a\0b"), "path: expected a text or a path that a file can have"),
    "save-half": (lambda: fitted().save("\ud800"), "path: expected a text or a path that a file can have"),
    "load-empty": (lambda: orff.load(""), 'path: expected a text or a path that a file can have, got ""'),
    # rows beyond numbers
    "equal-sets": (lambda: orff.LevelSets(n_components=16).fit(np.ones((N, 2))), "X: all rows are equal"),
    "equal-machine": (lambda: orff.FourierOneClassSVM(n_components=16).fit(np.ones((N, 2))), "X: all rows are equal"),
    "far-landmarks": (lambda: alike_to().transform(FAR), "X: row 6, column inputs: a feature is not finite"),
    "far-warped": (lambda: warped().transform(1e308 * X), "X: row "),
    "far-potential": (lambda: field().potential(1e308 * X), "X: row 5, column inputs: the potential is not finite"),
    "far-jacobian": (lambda: field().jacobian(1.7e308 * X), "X: row 2, column inputs: a derivative is not finite"),
    "far-divergence": (lambda: field().divergence(1.7e308 * X), "X: row 2, column inputs: a derivative is not finite"),
    "far-curl": (lambda: field().curl(1.7e308 * X), "X: row 2, column inputs: a derivative is not finite"),
    "far-sparse": (lambda: ridge().fit(scipy.sparse.csr_array(1e308 * X), Y), "X: input 1: its values spread too far"),
    # parameters beyond numbers, and fewer atoms than terms
    "lengthscale-small": (lambda: ridge(lengthscale=5e-324).fit(X, Y), "lengthscale: expected numbers from 1e-150 to"),
    "lengthscale-exact": (lambda: orff.ExactOperatorRidge(lengthscale=5e-324).fit(X, Y), "lengthscale: expected numbers"),
    "bandwidth-small": (lambda: laplacian(bandwidth=5e-324).fit(X, LABELS), "bandwidth: expected numbers from 1e-140"),
    "bandwidth-large": (lambda: laplacian(bandwidth=1e308).fit(X, LABELS), "bandwidth: expected numbers from 1e-140"),
    "alpha-exact": (lambda: orff.ExactOperatorRidge(alpha=1e308).fit(X, Y), "alpha: expected a number ≥ 0, finite also"),
    "alpha-risk": (lambda: orff.RiskRegressor(alpha=1e308, n_components=16).fit(X, Y), "alpha: expected a number ≥ 0"),
    "alpha-landmarks": (lambda: orff.LandmarkClassifier(alpha=1e308).fit(X, LABELS), "alpha: expected a number ≥ 0"),
    "components-terms": (
        lambda: orff.OperatorRidge(sum(THREE), n_components=4).fit(X, Y),
        "n_components: expected at least 6, an atom for each of 3 terms of the kernel, got 4",
    ),
    "candidates-terms": (
        lambda: orff.AlignedFeatures(n_components=4, n_candidates=2).fit(X, LABELS),
        "n_candidates: expected at least 5, one per term, got 2",
    ),
    "argument-kernel": (
        lambda: orff.FunctionalRidge(argument_kernel="curl-free", n_components=16).fit(X, Y),
        "argument_kernel: expected a scalar one",
    ),
    "far-arguments": (lambda: curved().predict(X, at=[0.0, 1e308]), "at: expected numbers nearer to those learned from"),
    "far-arguments-of-each": (lambda: curved().predict(X, at=np.full((N, 1), 1e308)), "at: expected numbers nearer"),
    "graph-row": (lambda: orff.LaplacianFeatures(n_components=16).fit(X[:1]), "X: a graph of one sample has no edges"),
    "align-weight": (
        lambda: orff.AlignedFeatures(n_components=16).fit(X, LABELS, np.full(N, 1e-150)),
        "X, sample_weight: expected at least two (weights count rows",
    ),
    # what is too deep, or no text
    "self-list": (lambda: ridge(alpha=SELF).fit(X, Y), "alpha: expected evidence, gcv, loo or a number ≥ 0"),
    "self-mapping": (lambda: ridge(alpha=INSIDE).fit(X, Y), "alpha: expected evidence, gcv, loo or a number ≥ 0"),
    "self-lengthscale": (lambda: orff.gaussian(SELF), "lengthscale: expected auto, a finite number > 0"),
    "self-kernel": (lambda: orff.conjugate([[1.0]], SELF), "of: expected a kernel such as"),
    "self-probability": (lambda: aligned().bounds(SELF), "probability: expected a number > 0 and < 1"),
    "self-path": (lambda: fitted().save(SELF), "path: expected a text or a path"),
    "half-word": (lambda: orff.gaussian("\ud800"), "lengthscale: expected auto, a finite number > 0"),
    "half-task": (lambda: ridge().fit(X, Y[:, 0], task=["\ud800"] * N), "task: expected words in UTF-8"),
    # what pandas has beside tables and series
    "pandas-no-time": (lambda: ridge().fit(X, pd.NaT), "y: expected"),
    "pandas-label": (lambda: classifier().fit(X, pd.Timestamp("2020")), LABEL),
    "pandas-levels": (lambda: classifier().fit(X, pd.MultiIndex.from_tuples([(1, 2)] * N)), KIND),
    "pandas-groups": (lambda: ridge().fit(X, pd.DataFrame(X).groupby(0)), "y: expected"),
    "masked-levels": (lambda: quantiles().predict(X[:, :1], levels=np.ma.masked_all(2)), f"levels: {LEVEL}"),
    "masked-size": (lambda: chapter_7(kappa=np.ma.masked), f"kappa: {SIZE}"),
    "argument-lengthscale-large": (
        lambda: orff.FunctionalRidge(n_components=16, argument_lengthscale=1e200).fit(X, np.column_stack([Y, Y])),
        "argument_lengthscale: expected",
    ),
    "crossing-large": (lambda: orff.JointQuantileRegression(crossing=1e30).fit(X, Y[:, 0]), "crossing: expected"),
    "weight-tiny-curves": (
        lambda: curves().fit(X, np.column_stack([Y, Y]), np.full(N, 5e-324)),
        "sample_weight: expected a sum above 1e-150",
    ),
    "weight-tiny-levels": (
        lambda: orff.QuantileFunction(n_components=16).fit(X, Y[:, 0], np.full(N, 5e-324)),
        "sample_weight: expected a sum above 1e-150",
    ),
    "bandwidth-lengthscale": (lambda: laplacian(bandwidth=1e150).fit(X, LABELS), "bandwidth: expected numbers from"),
    "levels-extreme": (lambda: orff.JointQuantileRegression(levels=[5e-324]).fit(X, Y[:, 0]), "levels: expected numbers"),
    "levels-near": (
        lambda: orff.JointQuantileRegression(levels=[0.5, 1 - 2**-53]).fit(X, Y[:, 0]),
        "levels: expected numbers from 1e-9 to 1",
    ),
    "coverage-near": (lambda: quantiles().predict_interval(X[:, :1], 1 - 2**-53), "coverage: expected a number between"),
    "plot-coverages-near": (
        lambda: draw("quantile_fan", quantiles(), coverages=1 - 2**-53),
        "coverages: expected numbers between",
    ),
    "half-unlabeled": (lambda: laplacian(unlabeled="\ud800").fit(X, LABELS), "unlabeled: expected words in UTF-8"),
    "half-class": (
        lambda: orff.OperatorClassifier(class_weight={"\ud800": 1.0}, n_components=16).fit(X, LABELS),
        "class_weight: expected words in UTF-8",
    ),
    "half-name": (
        lambda: ridge().fit(pd.DataFrame(X, columns=pd.Index(["a", "\ud800"], dtype=object)), Y),
        "X: names of columns: expected words in UTF-8",
    ),
    "task-digits": (lambda: ridge().fit(X, Y[:, 0], task=10**5000), "task: expected words, or numbers of fewer digits"),
    "save-long": (lambda: fitted().save("x" * 10**5), "path: expected a text or a path that a file can have"),
    "validate-gaps": (
        lambda: var().validate(np.where(np.isin(np.arange(N), [1, 3])[:, None], np.nan, SERIES), window=5),
        "Y, window: the first window of 5 rows has fewer than two steps",
    ),
    "nu-tiny": (lambda: orff.FourierOneClassSVM(nu=5e-324).fit(X), "nu: expected"),
    # what is too large to be written, or fails in the middle of the numbers
    "array-large": (lambda: ridge(alpha=np.broadcast_to(0.0, 10**9)).fit(X, Y), "alpha: expected evidence, gcv, loo"),
    "no-terms": (lambda: ridge(kernel={"kernel": "sum", "terms": []}).fit(X, Y), "kernel: sum of kernels: expected at"),
    "no-terms-of": (lambda: orff.conjugate([[1.0]], {"kernel": "sum", "terms": []}), "of: sum of kernels: expected at"),
    "views": (lambda: orff.transformable("gaussian", "x"), "views: view 1: expected a matrix given by its rows"),
    "mixture-lengthscale": (
        lambda: orff.OperatorRidge(orff.spectral_mixture(3, 1e16), n_components=48).fit(X, Y),
        "kernel: spectral mixture: ",
    ),
    "weight-apart": (
        lambda: ridge().fit(X, Y, np.where(np.arange(N) == 0, 1.0, 5e-324)),
        "sample_weight, X, y, kernel: eigenvalues: ",
    ),
    "weight-apart-score": (
        lambda: ridge().fit(X, Y, np.where(np.arange(N) == 0, 1.0, 1e-100)),
        "sample_weight, alpha: no alpha gives a finite score",
    ),
    "weight-apart-warm": (
        lambda: ridge(warm_start=True).fit(X, Y, np.where(np.arange(N) == 0, 1.0, 1e-100)),
        "sample_weight, alpha: no alpha gives a finite score",
    ),
    "weight-online": (
        lambda: orff.RiskRegressor(solver="online").fit(X, Y, np.ones(N)),
        "sample_weight: weights of rows in online learning",
    ),
    "weight-one-class": (
        lambda: classifier().fit(X, LABELS, (LABELS == 0).astype(float)),
        "sample_weight, y: one class only (0)",
    ),
    "score-single": (
        lambda: fitted().score(X, np.where(np.arange(N)[:, None] == 2, np.inf, Y).astype(np.float32)),
        "y: row 3, column output 1: inf is not a finite number",
    ),
    # an index names the argument that has it
    "history-index": (lambda: follows().forecast(history=FRAME[::-1]), "history: index: row 2: 22 does not come after 23"),
    "history-dates": (lambda: follows().forecast(history=DATED[::-1]), "history: row 2, column time: 2020-01-23"),
    "Y-index": (lambda: var().fit(FRAME[::-1]), "Y: index: row 2: 22 does not come after 23"),
    "Y-dates": (lambda: var().fit(DATED[::-1]), "Y: row 2, column time: 2020-01-23 00:00:00 does not come after"),
    "Y-no-dates": (lambda: var().fit(FRAME.set_index(pd.DatetimeIndex([pd.NaT] * N))), "Y: row 1, column time: NaT is"),
    "Y-member": (
        lambda: follows().predict(FRAME.set_index(pd.MultiIndex.from_product([[0, 1], range(N // 2)]))),
        "Y, member: expected none, as one series",
    ),
    "time-nan": (lambda: var().fit(SERIES, time=np.full(N, np.nan)), "time: row 1, column time: nan is not a time"),
    "member-class": (lambda: var().fit(SERIES, member=pd.DataFrame), "member: expected a word or a number in each"),
    # parts of kernels
    "components-kernel": (
        lambda: orff.FourierFeatures(orff.spectral_mixture(2), n_components=16).fit(X),
        "kernel: components: expected a list of rows",
    ),
    "components-argument": (
        lambda: orff.FunctionalRidge(argument_kernel=orff.spectral_mixture(2), n_components=16).fit(X, Y),
        "kernel, argument_kernel: components: expected a list of rows",
    ),
    "no-terms-argument": (
        lambda: orff.FunctionalRidge(argument_kernel={"kernel": "sum", "terms": []}, n_components=16).fit(X, Y),
        "kernel, argument_kernel: sum of kernels: expected at",
    ),
    "coverage-beyond-levels": (
        lambda: orff.JointQuantileRegression(levels=[0.1, 0.9]).fit(X[:, :1], Y[:, 0]).predict_interval(X[:, :1], 0.9),
        "coverage: expected at most 0.8000, as levels from 0.1 to 0.9 were learned",
    ),
    "output-large": (
        lambda: orff.decomposable(orff.gaussian(1.0), output=[[1e308, 1e307], [1e307, 1e308]]),
        "output, eigenvalues: the numbers are too large",
    ),
    "components-variance": (
        lambda: bounds.variance(orff.spectral_mixture(2), [0.1]),
        "kernel: components: expected a list of rows",
    ),
    "views-outputs": (
        lambda: ridge(kernel=orff.transformable("gaussian", [[1.0, 0.0]], [[0.0, 1.0]])).fit(X, Y[:, 0]),
        "kernel: views: expected 1, one per column of y, got 2",
    ),
    "deep-matrix": (lambda: orff.conjugate(DEEP, "gaussian"), "by: expected lists at most 8 deep"),
    "deep-components": (lambda: orff.spectral_mixture(DEEP), "components: expected lists at most 8 deep"),
    "deep-gradient": (lambda: orff.helmholtz(gradient=DEEP), "gradient: expected lists at most 8 deep"),
    "metric-singular": (lambda: ridge(metric=np.diag([1.0, 1e-310])).fit(X, Y), "metric: expected a symmetric positive"),
    "half-object": (
        lambda: ridge(metric=pd.Series([1.0], name="\ud800")).fit(X, Y),
        "metric: expected",
    ),
    "agreement-large": (
        lambda: orff.SemiSupervisedClassifier(n_components=16, views="1; 2", agreement=1.7e308).fit(X, LABELS),
        "X, y, kernel, intrinsic, agreement: warp: ",
    ),
    "delta-many": (lambda: bounds.variance("gaussian", np.broadcast_to(0.0, 10**8)), "delta: expected at most 10000000"),
    "spectrum-name": (lambda: orff.kernels.spectrum(3), "name: expected gaussian, laplace"),
    "at-many": (lambda: curved().predict(X, at=np.broadcast_to(1.0, 10**9)), "at: expected at most 10000000 numbers"),
    "levels-many": (
        lambda: quantiles().predict(X[:, :1], levels=np.broadcast_to(0.5, 10**9)),
        "levels: expected at most 10000000 numbers",
    ),
    "plot-option-once": (
        lambda: draw("level_sets", sets(), linewidths=iter([1.0])),
        "options: linewidths: expected a value that can be read twice, got ",
    ),
    "plot-scoring-class": (lambda: draw("learning_curve", ridge(), X, Y, scoring=int), "options: scoring: int() takes at"),
    "labels-many": (lambda: labelled().score(X, np.broadcast_to(0.0, 10**12)), "y: expected 24 rows as in X"),
    # what is passed on
    "plot-scoring": (lambda: draw("learning_curve", ridge(), X, Y, scoring=3), "options: scoring: The 'scoring' parameter"),
    "plot-option-digits": (
        lambda: draw("learning_curve", ridge(), X, Y, verbose=10**5000),
        "options: verbose: expected what scikit-learn takes, got ",
    ),
    "moments-learner": (lambda: orff.Moments(gathered().moments_._gathering, "x", (None, None)), "learner: expected one of"),
    "moments-names": (lambda: orff.Moments(gathered().moments_._gathering, "regression", 3), "names: expected two lists"),
    "unlabeled-digits": (lambda: laplacian(unlabeled=10**5000).fit(X, LABELS), "unlabeled: expected words, or numbers of"),
    "weight-task": (
        lambda: ridge().fit(X, Y[:, 0], np.arange(N) % 2, task=np.where(np.arange(N) % 2, "a", "b")),
        "sample_weight, y: output 2 ('b'): not observed on any row with a weight > 0",
    ),
    "plot-params": (lambda: draw("learning_curve", ridge(), X, Y, params={"a": 1}), "options: params: Regressor.fit() got an"),
    "save-folder": (lambda: fitted().save("/"), "path: /: is a directory"),
    "plot-groups": (
        lambda: draw("learning_curve", ridge(), X, Y, groups=[1]),
        "groups: expected a group for each of 24 rows of X",
    ),
}


WORDS, PAIRS, EYE = ["a"] * N, [([0.0, 1.0], [1.0, 2.0])] * N, scipy.sparse.eye_array(N).tocsr()
LONG = once(lambda: ridge().fit(X, Y[:, 0], task=WORDS))
SHORT = slice(1, None)

UNLIKE = {
    "fit": (lambda: ridge().fit(X[SHORT], Y), "y", "X"),
    "fit-table": (lambda: ridge().fit(pd.DataFrame(X), pd.DataFrame(Y[SHORT])), "y", "X"),
    "fit-weights": (lambda: ridge().fit(X, Y, np.ones(N - 1)), "sample_weight", "X"),
    "fit-entries": (lambda: ridge().fit(X, Y, np.ones((N, 3))), "sample_weight", "y"),
    "fit-task": (lambda: ridge().fit(X, Y[:, 0], task=WORDS[SHORT]), "task", "X"),
    "fit-task-values": (lambda: ridge().fit(X, Y[SHORT, 0], task=WORDS), "y", "X"),
    "fit-task-weights": (lambda: ridge().fit(X, Y[:, 0], np.ones(N - 1), task=WORDS), "sample_weight", "X"),
    "partial": (lambda: ridge().partial_fit(X, Y[SHORT]), "y", "X"),
    "partial-weights": (lambda: ridge().partial_fit(X, Y, np.ones(N - 1)), "sample_weight", "X"),
    "moments": (lambda: gathered().moments_.add(X[SHORT], Y), "y", "X"),
    "score": (lambda: fitted().score(X[SHORT], Y), "y", "X"),
    "score-weights": (lambda: fitted().score(X, Y, np.ones(N - 1)), "sample_weight", "X"),
    "score-task": (lambda: LONG().score(X[SHORT], Y[:, 0], task=WORDS), "task", "X"),
    "score-task-values": (lambda: LONG().score(X[SHORT], Y[:, 0], task=WORDS[SHORT]), "y", "X"),
    "predict-task": (lambda: LONG().predict(X[SHORT], task=WORDS), "task", "X"),
    "field": (lambda: orff.VectorField(n_components=16).fit(X[:, :1], Y), "y", "X"),
    "field-kernel": (lambda: ridge(kernel="curl-free").fit(X[:, :1], Y), "y", "X"),
    "labels": (lambda: classifier().fit(X[SHORT], LABELS), "y", "X"),
    "labels-weights": (lambda: classifier().fit(X, LABELS, np.ones(N - 1)), "sample_weight", "X"),
    "labels-score": (lambda: labelled().score(X[SHORT], LABELS), "y", "X"),
    "labels-classes": (
        lambda: orff.OperatorClassifier(class_weight={"a": 1.0}, n_components=16).fit(X, LABELS),
        "class_weight",
        "y",
    ),
    "partly": (lambda: laplacian().fit(X[SHORT], LABELS), "y", "X"),
    "partly-score": (lambda: laplacian().fit(X, LABELS).score(X[SHORT], LABELS), "y", "X"),
    "partly-graph": (lambda: laplacian().fit(X[SHORT], LABELS[SHORT], graph=EYE), "graph", "X"),
    "semi": (lambda: orff.LaplacianRidge(n_components=16).fit(X[SHORT], Y), "y", "X"),
    "semi-views": (
        lambda: orff.SemiSupervisedClassifier(n_components=16, views="1; 2").fit(X[:, :1], LABELS),
        "views",
        "X",
    ),
    "warped": (lambda: orff.LaplacianFeatures(n_components=16).fit(X[SHORT], graph=EYE), "graph", "X"),
    "features": (lambda: orff.FourierFeatures(n_components=16).fit(X[SHORT], None, np.ones(N)), "sample_weight", "X"),
    "aligned": (lambda: orff.AlignedFeatures(n_components=16).fit(X[SHORT], LABELS), "y", "X"),
    "aligned-targets": (lambda: orff.AlignedFeatures(n_components=16).fit(X[SHORT], Y), "y", "X"),
    "landmarks": (lambda: orff.LandmarkFeatures().fit(X[SHORT], LABELS), "y", "X"),
    "quantiles": (lambda: orff.QuantileFunction(n_components=16).fit(X[SHORT], Y), "y", "X"),
    "quantiles-score": (lambda: quantiles().score(X[SHORT, :1], Y[:, 0]), "y", "X"),
    "quantiles-cdf": (lambda: quantiles().cdf(X[SHORT, :1], Y[:, 0]), "y", "X"),
    "curves": (lambda: curves().fit(X[SHORT], Y), "y", "X"),
    "curves-grid": (lambda: orff.FunctionalRidge(grid=[0, 1, 2], n_components=16).fit(X, Y), "grid", "y"),
    "curves-pairs": (lambda: curves().fit(X[SHORT], PAIRS), "y", "X"),
    "curves-pairs-weights": (lambda: curves().fit(X, PAIRS, [[1.0, 1.0]] * (N - 1)), "sample_weight", "y"),
    "curves-points-weights": (lambda: curves().fit(X, PAIRS, [[1.0]] * N), "sample_weight", "y"),
    "curves-score": (lambda: curved().score(X[SHORT], np.column_stack([Y, Y])), "y", "X"),
    "curves-at": (lambda: curved().predict(X[SHORT], at=np.zeros((N, 2))), "at", "X"),
    "series-exog": (lambda: var().fit(SERIES[SHORT], KNOWN), "exog", "Y"),
    "series-time": (lambda: var().fit(SERIES[SHORT], time=np.arange(N)), "time", "Y"),
    "series-member": (lambda: var().fit(SERIES[SHORT], member=WORDS), "member", "Y"),
    "series-predict": (lambda: beside().predict(SERIES[SHORT], KNOWN), "exog", "Y"),
    "series-validate": (lambda: var().validate(SERIES[SHORT], KNOWN), "exog", "Y"),
    "series-forecast": (lambda: beside().forecast(5, exog=KNOWN[:3]), "exog", "steps"),
    "series-impulse": (lambda: beside().impulse_response(5, exog=KNOWN[:3]), "exog", "steps"),
    "lengthscale": (lambda: ridge(lengthscale=[1.0] * 3).fit(X, Y), "lengthscale", "X"),
    "lengthscale-kernel": (lambda: ridge(kernel=orff.gaussian([1.0] * 3)).fit(X, Y), "kernel", "X"),
    "output": (lambda: ridge(kernel=ONE_MORE).fit(X, Y), "kernel", "y"),
    "metric": (lambda: ridge(metric=np.eye(3)).fit(X, Y), "metric", "y"),
    "atoms": (lambda: ridge(kernel=ATOMS).fit(X, Y), "kernel", "X"),
    "precompose": (lambda: ridge(kernel=orff.precompose(np.ones((2, 3)), "gaussian")).fit(X, Y), "kernel", "X"),
    "kernel-points": (lambda: orff.gaussian(1.0)(X, X[:, :1]), "Z", "X"),
    "kernel-lengthscale": (lambda: orff.gaussian([1.0] * 3)(X), "lengthscale", "X"),
    "kernel-outputs": (lambda: orff.curl_free(orff.gaussian(1.0))(X, outputs=3), "outputs", "X"),
    "kernel-atoms": (lambda: ATOMS(X), "kernel", "X"),
    "atoms-factors": (lambda: orff.atoms(np.ones((4, 3)), np.ones((5, 2, 1))), "factors", "omega"),
    "atoms-rows": (lambda: orff.atoms(np.ones((4, 3)), np.ones((5, 1))), "factors", "omega"),
    "atoms-weights": (lambda: orff.atoms(np.ones((4, 3)), np.ones((4, 1)), np.ones(3)), "weights", "omega"),
    "bound-lengthscale": (lambda: ask(lengthscale=[1.0] * 3), "lengthscale", "dimension"),
    "bound-outputs": (lambda: bounds.bound("curl-free", dimension=3, outputs=2, epsilon=0.1), "outputs", "dimension"),
    "variance-kernel": (lambda: bounds.variance(orff.gaussian([1.0] * 3), [0.1, 0.2]), "kernel", "delta"),
    "alignment-losses": (lambda: alike(losses=(0.1,)), "losses", "posterior"),
    "alignment-prior": (lambda: alike(prior=[1.0]), "prior", "posterior"),
    "report": (lambda: bounds.report(fitted(), X, Y[SHORT]), "y", "X"),
    "report-model": (lambda: bounds.report(fitted(), X[:, :1], Y), "model", "X"),
    "plot-curves": (lambda: draw("curves", curved(), X[SHORT], np.column_stack([Y, Y])), "y", "X"),
    "plot-learning": (lambda: draw("learning_curve", ridge(), X[SHORT], Y), "y", "X"),
    "plot-groups": (lambda: draw("learning_curve", ridge(), X[SHORT], Y[SHORT], groups=LABELS), "groups", "X"),
    "plot-forecast": (lambda: draw("forecast", beside(), 5, exog=KNOWN[:3]), "exog", "steps"),
}


@pytest.mark.parametrize("name", UNLIKE)
def test_both_arguments_of_unlike_sizes_are_named(name):
    call, *both = UNLIKE[name]
    with pytest.raises((ValueError, TypeError)) as error:
        call()
    for each in both:
        assert re.search(rf"\b{each}\b", str(error.value)), str(error.value)


def test_what_becomes_an_array_is_one_for_learning_curves_too():
    class Outputs:
        __array_interface__ = Y.__array_interface__

    assert len(draw("learning_curve", ridge(), X, Outputs(), train_sizes=[1.0], cv=2).lines) == 2


def test_sizes_of_learning_curves_may_be_objects():
    ax = draw("learning_curve", ridge(), X, Y, train_sizes=np.array([0.5, 1.0], dtype=object), cv=2)
    assert len(ax.lines) == 2


@pytest.mark.parametrize("name", CASES)
def test_what_cannot_be_used_is_named(name):
    call, said = CASES[name]
    with pytest.raises((ValueError, TypeError)) as error:
        call()
    assert str(error.value).startswith(said), str(error.value)
    assert len(str(error.value)) < 1000


def test_threads_of_bounds_are_counted_as_those_of_estimators():
    own = [ask(n_jobs=jobs).best.value for jobs in (None, -1, -2, 1, 4096, np.int64(2))]
    assert len(set(own)) == 1


def test_formulas_beyond_all_numbers_are_infinite():
    large = chapter_7(alpha=1e-300, largest=1e100)
    assert large["stability"] == large["complexity"] == np.inf
    assert chapter_7(alpha=9.0)["complexity"] is None


def test_scores_leave_out_what_was_not_observed():
    model, seen = quantiles(), Y[:, 0].copy()
    seen[::3] = np.nan
    kept = np.arange(N) % 3 > 0
    assert model.score(X[:, :1], seen) == pytest.approx(model.score(X[kept, :1], Y[kept, 0]), rel=1e-12)
    weight = np.arange(1.0, N + 1)
    right = labelled().predict(X) == LABELS
    assert labelled().score(X, LABELS, weight) == pytest.approx(weight[right].sum() / weight.sum(), rel=1e-12)
    partly = laplacian(unlabeled=-1).fit(X, LABELS)
    assert partly.score(X, np.where(kept, LABELS, -1)) == pytest.approx(partly.score(X[kept], LABELS[kept]))


def test_long_values_are_not_repeated_in_full():
    with pytest.raises(orff.ParameterError) as error:
        quantiles().predict(X[:, :1], levels=np.full(10_000, 2.0))
    assert json.dumps([2.0] * 3)[:-1] in str(error.value) and len(str(error.value)) < 300


def test_sums_and_products_of_kernels_with_arrays_are_refused():
    for other in (X, np.array(["a"]), np.zeros(0), [1.0], (), "x", None):
        for make in (
            lambda: orff.gaussian() * other,
            lambda: other * orff.gaussian(),
            lambda: orff.gaussian() + other,
            lambda: other + orff.gaussian(),
            lambda: orff.gaussian() / other,
        ):
            with pytest.raises(TypeError, match="unsupported operand type"):
                make()
    for two in (np.float64(2), np.array(2.0), np.float32(2)):
        assert two * orff.gaussian() == orff.gaussian() * two == orff.gaussian() * 2
        assert orff.gaussian() / two == orff.gaussian() * 0.5


def test_kernels_of_many_terms_are_learned_with():
    many = sum(orff.gaussian(0.3 * k) for k in range(1, 12))
    assert ridge(kernel=many, alpha=1e-6).set_params(n_components=88).fit(X, Y).score(X, Y) > 0.9


def test_weights_of_the_largest_strength_are_those_of_the_least_loss():
    model = orff.AlignedFeatures(beta=1e308, n_components=16, n_candidates=50).fit(X, LABELS)
    assert np.isfinite(model.transform(X)).all()
    assert model.posterior_.sum() == pytest.approx(1) and (model.posterior_ > 0).sum() == 1


def test_kinds_of_whole_numbers_are_whole_numbers():
    class Count(int):
        pass

    answer = ask(dimension=Count(2), epsilon=0.5)
    assert answer == ask(epsilon=0.5) and chapter_7(rows=Count(9)) == chapter_7()


def test_numbers_longer_than_those_of_python_are_numbers():
    long = np.longdouble
    assert orff.gaussian(long(2)) == orff.gaussian(2.0)
    assert orff.OperatorRidge(alpha=long(1), n_components=16).fit(X, Y).alpha_ == 1.0
    mean, std = ridge(lengthscale=np.ones(2, long)).fit(X, Y).predict(X, return_std=True)
    assert mean.shape == std.shape == (N, 2)


def test_tasks_and_members_of_arrow():
    pa = pytest.importorskip("pyarrow")
    named = np.array(["a", "b"] * (N // 2))
    ours = ridge().fit(X, Y[:, 0], task=named)
    for task in (pa.array(named), pa.chunked_array([named]), pa.array(named).dictionary_encode()):
        theirs = ridge().fit(X, Y[:, 0], task=task)
        assert (theirs.predict(X) == ours.predict(X)).all()
    with pytest.raises(ValueError, match="^task: expected a word or a number in each row, got none in row 2"):
        ridge().fit(X, Y[:, 0], task=pa.array(["a", None] * (N // 2)))
