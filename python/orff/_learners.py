"""The estimators."""

# Made by `cargo xtask gen` from the declarations of the library: change those, not this file.

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ._aligned import Aligned
from ._classifier import Classifier
from ._curves import Curves
from ._field import Field
from ._forecaster import Forecaster
from ._gatherer import Gatherer
from ._landmarked import Landmarked
from ._learned import Learned
from ._leveldetector import LevelDetector
from ._outlierdetector import OutlierDetector
from ._partlylabelled import PartlyLabelled
from ._quantiles import Quantiles
from ._regressor import Regressor
from ._semisupervised import SemiSupervised
from ._similarities import Similarities
from ._transformer import Transformer
from ._warped import Warped
from .kernels import Kernel


class OperatorRidge(Gatherer, Regressor):
    """Several outputs by ridge regression with any operator-valued kernel.

    Parameters
    ----------
    kernel : Kernel or str, default="decomposable"
        The kernel: a name, an expression such as "curl-free(matern(2.5)) + 0.1*div-free", or its structured
        form.
    lengthscale : auto or a number > 0, or a list of them, default="auto"
        Lengthscale of every spectrum of the kernel that leaves its own open: auto, a number in the units of
        the inputs, or one number per input.
    group : additive, multiplicative, skewed(c) or skewed(c1, c2, …), default="additive"
        Group on which the kernel is shift-invariant.
    n_components : auto or a whole number from 1 to 10000000, default="auto"
        Number of columns of the feature map.
    feature_map : auto or one of pairs, phases, default="auto"
        Characters: pairs (cosine and sine) or phases (shifted cosines, twice the atoms); auto is pairs, and
        phases for an odd number of columns.
    draw : auto or one of iid, orthogonal, quasi-monte-carlo, qmc, structured, default="auto"
        How frequencies are drawn; auto is quasi-monte-carlo up to 20 inputs, where it has by far the smallest
        error, orthogonal up to 127, structured up to 4096, iid above and where the kernel refuses these.
    measure : one of plain, trace, tilted, default="trace"
        Which measure they are drawn from; trace is bounded and has the smallest error.
    sum : one of concatenation, mixture, default="concatenation"
        How a sum of kernels shares its atoms.
    alpha : evidence, gcv, loo or a number ≥ 0, default="evidence"
        The ridge: a number (λ of the mean loss; scikit-learn's Ridge has nλ), or how to choose it.
    fit_intercept : true or false, default=True
        Learn a constant for each output.
    metric : a symmetric positive definite matrix given by its rows, or none, default=None
        Metric Σ of the outputs: the loss is (y−f)ᵀΣ⁻¹(y−f). It is the covariance of their noise up to a
        factor, which is learned: only the ratios of its entries matter, a ridge means what it means without
        it, and c·I is none for outputs that have one scale (fields); where each is scaled for itself, none is
        Σ = diag(their variances). What was observed of a row with missing outputs or standard errors has its
        part of Σ; that is solved over the rows.
    posterior : true or false, default=True
        Keep what error bars need (K² numbers for K unknowns).
    precision : auto or one of double, mixed, default="auto"
        Precision of features and their products: double; or mixed, which computes them in single precision
        (products in fixed point where the machine is fast at it and the ridge is not lost) and then corrects
        the solution by short passes in double until it is that of double precision, and says so where it
        cannot. auto is mixed where fixed point is worth it and exact to a thousandth of a given ridge, or
        exact enough to choose one, and for inputs in single precision with a given ridge; double otherwise.
    solver : auto or one of moments, rows, default="auto"
        What is solved: moments of one pass (error bars, every ridge), or rows, gone over again and again by
        conjugate gradients at the cost of their observed entries. auto is rows where outputs have gaps and
        moments take too much memory or time, or a metric ties what was observed.
    memory : a whole number ≥ 1, default=16384
        Most memory in megabytes; a fit that would need more is refused before it starts.
    tol : a number > 0 and ≤ 1, default=1e-10
        Relative residual at which conjugate gradients stop.
    max_iter : a whole number ≥ 1, default=2000
        Most iterations of conjugate gradients.
    random_state : int, RandomState, Generator or None, default=0
        Seed of every random choice. None draws one from NumPy's global state, a RandomState or Generator from
        itself.
    n_jobs : int or None, default=None
        Number of threads; results do not depend on it. None and -1 mean all processors (or OMP_NUM_THREADS of
        them).
    warm_start : true or false, default=False
        Keep the moments of a fit, and let the next fit reuse its choices: scales, lengthscale and
        frequencies.
    verbose : a whole number from 0 to 1000, default=0
        Show progress and the choices made: 0 is silent.

    Attributes
    ----------
    alpha_ : float
        The ridge.
    lengthscale_ : ndarray of shape (n_features_in_,) or None
        Lengthscale along each input, in its own units, of the first spectrum of the kernel.
    kernel_ : Kernel
        The kernel with nothing left open, in scaled coordinates.
    path_ : dict of ndarray
        Scores along ridges: alpha, freedom, gcv, evidence, loo (NaN where it was not asked for).
    evidence_ : float
        Log evidence at the ridge; NaN when the ridge was given and so not compared.
    choices_ : list of str
        What was chosen, with the reasons.
    noise_ : ndarray of shape (n_outputs_, n_outputs_)
        Covariance of the noise.
    n_iter_ : int
        Iterations of the solver; 1 for a factorisation.
    n_features_in_, feature_names_in_, n_outputs_
        As in scikit-learn.
    moments_ : Moments
        The moments of the rows so far, after `partial_fit`, or `fit` with ``warm_start=True``.

    Examples
    --------
    >>> import numpy as np
    >>> from orff import OperatorRidge
    >>> X = np.linspace(0, 6, 60).reshape(-1, 1)
    >>> Y = np.hstack([np.sin(X), np.cos(X)])
    >>> model = OperatorRidge().fit(X, Y)
    >>> mean, std = model.predict(X, return_std=True)
    >>> bool(np.abs(mean - Y).max() < 0.05)
    True
    """

    _learner = "regression"

    def __init__(
        self,
        kernel: Kernel | str | Mapping = "decomposable",
        *,
        lengthscale: Literal["auto"] | float | Sequence[float] | np.ndarray = "auto",
        group: str = "additive",
        n_components: Literal["auto"] | int = "auto",
        feature_map: Literal["auto"] | Literal["pairs", "phases"] = "auto",
        draw: Literal["auto"] | Literal["iid", "orthogonal", "quasi-monte-carlo", "qmc", "structured"] = "auto",
        measure: Literal["plain", "trace", "tilted"] = "trace",
        sum: Literal["concatenation", "mixture"] = "concatenation",
        alpha: Literal["evidence", "gcv", "loo"] | float = "evidence",
        fit_intercept: bool = True,
        metric: ArrayLike | None = None,
        posterior: bool = True,
        precision: Literal["auto"] | Literal["double", "mixed"] = "auto",
        solver: Literal["auto"] | Literal["moments", "rows"] = "auto",
        memory: int = 16384,
        tol: float = 1e-10,
        max_iter: int = 2000,
        random_state: int | np.random.RandomState | np.random.Generator | None = 0,
        n_jobs: int | None = None,
        warm_start: bool = False,
        verbose: int = 0,
    ):
        self.kernel = kernel
        self.lengthscale = lengthscale
        self.group = group
        self.n_components = n_components
        self.feature_map = feature_map
        self.draw = draw
        self.measure = measure
        self.sum = sum
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.metric = metric
        self.posterior = posterior
        self.precision = precision
        self.solver = solver
        self.memory = memory
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.warm_start = warm_start
        self.verbose = verbose


class VectorField(Gatherer, Field):
    """A vector field: curl-free, divergence-free or both, with potential and stream function.

    Parameters
    ----------
    kernel : Kernel or str, default="helmholtz"
        The kernel: a name, an expression such as "curl-free(matern(2.5)) + 0.1*div-free", or its structured
        form.
    lengthscale : auto or a number > 0, or a list of them, default="auto"
        Lengthscale of every spectrum of the kernel that leaves its own open: auto, a number in the units of
        the inputs, or one number per input.
    group : additive, multiplicative, skewed(c) or skewed(c1, c2, …), default="additive"
        Group on which the kernel is shift-invariant.
    n_components : auto or a whole number from 1 to 10000000, default="auto"
        Number of columns of the feature map.
    feature_map : auto or one of pairs, phases, default="auto"
        Characters: pairs (cosine and sine) or phases (shifted cosines, twice the atoms); auto is pairs, and
        phases for an odd number of columns.
    draw : auto or one of iid, orthogonal, quasi-monte-carlo, qmc, structured, default="auto"
        How frequencies are drawn; auto is quasi-monte-carlo up to 20 inputs, where it has by far the smallest
        error, orthogonal up to 127, structured up to 4096, iid above and where the kernel refuses these.
    measure : one of plain, trace, tilted, default="trace"
        Which measure they are drawn from; trace is bounded and has the smallest error.
    sum : one of concatenation, mixture, default="concatenation"
        How a sum of kernels shares its atoms.
    alpha : evidence, gcv, loo or a number ≥ 0, default="evidence"
        The ridge: a number (λ of the mean loss; scikit-learn's Ridge has nλ), or how to choose it.
    fit_intercept : true or false, default=True
        Learn a constant for each output.
    metric : a symmetric positive definite matrix given by its rows, or none, default=None
        Metric Σ of the outputs: the loss is (y−f)ᵀΣ⁻¹(y−f). It is the covariance of their noise up to a
        factor, which is learned: only the ratios of its entries matter, a ridge means what it means without
        it, and c·I is none for outputs that have one scale (fields); where each is scaled for itself, none is
        Σ = diag(their variances). What was observed of a row with missing outputs or standard errors has its
        part of Σ; that is solved over the rows.
    posterior : true or false, default=True
        Keep what error bars need (K² numbers for K unknowns).
    precision : auto or one of double, mixed, default="auto"
        Precision of features and their products: double; or mixed, which computes them in single precision
        (products in fixed point where the machine is fast at it and the ridge is not lost) and then corrects
        the solution by short passes in double until it is that of double precision, and says so where it
        cannot. auto is mixed where fixed point is worth it and exact to a thousandth of a given ridge, or
        exact enough to choose one, and for inputs in single precision with a given ridge; double otherwise.
    solver : auto or one of moments, rows, default="auto"
        What is solved: moments of one pass (error bars, every ridge), or rows, gone over again and again by
        conjugate gradients at the cost of their observed entries. auto is rows where outputs have gaps and
        moments take too much memory or time, or a metric ties what was observed.
    memory : a whole number ≥ 1, default=16384
        Most memory in megabytes; a fit that would need more is refused before it starts.
    tol : a number > 0 and ≤ 1, default=1e-10
        Relative residual at which conjugate gradients stop.
    max_iter : a whole number ≥ 1, default=2000
        Most iterations of conjugate gradients.
    random_state : int, RandomState, Generator or None, default=0
        Seed of every random choice. None draws one from NumPy's global state, a RandomState or Generator from
        itself.
    n_jobs : int or None, default=None
        Number of threads; results do not depend on it. None and -1 mean all processors (or OMP_NUM_THREADS of
        them).
    warm_start : true or false, default=False
        Keep the moments of a fit, and let the next fit reuse its choices: scales, lengthscale and
        frequencies.
    verbose : a whole number from 0 to 1000, default=0
        Show progress and the choices made: 0 is silent.

    Attributes
    ----------
    alpha_ : float
        The ridge.
    lengthscale_ : ndarray of shape (n_features_in_,) or None
        Lengthscale along each input, in its own units, of the first spectrum of the kernel.
    kernel_ : Kernel
        The kernel with nothing left open, in scaled coordinates.
    path_ : dict of ndarray
        Scores along ridges: alpha, freedom, gcv, evidence, loo (NaN where it was not asked for).
    evidence_ : float
        Log evidence at the ridge; NaN when the ridge was given and so not compared.
    choices_ : list of str
        What was chosen, with the reasons.
    noise_ : ndarray of shape (n_outputs_, n_outputs_)
        Covariance of the noise.
    n_iter_ : int
        Iterations of the solver; 1 for a factorisation.
    n_features_in_, feature_names_in_, n_outputs_
        As in scikit-learn.
    moments_ : Moments
        The moments of the rows so far, after `partial_fit`, or `fit` with ``warm_start=True``.

    Examples
    --------
    >>> import numpy as np
    >>> from orff import VectorField
    >>> X = np.random.default_rng(0).uniform(-1, 1, (80, 2))
    >>> Y = np.column_stack([X[:, 1], X[:, 0]])  # the gradient of x·y
    >>> field = VectorField(kernel="curl-free").fit(X, Y)
    >>> bool(np.abs(field.curl(X)).max() < 1e-9)
    True
    >>> phi = field.potential(X)
    >>> bool(np.ptp(phi - X[:, 0] * X[:, 1]) < 0.05)
    True
    """

    _learner = "field"

    def __init__(
        self,
        kernel: Kernel | str | Mapping = "helmholtz",
        *,
        lengthscale: Literal["auto"] | float | Sequence[float] | np.ndarray = "auto",
        group: str = "additive",
        n_components: Literal["auto"] | int = "auto",
        feature_map: Literal["auto"] | Literal["pairs", "phases"] = "auto",
        draw: Literal["auto"] | Literal["iid", "orthogonal", "quasi-monte-carlo", "qmc", "structured"] = "auto",
        measure: Literal["plain", "trace", "tilted"] = "trace",
        sum: Literal["concatenation", "mixture"] = "concatenation",
        alpha: Literal["evidence", "gcv", "loo"] | float = "evidence",
        fit_intercept: bool = True,
        metric: ArrayLike | None = None,
        posterior: bool = True,
        precision: Literal["auto"] | Literal["double", "mixed"] = "auto",
        solver: Literal["auto"] | Literal["moments", "rows"] = "auto",
        memory: int = 16384,
        tol: float = 1e-10,
        max_iter: int = 2000,
        random_state: int | np.random.RandomState | np.random.Generator | None = 0,
        n_jobs: int | None = None,
        warm_start: bool = False,
        verbose: int = 0,
    ):
        self.kernel = kernel
        self.lengthscale = lengthscale
        self.group = group
        self.n_components = n_components
        self.feature_map = feature_map
        self.draw = draw
        self.measure = measure
        self.sum = sum
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.metric = metric
        self.posterior = posterior
        self.precision = precision
        self.solver = solver
        self.memory = memory
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.warm_start = warm_start
        self.verbose = verbose


