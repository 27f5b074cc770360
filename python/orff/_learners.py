"""The estimators."""

# Made by `cargo xtask gen` from the declarations of the library: change those, not this file.

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ._classifier import Classifier
from ._field import Field
from ._forecaster import Forecaster
from ._gatherer import Gatherer
from ._partlylabelled import PartlyLabelled
from ._regressor import Regressor
from ._semisupervised import SemiSupervised
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
        Σ = diag(their variances).
    posterior : true or false, default=True
        Keep what error bars need (K² numbers for K unknowns).
    precision : auto or one of double, mixed, default="auto"
        Precision of features and their products: double; or mixed, which computes them in single precision
        and then corrects the solution by short passes in double until it is that of double precision, and
        says so where it cannot. auto is mixed for inputs in single precision with a given ridge, double
        otherwise.
    solver : auto or one of moments, rows, default="auto"
        What is solved: moments of one pass (error bars, every ridge), or rows, gone over again and again by
        conjugate gradients at the cost of their observed entries. auto is rows where outputs have gaps and
        moments take too much memory or time.
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
    n_features_in_, feature_names_in_, n_outputs_
        As in scikit-learn.
    n_iter_ : int
        Iterations of the solver; 1 for a factorisation.
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
        kernel: Kernel | str = "decomposable",
        *,
        lengthscale: Literal["auto"] | float | Sequence[float] = "auto",
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
        Σ = diag(their variances).
    posterior : true or false, default=True
        Keep what error bars need (K² numbers for K unknowns).
    precision : auto or one of double, mixed, default="auto"
        Precision of features and their products: double; or mixed, which computes them in single precision
        and then corrects the solution by short passes in double until it is that of double precision, and
        says so where it cannot. auto is mixed for inputs in single precision with a given ridge, double
        otherwise.
    solver : auto or one of moments, rows, default="auto"
        What is solved: moments of one pass (error bars, every ridge), or rows, gone over again and again by
        conjugate gradients at the cost of their observed entries. auto is rows where outputs have gaps and
        moments take too much memory or time.
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
    n_features_in_, feature_names_in_, n_outputs_
        As in scikit-learn.
    n_iter_ : int
        Iterations of the solver; 1 for a factorisation.
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
        kernel: Kernel | str = "helmholtz",
        *,
        lengthscale: Literal["auto"] | float | Sequence[float] = "auto",
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
        and then corrects the solution by short passes in double until it is that of double precision, and
        says so where it cannot. auto is mixed for inputs in single precision with a given ridge, double
        otherwise.
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
        kernel: Kernel | str = "decomposable",
        *,
        lengthscale: Literal["auto"] | float | Sequence[float] = "auto",
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
        kernel: Kernel | str = "decomposable",
        *,
        lengthscale: Literal["auto"] | float | Sequence[float] = "auto",
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
        kernel: Kernel | str = "decomposable",
        *,
        lengthscale: Literal["auto"] | float | Sequence[float] = "auto",
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