class OperatorClassifier(Classifier):
    """Classes by kernel ridge regression on the corners of a simplex, or by logistic and hinge losses, with probabilities.

    Parameters
    ----------
    kernel : Kernel or str, default="decomposable"
        The kernel: a name, an expression such as "matern(2.5)" or "gaussian + 0.1*laplace", or its structured
        form.
    lengthscale : auto or a number > 0, or a list of them, default="auto"
        Lengthscale of every spectrum of the kernel that leaves its own open: auto, a number in the units of
        the inputs, or one number per input.
    group : additive, multiplicative, skewed(c) or skewed(c1, c2, …), default="additive"
        Group on which the kernel is shift-invariant.
    n_components : auto or a whole number from 1 to 10000000, default="auto"
        Number of columns of the feature map.
    feature_map : auto or one of pairs, phases, default="auto"
        Characters: pairs (cosine and sine) or phases (shifted cosines, twice the atoms); auto is pairs, and
        phases for an odd number of columns.
    draw : auto or one of iid, orthogonal, quasi-monte-carlo, qmc, structured, default="auto"
        How frequencies are drawn; auto is quasi-monte-carlo up to 20 inputs, where it has by far the smallest
        error, orthogonal up to 127, structured up to 4096, iid above and where the kernel refuses these.
    measure : one of plain, trace, tilted, default="trace"
        Which measure they are drawn from; trace is bounded and has the smallest error.
    sum : one of concatenation, mixture, default="concatenation"
        How a sum of kernels shares its atoms.
    loss : one of squared, hinge, squared-hinge, simplex-hinge, logistic, default="squared"
        The loss: squared, on the simplex code of the classes, in closed form; or, by passes over the rows,
        logistic and simplex-hinge on the same code, hinge and squared-hinge for each class against the rest.
    class_weight : balanced, a number > 0 for each class by name, or none, default=None
        Weights of the classes: balanced (each class counts the same in all), a number for each class by name
        (classes without one weigh 1), or none. Probabilities are those of the weighted rows.
    alpha : auto, loo, gcv, evidence or a number > 0, default="auto"
        The ridge: a number (λ of the mean loss), or how to choose it. loo takes the largest whose exact
        leave-one-out error is within 0.01 % of the smallest; it, gcv and evidence are for the squared loss.
        auto is loo there; for other losses the smallest error (logistic: the smallest loss) of five folds, on
        at most 4096 rows.
    fit_intercept : true or false, default=True
        Learn a constant for each class.
    precision : auto or one of double, mixed, default="auto"
        Precision of features and their products: double; or mixed, which computes them in single precision
        (products in fixed point where the machine is fast at it and the ridge is not lost) and then corrects
        the solution by short passes in double until it is that of double precision, and says so where it
        cannot. auto is mixed where fixed point is worth it and exact to a thousandth of a given ridge, or
        exact enough to choose one, and for inputs in single precision with a given ridge; double otherwise.
    memory : a whole number ≥ 1, default=16384
        Most memory in megabytes; a fit that would need more is refused before it starts.
    tol : auto or a number > 0 and ≤ 1, default="auto"
        When iterations stop. Squared loss: relative residual of conjugate gradients (auto: 1e-10). hinge and
        simplex-hinge: relative duality gap (auto: 1e-3). logistic and squared-hinge: what predictions may
        still change, relative (auto: 1e-10 where passes are cheap, else 1e-6).
    max_iter : a whole number ≥ 1, default=2000
        Most iterations of conjugate gradients, or passes over the rows.
    random_state : int, RandomState, Generator or None, default=0
        Seed of every random choice. None draws one from NumPy's global state, a RandomState or Generator from
        itself.
    n_jobs : int or None, default=None
        Number of threads; results do not depend on it. None and -1 mean all processors (or OMP_NUM_THREADS of
        them).
    verbose : a whole number from 0 to 1000, default=0
        Show progress and the choices made: 0 is silent.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    alpha_ : float
        The ridge.
    lengthscale_ : ndarray of shape (n_features_in_,) or None
        Lengthscale along each input, in its own units, of the first spectrum of the kernel.
    kernel_ : Kernel
        The kernel with nothing left open, in scaled coordinates.
    path_ : dict of ndarray
        Scores along ridges: alpha, freedom, gcv, evidence, loo (NaN where it was not asked for).
    choices_ : list of str
        What was chosen, with the reasons.
    n_iter_ : int
        Iterations of the solver; 1 for a factorisation.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from orff import OperatorClassifier
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> y = np.where(np.hypot(X[:, 0], X[:, 1]) < 1, "inside", "outside")
    >>> model = OperatorClassifier().fit(X, y)
    >>> model.predict([[0, 0], [2, 2]])
    array(['inside', 'outside'], dtype='<U7')
    >>> bool(model.predict_proba([[2, 2]])[0, 1] > 0.9)
    True
    """

    _learner = "classification"

    def __init__(
        self,
        kernel: Kernel | str | Mapping = "decomposable",
        *,
        lengthscale: Literal["auto"] | float | Sequence[float] | np.ndarray = "auto",
        group: str = "additive",
        n_components: Literal["auto"] | int = "auto",
        feature_map: Literal["auto"] | Literal["pairs", "phases"] = "auto",
        draw: Literal["auto"] | Literal["iid", "orthogonal", "quasi-monte-carlo", "qmc", "structured"] = "auto",
        measure: Literal["plain", "trace", "tilted"] = "trace",
        sum: Literal["concatenation", "mixture"] = "concatenation",
        loss: Literal["squared", "hinge", "squared-hinge", "simplex-hinge", "logistic"] = "squared",
        class_weight: Mapping | Literal["balanced"] | None = None,
        alpha: Literal["auto", "loo", "gcv", "evidence"] | float = "auto",
        fit_intercept: bool = True,
        precision: Literal["auto"] | Literal["double", "mixed"] = "auto",
        memory: int = 16384,
        tol: Literal["auto"] | float = "auto",
        max_iter: int = 2000,
        random_state: int | np.random.RandomState | np.random.Generator | None = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.kernel = kernel
        self.lengthscale = lengthscale
        self.group = group
        self.n_components = n_components
        self.feature_map = feature_map
        self.draw = draw
        self.measure = measure
        self.sum = sum
        self.loss = loss
        self.class_weight = class_weight
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.precision = precision
        self.memory = memory
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class AlignedClassifier(Aligned):
    """Classes with few random features of a kernel that is learned first, by alignment with the labels.

    Parameters
    ----------
    kernel : Kernel or str, default="decomposable"
        The kernel candidates are drawn from: gaussian, matern(2.5), a sum or a product of such.
    lengthscale : auto or a number > 0, or a list of them, default="auto"
        Lengthscale of every spectrum of the kernel that leaves its own open: auto (candidates of several, in
        octaves about the median distance between scaled rows), a number in the units of the inputs, or one
        number per input.
    group : additive, multiplicative, skewed(c) or skewed(c1, c2, …), default="additive"
        Group on which the kernel is shift-invariant.
    n_components : auto or a whole number from 1 to 10000000, default="auto"
        Number of columns of the feature map.
    n_candidates : auto or a whole number from 1 to 100000000, default="auto"
        Candidates that are drawn and weighed; auto is eight for each atom that is kept, and 8000 where there
        is room.
    method : pac-bayes, chi2 or a number > 1 and ≤ 1000, default="pac-bayes"
        How weights q follow from alignment losses L and the prior p: pac-bayes, q ∝ p exp(−β√n L); chi2, the
        least loss with χ²(q‖p) ≤ ρ; or a number μ > 1, the same with Σ p(q/p)^μ − 1 ≤ ρ.
    beta : auto or a number ≥ 0, default="auto"
        β of pac-bayes: how much losses count, in units of √n; auto is 1, and for candidates of several
        lengthscales or kernels the least from 1 on with which weights are as far from the prior as uniform
        weights of the atoms that are kept.
    rho : auto or a number ≥ 0, default="auto"
        ρ of the other methods: how far weights may be from the prior; auto is as far as uniform weights of
        the atoms that are kept.
    sampling : one of without-replacement, with-replacement, weights, default="without-replacement"
        Which candidates are kept: draws without replacement, all of the same weight; with replacement (an
        atom drawn twice is one of twice the weight); or the most probable with their weights.
    feature_map : auto or one of pairs, phases, default="auto"
        Characters: pairs (cosine and sine) or phases (shifted cosines, twice the atoms); auto is pairs, and
        phases for an odd number of columns.
    draw : auto or one of iid, orthogonal, quasi-monte-carlo, qmc, structured, default="auto"
        How frequencies are drawn; auto is quasi-monte-carlo up to 20 inputs, where it has by far the smallest
        error, orthogonal up to 127, structured up to 4096, iid above and where the kernel refuses these.
    measure : one of plain, trace, tilted, default="trace"
        Which measure they are drawn from; trace is bounded and has the smallest error.
    sum : one of concatenation, mixture, default="concatenation"
        How a sum of kernels shares its atoms.
    loss : one of squared, hinge, squared-hinge, simplex-hinge, logistic, default="squared"
        The loss: squared, on the simplex code of the classes, in closed form; or, by passes over the rows,
        logistic and simplex-hinge on the same code, hinge and squared-hinge for each class against the rest.
    class_weight : balanced, a number > 0 for each class by name, or none, default=None
        Weights of the classes: balanced (each class counts the same in all), a number for each class by name
        (classes without one weigh 1), or none. Probabilities are those of the weighted rows.
    alpha : auto, loo, gcv, evidence or a number > 0, default="auto"
        The ridge: a number (λ of the mean loss), or how to choose it. loo takes the largest whose exact
        leave-one-out error is within 0.01 % of the smallest; it, gcv and evidence are for the squared loss.
        auto is loo there; for other losses the smallest error (logistic: the smallest loss) of five folds, on
        at most 4096 rows.
    fit_intercept : true or false, default=True
        Learn a constant for each class.
    precision : auto or one of double, mixed, default="auto"
        Precision of features and their products: double; or mixed, which computes them in single precision
        (products in fixed point where the machine is fast at it and the ridge is not lost) and then corrects
        the solution by short passes in double until it is that of double precision, and says so where it
        cannot. auto is mixed where fixed point is worth it and exact to a thousandth of a given ridge, or
        exact enough to choose one, and for inputs in single precision with a given ridge; double otherwise.
    memory : a whole number ≥ 1, default=16384
        Most memory in megabytes; a fit that would need more is refused before it starts.
    tol : auto or a number > 0 and ≤ 1, default="auto"
        When iterations stop. Squared loss: relative residual of conjugate gradients (auto: 1e-10). hinge and
        simplex-hinge: relative duality gap (auto: 1e-3). logistic and squared-hinge: what predictions may
        still change, relative (auto: 1e-10 where passes are cheap, else 1e-6).
    max_iter : a whole number ≥ 1, default=2000
        Most iterations of conjugate gradients, or passes over the rows.
    random_state : int, RandomState, Generator or None, default=0
        Seed of every random choice. None draws one from NumPy's global state, a RandomState or Generator from
        itself.
    n_jobs : int or None, default=None
        Number of threads; results do not depend on it. None and -1 mean all processors (or OMP_NUM_THREADS of
        them).
    verbose : a whole number from 0 to 1000, default=0
        Show progress and the choices made: 0 is silent.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    alpha_ : float
        The ridge.
    lengthscale_ : ndarray of shape (n_features_in_,) or None
        Lengthscale along each input, in its own units, of the first spectrum of the kernel.
    kernel_ : Kernel
        The kernel with nothing left open, in scaled coordinates.
    path_ : dict of ndarray
        Scores along ridges: alpha, freedom, gcv, evidence, loo (NaN where it was not asked for).
    choices_ : list of str
        What was chosen, with the reasons.
    n_iter_ : int
        Iterations of the solver; 1 for a factorisation.
    n_features_in_, feature_names_in_
        As in scikit-learn.
    candidates_ : ndarray of shape (n_candidates, n_features_in_)
        Frequencies that were weighed, in the units of the inputs; with landmarks one such table for each.
    posterior_ : ndarray of shape (n_candidates,)
        Their learned probabilities; with landmarks one row for each.
    prior_ : ndarray of the same shape
        Their probabilities before.
    alignment_ : ndarray of the same shape
        Mean of λ cos⟨ω, x − x′⟩ over pairs of rows, λ = 1 for a common label, −1 otherwise: 1 minus twice the alignment loss.
    bound_ : dict
        Bounds of the expected alignment loss of that posterior by their names, each failing with probability 0.05 at most.

    Examples
    --------
    >>> import numpy as np
    >>> from orff import AlignedClassifier
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> y = np.where(np.hypot(X[:, 0], X[:, 1]) < 1, "inside", "outside")
    >>> model = AlignedClassifier().fit(X, y)
    >>> model.predict([[0, 0], [2, 2]])
    array(['inside', 'outside'], dtype='<U7')
    >>> bool(model.predict_proba([[2, 2]])[0, 1] > 0.9)
    True
    """

    _learner = "aligned-classification"

    def __init__(
        self,
        kernel: Kernel | str | Mapping = "decomposable",
        *,
        lengthscale: Literal["auto"] | float | Sequence[float] | np.ndarray = "auto",
        group: str = "additive",
        n_components: Literal["auto"] | int = "auto",
        n_candidates: Literal["auto"] | int = "auto",
        method: Literal["pac-bayes", "chi2"] | float = "pac-bayes",
        beta: Literal["auto"] | float = "auto",
        rho: Literal["auto"] | float = "auto",
        sampling: Literal["without-replacement", "with-replacement", "weights"] = "without-replacement",
        feature_map: Literal["auto"] | Literal["pairs", "phases"] = "auto",
        draw: Literal["auto"] | Literal["iid", "orthogonal", "quasi-monte-carlo", "qmc", "structured"] = "auto",
        measure: Literal["plain", "trace", "tilted"] = "trace",
        sum: Literal["concatenation", "mixture"] = "concatenation",
        loss: Literal["squared", "hinge", "squared-hinge", "simplex-hinge", "logistic"] = "squared",
        class_weight: Mapping | Literal["balanced"] | None = None,
        alpha: Literal["auto", "loo", "gcv", "evidence"] | float = "auto",
        fit_intercept: bool = True,
        precision: Literal["auto"] | Literal["double", "mixed"] = "auto",
        memory: int = 16384,
        tol: Literal["auto"] | float = "auto",
        max_iter: int = 2000,
        random_state: int | np.random.RandomState | np.random.Generator | None = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.kernel = kernel
        self.lengthscale = lengthscale
        self.group = group
        self.n_components = n_components
        self.n_candidates = n_candidates
        self.method = method
        self.beta = beta
        self.rho = rho
        self.sampling = sampling
        self.feature_map = feature_map
        self.draw = draw
        self.measure = measure
        self.sum = sum
        self.loss = loss
        self.class_weight = class_weight
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.precision = precision
        self.memory = memory
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class LandmarkClassifier(Landmarked):
    """Classes by similarities to landmarks, each with a kernel that is learned by alignment with the labels.

    Parameters
    ----------
    kernel : Kernel or str, default="gaussian"
        The kernel candidates are drawn from, with one output: gaussian, matern(2.5), a product of such.
    lengthscale : auto or a number > 0, or a list of them, default="auto"
        Lengthscale of every spectrum of the kernel that leaves its own open: auto (the median distance
        between scaled rows), a number in the units of the inputs, or one number per input.
    group : additive, multiplicative, skewed(c) or skewed(c1, c2, …), default="additive"
        Group on which the kernel is shift-invariant.
    n_landmarks : a whole number ≥ 1, or a share > 0 and ≤ 1 written with a point, default=0.1
        Landmarks: how many, or which share of the rows.
    centers : one of clusters, rows, default="clusters"
        Where they are: clusters (centroids of the rows of each class, by k-means) or rows (at random; the
        bounds hold for these).
    n_atoms : a whole number from 1 to 1000000, default=64
        Candidates of each landmark.
    beta : a number ≥ 0, default=1.0
        β of the weights q ∝ exp(−β√n L) of a landmark's candidates: how much losses count.
    draw : auto or one of iid, orthogonal, quasi-monte-carlo, qmc, structured, default="auto"
        How frequencies are drawn; auto is quasi-monte-carlo up to 20 inputs, orthogonal up to 127, structured
        up to 4096, iid above and where the kernel refuses these.
    loss : one of squared, hinge, squared-hinge, simplex-hinge, logistic, default="squared"
        The loss: squared, on the simplex code of the classes, in closed form; or, by passes over the rows,
        logistic and simplex-hinge (the support vector machine of several classes) on the same code, hinge and
        squared-hinge for each class against the rest.
    class_weight : balanced, a number > 0 for each class by name, or none, default=None
        Weights of the classes: balanced (each class counts the same in all), a number for each class by name
        (classes without one weigh 1), or none. Probabilities are those of the weighted rows.
    alpha : loo or a number > 0, default="loo"
        The ridge: a number > 0 (λ of the mean loss), or loo: by the share of missed labels among those left
        out, one at a time or, of more than 200, in ten folds; of other losses than squared by five folds.
    fit_intercept : true or false, default=True
        Learn a constant for each score.
    memory : a whole number ≥ 1, default=16384
        Most memory in megabytes; a fit that would need more is refused before it starts.
    random_state : int, RandomState, Generator or None, default=0
        Seed of every random choice. None draws one from NumPy's global state, a RandomState or Generator from
        itself.
    n_jobs : int or None, default=None
        Number of threads; results do not depend on it. None and -1 mean all processors (or OMP_NUM_THREADS of
        them).
    verbose : a whole number from 0 to 1000, default=0
        Show progress and the choices made: 0 is silent.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    alpha_ : float
        The ridge.
    lengthscale_ : ndarray of shape (n_features_in_,) or None
        Lengthscale along each input, in its own units, of the first spectrum of the kernel.
    kernel_ : Kernel
        The kernel with nothing left open, in scaled coordinates.
    path_ : dict of ndarray
        Scores along ridges: alpha, freedom, gcv, evidence, loo (NaN where it was not asked for).
    choices_ : list of str
        What was chosen, with the reasons.
    n_iter_ : int
        Iterations of the solver; 1 for a factorisation.
    n_features_in_, feature_names_in_
        As in scikit-learn.
    landmarks_ : ndarray of shape (n_landmarks, n_features_in_)
        The landmarks, in the units of the inputs.
    candidates_ : ndarray of shape (n_candidates, n_features_in_)
        Frequencies that were weighed, in the units of the inputs; with landmarks one such table for each.
    posterior_ : ndarray of shape (n_candidates,)
        Their learned probabilities; with landmarks one row for each.
    prior_ : ndarray of the same shape
        Their probabilities before.
    alignment_ : ndarray of the same shape
        Mean of λ cos⟨ω, x − x′⟩ over pairs of rows, λ = 1 for a common label, −1 otherwise: 1 minus twice the alignment loss.
    bound_ : dict
        Bounds of the expected alignment loss of that posterior by their names, each failing with probability 0.05 at most.

    Examples
    --------
    >>> import numpy as np
    >>> from orff import LandmarkClassifier
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> y = np.where(np.hypot(X[:, 0], X[:, 1]) < 1, "inside", "outside")
    >>> model = LandmarkClassifier().fit(X, y)
    >>> model.predict([[0, 0], [2, 2]])
    array(['inside', 'outside'], dtype='<U7')
    >>> bool(model.predict_proba([[2, 2]])[0, 1] > 0.9)
    True
    """

    _learner = "landmark-classification"

    def __init__(
        self,
        kernel: Kernel | str | Mapping = "gaussian",
        *,
        lengthscale: Literal["auto"] | float | Sequence[float] | np.ndarray = "auto",
        group: str = "additive",
        n_landmarks: int | float = 0.1,
        centers: Literal["clusters", "rows"] = "clusters",
        n_atoms: int = 64,
        beta: float = 1.0,
        draw: Literal["auto"] | Literal["iid", "orthogonal", "quasi-monte-carlo", "qmc", "structured"] = "auto",
        loss: Literal["squared", "hinge", "squared-hinge", "simplex-hinge", "logistic"] = "squared",
        class_weight: Mapping | Literal["balanced"] | None = None,
        alpha: Literal["loo"] | float = "loo",
        fit_intercept: bool = True,
        memory: int = 16384,
        random_state: int | np.random.RandomState | np.random.Generator | None = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.kernel = kernel
        self.lengthscale = lengthscale
        self.group = group
        self.n_landmarks = n_landmarks
        self.centers = centers
        self.n_atoms = n_atoms
        self.beta = beta
        self.draw = draw
        self.loss = loss
        self.class_weight = class_weight
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class ExactOperatorRidge(Regressor):
    """Ridge regression with the kernel itself, without features: the reference, for a few thousand rows.

    Parameters
    ----------
    kernel : Kernel or str, default="decomposable"
        The kernel: a name, an expression such as "curl-free(matern(2.5)) + 0.1*div-free", or its structured
        form.
    lengthscale : auto or a number > 0, or a list of them, default="auto"
        Lengthscale of every spectrum of the kernel that leaves its own open: auto, a number in the units of
        the inputs, or one number per input.
    group : additive, multiplicative, skewed(c) or skewed(c1, c2, …), default="additive"
        Group on which the kernel is shift-invariant.
    alpha : evidence, gcv, loo or a number ≥ 0, default="evidence"
        The ridge: a number (λ of the mean loss; scikit-learn's KernelRidge has nλ), or how to choose it.
    fit_intercept : true or false, default=True
        Learn a constant for each output.
    posterior : true or false, default=True
        Keep what error bars need (as many numbers as the Gram matrix has).
    memory : a whole number ≥ 1, default=4000
        Most memory for Gram matrices and their factors, in MB.
    random_state : int, RandomState, Generator or None, default=0
        Seed of every random choice. None draws one from NumPy's global state, a RandomState or Generator from
        itself.
    n_jobs : int or None, default=None
        Number of threads; results do not depend on it. None and -1 mean all processors (or OMP_NUM_THREADS of
        them).
    verbose : a whole number from 0 to 1000, default=0
        Show progress and the choices made: 0 is silent.

    Attributes
    ----------
    alpha_ : float
        The ridge.
    lengthscale_ : ndarray of shape (n_features_in_,) or None
        Lengthscale along each input, in its own units, of the first spectrum of the kernel.
    kernel_ : Kernel
        The kernel with nothing left open, in scaled coordinates.
    path_ : dict of ndarray
        Scores along ridges: alpha, freedom, gcv, evidence, loo (NaN where it was not asked for).
    evidence_ : float
        Log evidence at the ridge; NaN when the ridge was given and so not compared.
    choices_ : list of str
        What was chosen, with the reasons.
    noise_ : ndarray of shape (n_outputs_, n_outputs_)
        Covariance of the noise.
    n_iter_ : int
        Iterations of the solver; 1 for a factorisation.
    n_features_in_, feature_names_in_, n_outputs_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from orff import ExactOperatorRidge
    >>> X = np.linspace(0, 6, 60).reshape(-1, 1)
    >>> Y = np.hstack([np.sin(X), np.cos(X)])
    >>> model = ExactOperatorRidge().fit(X, Y)
    >>> mean, std = model.predict(X, return_std=True)
    >>> bool(np.abs(mean - Y).max() < 0.05)
    True
    """

    _learner = "exact"

    def __init__(
        self,
        kernel: Kernel | str | Mapping = "decomposable",
        *,
        lengthscale: Literal["auto"] | float | Sequence[float] | np.ndarray = "auto",
        group: str = "additive",
        alpha: Literal["evidence", "gcv", "loo"] | float = "evidence",
        fit_intercept: bool = True,
        posterior: bool = True,
        memory: int = 4000,
        random_state: int | np.random.RandomState | np.random.Generator | None = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.kernel = kernel
        self.lengthscale = lengthscale
        self.group = group
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.posterior = posterior
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class NystromRidge(Regressor):
    """Ridge regression on kernel sections at landmarks, in one pass over the rows.

    Parameters
    ----------
    kernel : Kernel or str, default="decomposable"
        The kernel: a name, an expression such as "curl-free(matern(2.5)) + 0.1*div-free", or its structured
        form.
    lengthscale : auto or a number > 0, or a list of them, default="auto"
        Lengthscale of every spectrum of the kernel that leaves its own open: auto, a number in the units of
        the inputs, or one number per input.
    group : additive, multiplicative, skewed(c) or skewed(c1, c2, …), default="additive"
        Group on which the kernel is shift-invariant.
    n_components : auto or a whole number from 1 to 10000, default="auto"
        Number of landmarks.
    landmarks : one of uniform, distant, default="uniform"
        How they are chosen.
    alpha : evidence, gcv or a number ≥ 0, default="evidence"
        The ridge: a number (λ of the mean loss; scikit-learn's Ridge has nλ), or how to choose it.
    fit_intercept : true or false, default=True
        Learn a constant for each output.
    posterior : true or false, default=True
        Keep what error bars need (the square of the number of features).
    random_state : int, RandomState, Generator or None, default=0
        Seed of every random choice. None draws one from NumPy's global state, a RandomState or Generator from
        itself.
    n_jobs : int or None, default=None
        Number of threads; results do not depend on it. None and -1 mean all processors (or OMP_NUM_THREADS of
        them).
    verbose : a whole number from 0 to 1000, default=0
        Show progress and the choices made: 0 is silent.

    Attributes
    ----------
    alpha_ : float
        The ridge.
    lengthscale_ : ndarray of shape (n_features_in_,) or None
        Lengthscale along each input, in its own units, of the first spectrum of the kernel.
    kernel_ : Kernel
        The kernel with nothing left open, in scaled coordinates.
    path_ : dict of ndarray
        Scores along ridges: alpha, freedom, gcv, evidence, loo (NaN where it was not asked for).
    evidence_ : float
        Log evidence at the ridge; NaN when the ridge was given and so not compared.
    choices_ : list of str
        What was chosen, with the reasons.
    noise_ : ndarray of shape (n_outputs_, n_outputs_)
        Covariance of the noise.
    n_iter_ : int
        Iterations of the solver; 1 for a factorisation.
    n_features_in_, feature_names_in_, n_outputs_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from orff import NystromRidge
    >>> X = np.linspace(0, 6, 60).reshape(-1, 1)
    >>> Y = np.hstack([np.sin(X), np.cos(X)])
    >>> model = NystromRidge().fit(X, Y)
    >>> mean, std = model.predict(X, return_std=True)
    >>> bool(np.abs(mean - Y).max() < 0.05)
    True
    """

    _learner = "nystrom"

    def __init__(
        self,
        kernel: Kernel | str | Mapping = "decomposable",
        *,
        lengthscale: Literal["auto"] | float | Sequence[float] | np.ndarray = "auto",
        group: str = "additive",
        n_components: Literal["auto"] | int = "auto",
        landmarks: Literal["uniform", "distant"] = "uniform",
        alpha: Literal["evidence", "gcv"] | float = "evidence",
        fit_intercept: bool = True,
        posterior: bool = True,
        random_state: int | np.random.RandomState | np.random.Generator | None = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.kernel = kernel
        self.lengthscale = lengthscale
        self.group = group
        self.n_components = n_components
        self.landmarks = landmarks
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.posterior = posterior
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class RiskRegressor(Regressor):
    """Several outputs by any loss (huber, epsilon-insensitive, pinball, squared), over rows, by batches or row by row.

    Parameters
    ----------
    kernel : Kernel or str, default="decomposable"
        The kernel: a name, an expression such as "curl-free(matern(2.5)) + 0.1*div-free", or its structured
        form.
    lengthscale : auto or a number > 0, or a list of them, default="auto"
        Lengthscale of every spectrum of the kernel that leaves its own open: auto, a number in the units of
        the inputs, or one number per input.
    group : additive, multiplicative, skewed(c) or skewed(c1, c2, …), default="additive"
        Group on which the kernel is shift-invariant.
    n_components : auto or a whole number from 1 to 10000000, default="auto"
        Number of columns of the feature map.
    feature_map : auto or one of pairs, phases, default="auto"
        Characters: pairs (cosine and sine) or phases (shifted cosines, twice the atoms); auto is pairs, and
        phases for an odd number of columns.
    draw : auto or one of iid, orthogonal, quasi-monte-carlo, qmc, structured, default="auto"
        How frequencies are drawn; auto is quasi-monte-carlo up to 20 inputs, where it has by far the smallest
        error, orthogonal up to 127, structured up to 4096, iid above and where the kernel refuses these.
    measure : one of plain, trace, tilted, default="trace"
        Which measure they are drawn from; trace is bounded and has the smallest error.
    sum : one of concatenation, mixture, default="concatenation"
        How a sum of kernels shares its atoms.
    loss : squared, huber(δ) with δ > 0, epsilon-insensitive(ε) with ε ≥ 0, or pinball(τ) with 0 < τ < 1, default="huber(1.35)"
        The loss of each output in its deviations (fields: in one unit): squared; huber(δ), squared up to δ
        and linear beyond; epsilon-insensitive(ε); pinball(τ), whose minimum is the quantile τ.
    solver : one of l-bfgs, projected, stochastic, online, default="l-bfgs"
        How it is minimised. l-bfgs: over the rows again and again, to a stated gap. projected: the same with
        every atom bounded in place of a ridge. stochastic: batches of rows and blocks of features, which are
        drawn again when they are needed (doubly stochastic gradients). online: row by row with the kernel
        itself and a budget (ONORMA).
    alpha : auto or a number > 0, default="auto"
        The ridge: a number > 0 (λ of the mean loss), or auto: that of the squared loss with the largest
        evidence on a sample.
    bound : a number > 0, default=10.0
        Projected: the bound R of ‖θⱼ‖ ≤ R/√D for each of D atoms.
    fit_intercept : true or false, default=True
        Learn a constant for each output.
    tol : a number > 0 and ≤ 1, default=0.0001
        Relative duality gap at which l-bfgs and projected stop.
    max_iter : auto or a whole number ≥ 1, default="auto"
        Most passes over the rows. auto: 2000 (l-bfgs), 5000 (projected); as many as make 2000 batches
        (stochastic) or 20 000 rows (online), at most 100, and one where rows are read once.
    batch_size : a whole number ≥ 1, default=256
        Stochastic: rows of a batch.
    block_size : a whole number from 1 to 10000000, default=200
        Stochastic: features of a block.
    eta0 : auto or a number > 0, default="auto"
        First step. Stochastic: relative to the one that is safe (auto: 1). Online: η of η/√t at row t (auto:
        0.25).
    budget : a whole number from 1 to 10000000, default=1000
        Online: most rows that the function remembers; beyond, the oldest is dropped.
    memory : a whole number ≥ 1, default=16384
        Most memory in megabytes; a fit that would need more is refused before it starts.
    random_state : int, RandomState, Generator or None, default=0
        Seed of every random choice. None draws one from NumPy's global state, a RandomState or Generator from
        itself.
    n_jobs : int or None, default=None
        Number of threads; results do not depend on it. None and -1 mean all processors (or OMP_NUM_THREADS of
        them).
    verbose : a whole number from 0 to 1000, default=0
        Show progress and the choices made: 0 is silent.

    Attributes
    ----------
    alpha_ : float
        The ridge.
    lengthscale_ : ndarray of shape (n_features_in_,) or None
        Lengthscale along each input, in its own units, of the first spectrum of the kernel.
    kernel_ : Kernel
        The kernel with nothing left open, in scaled coordinates.
    path_ : dict of ndarray
        Scores along ridges: alpha, freedom, gcv, evidence, loo (NaN where it was not asked for).
    evidence_ : float
        Log evidence at the ridge; NaN when the ridge was given and so not compared.
    choices_ : list of str
        What was chosen, with the reasons.
    noise_ : ndarray of shape (n_outputs_, n_outputs_)
        Covariance of the noise.
    n_iter_ : int
        Iterations of the solver; 1 for a factorisation.
    n_features_in_, feature_names_in_, n_outputs_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from orff import RiskRegressor
    >>> X = np.linspace(0, 6, 60).reshape(-1, 1)
    >>> Y = np.hstack([np.sin(X), np.cos(X)])
    >>> model = RiskRegressor().fit(X, Y)
    >>> bool(np.abs(model.predict(X) - Y).max() < 0.05)
    True
    """

    _learner = "risk"

    def __init__(
        self,
        kernel: Kernel | str | Mapping = "decomposable",
        *,
        lengthscale: Literal["auto"] | float | Sequence[float] | np.ndarray = "auto",
        group: str = "additive",
        n_components: Literal["auto"] | int = "auto",
        feature_map: Literal["auto"] | Literal["pairs", "phases"] = "auto",
        draw: Literal["auto"] | Literal["iid", "orthogonal", "quasi-monte-carlo", "qmc", "structured"] = "auto",
        measure: Literal["plain", "trace", "tilted"] = "trace",
        sum: Literal["concatenation", "mixture"] = "concatenation",
        loss: str = "huber(1.35)",
        solver: Literal["l-bfgs", "projected", "stochastic", "online"] = "l-bfgs",
        alpha: Literal["auto"] | float = "auto",
        bound: float = 10.0,
        fit_intercept: bool = True,
        tol: float = 0.0001,
        max_iter: Literal["auto"] | int = "auto",
        batch_size: int = 256,
        block_size: int = 200,
        eta0: Literal["auto"] | float = "auto",
        budget: int = 1000,
        memory: int = 16384,
        random_state: int | np.random.RandomState | np.random.Generator | None = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.kernel = kernel
        self.lengthscale = lengthscale
        self.group = group
        self.n_components = n_components
        self.feature_map = feature_map
        self.draw = draw
        self.measure = measure
        self.sum = sum
        self.loss = loss
        self.solver = solver
        self.alpha = alpha
        self.bound = bound
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.block_size = block_size
        self.eta0 = eta0
        self.budget = budget
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class QuantileFunction(Quantiles):
    """Quantiles of every level in one fit, which never cross, with intervals of the right probability.

    Parameters
    ----------
    kernel : Kernel or str, default="gaussian"
        The kernel of the inputs, with one output: gaussian, matern(2.5), a sum or a product of such.
    lengthscale : auto or a number > 0, or a list of them, default="auto"
        Lengthscale of every spectrum of the kernel that leaves its own open: auto (octaves about the median
        distance between scaled rows, by the pinball loss of rows held out), a number in the units of the
        inputs, or one number per input.
    group : additive, multiplicative, skewed(c) or skewed(c1, c2, …), default="additive"
        Group on which the kernel is shift-invariant.
    n_components : auto or a whole number from 1 to 10000000, default="auto"
        Number of columns of the feature map.
    feature_map : auto or one of pairs, phases, default="auto"
        Characters: pairs (cosine and sine) or phases (shifted cosines, twice the atoms); auto is pairs, and
        phases for an odd number of columns.
    draw : auto or one of iid, orthogonal, quasi-monte-carlo, qmc, structured, default="auto"
        How frequencies are drawn; auto is quasi-monte-carlo up to 20 inputs, where it has by far the smallest
        error, orthogonal up to 127, structured up to 4096, iid above and where the kernel refuses these.
    sum : one of concatenation, mixture, default="concatenation"
        How a sum of kernels shares its atoms.
    alpha : auto or a number > 0, default="auto"
        The ridge λ of the mean loss; auto chooses it with the lengthscale.
    moments : a whole number from 2 to 20, default=4
        Functions of the level that quantiles are made of: location, scale (of a normal law), and then
        skewness, weight of the tails, … More follow laws with several modes, for many rows.
    crossing : a number ≥ 0 and ≤ 1000000000000, default=1.0
        Weight of the penalty on what quantiles of neighbouring levels cross by; predictions never cross.
    conformal : none, auto or a number > 0 and ≤ 0.9, default="none"
        Share of the rows that are kept aside for intervals whose probability is right whatever the law (split
        conformal): none, auto (a quarter, more of few rows), or a number.
    tol : a number > 0 and ≤ 1, default=0.001
        Relative duality gap at which the fit stops.
    max_iter : a whole number ≥ 1, default=5000
        Most iterations.
    memory : a whole number ≥ 1, default=16384
        Most memory in megabytes; a fit that would need more is refused before it starts.
    random_state : int, RandomState, Generator or None, default=0
        Seed of every random choice. None draws one from NumPy's global state, a RandomState or Generator from
        itself.
    n_jobs : int or None, default=None
        Number of threads; results do not depend on it. None and -1 mean all processors (or OMP_NUM_THREADS of
        them).
    verbose : a whole number from 0 to 1000, default=0
        Show progress and the choices made: 0 is silent.

    Attributes
    ----------
    alpha_ : float
        The ridge.
    lengthscale_ : ndarray of shape (n_features_in_,) or None
        Lengthscale along each input, in its own units, of the first spectrum of the kernel.
    kernel_ : Kernel
        The kernel of the inputs with nothing left open, in scaled coordinates.
    choices_ : list of str
        What was chosen, with the reasons; the duality gap and why the solver stopped.
    n_iter_ : int
        Iterations of the solver.
    n_features_in_, feature_names_in_, n_outputs_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from orff import QuantileFunction
    >>> random = np.random.default_rng(0)
    >>> X = random.uniform(0, 6, (300, 1))
    >>> y = np.sin(X[:, 0]) + (0.1 + 0.1 * X[:, 0]) * random.normal(size=300)
    >>> model = QuantileFunction().fit(X, y)
    >>> q = model.predict(X, levels=[0.1, 0.5, 0.9])
    >>> q.shape, bool((np.diff(q) >= 0).all())
    ((300, 3), True)
    >>> lower, upper = model.predict_interval(X, 0.8)
    >>> bool(abs(((lower <= y) & (y <= upper)).mean() - 0.8) < 0.06)
    True
    """

    _learner = "quantiles"

    def __init__(
        self,
        kernel: Kernel | str | Mapping = "gaussian",
        *,
        lengthscale: Literal["auto"] | float | Sequence[float] | np.ndarray = "auto",
        group: str = "additive",
        n_components: Literal["auto"] | int = "auto",
        feature_map: Literal["auto"] | Literal["pairs", "phases"] = "auto",
        draw: Literal["auto"] | Literal["iid", "orthogonal", "quasi-monte-carlo", "qmc", "structured"] = "auto",
        sum: Literal["concatenation", "mixture"] = "concatenation",
        alpha: Literal["auto"] | float = "auto",
        moments: int = 4,
        crossing: float = 1.0,
        conformal: Literal["none", "auto"] | float = "none",
        tol: float = 0.001,
        max_iter: int = 5000,
        memory: int = 16384,
        random_state: int | np.random.RandomState | np.random.Generator | None = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.kernel = kernel
        self.lengthscale = lengthscale
        self.group = group
        self.n_components = n_components
        self.feature_map = feature_map
        self.draw = draw
        self.sum = sum
        self.alpha = alpha
        self.moments = moments
        self.crossing = crossing
        self.conformal = conformal
        self.tol = tol
        self.max_iter = max_iter
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class JointQuantileRegression(Quantiles):
    """Quantiles at given levels with the kernel itself, without features: the reference, for a few thousand rows.

    Parameters
    ----------
    kernel : Kernel or str, default="gaussian"
        The kernel of the inputs, with one output: gaussian, matern(2.5), a sum or a product of such.
    lengthscale : auto or a number > 0, or a list of them, default="auto"
        Lengthscale of every spectrum of the kernel that leaves its own open: auto (octaves about the median
        distance between scaled rows, by the pinball loss of rows held out), a number in the units of the
        inputs, or one number per input.
    group : additive, multiplicative, skewed(c) or skewed(c1, c2, …), default="additive"
        Group on which the kernel is shift-invariant.
    levels : a number > 0 and ≤ 1, or a list of them, default=(0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95,)
        The levels that are learned, between 0 and 1; others are linear between them, and beyond them as the
        first or the last: intervals are no wider than these.
    level_lengthscale : a number > 0, default=0.3
        Lengthscale of the gaussian kernel k_T of the levels: the longer, the more neighbouring quantiles have
        in common.
    alpha : auto or a number > 0, default="auto"
        The ridge λ of the mean loss; auto chooses it with the lengthscale, on features of the same kernel.
    crossing : a number ≥ 0 and ≤ 1000000000000, default=0.0
        Weight of the penalty on what quantiles of neighbouring levels cross by; predictions never cross.
    conformal : none, auto or a number > 0 and ≤ 0.9, default="none"
        Share of the rows that are kept aside for intervals whose probability is right whatever the law (split
        conformal): none, auto (a quarter, more of few rows), or a number.
    tol : a number > 0 and ≤ 1, default=0.001
        Relative duality gap at which the fit stops.
    max_iter : a whole number ≥ 1, default=5000
        Most iterations.
    memory : a whole number ≥ 1, default=16384
        Most memory in megabytes; a fit that would need more is refused before it starts.
    random_state : int, RandomState, Generator or None, default=0
        Seed of every random choice. None draws one from NumPy's global state, a RandomState or Generator from
        itself.
    n_jobs : int or None, default=None
        Number of threads; results do not depend on it. None and -1 mean all processors (or OMP_NUM_THREADS of
        them).
    verbose : a whole number from 0 to 1000, default=0
        Show progress and the choices made: 0 is silent.

    Attributes
    ----------
    alpha_ : float
        The ridge.
    lengthscale_ : ndarray of shape (n_features_in_,) or None
        Lengthscale along each input, in its own units, of the first spectrum of the kernel.
    kernel_ : Kernel
        The kernel of the inputs with nothing left open, in scaled coordinates.
    choices_ : list of str
        What was chosen, with the reasons; the duality gap and why the solver stopped.
    n_iter_ : int
        Iterations of the solver.
    n_features_in_, feature_names_in_, n_outputs_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from orff import JointQuantileRegression
    >>> random = np.random.default_rng(0)
    >>> X = random.uniform(0, 6, (300, 1))
    >>> y = np.sin(X[:, 0]) + (0.1 + 0.1 * X[:, 0]) * random.normal(size=300)
    >>> model = JointQuantileRegression().fit(X, y)
    >>> q = model.predict(X, levels=[0.1, 0.5, 0.9])
    >>> q.shape, bool((np.diff(q) >= 0).all())
    ((300, 3), True)
    >>> lower, upper = model.predict_interval(X, 0.8)
    >>> bool(abs(((lower <= y) & (y <= upper)).mean() - 0.8) < 0.06)
    True
    """

    _learner = "joint-quantiles"

    def __init__(
        self,
        kernel: Kernel | str | Mapping = "gaussian",
        *,
        lengthscale: Literal["auto"] | float | Sequence[float] | np.ndarray = "auto",
        group: str = "additive",
        levels: float | Sequence[float] | np.ndarray = (0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95,),
        level_lengthscale: float = 0.3,
        alpha: Literal["auto"] | float = "auto",
        crossing: float = 0.0,
        conformal: Literal["none", "auto"] | float = "none",
        tol: float = 0.001,
        max_iter: int = 5000,
        memory: int = 16384,
        random_state: int | np.random.RandomState | np.random.Generator | None = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.kernel = kernel
        self.lengthscale = lengthscale
        self.group = group
        self.levels = levels
        self.level_lengthscale = level_lengthscale
        self.alpha = alpha
        self.crossing = crossing
        self.conformal = conformal
        self.tol = tol
        self.max_iter = max_iter
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class FunctionalRidge(Curves):
    """Curves as outputs, on a common grid or each at arguments of its own, predicted at any argument.

    Parameters
    ----------
    kernel : Kernel or str, default="gaussian"
        The kernel of the inputs, with one output: gaussian, matern(2.5), a sum or a product of such.
    lengthscale : auto or a number > 0, or a list of them, default="auto"
        Lengthscale of every spectrum of the kernel that leaves its own open: auto (octaves about the median
        distance between scaled rows, by the error of curves left out), a number in the units of the inputs,
        or one number per input.
    argument_kernel : Kernel or str, default="gaussian"
        The kernel k_T of the argument of the curves, with one output: the rougher, the rougher they may be.
    argument_lengthscale : auto or a number > 0, default="auto"
        Its lengthscale: auto (octaves about a quarter of the range, by the error of curves left out), or a
        number in the units of the argument.
    grid : auto or a number, or a list of them, default="auto"
        The argument of each output column, different numbers; auto is 0, 1, 2, …. Rows with points of their
        own have their arguments beside them.
    group : additive, multiplicative, skewed(c) or skewed(c1, c2, …), default="additive"
        Group on which the kernel is shift-invariant.
    n_components : auto or a whole number from 1 to 10000000, default="auto"
        Number of columns of the feature map.
    argument_components : auto or a whole number from 2 to 100000, default="auto"
        Number of cosines and sines of the argument, an even number; auto has sixteen for each lengthscale in
        the range.
    feature_map : auto or one of pairs, phases, default="auto"
        Characters: pairs (cosine and sine) or phases (shifted cosines, twice the atoms); auto is pairs, and
        phases for an odd number of columns.
    draw : auto or one of iid, orthogonal, quasi-monte-carlo, qmc, structured, default="auto"
        How frequencies are drawn; auto is quasi-monte-carlo up to 20 inputs, where it has by far the smallest
        error, orthogonal up to 127, structured up to 4096, iid above and where the kernel refuses these.
    sum : one of concatenation, mixture, default="concatenation"
        How a sum of kernels shares its atoms.
    alpha : auto or a number > 0, default="auto"
        The ridge λ of the mean squared error over all points; auto chooses it with the lengthscales.
    tol : a number > 0 and ≤ 1, default=1e-8
        Relative residual at which conjugate gradients stop; curves that all know the same arguments need
        none.
    max_iter : a whole number ≥ 1, default=1000
        Most iterations.
    memory : a whole number ≥ 1, default=16384
        Most memory in megabytes; a fit that would need more is refused before it starts.
    random_state : int, RandomState, Generator or None, default=0
        Seed of every random choice. None draws one from NumPy's global state, a RandomState or Generator from
        itself.
    n_jobs : int or None, default=None
        Number of threads; results do not depend on it. None and -1 mean all processors (or OMP_NUM_THREADS of
        them).
    verbose : a whole number from 0 to 1000, default=0
        Show progress and the choices made: 0 is silent.

    Attributes
    ----------
    alpha_ : float
        The ridge.
    lengthscale_ : ndarray of shape (n_features_in_,) or None
        Lengthscale along each input, in its own units, of the first spectrum of the kernel.
    kernel_ : Kernel
        The kernel of the inputs with nothing left open, in scaled coordinates.
    argument_lengthscale_ : float or None
        Lengthscale along the argument, in its own units.
    argument_kernel_ : Kernel
        The kernel of the argument with nothing left open, in scaled coordinates.
    grid_ : ndarray
        Where curves are predicted unless asked for elsewhere.
    choices_ : list of str
        What was chosen, with the reasons; how it was solved.
    n_iter_ : int
        Iterations of the solver; 1 in closed form.
    n_features_in_, feature_names_in_, n_outputs_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from orff import FunctionalRidge
    >>> X, t = np.linspace(0, 3, 60).reshape(-1, 1), np.linspace(0, 1, 21)
    >>> model = FunctionalRidge(grid=t).fit(X, np.sin(X + 4 * t))
    >>> bool(abs(model.predict([[1.23]], at=0.51)[0] - np.sin(1.23 + 4 * 0.51)) < 1e-3)
    True
    >>> ragged = [(t[k % 3 :: 3], np.sin(x + 4 * t[k % 3 :: 3])) for k, x in enumerate(X[:, 0])]
    >>> bool(FunctionalRidge().fit(X, ragged).score(X, ragged) > 0.999)
    True
    """

    _learner = "functional"

    def __init__(
        self,
        kernel: Kernel | str | Mapping = "gaussian",
        *,
        lengthscale: Literal["auto"] | float | Sequence[float] | np.ndarray = "auto",
        argument_kernel: Kernel | str | Mapping = "gaussian",
        argument_lengthscale: Literal["auto"] | float = "auto",
        grid: Literal["auto"] | float | Sequence[float] | np.ndarray = "auto",
        group: str = "additive",
        n_components: Literal["auto"] | int = "auto",
        argument_components: Literal["auto"] | int = "auto",
        feature_map: Literal["auto"] | Literal["pairs", "phases"] = "auto",
        draw: Literal["auto"] | Literal["iid", "orthogonal", "quasi-monte-carlo", "qmc", "structured"] = "auto",
        sum: Literal["concatenation", "mixture"] = "concatenation",
        alpha: Literal["auto"] | float = "auto",
        tol: float = 1e-8,
        max_iter: int = 1000,
        memory: int = 16384,
        random_state: int | np.random.RandomState | np.random.Generator | None = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.kernel = kernel
        self.lengthscale = lengthscale
        self.argument_kernel = argument_kernel
        self.argument_lengthscale = argument_lengthscale
        self.grid = grid
        self.group = group
        self.n_components = n_components
        self.argument_components = argument_components
        self.feature_map = feature_map
        self.draw = draw
        self.sum = sum
        self.alpha = alpha
        self.tol = tol
        self.max_iter = max_iter
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class LaplacianRidge(SemiSupervised):
    """Ridge regression with a kernel warped by the graph of labelled and unlabelled rows.

    Parameters
    ----------
    kernel : Kernel or str, default="decomposable"
        The kernel: a name, an expression such as "curl-free(matern(2.5)) + 0.1*div-free", or its structured
        form.
    lengthscale : auto or a number > 0, or a list of them, default="auto"
        Lengthscale of every spectrum of the kernel that leaves its own open: auto (chosen on labelled rows,
        among multiples of the distance to neighbours, the longest sixteen of these or some eight median
        distances of rows), a number in the units of the inputs, or one number per input.
    group : additive, multiplicative, skewed(c) or skewed(c1, c2, …), default="additive"
        Group on which the kernel is shift-invariant.
    n_components : auto or a whole number from 1 to 10000000, default="auto"
        Number of columns of the feature map.
    feature_map : auto or one of pairs, phases, default="auto"
        Characters: pairs (cosine and sine) or phases (shifted cosines, twice the atoms); auto is pairs, and
        phases for an odd number of columns.
    draw : auto or one of iid, orthogonal, quasi-monte-carlo, qmc, structured, default="auto"
        How frequencies are drawn; auto is quasi-monte-carlo up to 20 inputs, where it has by far the smallest
        error, orthogonal up to 127, structured up to 4096, iid above and where the kernel refuses these.
    measure : one of plain, trace, tilted, default="trace"
        Which measure they are drawn from; trace is bounded and has the smallest error.
    sum : one of concatenation, mixture, default="concatenation"
        How a sum of kernels shares its atoms.
    n_neighbors : auto or a whole number from 1 to 1000, default="auto"
        Neighbours of each row in the graph; two rows are joined when either is a neighbour of the other. auto
        compares 10, 20 and 50 on labelled rows, a fifth of the rows at most; it is 10 where there are few
        labels or graphs of more than 100 000 rows.
    graph_rows : auto or a whole number from 10 to 4294967295, default="auto"
        Rows of one graph. Of at least twice as many rows, random parts of so many have graphs of their own,
        and the penalty is the sum of theirs: neighbours among very many rows are so close that functions may
        change along them at little cost. auto compares 500, 5000, 20 000 and 80 000, a quarter of the rows at
        most, and all rows up to 100 000, on labelled rows; where there are few of these it is the most at
        whose distance of neighbours the features can tell rows apart.
    search : one of auto, exact, approximate, default="auto"
        How neighbours are searched: auto compares all pairs up to 200 000 rows and looks at neighbours of
        neighbours above, and says which share it found.
    bandwidth : auto or a number > 0, default="auto"
        Width σ of the weights exp(−‖x−x′‖²/2σ²) of the graph in scaled inputs; auto is the median distance to
        neighbours.
    power : auto or a whole number from 1 to 16, default="auto"
        Power c of the graph's Laplacian; auto compares 1, 2, 3 and 5 on labelled rows; it is 1 where there
        are few.
    strength : auto or a number ≥ 0, default="auto"
        Strength α of the graph: the penalty is ridge·(‖f‖² + α Σᵢⱼ [L^c]ᵢⱼ⟨f(xᵢ), f(xⱼ)⟩); auto chooses it on
        labelled rows, 10⁷ over the number of rows where fewer than eight are labelled.
    alpha : loo, evidence, gcv or a number > 0, default="loo"
        The ridge: a number > 0 (λ of the mean loss over labelled rows), or how it is chosen, and with it what
        else is auto. loo: by the error on labelled rows whose outputs are left out, one at a time or, of more
        than 200, in ten folds; evidence where outputs have gaps or the kernel ties them otherwise than by one
        matrix.
    offset : one of mean, learned, none, default="mean"
        Constant of each output: mean of the labelled ones, learned with the function, or none.
    posterior : true or false, default=True
        Keep what error bars need (K² numbers for K unknowns).
    memory : a whole number ≥ 1, default=16384
        Most memory in megabytes; a fit that would need more is refused before it starts.
    random_state : int, RandomState, Generator or None, default=0
        Seed of every random choice. None draws one from NumPy's global state, a RandomState or Generator from
        itself.
    n_jobs : int or None, default=None
        Number of threads; results do not depend on it. None and -1 mean all processors (or OMP_NUM_THREADS of
        them).
    verbose : a whole number from 0 to 1000, default=0
        Show progress and the choices made: 0 is silent.

    Attributes
    ----------
    alpha_ : float
        The ridge.
    lengthscale_ : ndarray of shape (n_features_in_,) or None
        Lengthscale along each input, in its own units, of the first spectrum of the kernel.
    kernel_ : Kernel
        The kernel with nothing left open, in scaled coordinates.
    path_ : dict of ndarray
        Scores along ridges: alpha, freedom, gcv, evidence, loo (NaN where it was not asked for).
    evidence_ : float
        Log evidence at the ridge; NaN when the ridge was given and so not compared.
    choices_ : list of str
        What was chosen, with the reasons.
    noise_ : ndarray of shape (n_outputs_, n_outputs_)
        Covariance of the noise.
    n_iter_ : int
        Iterations of the solver; 1 for a factorisation.
    n_features_in_, feature_names_in_, n_outputs_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from orff import LaplacianRidge
    >>> t, first = np.random.default_rng(0).uniform(0, np.pi, 200), np.arange(200) % 2 == 0
    >>> X = np.where(first, [np.cos(t), np.sin(t)], [1 - np.cos(t), 0.5 - np.sin(t)]).T  # two moons
    >>> y = np.where(first, 1.0, -1.0)
    >>> model = LaplacianRidge().fit(X, np.where(np.arange(200) < 2, y, np.nan))  # one label for each
    >>> bool((np.sign(model.predict(X)) == y).mean() > 0.97)
    True
    """

    _learner = "laplacian"

    def __init__(
        self,
        kernel: Kernel | str | Mapping = "decomposable",
        *,
        lengthscale: Literal["auto"] | float | Sequence[float] | np.ndarray = "auto",
        group: str = "additive",
        n_components: Literal["auto"] | int = "auto",
        feature_map: Literal["auto"] | Literal["pairs", "phases"] = "auto",
        draw: Literal["auto"] | Literal["iid", "orthogonal", "quasi-monte-carlo", "qmc", "structured"] = "auto",
        measure: Literal["plain", "trace", "tilted"] = "trace",
        sum: Literal["concatenation", "mixture"] = "concatenation",
        n_neighbors: Literal["auto"] | int = "auto",
        graph_rows: Literal["auto"] | int = "auto",
        search: Literal["auto", "exact", "approximate"] = "auto",
        bandwidth: Literal["auto"] | float = "auto",
        power: Literal["auto"] | int = "auto",
        strength: Literal["auto"] | float = "auto",
        alpha: Literal["loo", "evidence", "gcv"] | float = "loo",
        offset: Literal["mean", "learned", "none"] = "mean",
        posterior: bool = True,
        memory: int = 16384,
        random_state: int | np.random.RandomState | np.random.Generator | None = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.kernel = kernel
        self.lengthscale = lengthscale
        self.group = group
        self.n_components = n_components
        self.feature_map = feature_map
        self.draw = draw
        self.measure = measure
        self.sum = sum
        self.n_neighbors = n_neighbors
        self.graph_rows = graph_rows
        self.search = search
        self.bandwidth = bandwidth
        self.power = power
        self.strength = strength
        self.alpha = alpha
        self.offset = offset
        self.posterior = posterior
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class ExactLaplacianRidge(SemiSupervised):
    """Ridge regression with the warped kernel itself, without features or error bars: the reference, for a few thousand rows.

    Parameters
    ----------
    kernel : Kernel or str, default="decomposable"
        The kernel: a name, an expression such as "curl-free(matern(2.5)) + 0.1*div-free", or its structured
        form.
    lengthscale : auto or a number > 0, or a list of them, default="auto"
        Lengthscale of every spectrum of the kernel that leaves its own open: auto (chosen on labelled rows,
        among multiples of the distance to neighbours, the longest sixteen of these or some eight median
        distances of rows), a number in the units of the inputs, or one number per input.
    group : additive, multiplicative, skewed(c) or skewed(c1, c2, …), default="additive"
        Group on which the kernel is shift-invariant.
    n_neighbors : auto or a whole number from 1 to 1000, default="auto"
        Neighbours of each row in the graph; two rows are joined when either is a neighbour of the other. auto
        compares 10, 20 and 50 on labelled rows, a fifth of the rows at most; it is 10 where there are few
        labels or graphs of more than 100 000 rows.
    graph_rows : auto or a whole number from 10 to 4294967295, default="auto"
        Rows of one graph. Of at least twice as many rows, random parts of so many have graphs of their own,
        and the penalty is the sum of theirs: neighbours among very many rows are so close that functions may
        change along them at little cost. auto compares 500, 5000, 20 000 and 80 000, a quarter of the rows at
        most, and all rows up to 100 000, on labelled rows; where there are few of these it is the most at
        whose distance of neighbours the features can tell rows apart.
    search : one of auto, exact, approximate, default="auto"
        How neighbours are searched: auto compares all pairs up to 200 000 rows and looks at neighbours of
        neighbours above, and says which share it found.
    bandwidth : auto or a number > 0, default="auto"
        Width σ of the weights exp(−‖x−x′‖²/2σ²) of the graph in scaled inputs; auto is the median distance to
        neighbours.
    power : auto or a whole number from 1 to 16, default="auto"
        Power c of the graph's Laplacian; auto compares 1, 2, 3 and 5 on labelled rows; it is 1 where there
        are few.
    strength : auto or a number ≥ 0, default="auto"
        Strength α of the graph: the penalty is ridge·(‖f‖² + α Σᵢⱼ [L^c]ᵢⱼ⟨f(xᵢ), f(xⱼ)⟩); auto chooses it on
        labelled rows, 10⁷ over the number of rows where fewer than eight are labelled.
    alpha : loo, evidence, gcv or a number > 0, default="loo"
        The ridge: a number > 0 (λ of the mean loss over labelled rows), or how it is chosen, and with it what
        else is auto. loo: by the error on labelled rows whose outputs are left out, one at a time or, of more
        than 200, in ten folds; evidence where outputs have gaps or the kernel ties them otherwise than by one
        matrix.
    offset : one of mean, learned, none, default="mean"
        Constant of each output: mean of the labelled ones, learned with the function, or none.
    memory : a whole number ≥ 1, default=16384
        Most memory in megabytes; a fit that would need more is refused before it starts.
    random_state : int, RandomState, Generator or None, default=0
        Seed of every random choice. None draws one from NumPy's global state, a RandomState or Generator from
        itself.
    n_jobs : int or None, default=None
        Number of threads; results do not depend on it. None and -1 mean all processors (or OMP_NUM_THREADS of
        them).
    verbose : a whole number from 0 to 1000, default=0
        Show progress and the choices made: 0 is silent.

    Attributes
    ----------
    alpha_ : float
        The ridge.
    lengthscale_ : ndarray of shape (n_features_in_,) or None
        Lengthscale along each input, in its own units, of the first spectrum of the kernel.
    kernel_ : Kernel
        The kernel with nothing left open, in scaled coordinates.
    path_ : dict of ndarray
        Scores along ridges: alpha, freedom, gcv, evidence, loo (NaN where it was not asked for).
    evidence_ : float
        Log evidence at the ridge; NaN when the ridge was given and so not compared.
    choices_ : list of str
        What was chosen, with the reasons.
    noise_ : ndarray of shape (n_outputs_, n_outputs_)
        Covariance of the noise.
    n_iter_ : int
        Iterations of the solver; 1 for a factorisation.
    n_features_in_, feature_names_in_, n_outputs_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from orff import ExactLaplacianRidge
    >>> t, first = np.random.default_rng(0).uniform(0, np.pi, 200), np.arange(200) % 2 == 0
    >>> X = np.where(first, [np.cos(t), np.sin(t)], [1 - np.cos(t), 0.5 - np.sin(t)]).T  # two moons
    >>> y = np.where(first, 1.0, -1.0)
    >>> model = ExactLaplacianRidge().fit(X, np.where(np.arange(200) < 2, y, np.nan))  # one label for each
    >>> bool((np.sign(model.predict(X)) == y).mean() > 0.97)
    True
    """

    _learner = "exact-laplacian"

    def __init__(
        self,
        kernel: Kernel | str | Mapping = "decomposable",
        *,
        lengthscale: Literal["auto"] | float | Sequence[float] | np.ndarray = "auto",
        group: str = "additive",
        n_neighbors: Literal["auto"] | int = "auto",
        graph_rows: Literal["auto"] | int = "auto",
        search: Literal["auto", "exact", "approximate"] = "auto",
        bandwidth: Literal["auto"] | float = "auto",
        power: Literal["auto"] | int = "auto",
        strength: Literal["auto"] | float = "auto",
        alpha: Literal["loo", "evidence", "gcv"] | float = "loo",
        offset: Literal["mean", "learned", "none"] = "mean",
        memory: int = 16384,
        random_state: int | np.random.RandomState | np.random.Generator | None = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.kernel = kernel
        self.lengthscale = lengthscale
        self.group = group
        self.n_neighbors = n_neighbors
        self.graph_rows = graph_rows
        self.search = search
        self.bandwidth = bandwidth
        self.power = power
        self.strength = strength
        self.alpha = alpha
        self.offset = offset
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class SemiSupervisedRidge(SemiSupervised):
    """Least squares with labelled and unlabelled rows and several views of them.

    Parameters
    ----------
    kernel : Kernel or str, default="decomposable"
        The kernel: a name, an expression such as "curl-free(matern(2.5)) + 0.1*div-free", or its structured
        form.
    lengthscale : auto or a number > 0, or a list of them, default="auto"
        Lengthscale of every spectrum of the kernel that leaves its own open: auto (chosen on labelled rows,
        among multiples of the distance to neighbours, the longest sixteen of these or some eight median
        distances of rows), a number in the units of the inputs, or one number per input.
    group : additive, multiplicative, skewed(c) or skewed(c1, c2, …), default="additive"
        Group on which the kernel is shift-invariant.
    n_components : auto or a whole number from 1 to 10000000, default="auto"
        Number of columns of the feature map.
    feature_map : auto or one of pairs, phases, default="auto"
        Characters: pairs (cosine and sine) or phases (shifted cosines, twice the atoms); auto is pairs, and
        phases for an odd number of columns.
    draw : auto or one of iid, orthogonal, quasi-monte-carlo, qmc, structured, default="auto"
        How frequencies are drawn; auto is quasi-monte-carlo up to 20 inputs, where it has by far the smallest
        error, orthogonal up to 127, structured up to 4096, iid above and where the kernel refuses these.
    measure : one of plain, trace, tilted, default="trace"
        Which measure they are drawn from; trace is bounded and has the smallest error.
    sum : one of concatenation, mixture, default="concatenation"
        How a sum of kernels shares its atoms.
    n_neighbors : auto or a whole number from 1 to 1000, default="auto"
        Neighbours of each row in the graph; two rows are joined when either is a neighbour of the other. auto
        compares 10, 20 and 50 on labelled rows, a fifth of the rows at most; it is 10 where there are few
        labels or graphs of more than 100 000 rows.
    graph_rows : auto or a whole number from 10 to 4294967295, default="auto"
        Rows of one graph. Of at least twice as many rows, random parts of so many have graphs of their own,
        and the penalty is the sum of theirs: neighbours among very many rows are so close that functions may
        change along them at little cost. auto compares 500, 5000, 20 000 and 80 000, a quarter of the rows at
        most, and all rows up to 100 000, on labelled rows; where there are few of these it is the most at
        whose distance of neighbours the features can tell rows apart.
    search : one of auto, exact, approximate, default="auto"
        How neighbours are searched: auto compares all pairs up to 200 000 rows and looks at neighbours of
        neighbours above, and says which share it found.
    bandwidth : auto or a number > 0, default="auto"
        Width σ of the weights exp(−‖x−x′‖²/2σ²) of the graph in scaled inputs; auto is the median distance to
        neighbours.
    power : auto or a whole number from 1 to 16, default="auto"
        Power c of the graph's Laplacian; auto compares 1, 2, 3 and 5 on labelled rows; it is 1 where there
        are few.
    intrinsic : auto or a number ≥ 0, default="auto"
        γ_I, the weight of the graph's penalty Σᵢⱼ [L^c]ᵢⱼ⟨f(xᵢ), f(xⱼ)⟩; auto chooses it with the ridge.
    views : two or more groups of columns, or None, default=None
        Views: groups of inputs by their positions, such as "1-3; 4,6", each with features and a graph of its
        own; none for one view of all. Or lists of columns by index from 0 or by name, slices or masks, such
        as [[0, 1], slice(2, 4)].
    combination : two or more numbers other than 0, one per view, or None, default=None
        Weight of each view in the answer, such as "0.5, 0.5"; all alike unless given. Or a list of numbers.
    agreement : a number ≥ 0, default=1.0
        Weight of the disagreement Σᵢ‖f_v(xᵢ) − f_w(xᵢ)‖² between views, relative to γ_I.
    alpha : loo, evidence, gcv or a number > 0, default="loo"
        The ridge: a number > 0 (λ of the mean loss over labelled rows), or how it is chosen, and with it what
        else is auto. loo: by the error on labelled rows whose outputs are left out, one at a time or, of more
        than 200, in ten folds; evidence where outputs have gaps or the kernel ties them otherwise than by one
        matrix.
    offset : one of mean, learned, none, default="mean"
        Constant of each output: mean of the labelled ones, learned with the function, or none.
    posterior : true or false, default=True
        Keep what error bars need (K² numbers for K unknowns).
    memory : a whole number ≥ 1, default=16384
        Most memory in megabytes; a fit that would need more is refused before it starts.
    random_state : int, RandomState, Generator or None, default=0
        Seed of every random choice. None draws one from NumPy's global state, a RandomState or Generator from
        itself.
    n_jobs : int or None, default=None
        Number of threads; results do not depend on it. None and -1 mean all processors (or OMP_NUM_THREADS of
        them).
    verbose : a whole number from 0 to 1000, default=0
        Show progress and the choices made: 0 is silent.

    Attributes
    ----------
    alpha_ : float
        The ridge.
    lengthscale_ : ndarray of shape (n_features_in_,) or None
        Lengthscale along each input, in its own units, of the first spectrum of the kernel.
    kernel_ : Kernel
        The kernel with nothing left open, in scaled coordinates.
    path_ : dict of ndarray
        Scores along ridges: alpha, freedom, gcv, evidence, loo (NaN where it was not asked for).
    evidence_ : float
        Log evidence at the ridge; NaN when the ridge was given and so not compared.
    choices_ : list of str
        What was chosen, with the reasons.
    noise_ : ndarray of shape (n_outputs_, n_outputs_)
        Covariance of the noise.
    n_iter_ : int
        Iterations of the solver; 1 for a factorisation.
    n_features_in_, feature_names_in_, n_outputs_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from orff import SemiSupervisedRidge
    >>> t, first = np.random.default_rng(0).uniform(0, np.pi, 200), np.arange(200) % 2 == 0
    >>> X = np.where(first, [np.cos(t), np.sin(t)], [1 - np.cos(t), 0.5 - np.sin(t)]).T  # two moons
    >>> y = np.where(first, 1.0, -1.0)
    >>> model = SemiSupervisedRidge().fit(X, np.where(np.arange(200) < 2, y, np.nan))  # one label for each
    >>> bool((np.sign(model.predict(X)) == y).mean() > 0.97)
    True
    """

    _learner = "semi-supervised"

    def __init__(
        self,
        kernel: Kernel | str | Mapping = "decomposable",
        *,
        lengthscale: Literal["auto"] | float | Sequence[float] | np.ndarray = "auto",
        group: str = "additive",
        n_components: Literal["auto"] | int = "auto",
        feature_map: Literal["auto"] | Literal["pairs", "phases"] = "auto",
        draw: Literal["auto"] | Literal["iid", "orthogonal", "quasi-monte-carlo", "qmc", "structured"] = "auto",
        measure: Literal["plain", "trace", "tilted"] = "trace",
        sum: Literal["concatenation", "mixture"] = "concatenation",
        n_neighbors: Literal["auto"] | int = "auto",
        graph_rows: Literal["auto"] | int = "auto",
        search: Literal["auto", "exact", "approximate"] = "auto",
        bandwidth: Literal["auto"] | float = "auto",
        power: Literal["auto"] | int = "auto",
        intrinsic: Literal["auto"] | float = "auto",
        views: str | Sequence[Sequence[int] | Sequence[str] | slice | np.ndarray] | None = None,
        combination: str | Sequence[float] | np.ndarray | None = None,
        agreement: float = 1.0,
        alpha: Literal["loo", "evidence", "gcv"] | float = "loo",
        offset: Literal["mean", "learned", "none"] = "mean",
        posterior: bool = True,
        memory: int = 16384,
        random_state: int | np.random.RandomState | np.random.Generator | None = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.kernel = kernel
        self.lengthscale = lengthscale
        self.group = group
        self.n_components = n_components
        self.feature_map = feature_map
        self.draw = draw
        self.measure = measure
        self.sum = sum
        self.n_neighbors = n_neighbors
        self.graph_rows = graph_rows
        self.search = search
        self.bandwidth = bandwidth
        self.power = power
        self.intrinsic = intrinsic
        self.views = views
        self.combination = combination
        self.agreement = agreement
        self.alpha = alpha
        self.offset = offset
        self.posterior = posterior
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class LaplacianClassifier(PartlyLabelled):
    """Classes with a kernel warped by the graph of labelled and unlabelled rows.

    Parameters
    ----------
    kernel : Kernel or str, default="decomposable"
        The kernel: a name, an expression such as "curl-free(matern(2.5)) + 0.1*div-free", or its structured
        form.
    lengthscale : auto or a number > 0, or a list of them, default="auto"
        Lengthscale of every spectrum of the kernel that leaves its own open: auto (chosen on labelled rows,
        among multiples of the distance to neighbours, the longest sixteen of these or some eight median
        distances of rows), a number in the units of the inputs, or one number per input.
    group : additive, multiplicative, skewed(c) or skewed(c1, c2, …), default="additive"
        Group on which the kernel is shift-invariant.
    n_components : auto or a whole number from 1 to 10000000, default="auto"
        Number of columns of the feature map.
    feature_map : auto or one of pairs, phases, default="auto"
        Characters: pairs (cosine and sine) or phases (shifted cosines, twice the atoms); auto is pairs, and
        phases for an odd number of columns.
    draw : auto or one of iid, orthogonal, quasi-monte-carlo, qmc, structured, default="auto"
        How frequencies are drawn; auto is quasi-monte-carlo up to 20 inputs, where it has by far the smallest
        error, orthogonal up to 127, structured up to 4096, iid above and where the kernel refuses these.
    measure : one of plain, trace, tilted, default="trace"
        Which measure they are drawn from; trace is bounded and has the smallest error.
    sum : one of concatenation, mixture, default="concatenation"
        How a sum of kernels shares its atoms.
    n_neighbors : auto or a whole number from 1 to 1000, default="auto"
        Neighbours of each row in the graph; two rows are joined when either is a neighbour of the other. auto
        compares 10, 20 and 50 on labelled rows, a fifth of the rows at most; it is 10 where there are few
        labels or graphs of more than 100 000 rows.
    graph_rows : auto or a whole number from 10 to 4294967295, default="auto"
        Rows of one graph. Of at least twice as many rows, random parts of so many have graphs of their own,
        and the penalty is the sum of theirs: neighbours among very many rows are so close that functions may
        change along them at little cost. auto compares 500, 5000, 20 000 and 80 000, a quarter of the rows at
        most, and all rows up to 100 000, on labelled rows; where there are few of these it is the most at
        whose distance of neighbours the features can tell rows apart.
    search : one of auto, exact, approximate, default="auto"
        How neighbours are searched: auto compares all pairs up to 200 000 rows and looks at neighbours of
        neighbours above, and says which share it found.
    bandwidth : auto or a number > 0, default="auto"
        Width σ of the weights exp(−‖x−x′‖²/2σ²) of the graph in scaled inputs; auto is the median distance to
        neighbours.
    power : auto or a whole number from 1 to 16, default="auto"
        Power c of the graph's Laplacian; auto compares 1, 2, 3 and 5 on labelled rows; it is 1 where there
        are few.
    strength : auto or a number ≥ 0, default="auto"
        Strength α of the graph: the penalty is ridge·(‖f‖² + α Σᵢⱼ [L^c]ᵢⱼ⟨f(xᵢ), f(xⱼ)⟩); auto chooses it on
        labelled rows, 10⁷ over the number of rows where fewer than eight are labelled.
    loss : one of squared, hinge, squared-hinge, simplex-hinge, logistic, default="squared"
        The loss: squared, on the simplex code of the classes, in closed form; or, by passes over the labelled
        rows, logistic and simplex-hinge (the support vector machine of several classes) on the same code,
        hinge and squared-hinge for each class against the rest.
    unlabeled : a text, default=None
        A label that stands for no label, such as -1; rows whose label is empty have none anyway.
    class_weight : balanced, a number > 0 for each class by name, or none, default=None
        Weights of the classes: balanced (each class counts the same in all), a number for each class by name
        (classes without one weigh 1), or none. Probabilities are those of the weighted rows.
    alpha : loo or a number > 0, default="loo"
        The ridge: a number > 0 (λ of the mean loss over labelled rows), or loo: what is auto is chosen by the
        share of missed labels among those left out, one at a time or, of more than 200, in ten folds, as the
        squared loss misses them; the ridge of other losses then by five folds.
    offset : one of mean, learned, none, default="mean"
        Constant of each score: mean of the labelled codes (with other losses than squared none), learned with
        the function, or none.
    memory : a whole number ≥ 1, default=16384
        Most memory in megabytes; a fit that would need more is refused before it starts.
    random_state : int, RandomState, Generator or None, default=0
        Seed of every random choice. None draws one from NumPy's global state, a RandomState or Generator from
        itself.
    n_jobs : int or None, default=None
        Number of threads; results do not depend on it. None and -1 mean all processors (or OMP_NUM_THREADS of
        them).
    verbose : a whole number from 0 to 1000, default=0
        Show progress and the choices made: 0 is silent.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    alpha_ : float
        The ridge.
    lengthscale_ : ndarray of shape (n_features_in_,) or None
        Lengthscale along each input, in its own units, of the first spectrum of the kernel.
    kernel_ : Kernel
        The kernel with nothing left open, in scaled coordinates.
    path_ : dict of ndarray
        Scores along ridges: alpha, freedom, gcv, evidence, loo (NaN where it was not asked for).
    choices_ : list of str
        What was chosen, with the reasons.
    n_iter_ : int
        Iterations of the solver; 1 for a factorisation.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from orff import LaplacianClassifier
    >>> t, first = np.random.default_rng(0).uniform(0, np.pi, 200), np.arange(200) % 2 == 0
    >>> X = np.where(first, [np.cos(t), np.sin(t)], [1 - np.cos(t), 0.5 - np.sin(t)]).T  # two moons
    >>> y = np.where(first, "up", "down")
    >>> model = LaplacianClassifier().fit(X, np.where(np.arange(200) < 2, y, ""))  # one label for each
    >>> bool((model.predict(X) == y).mean() > 0.97)
    True
    """

    _learner = "laplacian-classification"

    def __init__(
        self,
        kernel: Kernel | str | Mapping = "decomposable",
        *,
        lengthscale: Literal["auto"] | float | Sequence[float] | np.ndarray = "auto",
        group: str = "additive",
        n_components: Literal["auto"] | int = "auto",
        feature_map: Literal["auto"] | Literal["pairs", "phases"] = "auto",
        draw: Literal["auto"] | Literal["iid", "orthogonal", "quasi-monte-carlo", "qmc", "structured"] = "auto",
        measure: Literal["plain", "trace", "tilted"] = "trace",
        sum: Literal["concatenation", "mixture"] = "concatenation",
        n_neighbors: Literal["auto"] | int = "auto",
        graph_rows: Literal["auto"] | int = "auto",
        search: Literal["auto", "exact", "approximate"] = "auto",
        bandwidth: Literal["auto"] | float = "auto",
        power: Literal["auto"] | int = "auto",
        strength: Literal["auto"] | float = "auto",
        loss: Literal["squared", "hinge", "squared-hinge", "simplex-hinge", "logistic"] = "squared",
        unlabeled: object = None,
        class_weight: Mapping | Literal["balanced"] | None = None,
        alpha: Literal["loo"] | float = "loo",
        offset: Literal["mean", "learned", "none"] = "mean",
        memory: int = 16384,
        random_state: int | np.random.RandomState | np.random.Generator | None = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.kernel = kernel
        self.lengthscale = lengthscale
        self.group = group
        self.n_components = n_components
        self.feature_map = feature_map
        self.draw = draw
        self.measure = measure
        self.sum = sum
        self.n_neighbors = n_neighbors
        self.graph_rows = graph_rows
        self.search = search
        self.bandwidth = bandwidth
        self.power = power
        self.strength = strength
        self.loss = loss
        self.unlabeled = unlabeled
        self.class_weight = class_weight
        self.alpha = alpha
        self.offset = offset
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class ExactLaplacianClassifier(PartlyLabelled):
    """Classes with the warped kernel itself, without features: the reference, for a few thousand rows.

    Parameters
    ----------
    kernel : Kernel or str, default="decomposable"
        The kernel: a name, an expression such as "curl-free(matern(2.5)) + 0.1*div-free", or its structured
        form.
    lengthscale : auto or a number > 0, or a list of them, default="auto"
        Lengthscale of every spectrum of the kernel that leaves its own open: auto (chosen on labelled rows,
        among multiples of the distance to neighbours, the longest sixteen of these or some eight median
        distances of rows), a number in the units of the inputs, or one number per input.
    group : additive, multiplicative, skewed(c) or skewed(c1, c2, …), default="additive"
        Group on which the kernel is shift-invariant.
    n_neighbors : auto or a whole number from 1 to 1000, default="auto"
        Neighbours of each row in the graph; two rows are joined when either is a neighbour of the other. auto
        compares 10, 20 and 50 on labelled rows, a fifth of the rows at most; it is 10 where there are few
        labels or graphs of more than 100 000 rows.
    graph_rows : auto or a whole number from 10 to 4294967295, default="auto"
        Rows of one graph. Of at least twice as many rows, random parts of so many have graphs of their own,
        and the penalty is the sum of theirs: neighbours among very many rows are so close that functions may
        change along them at little cost. auto compares 500, 5000, 20 000 and 80 000, a quarter of the rows at
        most, and all rows up to 100 000, on labelled rows; where there are few of these it is the most at
        whose distance of neighbours the features can tell rows apart.
    search : one of auto, exact, approximate, default="auto"
        How neighbours are searched: auto compares all pairs up to 200 000 rows and looks at neighbours of
        neighbours above, and says which share it found.
    bandwidth : auto or a number > 0, default="auto"
        Width σ of the weights exp(−‖x−x′‖²/2σ²) of the graph in scaled inputs; auto is the median distance to
        neighbours.
    power : auto or a whole number from 1 to 16, default="auto"
        Power c of the graph's Laplacian; auto compares 1, 2, 3 and 5 on labelled rows; it is 1 where there
        are few.
    strength : auto or a number ≥ 0, default="auto"
        Strength α of the graph: the penalty is ridge·(‖f‖² + α Σᵢⱼ [L^c]ᵢⱼ⟨f(xᵢ), f(xⱼ)⟩); auto chooses it on
        labelled rows, 10⁷ over the number of rows where fewer than eight are labelled.
    loss : one of squared, hinge, squared-hinge, simplex-hinge, logistic, default="squared"
        The loss: squared, on the simplex code of the classes, in closed form; or, by passes over the labelled
        rows, logistic and simplex-hinge (the support vector machine of several classes) on the same code,
        hinge and squared-hinge for each class against the rest.
    unlabeled : a text, default=None
        A label that stands for no label, such as -1; rows whose label is empty have none anyway.
    class_weight : balanced, a number > 0 for each class by name, or none, default=None
        Weights of the classes: balanced (each class counts the same in all), a number for each class by name
        (classes without one weigh 1), or none. Probabilities are those of the weighted rows.
    alpha : loo or a number > 0, default="loo"
        The ridge: a number > 0 (λ of the mean loss over labelled rows), or loo: what is auto is chosen by the
        share of missed labels among those left out, one at a time or, of more than 200, in ten folds, as the
        squared loss misses them; the ridge of other losses then by five folds.
    offset : one of mean, learned, none, default="mean"
        Constant of each score: mean of the labelled codes (with other losses than squared none), learned with
        the function, or none.
    memory : a whole number ≥ 1, default=16384
        Most memory in megabytes; a fit that would need more is refused before it starts.
    random_state : int, RandomState, Generator or None, default=0
        Seed of every random choice. None draws one from NumPy's global state, a RandomState or Generator from
        itself.
    n_jobs : int or None, default=None
        Number of threads; results do not depend on it. None and -1 mean all processors (or OMP_NUM_THREADS of
        them).
    verbose : a whole number from 0 to 1000, default=0
        Show progress and the choices made: 0 is silent.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    alpha_ : float
        The ridge.
    lengthscale_ : ndarray of shape (n_features_in_,) or None
        Lengthscale along each input, in its own units, of the first spectrum of the kernel.
    kernel_ : Kernel
        The kernel with nothing left open, in scaled coordinates.
    path_ : dict of ndarray
        Scores along ridges: alpha, freedom, gcv, evidence, loo (NaN where it was not asked for).
    choices_ : list of str
        What was chosen, with the reasons.
    n_iter_ : int
        Iterations of the solver; 1 for a factorisation.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from orff import ExactLaplacianClassifier
    >>> t, first = np.random.default_rng(0).uniform(0, np.pi, 200), np.arange(200) % 2 == 0
    >>> X = np.where(first, [np.cos(t), np.sin(t)], [1 - np.cos(t), 0.5 - np.sin(t)]).T  # two moons
    >>> y = np.where(first, "up", "down")
    >>> model = ExactLaplacianClassifier().fit(X, np.where(np.arange(200) < 2, y, ""))  # one label for each
    >>> bool((model.predict(X) == y).mean() > 0.97)
    True
    """

    _learner = "exact-laplacian-classification"

    def __init__(
        self,
        kernel: Kernel | str | Mapping = "decomposable",
        *,
        lengthscale: Literal["auto"] | float | Sequence[float] | np.ndarray = "auto",
        group: str = "additive",
        n_neighbors: Literal["auto"] | int = "auto",
        graph_rows: Literal["auto"] | int = "auto",
        search: Literal["auto", "exact", "approximate"] = "auto",
        bandwidth: Literal["auto"] | float = "auto",
        power: Literal["auto"] | int = "auto",
        strength: Literal["auto"] | float = "auto",
        loss: Literal["squared", "hinge", "squared-hinge", "simplex-hinge", "logistic"] = "squared",
        unlabeled: object = None,
        class_weight: Mapping | Literal["balanced"] | None = None,
        alpha: Literal["loo"] | float = "loo",
        offset: Literal["mean", "learned", "none"] = "mean",
        memory: int = 16384,
        random_state: int | np.random.RandomState | np.random.Generator | None = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.kernel = kernel
        self.lengthscale = lengthscale
        self.group = group
        self.n_neighbors = n_neighbors
        self.graph_rows = graph_rows
        self.search = search
        self.bandwidth = bandwidth
        self.power = power
        self.strength = strength
        self.loss = loss
        self.unlabeled = unlabeled
        self.class_weight = class_weight
        self.alpha = alpha
        self.offset = offset
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class SemiSupervisedClassifier(PartlyLabelled):
    """Classes of labelled and unlabelled rows and several views of them.

    Parameters
    ----------
    kernel : Kernel or str, default="decomposable"
        The kernel: a name, an expression such as "curl-free(matern(2.5)) + 0.1*div-free", or its structured
        form.
    lengthscale : auto or a number > 0, or a list of them, default="auto"
        Lengthscale of every spectrum of the kernel that leaves its own open: auto (chosen on labelled rows,
        among multiples of the distance to neighbours, the longest sixteen of these or some eight median
        distances of rows), a number in the units of the inputs, or one number per input.
    group : additive, multiplicative, skewed(c) or skewed(c1, c2, …), default="additive"
        Group on which the kernel is shift-invariant.
    n_components : auto or a whole number from 1 to 10000000, default="auto"
        Number of columns of the feature map.
    feature_map : auto or one of pairs, phases, default="auto"
        Characters: pairs (cosine and sine) or phases (shifted cosines, twice the atoms); auto is pairs, and
        phases for an odd number of columns.
    draw : auto or one of iid, orthogonal, quasi-monte-carlo, qmc, structured, default="auto"
        How frequencies are drawn; auto is quasi-monte-carlo up to 20 inputs, where it has by far the smallest
        error, orthogonal up to 127, structured up to 4096, iid above and where the kernel refuses these.
    measure : one of plain, trace, tilted, default="trace"
        Which measure they are drawn from; trace is bounded and has the smallest error.
    sum : one of concatenation, mixture, default="concatenation"
        How a sum of kernels shares its atoms.
    n_neighbors : auto or a whole number from 1 to 1000, default="auto"
        Neighbours of each row in the graph; two rows are joined when either is a neighbour of the other. auto
        compares 10, 20 and 50 on labelled rows, a fifth of the rows at most; it is 10 where there are few
        labels or graphs of more than 100 000 rows.
    graph_rows : auto or a whole number from 10 to 4294967295, default="auto"
        Rows of one graph. Of at least twice as many rows, random parts of so many have graphs of their own,
        and the penalty is the sum of theirs: neighbours among very many rows are so close that functions may
        change along them at little cost. auto compares 500, 5000, 20 000 and 80 000, a quarter of the rows at
        most, and all rows up to 100 000, on labelled rows; where there are few of these it is the most at
        whose distance of neighbours the features can tell rows apart.
    search : one of auto, exact, approximate, default="auto"
        How neighbours are searched: auto compares all pairs up to 200 000 rows and looks at neighbours of
        neighbours above, and says which share it found.
    bandwidth : auto or a number > 0, default="auto"
        Width σ of the weights exp(−‖x−x′‖²/2σ²) of the graph in scaled inputs; auto is the median distance to
        neighbours.
    power : auto or a whole number from 1 to 16, default="auto"
        Power c of the graph's Laplacian; auto compares 1, 2, 3 and 5 on labelled rows; it is 1 where there
        are few.
    intrinsic : auto or a number ≥ 0, default="auto"
        γ_I, the weight of the graph's penalty Σᵢⱼ [L^c]ᵢⱼ⟨f(xᵢ), f(xⱼ)⟩; auto chooses it with the ridge.
    views : two or more groups of columns, or None, default=None
        Views: groups of inputs by their positions, such as "1-3; 4,6", each with features and a graph of its
        own; none for one view of all. Or lists of columns by index from 0 or by name, slices or masks, such
        as [[0, 1], slice(2, 4)].
    combination : two or more numbers other than 0, one per view, or None, default=None
        Weight of each view in the answer, such as "0.5, 0.5"; all alike unless given. Or a list of numbers.
    agreement : a number ≥ 0, default=1.0
        Weight of the disagreement Σᵢ‖f_v(xᵢ) − f_w(xᵢ)‖² between views, relative to γ_I.
    loss : one of squared, hinge, squared-hinge, simplex-hinge, logistic, default="squared"
        The loss: squared, on the simplex code of the classes, in closed form; or, by passes over the labelled
        rows, logistic and simplex-hinge (the support vector machine of several classes) on the same code,
        hinge and squared-hinge for each class against the rest.
    unlabeled : a text, default=None
        A label that stands for no label, such as -1; rows whose label is empty have none anyway.
    class_weight : balanced, a number > 0 for each class by name, or none, default=None
        Weights of the classes: balanced (each class counts the same in all), a number for each class by name
        (classes without one weigh 1), or none. Probabilities are those of the weighted rows.
    alpha : loo or a number > 0, default="loo"
        The ridge: a number > 0 (λ of the mean loss over labelled rows), or loo: what is auto is chosen by the
        share of missed labels among those left out, one at a time or, of more than 200, in ten folds, as the
        squared loss misses them; the ridge of other losses then by five folds.
    offset : one of mean, learned, none, default="mean"
        Constant of each score: mean of the labelled codes (with other losses than squared none), learned with
        the function, or none.
    memory : a whole number ≥ 1, default=16384
        Most memory in megabytes; a fit that would need more is refused before it starts.
    random_state : int, RandomState, Generator or None, default=0
        Seed of every random choice. None draws one from NumPy's global state, a RandomState or Generator from
        itself.
    n_jobs : int or None, default=None
        Number of threads; results do not depend on it. None and -1 mean all processors (or OMP_NUM_THREADS of
        them).
    verbose : a whole number from 0 to 1000, default=0
        Show progress and the choices made: 0 is silent.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    alpha_ : float
        The ridge.
    lengthscale_ : ndarray of shape (n_features_in_,) or None
        Lengthscale along each input, in its own units, of the first spectrum of the kernel.
    kernel_ : Kernel
        The kernel with nothing left open, in scaled coordinates.
    path_ : dict of ndarray
        Scores along ridges: alpha, freedom, gcv, evidence, loo (NaN where it was not asked for).
    choices_ : list of str
        What was chosen, with the reasons.
    n_iter_ : int
        Iterations of the solver; 1 for a factorisation.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from orff import SemiSupervisedClassifier
    >>> t, first = np.random.default_rng(0).uniform(0, np.pi, 200), np.arange(200) % 2 == 0
    >>> X = np.where(first, [np.cos(t), np.sin(t)], [1 - np.cos(t), 0.5 - np.sin(t)]).T  # two moons
    >>> y = np.where(first, "up", "down")
    >>> model = SemiSupervisedClassifier().fit(X, np.where(np.arange(200) < 2, y, ""))  # one label for each
    >>> bool((model.predict(X) == y).mean() > 0.97)
    True
    """

    _learner = "semi-supervised-classification"

    def __init__(
        self,
        kernel: Kernel | str | Mapping = "decomposable",
        *,
        lengthscale: Literal["auto"] | float | Sequence[float] | np.ndarray = "auto",
        group: str = "additive",
        n_components: Literal["auto"] | int = "auto",
        feature_map: Literal["auto"] | Literal["pairs", "phases"] = "auto",
        draw: Literal["auto"] | Literal["iid", "orthogonal", "quasi-monte-carlo", "qmc", "structured"] = "auto",
        measure: Literal["plain", "trace", "tilted"] = "trace",
        sum: Literal["concatenation", "mixture"] = "concatenation",
        n_neighbors: Literal["auto"] | int = "auto",
        graph_rows: Literal["auto"] | int = "auto",
        search: Literal["auto", "exact", "approximate"] = "auto",
        bandwidth: Literal["auto"] | float = "auto",
        power: Literal["auto"] | int = "auto",
        intrinsic: Literal["auto"] | float = "auto",
        views: str | Sequence[Sequence[int] | Sequence[str] | slice | np.ndarray] | None = None,
        combination: str | Sequence[float] | np.ndarray | None = None,
        agreement: float = 1.0,
        loss: Literal["squared", "hinge", "squared-hinge", "simplex-hinge", "logistic"] = "squared",
        unlabeled: object = None,
        class_weight: Mapping | Literal["balanced"] | None = None,
        alpha: Literal["loo"] | float = "loo",
        offset: Literal["mean", "learned", "none"] = "mean",
        memory: int = 16384,
        random_state: int | np.random.RandomState | np.random.Generator | None = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.kernel = kernel
        self.lengthscale = lengthscale
        self.group = group
        self.n_components = n_components
        self.feature_map = feature_map
        self.draw = draw
        self.measure = measure
        self.sum = sum
        self.n_neighbors = n_neighbors
        self.graph_rows = graph_rows
        self.search = search
        self.bandwidth = bandwidth
        self.power = power
        self.intrinsic = intrinsic
        self.views = views
        self.combination = combination
        self.agreement = agreement
        self.loss = loss
        self.unlabeled = unlabeled
        self.class_weight = class_weight
        self.alpha = alpha
        self.offset = offset
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class OneClassForest(OutlierDetector):
    """Outliers by a one-class random forest, whose trees tell rows from outliers that nobody has seen.

    Parameters
    ----------
    n_estimators : a whole number from 1 to 1000000, default=100
        Number of trees.
    max_samples : auto or a whole number ≥ 1, or a share > 0 and ≤ 1 written with a point, default="auto"
        Rows of each tree: a number, or a share of all; auto is 20 %, 100 at least.
    max_features : auto or a whole number ≥ 1, or a share > 0 and ≤ 1 written with a point, default="auto"
        Inputs of each tree: a number, or a share of all; auto is half of them, 5 at least.
    max_features_node : a whole number ≥ 1, default=5
        Inputs tried for each cut, among those of the tree that vary in the cell.
    criterion : one of gini, shannon, default="gini"
        Impurity that a cut makes least: gini, nm/(n + m) of n rows and m hidden outliers, or shannon, their
        entropy.
    hidden : one of adaptive, naive, default="adaptive"
        Where outliers hide: adaptive, evenly in each cell, gamma for each of its rows; or naive, evenly in
        the box of all rows, gamma for each row of the tree.
    gamma : a number > 0, default=1.0
        Hidden outliers per row.
    max_depth : auto or a whole number from 1 to 100000, default="auto"
        Depth at which cells are not cut any more; auto is log₂ of the rows of a tree.
    min_samples_split : a whole number ≥ 2, default=2
        Cells of fewer rows are not cut.
    max_density : auto or a number > 0, default="auto"
        Cells at least so many times as dense as rows spread evenly over the box of all are not cut; auto: cut
        them.
    min_density : auto or a number > 0, default="auto"
        Cells at most so many times as dense as rows spread evenly are not cut; auto: cut them.
    scoring : one of depth, density, typical-cell, default="depth"
        Score of a row: depth of its leaves, as in isolation forests; density, the log of their mean density;
        or typical-cell, the log of their mean number of rows over their mean volume.
    contamination : auto or a number > 0 and ≤ 0.5, default="auto"
        Share of outliers among the rows: it fixes the offset below which a score is one of an outlier. auto
        needs no such share: the offset is the score of rows that are neither usual nor unusual.
    memory : a whole number ≥ 1, default=16384
        Most memory in megabytes; a fit that would need more is refused before it starts.
    random_state : int, RandomState, Generator or None, default=0
        Seed of every random choice. None draws one from NumPy's global state, a RandomState or Generator from
        itself.
    n_jobs : int or None, default=None
        Number of threads; results do not depend on it. None and -1 mean all processors (or OMP_NUM_THREADS of
        them).
    verbose : a whole number from 0 to 1000, default=0
        Show progress and the choices made: 0 is silent.

    Attributes
    ----------
    offset_ : float
        Rows whose score is below it are outliers.
    feature_importances_ : ndarray of shape (n_features_in_,)
        The share of each input in what tells rows from outliers, where trees look for it.
    choices_ : list of str
        What was chosen, with the reasons.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from orff import OneClassForest
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> model = OneClassForest().fit(X)
    >>> model.predict([[0, 0], [6, 6]])
    array([ 1, -1])
    >>> usual, unusual = model.score_samples([[0, 0], [6, 6]])
    >>> bool(usual > model.offset_ > unusual)
    True
    """

    _learner = "forest"

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        max_samples: Literal["auto"] | int | float = "auto",
        max_features: Literal["auto"] | int | float = "auto",
        max_features_node: int = 5,
        criterion: Literal["gini", "shannon"] = "gini",
        hidden: Literal["adaptive", "naive"] = "adaptive",
        gamma: float = 1.0,
        max_depth: Literal["auto"] | int = "auto",
        min_samples_split: int = 2,
        max_density: Literal["auto"] | float = "auto",
        min_density: Literal["auto"] | float = "auto",
        scoring: Literal["depth", "density", "typical-cell"] = "depth",
        contamination: Literal["auto"] | float = "auto",
        memory: int = 16384,
        random_state: int | np.random.RandomState | np.random.Generator | None = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.max_features_node = max_features_node
        self.criterion = criterion
        self.hidden = hidden
        self.gamma = gamma
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.max_density = max_density
        self.min_density = min_density
        self.scoring = scoring
        self.contamination = contamination
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class IsolationForest(OutlierDetector):
    """Outliers by an isolation forest: how few random cuts set a row apart from others.

    Parameters
    ----------
    n_estimators : a whole number from 1 to 1000000, default=100
        Number of trees.
    max_samples : auto or a whole number ≥ 1, or a share > 0 and ≤ 1 written with a point, default="auto"
        Rows of each tree: a number, or a share of all; auto is 256, or all where there are fewer.
    max_features : a whole number ≥ 1, or a share > 0 and ≤ 1 written with a point, default=1.0
        Inputs of each tree: a number, or a share of all.
    max_depth : auto or a whole number from 1 to 100000, default="auto"
        Depth at which cells are not cut any more; auto is log₂ of the rows of a tree.
    bootstrap : true or false, default=False
        Draw the rows of a tree with replacement.
    contamination : auto or a number > 0 and ≤ 0.5, default="auto"
        Share of outliers among the rows: it fixes the offset below which a score is one of an outlier. auto
        needs no such share: the offset is the score of rows that are neither usual nor unusual.
    memory : a whole number ≥ 1, default=16384
        Most memory in megabytes; a fit that would need more is refused before it starts.
    random_state : int, RandomState, Generator or None, default=0
        Seed of every random choice. None draws one from NumPy's global state, a RandomState or Generator from
        itself.
    n_jobs : int or None, default=None
        Number of threads; results do not depend on it. None and -1 mean all processors (or OMP_NUM_THREADS of
        them).
    verbose : a whole number from 0 to 1000, default=0
        Show progress and the choices made: 0 is silent.

    Attributes
    ----------
    offset_ : float
        Rows whose score is below it are outliers.
    feature_importances_ : ndarray of shape (n_features_in_,)
        The share of each input in what tells rows from outliers, where trees look for it.
    choices_ : list of str
        What was chosen, with the reasons.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from orff import IsolationForest
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> model = IsolationForest().fit(X)
    >>> model.predict([[0, 0], [6, 6]])
    array([ 1, -1])
    >>> usual, unusual = model.score_samples([[0, 0], [6, 6]])
    >>> bool(usual > model.offset_ > unusual)
    True
    """

    _learner = "isolation"

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        max_samples: Literal["auto"] | int | float = "auto",
        max_features: int | float = 1.0,
        max_depth: Literal["auto"] | int = "auto",
        bootstrap: bool = False,
        contamination: Literal["auto"] | float = "auto",
        memory: int = 16384,
        random_state: int | np.random.RandomState | np.random.Generator | None = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.max_depth = max_depth
        self.bootstrap = bootstrap
        self.contamination = contamination
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class LevelSets(LevelDetector):
    """Sets that hold all rows but a share of them, for every share in one fit: a one-class support vector machine of all levels.

    Parameters
    ----------
    kernel : Kernel or str, default="gaussian"
        The kernel of the inputs, with one output: gaussian, matern(2.5), a sum or a product of such.
    lengthscale : auto or a number > 0, or a list of them, default="auto"
        Lengthscale of every spectrum of the kernel that leaves its own open: auto (the smallest sets, in half
        octaves of the median distance between scaled rows, which rows held out leave as often as ν says), a
        number in the units of the inputs, or one number per input.
    group : additive, multiplicative, skewed(c) or skewed(c1, c2, …), default="additive"
        Group on which the kernel is shift-invariant.
    n_components : auto or a whole number from 1 to 10000000, default="auto"
        Number of columns of the feature map.
    feature_map : auto or one of pairs, phases, default="auto"
        Characters: pairs (cosine and sine) or phases (shifted cosines, twice the atoms); auto is pairs, and
        phases for an odd number of columns.
    draw : auto or one of iid, orthogonal, quasi-monte-carlo, qmc, structured, default="auto"
        How frequencies are drawn; auto is quasi-monte-carlo up to 20 inputs, where it has by far the smallest
        error, orthogonal up to 127, structured up to 4096, iid above and where the kernel refuses these.
    sum : one of concatenation, mixture, default="concatenation"
        How a sum of kernels shares its atoms.
    n_knots : a whole number from 2 to 99, default=24
        Levels ν between which f and b change evenly, from 0.01 to 0.99, closer to each other where ν is
        small. More follow the machine of each level more closely.
    nu : auto or a number ≥ 0.000001 and ≤ 0.99, default="auto"
        The level ν whose set tells outliers unless another is asked for: their share among rows like those of
        the fit; auto is 0.05.
    tol : a number > 0 and ≤ 1, default=0.001
        Relative duality gap at which the fit stops.
    max_iter : a whole number ≥ 1, default=5000
        Most iterations.
    memory : a whole number ≥ 1, default=16384
        Most memory in megabytes; a fit that would need more is refused before it starts.
    random_state : int, RandomState, Generator or None, default=0
        Seed of every random choice. None draws one from NumPy's global state, a RandomState or Generator from
        itself.
    n_jobs : int or None, default=None
        Number of threads; results do not depend on it. None and -1 mean all processors (or OMP_NUM_THREADS of
        them).
    verbose : a whole number from 0 to 1000, default=0
        Show progress and the choices made: 0 is silent.

    Attributes
    ----------
    offset_ : float
        Rows whose score is below it are outliers: the level of the set that tells them.
    lengthscale_ : ndarray of shape (n_features_in_,) or None
        Lengthscale along each input, in its own units, of the first spectrum of the kernel.
    kernel_ : Kernel
        The kernel of the inputs with nothing left open, in scaled coordinates.
    choices_ : list of str
        What was chosen, with the reasons; the duality gap and why the solver stopped.
    n_iter_ : int
        Iterations of the solver.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from orff import LevelSets
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> model = LevelSets().fit(X)
    >>> model.predict([[0, 0], [6, 6]])
    array([ 1, -1])
    >>> model.predict([[0, 0], [1, 1]], nu=0.9)
    array([ 1, -1])
    >>> bool(abs((model.predict(X, nu=0.3) == -1).mean() - 0.3) < 0.02)
    True
    """

    _learner = "level-sets"

    def __init__(
        self,
        kernel: Kernel | str | Mapping = "gaussian",
        *,
        lengthscale: Literal["auto"] | float | Sequence[float] | np.ndarray = "auto",
        group: str = "additive",
        n_components: Literal["auto"] | int = "auto",
        feature_map: Literal["auto"] | Literal["pairs", "phases"] = "auto",
        draw: Literal["auto"] | Literal["iid", "orthogonal", "quasi-monte-carlo", "qmc", "structured"] = "auto",
        sum: Literal["concatenation", "mixture"] = "concatenation",
        n_knots: int = 24,
        nu: Literal["auto"] | float = "auto",
        tol: float = 0.001,
        max_iter: int = 5000,
        memory: int = 16384,
        random_state: int | np.random.RandomState | np.random.Generator | None = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.kernel = kernel
        self.lengthscale = lengthscale
        self.group = group
        self.n_components = n_components
        self.feature_map = feature_map
        self.draw = draw
        self.sum = sum
        self.n_knots = n_knots
        self.nu = nu
        self.tol = tol
        self.max_iter = max_iter
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class FourierOneClassSVM(OutlierDetector):
    """Outliers by a one-class support vector machine of one level: the reference of level-sets.

    Parameters
    ----------
    kernel : Kernel or str, default="gaussian"
        The kernel of the inputs, with one output: gaussian, matern(2.5), a sum or a product of such.
    lengthscale : auto or a number > 0, or a list of them, default="auto"
        Lengthscale of every spectrum of the kernel that leaves its own open: auto (the smallest sets, in half
        octaves of the median distance between scaled rows, which rows held out leave as often as ν says), a
        number in the units of the inputs, or one number per input.
    group : additive, multiplicative, skewed(c) or skewed(c1, c2, …), default="additive"
        Group on which the kernel is shift-invariant.
    n_components : auto or a whole number from 1 to 10000000, default="auto"
        Number of columns of the feature map.
    feature_map : auto or one of pairs, phases, default="auto"
        Characters: pairs (cosine and sine) or phases (shifted cosines, twice the atoms); auto is pairs, and
        phases for an odd number of columns.
    draw : auto or one of iid, orthogonal, quasi-monte-carlo, qmc, structured, default="auto"
        How frequencies are drawn; auto is quasi-monte-carlo up to 20 inputs, where it has by far the smallest
        error, orthogonal up to 127, structured up to 4096, iid above and where the kernel refuses these.
    sum : one of concatenation, mixture, default="concatenation"
        How a sum of kernels shares its atoms.
    nu : a number ≥ 0.000001 and ≤ 0.999, default=0.05
        ν: the share of rows outside.
    tol : a number > 0 and ≤ 1, default=0.001
        Relative duality gap at which the fit stops.
    max_iter : a whole number ≥ 1, default=5000
        Most iterations.
    memory : a whole number ≥ 1, default=16384
        Most memory in megabytes; a fit that would need more is refused before it starts.
    random_state : int, RandomState, Generator or None, default=0
        Seed of every random choice. None draws one from NumPy's global state, a RandomState or Generator from
        itself.
    n_jobs : int or None, default=None
        Number of threads; results do not depend on it. None and -1 mean all processors (or OMP_NUM_THREADS of
        them).
    verbose : a whole number from 0 to 1000, default=0
        Show progress and the choices made: 0 is silent.

    Attributes
    ----------
    offset_ : float
        Rows whose score is below it are outliers.
    feature_importances_ : ndarray of shape (n_features_in_,)
        The share of each input in what tells rows from outliers, where trees look for it.
    choices_ : list of str
        What was chosen, with the reasons.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from orff import FourierOneClassSVM
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> model = FourierOneClassSVM().fit(X)
    >>> model.predict([[0, 0], [6, 6]])
    array([ 1, -1])
    >>> usual, unusual = model.score_samples([[0, 0], [6, 6]])
    >>> bool(usual > model.offset_ > unusual)
    True
    """

    _learner = "svm"

    def __init__(
        self,
        kernel: Kernel | str | Mapping = "gaussian",
        *,
        lengthscale: Literal["auto"] | float | Sequence[float] | np.ndarray = "auto",
        group: str = "additive",
        n_components: Literal["auto"] | int = "auto",
        feature_map: Literal["auto"] | Literal["pairs", "phases"] = "auto",
        draw: Literal["auto"] | Literal["iid", "orthogonal", "quasi-monte-carlo", "qmc", "structured"] = "auto",
        sum: Literal["concatenation", "mixture"] = "concatenation",
        nu: float = 0.05,
        tol: float = 0.001,
        max_iter: int = 5000,
        memory: int = 16384,
        random_state: int | np.random.RandomState | np.random.Generator | None = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.kernel = kernel
        self.lengthscale = lengthscale
        self.group = group
        self.n_components = n_components
        self.feature_map = feature_map
        self.draw = draw
        self.sum = sum
        self.nu = nu
        self.tol = tol
        self.max_iter = max_iter
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class FourierFeatures(Transformer):
    """Random Fourier features of a scalar kernel.

    Parameters
    ----------
    kernel : Kernel or str, default="gaussian"
        The kernel, with one output: gaussian, matern(2.5), a sum or a product of such.
    lengthscale : auto or a number > 0, or a list of them, default="auto"
        Lengthscale of every spectrum of the kernel that leaves its own open: auto (the median distance
        between scaled rows), a number in the units of the inputs, or one number per input.
    group : additive, multiplicative, skewed(c) or skewed(c1, c2, …), default="additive"
        Group on which the kernel is shift-invariant.
    n_components : auto or a whole number from 1 to 10000000, default="auto"
        Number of features.
    feature_map : auto or one of pairs, phases, default="auto"
        Characters: pairs (cosine and sine) or phases (shifted cosines, twice the atoms); auto is pairs, and
        phases for an odd number of columns.
    draw : auto or one of iid, orthogonal, quasi-monte-carlo, qmc, structured, default="auto"
        How frequencies are drawn; auto is quasi-monte-carlo up to 20 inputs, where it has by far the smallest
        error, orthogonal up to 127, structured up to 4096, iid above and where the kernel refuses these.
    measure : one of plain, trace, tilted, default="plain"
        Which measure they are drawn from; plain is the kernel's own.
    sum : one of concatenation, mixture, default="concatenation"
        How a sum of kernels shares its atoms.
    memory : a whole number ≥ 1, default=16384
        Most memory in megabytes; features that would need more are refused before they are drawn.
    random_state : int, RandomState, Generator or None, default=0
        Seed of every random choice. None draws one from NumPy's global state, a RandomState or Generator from
        itself.
    n_jobs : int or None, default=None
        Number of threads; results do not depend on it. None and -1 mean all processors (or OMP_NUM_THREADS of
        them).
    verbose : a whole number from 0 to 1000, default=0
        Show progress and the choices made: 0 is silent.

    Attributes
    ----------
    n_components_ : int
        Number of features.
    kernel_ : Kernel
        The kernel with nothing left open, in scaled coordinates.
    lengthscale_ : ndarray of shape (n_features_in_,) or None
        Lengthscale along each input, in its own units, of the first spectrum of the kernel.
    choices_ : list of str
        What was chosen, with the reasons.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> import orff
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> features = orff.FourierFeatures(orff.matern(2.5, lengthscale=2.0), n_components=2000)
    >>> Z = features.fit_transform(X)
    >>> exact = orff.matern(2.5, lengthscale=2.0)(X)[:, :, 0, 0]
    >>> bool(np.abs(Z @ Z.T - exact).max() < 0.05)
    True
    """

    _learner = "fourier-features"

    def __init__(
        self,
        kernel: Kernel | str | Mapping = "gaussian",
        *,
        lengthscale: Literal["auto"] | float | Sequence[float] | np.ndarray = "auto",
        group: str = "additive",
        n_components: Literal["auto"] | int = "auto",
        feature_map: Literal["auto"] | Literal["pairs", "phases"] = "auto",
        draw: Literal["auto"] | Literal["iid", "orthogonal", "quasi-monte-carlo", "qmc", "structured"] = "auto",
        measure: Literal["plain", "trace", "tilted"] = "plain",
        sum: Literal["concatenation", "mixture"] = "concatenation",
        memory: int = 16384,
        random_state: int | np.random.RandomState | np.random.Generator | None = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.kernel = kernel
        self.lengthscale = lengthscale
        self.group = group
        self.n_components = n_components
        self.feature_map = feature_map
        self.draw = draw
        self.measure = measure
        self.sum = sum
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class LaplacianFeatures(Warped):
    """Random Fourier features of a scalar kernel warped by the graph of the rows.

    Parameters
    ----------
    kernel : Kernel or str, default="gaussian"
        The kernel, with one output: gaussian, matern(2.5), a sum or a product of such.
    lengthscale : auto or a number > 0, or a list of them, default="auto"
        Lengthscale of every spectrum of the kernel that leaves its own open: auto (twice the median distance
        to neighbours), a number in the units of the inputs, or one number per input.
    group : additive, multiplicative, skewed(c) or skewed(c1, c2, …), default="additive"
        Group on which the kernel is shift-invariant.
    n_components : auto or a whole number from 1 to 10000000, default="auto"
        Number of random features before the warp.
    feature_map : auto or one of pairs, phases, default="auto"
        Characters: pairs (cosine and sine) or phases (shifted cosines, twice the atoms); auto is pairs, and
        phases for an odd number of columns.
    draw : auto or one of iid, orthogonal, quasi-monte-carlo, qmc, structured, default="auto"
        How frequencies are drawn; auto is quasi-monte-carlo up to 20 inputs, where it has by far the smallest
        error, orthogonal up to 127, structured up to 4096, iid above and where the kernel refuses these.
    measure : one of plain, trace, tilted, default="plain"
        Which measure they are drawn from; plain is the kernel's own.
    sum : one of concatenation, mixture, default="concatenation"
        How a sum of kernels shares its atoms.
    n_neighbors : a whole number from 1 to 1000, default=10
        Neighbours of each row in the graph; two rows are joined when either is a neighbour of the other.
    graph_rows : auto or a whole number from 10 to 4294967295, default="auto"
        Rows of one graph. Of at least twice as many rows, random parts of so many have graphs of their own,
        and the penalty is the sum of theirs. auto is the most of all rows, 20 000, 5000 and 500 at whose
        distance of neighbours the features can tell rows apart.
    search : one of auto, exact, approximate, default="auto"
        How neighbours are searched: auto compares all pairs up to 200 000 rows and looks at neighbours of
        neighbours above, and says which share it found.
    bandwidth : auto or a number > 0, default="auto"
        Width σ of the weights exp(−‖x−x′‖²/2σ²) of the graph in scaled inputs; auto is the median distance to
        neighbours.
    power : a whole number from 1 to 16, default=1
        Power c of the graph's Laplacian.
    strength : auto or a number ≥ 0, default="auto"
        Strength α of the graph: ‖f‖² becomes ‖f‖² + α Σᵢⱼ [L^c]ᵢⱼ f(xᵢ)f(xⱼ); auto is 10⁷ over the number of
        rows.
    rank : auto or a whole number from 1 to 10000000, default="auto"
        Directions kept: the ones along which the warped features of the rows vary most; auto keeps all.
    memory : a whole number ≥ 1, default=16384
        Most memory in megabytes; a fit that would need more is refused before it starts.
    random_state : int, RandomState, Generator or None, default=0
        Seed of every random choice. None draws one from NumPy's global state, a RandomState or Generator from
        itself.
    n_jobs : int or None, default=None
        Number of threads; results do not depend on it. None and -1 mean all processors (or OMP_NUM_THREADS of
        them).
    verbose : a whole number from 0 to 1000, default=0
        Show progress and the choices made: 0 is silent.

    Attributes
    ----------
    n_components_ : int
        Number of features.
    kernel_ : Kernel
        The kernel with nothing left open, in scaled coordinates.
    lengthscale_ : ndarray of shape (n_features_in_,) or None
        Lengthscale along each input, in its own units, of the first spectrum of the kernel.
    choices_ : list of str
        What was chosen, with the reasons.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> import orff
    >>> from sklearn.linear_model import Ridge
    >>> t, first = np.random.default_rng(0).uniform(0, np.pi, 200), np.arange(200) % 2 == 0
    >>> X = np.where(first, [np.cos(t), np.sin(t)], [1 - np.cos(t), 0.5 - np.sin(t)]).T  # two moons
    >>> y = np.where(first, 1.0, -1.0)
    >>> Z = orff.LaplacianFeatures(n_components=600).fit_transform(X)
    >>> model = Ridge(alpha=1e-3).fit(Z[:2], y[:2])  # one label for each
    >>> bool((np.sign(model.predict(Z)) == y).mean() > 0.97)
    True
    """

    _learner = "laplacian-features"

    def __init__(
        self,
        kernel: Kernel | str | Mapping = "gaussian",
        *,
        lengthscale: Literal["auto"] | float | Sequence[float] | np.ndarray = "auto",
        group: str = "additive",
        n_components: Literal["auto"] | int = "auto",
        feature_map: Literal["auto"] | Literal["pairs", "phases"] = "auto",
        draw: Literal["auto"] | Literal["iid", "orthogonal", "quasi-monte-carlo", "qmc", "structured"] = "auto",
        measure: Literal["plain", "trace", "tilted"] = "plain",
        sum: Literal["concatenation", "mixture"] = "concatenation",
        n_neighbors: int = 10,
        graph_rows: Literal["auto"] | int = "auto",
        search: Literal["auto", "exact", "approximate"] = "auto",
        bandwidth: Literal["auto"] | float = "auto",
        power: int = 1,
        strength: Literal["auto"] | float = "auto",
        rank: Literal["auto"] | int = "auto",
        memory: int = 16384,
        random_state: int | np.random.RandomState | np.random.Generator | None = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.kernel = kernel
        self.lengthscale = lengthscale
        self.group = group
        self.n_components = n_components
        self.feature_map = feature_map
        self.draw = draw
        self.measure = measure
        self.sum = sum
        self.n_neighbors = n_neighbors
        self.graph_rows = graph_rows
        self.search = search
        self.bandwidth = bandwidth
        self.power = power
        self.strength = strength
        self.rank = rank
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class AlignedFeatures(Learned):
    """Random Fourier features of a kernel that is learned by alignment with labels or targets.

    Parameters
    ----------
    kernel : Kernel or str, default="gaussian"
        The kernel candidates are drawn from, with one output: gaussian, matern(2.5), a sum or a product of
        such.
    lengthscale : auto or a number > 0, or a list of them, default="auto"
        Lengthscale of every spectrum of the kernel that leaves its own open: auto (candidates of several, in
        octaves about the median distance between scaled rows), a number in the units of the inputs, or one
        number per input.
    group : additive, multiplicative, skewed(c) or skewed(c1, c2, …), default="additive"
        Group on which the kernel is shift-invariant.
    n_components : auto or a whole number from 1 to 10000000, default="auto"
        Number of features that are kept, at most.
    n_candidates : auto or a whole number from 1 to 100000000, default="auto"
        Candidates that are drawn and weighed; auto is eight for each atom that is kept, and 8000 where there
        is room.
    method : pac-bayes, chi2 or a number > 1 and ≤ 1000, default="pac-bayes"
        How weights q follow from alignment losses L and the prior p: pac-bayes, q ∝ p exp(−β√n L); chi2, the
        least loss with χ²(q‖p) ≤ ρ; or a number μ > 1, the same with Σ p(q/p)^μ − 1 ≤ ρ.
    beta : auto or a number ≥ 0, default="auto"
        β of pac-bayes: how much losses count, in units of √n; auto is 1, and for candidates of several
        lengthscales or kernels the least from 1 on with which weights are as far from the prior as uniform
        weights of the atoms that are kept.
    rho : auto or a number ≥ 0, default="auto"
        ρ of the other methods: how far weights may be from the prior; auto is as far as uniform weights of
        the atoms that are kept.
    sampling : one of without-replacement, with-replacement, weights, default="without-replacement"
        Which candidates are kept: draws without replacement, all of the same weight; with replacement (an
        atom drawn twice is one of twice the weight); or the most probable with their weights.
    feature_map : auto or one of pairs, phases, default="auto"
        Characters: pairs (cosine and sine) or phases (shifted cosines, twice the atoms); auto is pairs, and
        phases for an odd number of columns.
    draw : auto or one of iid, orthogonal, quasi-monte-carlo, qmc, structured, default="auto"
        How frequencies are drawn; auto is quasi-monte-carlo up to 20 inputs, where it has by far the smallest
        error, orthogonal up to 127, structured up to 4096, iid above and where the kernel refuses these.
    sum : one of concatenation, mixture, default="concatenation"
        How a sum of kernels shares its atoms.
    likeness : auto or one of classes, targets, default="auto"
        What rows have in common: classes (the same label or not), targets (the product of their outputs about
        the mean, in standard deviations, at most 1); auto takes labels for classes and numbers for targets.
    memory : a whole number ≥ 1, default=16384
        Most memory in megabytes; a fit that would need more is refused before it starts.
    random_state : int, RandomState, Generator or None, default=0
        Seed of every random choice. None draws one from NumPy's global state, a RandomState or Generator from
        itself.
    n_jobs : int or None, default=None
        Number of threads; results do not depend on it. None and -1 mean all processors (or OMP_NUM_THREADS of
        them).
    verbose : a whole number from 0 to 1000, default=0
        Show progress and the choices made: 0 is silent.

    Attributes
    ----------
    n_components_ : int
        Number of features.
    kernel_ : Kernel
        The kernel with nothing left open, in scaled coordinates.
    lengthscale_ : ndarray of shape (n_features_in_,) or None
        Lengthscale along each input, in its own units, of the first spectrum of the kernel.
    choices_ : list of str
        What was chosen, with the reasons.
    n_features_in_, feature_names_in_
        As in scikit-learn.
    candidates_ : ndarray of shape (n_candidates, n_features_in_)
        Frequencies that were weighed, in the units of the inputs; with landmarks one such table for each.
    posterior_ : ndarray of shape (n_candidates,)
        Their learned probabilities; with landmarks one row for each.
    prior_ : ndarray of the same shape
        Their probabilities before.
    alignment_ : ndarray of the same shape
        Mean of λ cos⟨ω, x − x′⟩ over pairs of rows, λ = 1 for a common label, −1 otherwise: 1 minus twice the alignment loss.
    bound_ : dict
        Bounds of the expected alignment loss of that posterior by their names, each failing with probability 0.05 at most.

    Examples
    --------
    >>> import numpy as np
    >>> from orff import AlignedFeatures
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> X = np.random.default_rng(0).uniform(0, 6, size=(600, 2))
    >>> y = np.where(np.sin(2 * X[:, 0]) > 0, "crest", "trough")  # the second input says nothing
    >>> model = make_pipeline(AlignedFeatures("gaussian(0.7)", n_components=20), LogisticRegression(C=100)).fit(X[:400], y[:400])
    >>> bool(model.score(X[400:], y[400:]) > 0.9)
    True
    >>> features = model[0]
    >>> bool(features.posterior_ @ features.alignment_ > features.prior_ @ features.alignment_)
    True
    """

    _learner = "aligned-features"

    def __init__(
        self,
        kernel: Kernel | str | Mapping = "gaussian",
        *,
        lengthscale: Literal["auto"] | float | Sequence[float] | np.ndarray = "auto",
        group: str = "additive",
        n_components: Literal["auto"] | int = "auto",
        n_candidates: Literal["auto"] | int = "auto",
        method: Literal["pac-bayes", "chi2"] | float = "pac-bayes",
        beta: Literal["auto"] | float = "auto",
        rho: Literal["auto"] | float = "auto",
        sampling: Literal["without-replacement", "with-replacement", "weights"] = "without-replacement",
        feature_map: Literal["auto"] | Literal["pairs", "phases"] = "auto",
        draw: Literal["auto"] | Literal["iid", "orthogonal", "quasi-monte-carlo", "qmc", "structured"] = "auto",
        sum: Literal["concatenation", "mixture"] = "concatenation",
        likeness: Literal["auto"] | Literal["classes", "targets"] = "auto",
        memory: int = 16384,
        random_state: int | np.random.RandomState | np.random.Generator | None = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.kernel = kernel
        self.lengthscale = lengthscale
        self.group = group
        self.n_components = n_components
        self.n_candidates = n_candidates
        self.method = method
        self.beta = beta
        self.rho = rho
        self.sampling = sampling
        self.feature_map = feature_map
        self.draw = draw
        self.sum = sum
        self.likeness = likeness
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class LandmarkFeatures(Similarities):
    """Similarities to landmarks, each with a kernel that is learned by alignment with labels.

    Parameters
    ----------
    kernel : Kernel or str, default="gaussian"
        The kernel candidates are drawn from, with one output: gaussian, matern(2.5), a product of such.
    lengthscale : auto or a number > 0, or a list of them, default="auto"
        Lengthscale of every spectrum of the kernel that leaves its own open: auto (the median distance
        between scaled rows), a number in the units of the inputs, or one number per input.
    group : additive, multiplicative, skewed(c) or skewed(c1, c2, …), default="additive"
        Group on which the kernel is shift-invariant.
    n_landmarks : a whole number ≥ 1, or a share > 0 and ≤ 1 written with a point, default=0.1
        Landmarks: how many, or which share of the rows.
    centers : one of clusters, rows, default="clusters"
        Where they are: clusters (centroids of the rows of each class, by k-means) or rows (at random; the
        bounds hold for these).
    n_atoms : a whole number from 1 to 1000000, default=64
        Candidates of each landmark.
    beta : a number ≥ 0, default=1.0
        β of the weights q ∝ exp(−β√n L) of a landmark's candidates: how much losses count.
    draw : auto or one of iid, orthogonal, quasi-monte-carlo, qmc, structured, default="auto"
        How frequencies are drawn; auto is quasi-monte-carlo up to 20 inputs, orthogonal up to 127, structured
        up to 4096, iid above and where the kernel refuses these.
    memory : a whole number ≥ 1, default=16384
        Most memory in megabytes; a fit that would need more is refused before it starts.
    random_state : int, RandomState, Generator or None, default=0
        Seed of every random choice. None draws one from NumPy's global state, a RandomState or Generator from
        itself.
    n_jobs : int or None, default=None
        Number of threads; results do not depend on it. None and -1 mean all processors (or OMP_NUM_THREADS of
        them).
    verbose : a whole number from 0 to 1000, default=0
        Show progress and the choices made: 0 is silent.

    Attributes
    ----------
    n_components_ : int
        Number of features.
    kernel_ : Kernel
        The kernel with nothing left open, in scaled coordinates.
    lengthscale_ : ndarray of shape (n_features_in_,) or None
        Lengthscale along each input, in its own units, of the first spectrum of the kernel.
    choices_ : list of str
        What was chosen, with the reasons.
    n_features_in_, feature_names_in_
        As in scikit-learn.
    landmarks_ : ndarray of shape (n_landmarks, n_features_in_)
        The landmarks, in the units of the inputs.
    candidates_ : ndarray of shape (n_candidates, n_features_in_)
        Frequencies that were weighed, in the units of the inputs; with landmarks one such table for each.
    posterior_ : ndarray of shape (n_candidates,)
        Their learned probabilities; with landmarks one row for each.
    prior_ : ndarray of the same shape
        Their probabilities before.
    alignment_ : ndarray of the same shape
        Mean of λ cos⟨ω, x − x′⟩ over pairs of rows, λ = 1 for a common label, −1 otherwise: 1 minus twice the alignment loss.
    bound_ : dict
        Bounds of the expected alignment loss of that posterior by their names, each failing with probability 0.05 at most.

    Examples
    --------
    >>> import numpy as np
    >>> from orff import LandmarkFeatures
    >>> from sklearn.svm import LinearSVC
    >>> from sklearn.pipeline import make_pipeline
    >>> X = np.random.default_rng(0).uniform(0, 6, size=(600, 2))
    >>> y = np.where(np.sin(2 * X[:, 0]) > 0, "crest", "trough")  # the second input says nothing
    >>> model = make_pipeline(LandmarkFeatures("gaussian(0.7)", n_landmarks=40), LinearSVC(C=100)).fit(X[:400], y[:400])
    >>> bool(model.score(X[400:], y[400:]) > 0.85)
    True
    >>> psi = model[0].transform(model[0].landmarks_)
    >>> bool(np.allclose(np.diag(psi), 1))  # a landmark is like itself
    True
    """

    _learner = "landmark-features"

    def __init__(
        self,
        kernel: Kernel | str | Mapping = "gaussian",
        *,
        lengthscale: Literal["auto"] | float | Sequence[float] | np.ndarray = "auto",
        group: str = "additive",
        n_landmarks: int | float = 0.1,
        centers: Literal["clusters", "rows"] = "clusters",
        n_atoms: int = 64,
        beta: float = 1.0,
        draw: Literal["auto"] | Literal["iid", "orthogonal", "quasi-monte-carlo", "qmc", "structured"] = "auto",
        memory: int = 16384,
        random_state: int | np.random.RandomState | np.random.Generator | None = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.kernel = kernel
        self.lengthscale = lengthscale
        self.group = group
        self.n_landmarks = n_landmarks
        self.centers = centers
        self.n_atoms = n_atoms
        self.beta = beta
        self.draw = draw
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class FourierVAR(Forecaster):
    """Vector autoregression: the next rows of a series from the rows before them, linear or with a kernel.

    Parameters
    ----------
    method : one of linear, features, exact, default="features"
        How the next row follows: linear is least squares with a constant (and a ridge, if a number is given),
        features is ridge regression on random features of the kernel, exact is with the kernel itself.
    order : validation, evidence or a whole number from 1 to 10000, default=1
        Rows back: a number, or validation or evidence to choose it up to max-order.
    max_order : a whole number from 1 to 10000, default=6
        Largest order that is tried.
    ahead : a whole number from 1 to 10000, default=1
        Rows predicted at once: 1 iterates predictions of one step, more learn all steps up to this one
        directly.
    standardise : one of none, members, default="none"
        Units in which the model sees the series: none for those given, members for each member of a panel by
        its own mean and standard deviation.
    kernel : Kernel or str, default="decomposable"
        The kernel: a name, an expression such as "decomposable(matern(2.5))", or its structured form.
    lengthscale : auto or a number > 0, or a list of them, default="auto"
        Lengthscale of every spectrum of the kernel that leaves its own open: auto, a number in the units of
        the series, or one number per input.
    n_components : auto or a whole number from 1 to 10000000, default="auto"
        Number of columns of the feature map.
    feature_map : auto or one of pairs, phases, default="auto"
        Characters: pairs (cosine and sine) or phases (shifted cosines, twice the atoms); auto is pairs, and
        phases for an odd number of columns.
    draw : auto or one of iid, orthogonal, quasi-monte-carlo, qmc, structured, default="auto"
        How frequencies are drawn; auto is the best that the kernel allows.
    alpha : evidence, gcv, loo or a number ≥ 0, default="evidence"
        The ridge: a number (λ of the mean loss), or how to choose it; linear chooses none.
    choose : one of evidence, validation, default="evidence"
        How lengthscale and ridge are chosen where no numbers are given: evidence looks at the rows that are
        learned from (the first window of a validation), as the ridge says; validation takes those with the
        smallest errors in sequential cross-validation (of the windows before), which is slower and holds for
        series that change.
    posterior : true or false, default=True
        Keep what error bars need.
    memory : a whole number ≥ 1, default=16384
        Most memory in megabytes; a fit that would need more is refused before it starts.
    random_state : int, RandomState, Generator or None, default=0
        Seed of every random choice. None draws one from NumPy's global state, a RandomState or Generator from
        itself.
    n_jobs : int or None, default=None
        Number of threads; results do not depend on it. None and -1 mean all processors (or OMP_NUM_THREADS of
        them).
    verbose : a whole number from 0 to 1000, default=0
        Show progress and the choices made: 0 is silent.

    Attributes
    ----------
    lags : int
        Rows back: the order.
    params : ndarray or DataFrame of shape (1 + m·p + e, p)
        Constant and coefficients of a linear model.
    resid : ndarray of shape (r, p)
        Residuals of the last rows.
    sigma_u : ndarray of shape (p, p)
        Covariance of the noise.
    whiteness : dict
        Autocorrelations of the residuals, Ljung and Box's test of each variable and the portmanteau test of all.
    choices_ : list of str
        What was chosen, with the reasons.

    Examples
    --------
    >>> import numpy as np, orff
    >>> t = np.arange(200)
    >>> Y = np.column_stack([np.sin(t / 5), np.cos(t / 5)])
    >>> model = orff.FourierVAR('linear').fit(Y)
    >>> found = model.forecast(24)
    >>> bool(np.abs(found.mean[:, 0] - np.sin(np.arange(200, 224) / 5)).max() < 1e-6)
    True
    >>> bool(orff.FourierVAR(n_components=50).validate(Y, window=100).mse < 1e-3)
    True
    """

    _learner = "series"

    def __init__(
        self,
        method: Literal["linear", "features", "exact"] = "features",
        *,
        order: Literal["validation", "evidence"] | int = 1,
        max_order: int = 6,
        ahead: int = 1,
        standardise: Literal["none", "members"] = "none",
        kernel: Kernel | str | Mapping = "decomposable",
        lengthscale: Literal["auto"] | float | Sequence[float] | np.ndarray = "auto",
        n_components: Literal["auto"] | int = "auto",
        feature_map: Literal["auto"] | Literal["pairs", "phases"] = "auto",
        draw: Literal["auto"] | Literal["iid", "orthogonal", "quasi-monte-carlo", "qmc", "structured"] = "auto",
        alpha: Literal["evidence", "gcv", "loo"] | float = "evidence",
        choose: Literal["evidence", "validation"] = "evidence",
        posterior: bool = True,
        memory: int = 16384,
        random_state: int | np.random.RandomState | np.random.Generator | None = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.method = method
        self.order = order
        self.max_order = max_order
        self.ahead = ahead
        self.standardise = standardise
        self.kernel = kernel
        self.lengthscale = lengthscale
        self.n_components = n_components
        self.feature_map = feature_map
        self.draw = draw
        self.alpha = alpha
        self.choose = choose
        self.posterior = posterior
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


CLASSES = {
    "regression": OperatorRidge,
    "field": VectorField,
    "classification": OperatorClassifier,
    "aligned-classification": AlignedClassifier,
    "landmark-classification": LandmarkClassifier,
    "exact": ExactOperatorRidge,
    "nystrom": NystromRidge,
    "risk": RiskRegressor,
    "quantiles": QuantileFunction,
    "joint-quantiles": JointQuantileRegression,
    "functional": FunctionalRidge,
    "laplacian": LaplacianRidge,
    "exact-laplacian": ExactLaplacianRidge,
    "semi-supervised": SemiSupervisedRidge,
    "laplacian-classification": LaplacianClassifier,
    "exact-laplacian-classification": ExactLaplacianClassifier,
    "semi-supervised-classification": SemiSupervisedClassifier,
    "forest": OneClassForest,
    "isolation": IsolationForest,
    "level-sets": LevelSets,
    "svm": FourierOneClassSVM,
    "fourier-features": FourierFeatures,
    "laplacian-features": LaplacianFeatures,
    "aligned-features": AlignedFeatures,
    "landmark-features": LandmarkFeatures,
}
"""The class of each learner by its name in model files."""

FORECASTERS = {
    "series": FourierVAR,
}
"""The same of learners of series."""