class LaplacianRidge(SemiSupervised):
    """Ridge regression with a kernel warped by the graph of labelled and unlabelled rows.

    Parameters
    ----------
    kernel : Kernel or str, default="decomposable"
        The kernel: a name, an expression such as "curl-free(matern(2.5)) + 0.1*div-free", or its structured
        form.
    lengthscale : auto or a number > 0, or a list of them, default="auto"
        Lengthscale of every spectrum of the kernel that leaves its own open: auto (chosen on labelled rows,
        among multiples of the distance to neighbours), a number in the units of the inputs, or one number per
        input.
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
        labels or more than 100 000 rows.
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
        kernel: Kernel | str = "decomposable",
        *,
        lengthscale: Literal["auto"] | float | Sequence[float] = "auto",
        group: str = "additive",
        n_components: Literal["auto"] | int = "auto",
        feature_map: Literal["auto"] | Literal["pairs", "phases"] = "auto",
        draw: Literal["auto"] | Literal["iid", "orthogonal", "quasi-monte-carlo", "qmc", "structured"] = "auto",
        measure: Literal["plain", "trace", "tilted"] = "trace",
        sum: Literal["concatenation", "mixture"] = "concatenation",
        n_neighbors: Literal["auto"] | int = "auto",
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
        among multiples of the distance to neighbours), a number in the units of the inputs, or one number per
        input.
    group : additive, multiplicative, skewed(c) or skewed(c1, c2, …), default="additive"
        Group on which the kernel is shift-invariant.
    n_neighbors : auto or a whole number from 1 to 1000, default="auto"
        Neighbours of each row in the graph; two rows are joined when either is a neighbour of the other. auto
        compares 10, 20 and 50 on labelled rows, a fifth of the rows at most; it is 10 where there are few
        labels or more than 100 000 rows.
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
        kernel: Kernel | str = "decomposable",
        *,
        lengthscale: Literal["auto"] | float | Sequence[float] = "auto",
        group: str = "additive",
        n_neighbors: Literal["auto"] | int = "auto",
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
        among multiples of the distance to neighbours), a number in the units of the inputs, or one number per
        input.
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
        labels or more than 100 000 rows.
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
    views : a text, default=None
        Views: groups of inputs by their positions, such as "1-3; 4,6", each with features and a graph of its
        own; none for one view of all.
    combination : a text, default=None
        Weight of each view in the answer, such as "0.5, 0.5"; all alike unless given.
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
        kernel: Kernel | str = "decomposable",
        *,
        lengthscale: Literal["auto"] | float | Sequence[float] = "auto",
        group: str = "additive",
        n_components: Literal["auto"] | int = "auto",
        feature_map: Literal["auto"] | Literal["pairs", "phases"] = "auto",
        draw: Literal["auto"] | Literal["iid", "orthogonal", "quasi-monte-carlo", "qmc", "structured"] = "auto",
        measure: Literal["plain", "trace", "tilted"] = "trace",
        sum: Literal["concatenation", "mixture"] = "concatenation",
        n_neighbors: Literal["auto"] | int = "auto",
        search: Literal["auto", "exact", "approximate"] = "auto",
        bandwidth: Literal["auto"] | float = "auto",
        power: Literal["auto"] | int = "auto",
        intrinsic: Literal["auto"] | float = "auto",
        views: str | None = None,
        combination: str | None = None,
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
        among multiples of the distance to neighbours), a number in the units of the inputs, or one number per
        input.
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
        labels or more than 100 000 rows.
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
    loss : one of squared, simplex-hinge, logistic, default="squared"
        The loss: squared, on the simplex code of the classes, in closed form; simplex-hinge, the support
        vector machine of several classes (that of two is the usual one); or logistic.
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
        kernel: Kernel | str = "decomposable",
        *,
        lengthscale: Literal["auto"] | float | Sequence[float] = "auto",
        group: str = "additive",
        n_components: Literal["auto"] | int = "auto",
        feature_map: Literal["auto"] | Literal["pairs", "phases"] = "auto",
        draw: Literal["auto"] | Literal["iid", "orthogonal", "quasi-monte-carlo", "qmc", "structured"] = "auto",
        measure: Literal["plain", "trace", "tilted"] = "trace",
        sum: Literal["concatenation", "mixture"] = "concatenation",
        n_neighbors: Literal["auto"] | int = "auto",
        search: Literal["auto", "exact", "approximate"] = "auto",
        bandwidth: Literal["auto"] | float = "auto",
        power: Literal["auto"] | int = "auto",
        strength: Literal["auto"] | float = "auto",
        loss: Literal["squared", "simplex-hinge", "logistic"] = "squared",
        unlabeled: str | None = None,
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
        among multiples of the distance to neighbours), a number in the units of the inputs, or one number per
        input.
    group : additive, multiplicative, skewed(c) or skewed(c1, c2, …), default="additive"
        Group on which the kernel is shift-invariant.
    n_neighbors : auto or a whole number from 1 to 1000, default="auto"
        Neighbours of each row in the graph; two rows are joined when either is a neighbour of the other. auto
        compares 10, 20 and 50 on labelled rows, a fifth of the rows at most; it is 10 where there are few
        labels or more than 100 000 rows.
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
    loss : one of squared, simplex-hinge, logistic, default="squared"
        The loss: squared, on the simplex code of the classes, in closed form; simplex-hinge, the support
        vector machine of several classes (that of two is the usual one); or logistic.
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
        kernel: Kernel | str = "decomposable",
        *,
        lengthscale: Literal["auto"] | float | Sequence[float] = "auto",
        group: str = "additive",
        n_neighbors: Literal["auto"] | int = "auto",
        search: Literal["auto", "exact", "approximate"] = "auto",
        bandwidth: Literal["auto"] | float = "auto",
        power: Literal["auto"] | int = "auto",
        strength: Literal["auto"] | float = "auto",
        loss: Literal["squared", "simplex-hinge", "logistic"] = "squared",
        unlabeled: str | None = None,
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
        among multiples of the distance to neighbours), a number in the units of the inputs, or one number per
        input.
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
        labels or more than 100 000 rows.
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
    views : a text, default=None
        Views: groups of inputs by their positions, such as "1-3; 4,6", each with features and a graph of its
        own; none for one view of all.
    combination : a text, default=None
        Weight of each view in the answer, such as "0.5, 0.5"; all alike unless given.
    agreement : a number ≥ 0, default=1.0
        Weight of the disagreement Σᵢ‖f_v(xᵢ) − f_w(xᵢ)‖² between views, relative to γ_I.
    loss : one of squared, simplex-hinge, logistic, default="squared"
        The loss: squared, on the simplex code of the classes, in closed form; simplex-hinge, the support
        vector machine of several classes (that of two is the usual one); or logistic.
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
        kernel: Kernel | str = "decomposable",
        *,
        lengthscale: Literal["auto"] | float | Sequence[float] = "auto",
        group: str = "additive",
        n_components: Literal["auto"] | int = "auto",
        feature_map: Literal["auto"] | Literal["pairs", "phases"] = "auto",
        draw: Literal["auto"] | Literal["iid", "orthogonal", "quasi-monte-carlo", "qmc", "structured"] = "auto",
        measure: Literal["plain", "trace", "tilted"] = "trace",
        sum: Literal["concatenation", "mixture"] = "concatenation",
        n_neighbors: Literal["auto"] | int = "auto",
        search: Literal["auto", "exact", "approximate"] = "auto",
        bandwidth: Literal["auto"] | float = "auto",
        power: Literal["auto"] | int = "auto",
        intrinsic: Literal["auto"] | float = "auto",
        views: str | None = None,
        combination: str | None = None,
        agreement: float = 1.0,
        loss: Literal["squared", "simplex-hinge", "logistic"] = "squared",
        unlabeled: str | None = None,
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
        kernel: Kernel | str = "gaussian",
        *,
        lengthscale: Literal["auto"] | float | Sequence[float] = "auto",
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
        kernel: Kernel | str = "gaussian",
        *,
        lengthscale: Literal["auto"] | float | Sequence[float] = "auto",
        group: str = "additive",
        n_components: Literal["auto"] | int = "auto",
        feature_map: Literal["auto"] | Literal["pairs", "phases"] = "auto",
        draw: Literal["auto"] | Literal["iid", "orthogonal", "quasi-monte-carlo", "qmc", "structured"] = "auto",
        measure: Literal["plain", "trace", "tilted"] = "plain",
        sum: Literal["concatenation", "mixture"] = "concatenation",
        n_neighbors: int = 10,
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
        self.search = search
        self.bandwidth = bandwidth
        self.power = power
        self.strength = strength
        self.rank = rank
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
        kernel: Kernel | str = "decomposable",
        lengthscale: Literal["auto"] | float | Sequence[float] = "auto",
        n_components: Literal["auto"] | int = "auto",
        feature_map: Literal["auto"] | Literal["pairs", "phases"] = "auto",
        draw: Literal["auto"] | Literal["iid", "orthogonal", "quasi-monte-carlo", "qmc", "structured"] = "auto",
        alpha: Literal["evidence", "gcv", "loo"] | float = "evidence",
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
        self.posterior = posterior
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


CLASSES = {
    "regression": OperatorRidge,
    "field": VectorField,
    "classification": OperatorClassifier,
    "exact": ExactOperatorRidge,
    "nystrom": NystromRidge,
    "laplacian": LaplacianRidge,
    "exact-laplacian": ExactLaplacianRidge,
    "semi-supervised": SemiSupervisedRidge,
    "laplacian-classification": LaplacianClassifier,
    "exact-laplacian-classification": ExactLaplacianClassifier,
    "semi-supervised-classification": SemiSupervisedClassifier,
    "fourier-features": FourierFeatures,
    "laplacian-features": LaplacianFeatures,
}
"""The class of each learner by its name in model files."""

FORECASTERS = {
    "series": FourierVAR,
}
"""The same of learners of series."""
