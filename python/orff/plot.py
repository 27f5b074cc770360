"""Pictures of fitted models, with matplotlib (imported when a function is called).

Each function draws on the Axes it is given, or on new ones, and returns them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ._arguments import array, coverages as wide_of, flag, floats, levels as between, refused, same_rows, unlike, whole, word
from ._errors import ParameterError
from ._json import attribute, plain, said

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._field import Field
    from ._forecaster import Forecaster
    from ._curves import Curves
    from ._leveldetector import LevelDetector
    from ._quantiles import Quantiles
    from ._regressor import Regressor

__all__ = [
    "curl_map",
    "curves",
    "field",
    "forecast",
    "learning_curve",
    "level_sets",
    "path",
    "potential",
    "quantile_fan",
]

INK = "#333333"

LARGEST = 2000
"""Most points of a grid along a side."""

FARTHEST = 1e100
"""Bounds beyond this leave no digits for what is between them."""

LONGEST = 1e6
"""How much longer one side of given bounds may be than the other."""

PALE = 0.3
"""Share of the colours of speed, at their light end, that would be lost on white."""

WIDEST = 0.9999
"""Largest probability of an interval."""

WIDE = f"probabilities > 0 and ≤ {WIDEST}"

THIN = 1e-3
"""Sides of the training points that are shorter than this, against the other, are widened."""


def _check_axes(ax: Any) -> None:
    """Refuse what cannot be drawn on, before any work."""
    try:
        from matplotlib.axes import Axes
    except ImportError as missing:
        raise ImportError("orff.plot: needs matplotlib; install it, or orff[plot]") from missing
    if ax is not None and not isinstance(ax, Axes):
        raise refused("ax", "Axes of matplotlib or None", ax)


def _on(ax: Axes | None, draw: Callable[[Axes], Any], options: dict[str, Any]) -> Axes:
    """Draw on the axes given, or on new ones. Options are first tried on axes that nobody sees."""
    import matplotlib.pyplot as plt
    from matplotlib.figure import Figure

    for name, value in options.items():
        if attribute(value, "__next__") is not None:
            raise refused(f"options: {name}", "a value that can be read twice", value)
    if options:
        try:
            draw(Figure().subplots())
        except Exception as error:
            raise TypeError(f"options: {', '.join(options)}: {str(error)[:400]}") from error
    ax = plt.subplots()[1] if ax is None else ax
    draw(ax)
    return ax


def _checked(model: Any, kind: type, what: str) -> None:
    """Refuse what cannot be drawn, before there is a figure."""
    if isinstance(model, type) or not isinstance(model, kind):
        given = f"the class {model.__name__}" if isinstance(model, type) else type(model).__name__
        raise TypeError(f"model: expected {what}, got {given}")
    model._fitted()


def _points(model: Regressor) -> np.ndarray:
    """Training rows kept with the model, those with every output: inputs, then outputs."""
    return np.asarray(model._training()["points"], dtype=np.float64).reshape(
        -1, model.n_features_in_ + model.n_outputs_
    )


def _values(
    model: Any, method: str, size: int, bounds: Any, least: int = 2
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The axes of a grid over the training points, and the answers of a method of the model on it, as rows."""
    from ._field import Field
    from ._regressor import Regressor

    _checked(model, Regressor if method == "predict" else Field, "a fitted VectorField")
    shape = (model.n_features_in_, model.n_outputs_)
    if shape != (2, 2):
        raise ValueError(f"model: expected a field in the plane (2 inputs, 2 outputs), got {shape[0]} and {shape[1]}")
    bounds = _around(_points(model)[:, :2]) if bounds is None else _given(bounds)
    return _grid(model, method, size, bounds, least)


def _grid(
    model: Any, method: str, size: int, bounds: np.ndarray, least: int = 2
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The axes of a grid over a region, and the answers of a method of the model on it, as rows."""
    size = max(whole(size, "size", 2, LARGEST), least)
    wide, high = bounds[1] - bounds[0], bounds[3] - bounds[2]
    across, up = (max(2, round(size * (side / other) ** 0.5)) for side, other in ((wide, high), (high, wide)))
    x, y = np.linspace(*bounds[:2], across), np.linspace(*bounds[2:], up)
    points = np.column_stack([m.ravel() for m in np.meshgrid(x, y)])
    with warnings.catch_warnings():  # the points are of the model's own columns
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        return x, y, getattr(model, method)(points)


def _around(seen: np.ndarray) -> np.ndarray:
    """The region of the training points with a margin; a side along which they hardly differ is widened."""
    if not len(seen):
        raise ValueError("bounds: expected (left, right, bottom, top), as no training row has every output")
    low, high = seen.min(axis=0), seen.max(axis=0)
    middle, sides = (low + high) / 2, high - low
    longest = sides.max() or max(1.0, np.abs(middle).max())
    sides = np.where(sides < THIN * longest, longest / 2, sides)
    return np.column_stack([middle - 0.55 * sides, middle + 0.55 * sides]).ravel()


def _given(bounds: Any) -> np.ndarray:
    """Bounds that can be drawn."""
    expected = "(left, right, bottom, top) with left < right and bottom < top"
    found = floats(bounds, "bounds", expected)
    if found.shape != (4,) or not (found[0] < found[1] and found[2] < found[3]):
        raise refused("bounds", expected, bounds)
    if not (np.abs(found) <= FARTHEST).all():
        raise refused("bounds", f"finite numbers within ±{FARTHEST:g}", bounds)
    wide, high = found[1] - found[0], found[3] - found[2]
    if max(wide, high) > LONGEST * min(wide, high):
        raise refused("bounds", f"sides of which one is at most {LONGEST:g} times the other", bounds)
    return found


def _finish(ax: Axes, model: Regressor, x: np.ndarray, y: np.ndarray, margin: float = 0.0) -> None:
    """Names, limits, and one unit of length in both directions."""
    names = model._info["inputs"]
    ax.set(xlabel=names[0], ylabel=names[1])
    ax.set(xlim=(x[0] - margin, x[-1] + margin), ylim=(y[0] - margin, y[-1] + margin))
    ax.set_aspect("equal", adjustable="box")


def _bar(ax: Axes, drawn: Any, label: str, **options: Any) -> None:
    """A colour bar as long as the side of the axes it is at: below those that are much wider than high."""
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    room, ratio = ax.get_window_extent(), (top - bottom) / (right - left)
    if ratio < 0.5:
        place = {"location": "bottom", "pad": 0.25, "aspect": 40}
    else:
        place = {"shrink": min(1.0, 0.8 * ratio * room.width / room.height)}
    ax.figure.colorbar(drawn, ax=ax, label=label, **place, **options)


def _legend(ax: Axes) -> None:
    """What is drawn, on a ground that hides what is behind it."""
    ax.legend(edgecolor="none", framealpha=0.9, fontsize="small")


def _speeds() -> Any:
    """Colours of speed: what is slow is light, and still to be seen on white."""
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    return ListedColormap(colormaps["viridis_r"](np.linspace(PALE, 1.0, 256)), name="speed")


def field(
    model: Field,
    *,
    style: str = "quiver",
    size: int = 20,
    points: bool = True,
    bounds: tuple[float, float, float, float] | None = None,
    ax: Axes | None = None,
    **options: Any,
) -> Axes:
    """A field in the plane as arrows or streamlines, coloured by speed, with its training points.

    Parameters
    ----------
    model : VectorField
        A fitted field with two inputs, or any estimator with two inputs and two outputs.
    style : {"quiver", "streamlines"}
        Arrows on a grid, the longest as long as the grid is wide, or lines that follow the field.
    size : int
        Points of the grid along each side of a square; as many in all where a side is longer.
    points : bool
        Whether to draw the training points.
    bounds : (left, right, bottom, top), optional
        The region; that of the training points when left out.
    ax : Axes, optional
        Where to draw; on new ones when left out.
    **options
        Passed on to ``quiver`` or ``streamplot``; with ``color`` there are no colours of speed.

    Examples
    --------
    >>> import matplotlib.pyplot as plt, numpy as np, orff
    >>> X = np.random.default_rng(0).uniform(-1, 1, (60, 2))
    >>> model = orff.VectorField("curl-free", n_components=64).fit(X, X)  # the gradient of ‖x‖²/2
    >>> _, ax = plt.subplots()
    >>> orff.plot.field(model, style="streamlines", ax=ax) is ax
    True
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('x1', 'x2')
    """
    _check_axes(ax)
    points = flag(points, "points")
    style = word(style, "style", "quiver", "streamlines")
    x, y, value = _values(model, "predict", size, bounds, 60 if style == "streamlines" else 2)
    u, v = value[:, 0].reshape(len(y), len(x)), value[:, 1].reshape(len(y), len(x))
    speed = np.hypot(u, v)
    coloured, step = "color" not in options, x[1] - x[0]
    own: dict[str, Any] = {"cmap": _speeds()} if coloured else {}
    if style == "quiver":
        own |= {"scale": (speed.max() or 1.0) / step, "width": 0.1 * step, "units": "xy", "angles": "xy"}
        own |= {"scale_units": "xy", "pivot": "mid"}
    else:
        own |= {"density": 1.4, "linewidth": 1.1, "arrowsize": 0.9}
        if coloured:
            own["color"] = speed

    def draw(ax: Axes) -> None:
        _finish(ax, model, x, y, step / 2 if style == "quiver" else 0.0)
        if style == "quiver":
            drawn = ax.quiver(x, y, u, v, *([speed] if coloured else []), **{**own, **options})
        else:
            drawn = ax.streamplot(x, y, u, v, **{**own, **options}).lines
        if coloured:
            _bar(ax, drawn, "speed")
        if points:
            seen = _points(model)
            ax.scatter(seen[:, 0], seen[:, 1], s=9, color=INK, linewidths=0, zorder=3, label="training points")

    return _on(ax, draw, options)


def _map(
    model: Field,
    x: np.ndarray,
    y: np.ndarray,
    value: np.ndarray,
    label: str,
    ax: Axes | None,
    ticks: Any,
    own: dict[str, Any],
    options: dict[str, Any],
) -> Axes:
    def draw(ax: Axes) -> None:
        _finish(ax, model, x, y)
        drawn = ax.contourf(x, y, value.reshape(len(y), len(x)), **{**own, **options})
        _bar(ax, drawn, label, ticks=ticks)

    return _on(ax, draw, options)


def potential(
    model: Field,
    *,
    size: int = 80,
    bounds: tuple[float, float, float, float] | None = None,
    ax: Axes | None = None,
    **options: Any,
) -> Axes:
    """The potential of a field in the plane (of its gradient part, if it has another), as a filled contour map.

    Parameters
    ----------
    model : VectorField
        A fitted field with two inputs.
    size, bounds, ax
        As in `field`.
    **options
        Passed on to ``contourf``.

    Examples
    --------
    >>> import matplotlib.pyplot as plt, numpy as np, orff
    >>> X = np.random.default_rng(0).uniform(-1, 1, (60, 2))
    >>> model = orff.VectorField("curl-free", n_components=64).fit(X, X)  # the gradient of ‖x‖²/2
    >>> _, ax = plt.subplots()
    >>> left, right = orff.plot.potential(model, bounds=(-1, 1, -1, 1), ax=ax).get_xlim()
    >>> float(left), float(right)
    (-1.0, 1.0)
    """
    _check_axes(ax)
    x, y, value = _values(model, "potential", size, bounds)
    return _map(model, x, y, value, "potential", ax, None, {"cmap": "viridis", "levels": 21}, options)


def curl_map(
    model: Field,
    *,
    size: int = 80,
    bounds: tuple[float, float, float, float] | None = None,
    ax: Axes | None = None,
    **options: Any,
) -> Axes:
    """The curl of a field in the plane, white where there is none.

    Parameters
    ----------
    model : VectorField
        A fitted field with two inputs.
    size, bounds, ax
        As in `field`.
    **options
        Passed on to ``contourf``.

    Examples
    --------
    >>> import matplotlib.pyplot as plt, numpy as np, orff
    >>> X = np.random.default_rng(0).uniform(-1, 1, (60, 2))
    >>> model = orff.VectorField("curl-free", n_components=64).fit(X, X)  # the gradient of ‖x‖²/2
    >>> _, ax = plt.subplots()
    >>> ax = orff.plot.curl_map(model, ax=ax)
    >>> [bar.get_ylabel() for bar in ax.figure.axes if bar is not ax]
    ['curl']
    """
    _check_axes(ax)
    x, y, value = _values(model, "curl", size, bounds)
    # below this the curl is rounding
    least = 1e-9 * np.abs(_points(model)[:, 2:]).max(initial=0.0) / (x[-1] - x[0])
    from matplotlib.ticker import MaxNLocator, MultipleLocator

    largest = max(np.abs(value).max(), least) or 1.0
    step = np.diff(MaxNLocator(nbins=20).tick_values(-largest, largest))[0]
    reach = np.ceil(largest / step - 0.5)
    levels = step * (np.arange(-reach, reach + 2) - 0.5)  # the middle of the middle colour is zero
    ticks = MultipleLocator(step * max(1, int(reach) // 4)) if "levels" not in options else None
    return _map(model, x, y, value, "curl", ax, ticks, {"cmap": "RdBu_r", "levels": levels}, options)


def path(model: Regressor, *, ax: Axes | None = None, **options: Any) -> Axes:
    """The scores along ridges, each against its best value, with the ridge that was taken.

    Log evidence is what is lost per entry of y; generalised cross-validation (GCV) and leave-one-out are relative.

    Parameters
    ----------
    model : OperatorRidge, VectorField, ExactOperatorRidge or NystromRidge
        A fitted model that chose its ridge.
    ax : Axes, optional
        Where to draw; on new ones when left out.
    **options
        Passed on to ``Axes.plot``.

    Examples
    --------
    >>> import matplotlib.pyplot as plt, numpy as np, orff
    >>> X = np.linspace(0, 6, 60).reshape(-1, 1)
    >>> _, ax = plt.subplots()
    >>> ax = orff.plot.path(orff.OperatorRidge(n_components=64).fit(X, np.sin(X)), ax=ax)
    >>> ax.get_xscale()
    'log'
    """
    from ._regressor import Regressor

    _check_axes(ax)
    _checked(model, Regressor, "a fitted estimator of outputs, such as OperatorRidge")
    found = model.path_
    if not len(found["alpha"]):
        raise ValueError("path: the ridge was given, so none was compared; fit with alpha='evidence', 'gcv' or 'loo'")
    per_row = max(1, model._training()["rows"]) * model.n_outputs_
    scores = {
        "log evidence lost": (found["evidence"].max() - found["evidence"]) / per_row,
        "GCV": found["gcv"] / np.nanmin(found["gcv"]) - 1,
        "leave-one-out": found["loo"] / np.nanmin(found["loo"]) - 1 if np.isfinite(found["loo"]).any() else None,
    }

    def draw(ax: Axes) -> None:
        for name, score in scores.items():
            if score is not None:
                ax.plot(found["alpha"], score, label=name, **options)
        ax.axvline(model.alpha_, color=INK, linestyle=":", linewidth=1, label=f"alpha = {model.alpha_:.2e}")
        ax.set_xscale("log")
        ax.set_yscale("symlog", linthresh=1e-3)
        ax.set_ylim(bottom=0)
        ax.set_xlabel("alpha")
        ax.set_ylabel("excess over the best")
        _legend(ax)

    return _on(ax, draw, options)


def forecast(
    model: Forecaster,
    steps: int = 24,
    *,
    variable: Any = 0,
    intervals: Any = (0.5, 0.9),
    history: int = 100,
    ax: Axes | None = None,
    **options: Any,
) -> Axes:
    """The rows to come of one variable as a fan of intervals, after the last rows learned from.

    Parameters
    ----------
    model : FourierVAR
        A fitted model of one series.
    steps : int, default=24
        Rows to come.
    variable : int or str, default=0
        Which variable.
    intervals : sequence of float, default=(0.5, 0.9)
        Probabilities of the intervals.
    history : int, default=100
        Rows before that are drawn.
    ax : Axes, optional
        Where to draw; on new ones when left out.
    **options
        Passed on to `FourierVAR.forecast`, such as ``exog``.

    Examples
    --------
    >>> import matplotlib.pyplot as plt, numpy as np, orff
    >>> noise = 0.1 * np.random.default_rng(0).standard_normal((150, 2))
    >>> t = np.arange(150) / 5
    >>> model = orff.FourierVAR("linear", order=2).fit(np.column_stack([np.sin(t), np.cos(t)]) + noise)
    >>> _, ax = plt.subplots()
    >>> ax = orff.plot.forecast(model, 24, ax=ax)
    >>> len(ax.collections)
    2
    """
    from ._forecaster import STEPS, Forecaster

    _check_axes(ax)
    _checked(model, Forecaster, "a fitted FourierVAR")
    names = model.names
    at = names.index(variable) if isinstance(variable, str) and variable in names else plain(variable)
    if type(at) is not int or not 0 <= at < len(names):
        raise refused("variable", f"one of {', '.join(names)} or its number", variable)
    steps, history = whole(steps, "steps", 1, STEPS), whole(history, "history", 0)
    asked = floats(intervals, "intervals", WIDE)
    if asked.ndim > 1 or not ((asked > 0) & (asked <= WIDEST)).all():
        raise refused("intervals", WIDE, intervals)
    levels = sorted(np.atleast_1d(asked), reverse=True)
    rows = model._rows
    if rows is not None and rows.members is not None:
        raise ValueError("model: expected a model of one series, got one of a panel")
    past = np.empty((0,)) if rows is None or not history else rows.values[-history:, at]
    fans = [model.forecast(steps, interval=float(level), **options) for level in levels]
    mean = (fans[0] if fans else model.forecast(steps, **options)).mean
    index, values = getattr(mean, "index", None), np.asarray(mean).reshape(steps, -1)[:, at]
    clock = index is not None and type(index).__name__ in ("DatetimeIndex", "PeriodIndex")
    length = 0 if rows is None else len(rows.values)
    ahead = np.arange(length, length + steps) if not clock else _stamps(index)
    before = np.arange(length - len(past), length) if not clock else _stamps(rows.index[length - len(past) :])

    def draw(ax: Axes) -> None:
        if len(past):
            ax.plot(before, past, color=INK, linewidth=1, label="observed")
        (line,) = ax.plot(ahead, values, label="forecast")
        for k, (level, fan) in enumerate(zip(levels, fans, strict=True)):
            ends = [np.asarray(end).reshape(steps, -1)[:, at] for end in (fan.lower, fan.upper)]
            # inner ones are darker in the legend too
            label, alpha = f"{100 * level:.0f} %", 0.15 + 0.2 * k / len(levels)
            ax.fill_between(ahead, *ends, color=line.get_color(), alpha=alpha, linewidth=0, label=label)
        ax.set_ylabel(names[at])
        if not clock:
            ax.set_xlabel("row")
        _legend(ax)

    return _on(ax, draw, {})


def _stamps(index: Any) -> np.ndarray:
    """Times that matplotlib draws."""
    return (index.to_timestamp() if type(index).__name__ == "PeriodIndex" else index).to_numpy()


def _folds(cv: Any, estimator: Any, X: Any, y: Any, rows: int, groups: Any) -> list[tuple[np.ndarray, np.ndarray]]:
    """Numbers of the rows to learn from and of the others, for each fold."""
    from sklearn.base import is_classifier
    from sklearn.model_selection import check_cv
    from sklearn.utils.multiclass import type_of_target

    from . import _data

    if is_classifier(estimator):
        with _data.named("y"):
            type_of_target(y)
    try:
        splits = check_cv(cv, y, classifier=is_classifier(estimator)).split(X, y, groups)
        folds = [(np.asarray(train), np.asarray(test)) for train, test in splits]
    except Exception as error:
        why, what = str(error)[:200], "cv, y" if is_classifier(estimator) else "cv"
        raise ParameterError(f"{what}: expected folds as scikit-learn takes them, got {said(cv)} ({why})") from None
    one = [part.ndim == 1 and part.size > 0 and part.dtype.kind in "iu" for fold in folds for part in fold]
    if not one or not all(one) or not all(-rows <= part.min() <= part.max() < rows for fold in folds for part in fold):
        raise refused("cv", "folds of numbers of rows", cv)
    return folds


def learning_curve(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    train_sizes: Any = np.linspace(0.1, 1.0, 6),
    cv: Any = 5,
    ax: Axes | None = None,
    **options: Any,
) -> Axes:
    """Scores on the rows learned from and on others, against the number of rows learned from.

    Parameters
    ----------
    estimator : estimator
        Any estimator of scikit-learn's kind.
    X, y : array-like
        Rows.
    train_sizes, cv
        As in ``sklearn.model_selection.learning_curve``.
    ax : Axes, optional
        Where to draw; on new ones when left out.
    **options
        Passed on to ``sklearn.model_selection.learning_curve``.

    Examples
    --------
    >>> import matplotlib.pyplot as plt, numpy as np, orff
    >>> X = np.random.default_rng(0).uniform(0, 6, (60, 1))
    >>> model = orff.OperatorRidge(n_components=64)
    >>> _, ax = plt.subplots()
    >>> ax = orff.plot.learning_curve(model, X, np.sin(X), train_sizes=[10, 40], cv=3, ax=ax)
    >>> [line.get_label() for line in ax.lines]
    ['learned from', 'held out']
    """
    from sklearn.model_selection import learning_curve as curve
    from sklearn.utils import _safe_indexing

    from . import _data

    _check_axes(ax)
    rows = _data.rows(_data.table(X))
    with _data.named("X"):  # Arrow has columns that it cannot take rows of
        _safe_indexing(X, [0])
    outputs = None if y is None else array(y, "y", f"{rows} rows as in X")
    shape = (rows,) if outputs is None else outputs.shape
    if shape[:1] != (rows,):
        raise unlike("y", f"{rows} rows", "X", shape[0] if shape else said(y))
    if type(y).__module__.split(".")[0] == "pyarrow" or attribute(y, "__len__") is None:
        y = outputs
    sizes = floats(train_sizes, "train_sizes", "numbers > 0")
    if sizes.ndim != 1 or not sizes.size or not (np.isfinite(sizes) & (sizes > 0)).all():
        raise refused("train_sizes", "numbers > 0", train_sizes)
    if attribute(estimator, "fit") is None:
        raise refused("estimator", "an estimator of scikit-learn's kind", estimator)
    groups = options.pop("groups", None)
    if groups is not None and array(groups, "groups", f"a group for each of {rows} rows of X").shape != (rows,):
        raise refused("groups", f"a group for each of {rows} rows of X", groups)
    folds = _folds(cv, estimator, X, y, rows, groups)
    # a fit that fails says why
    if array(train_sizes, "train_sizes", "numbers > 0").dtype.kind not in "iu":
        train_sizes = sizes
    for name, value in options.items():
        try:
            repr(value)
        except Exception:  # scikit-learn would fail to say what was given
            raise refused(f"options: {name}", "what scikit-learn takes", value) from None
    try:
        sizes, train, test = curve(
            estimator, X, y, **{"train_sizes": train_sizes, "cv": folds, "error_score": "raise", **options}
        )
    except Exception as error:
        if not options or isinstance(error, MemoryError):
            raise
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"options: {', '.join(options)}: {str(error)[:400]}") from error

    def draw(ax: Axes) -> None:
        for name, scores in (("learned from", train), ("held out", test)):
            mean, spread = scores.mean(axis=1), scores.std(axis=1)
            (line,) = ax.plot(sizes, mean, marker="o", markersize=4, label=name)
            ax.fill_between(sizes, mean - spread, mean + spread, color=line.get_color(), alpha=0.15, linewidth=0)
        ax.set_xlabel("rows")
        ax.set_ylabel("score")
        _legend(ax)

    return _on(ax, draw, {})


def quantile_fan(
    model: Quantiles,
    *,
    coverages: Any = (0.5, 0.8, 0.95),
    output: int = 0,
    size: int = 200,
    points: bool = True,
    ax: Axes | None = None,
    **options: Any,
) -> Axes:
    """The median of one output along one input, and bands between quantiles of opposite levels.

    Parameters
    ----------
    model : QuantileFunction or JointQuantileRegression
        A fitted model with one input.
    coverages : float or array
        Probability between the ends of each band.
    output : int
        Which output, counted from 0.
    size : int
        Points along the input.
    points : bool
        Whether to draw the training points.
    ax : Axes, optional
        Where to draw; on new ones when left out.
    **options
        Passed on to ``plot`` for the median.

    Examples
    --------
    >>> import matplotlib.pyplot as plt, numpy as np, orff
    >>> random = np.random.default_rng(0)
    >>> X = random.uniform(0, 6, (200, 1))
    >>> model = orff.QuantileFunction().fit(X, np.sin(X[:, 0]) + 0.1 * X[:, 0] * random.normal(size=200))
    >>> _, ax = plt.subplots()
    >>> orff.plot.quantile_fan(model, ax=ax) is ax
    True
    """
    from ._quantiles import Quantiles

    _check_axes(ax)
    points = flag(points, "points")
    _checked(model, Quantiles, "a fitted QuantileFunction or JointQuantileRegression")
    if model.n_features_in_ != 1:
        raise ValueError(f"model: expected one input, got {model.n_features_in_}")
    output, size = whole(output, "output", 0, model.n_outputs_ - 1), whole(size, "size", 2, LARGEST)
    wide = np.sort(np.atleast_1d(wide_of(coverages, "coverages")))[::-1]
    seen = _points(model)
    if not len(seen):
        raise ValueError("model: expected training points, and none was kept")
    x = np.linspace(seen[:, 0].min(), seen[:, 0].max(), size).reshape(-1, 1)
    levels = np.concatenate([[0.5], (1 - wide) / 2, (1 + wide) / 2])
    with warnings.catch_warnings():  # the points are of the model's own column
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        found = model.predict(x, levels=levels).reshape(len(x), model.n_outputs_, -1)[:, output]
    names = model._info

    def draw(ax: Axes) -> None:
        (line,) = ax.plot(x[:, 0], found[:, 0], **{"color": "#1f4e79", "label": "median", **options})
        for k, coverage in enumerate(wide):
            lower, upper = found[:, 1 + k], found[:, 1 + len(wide) + k]
            shade = 0.15 + 0.3 * k / max(1, len(wide) - 1)
            label = f"{100 * coverage:g} %"
            ax.fill_between(x[:, 0], lower, upper, color=line.get_color(), alpha=shade, linewidth=0, label=label)
        if points:
            ax.scatter(seen[:, 0], seen[:, 1 + output], s=7, color=INK, linewidths=0, zorder=3, label="training points")
        ax.set(xlabel=names["inputs"][0], ylabel=names["outputs"][output])
        _legend(ax)

    return _on(ax, draw, options)


def level_sets(
    model: LevelDetector,
    *,
    nu: Any = (0.05, 0.25, 0.5, 0.75, 0.95),
    size: int = 150,
    bounds: Any = None,
    points: bool = True,
    ax: Axes | None = None,
    **options: Any,
) -> Axes:
    """The level at which places of the plane leave the sets, and the boundaries of some sets.

    Parameters
    ----------
    model : LevelSets
        A fitted model with two inputs.
    nu : float or array
        Levels of the sets whose boundaries are drawn.
    size : int
        Points along each side of the grid.
    bounds : tuple (left, right, bottom, top), optional
        The region; that of the training points when left out.
    points : bool
        Whether to draw the training points.
    ax : Axes, optional
        Where to draw; on new ones when left out.
    **options
        Passed on to ``contour``.

    Examples
    --------
    >>> import matplotlib.pyplot as plt, numpy as np, orff
    >>> model = orff.LevelSets(n_components=200).fit(np.random.default_rng(0).normal(size=(200, 2)))
    >>> _, ax = plt.subplots()
    >>> orff.plot.level_sets(model, ax=ax) is ax
    True
    """
    from ._leveldetector import LevelDetector

    _check_axes(ax)
    points = flag(points, "points")
    _checked(model, LevelDetector, "a fitted LevelSets")
    if model.n_features_in_ != 2:
        raise ValueError(f"model: expected two inputs, got {model.n_features_in_}")
    levels = np.unique(between(nu, "nu"))
    seen = np.asarray(model._training()["points"], dtype=np.float64).reshape(-1, 2)
    x, y, found = _grid(model, "score_samples", size, _around(seen) if bounds is None else _given(bounds))
    scores = found.reshape(len(y), len(x))
    names = model._info["inputs"]

    def draw(ax: Axes) -> None:
        shades = ax.contourf(x, y, scores, levels=np.linspace(0, 1, 21), cmap="Blues", alpha=0.8)
        lines = ax.contour(x, y, scores, **{"levels": levels, "colors": INK, "linewidths": 1, **options})
        ax.clabel(lines, fmt="%g", fontsize="small")
        if points:
            ax.scatter(*seen.T, s=5, color=INK, alpha=0.5, linewidths=0, zorder=3)
        _bar(ax, shades, "level at which a place leaves the sets")
        ax.set(xlabel=names[0], ylabel=names[1], xlim=(x[0], x[-1]), ylim=(y[0], y[-1]))

    return _on(ax, draw, options)


def _on_grid(y: Any, rows: int, columns: int) -> np.ndarray:
    """The values of curves on the grid of a model."""
    from . import _data

    found = _data.observed(y)
    found = found if found.ndim == 2 else found.reshape(len(found), 1)
    same_rows("y", len(found), "X", rows)
    if found.shape[1:] != (columns,):
        raise ValueError(f"y: expected {columns} columns, the grid of the model, got {found.shape[1]}")
    return found


def curves(
    model: Curves,
    X: Any,
    y: Any = None,
    *,
    at: Any = None,
    ax: Axes | None = None,
    **options: Any,
) -> Axes:
    """The predicted curves of some rows, with their observed points.

    Parameters
    ----------
    model : FunctionalRidge
        A fitted model of curves.
    X : array, sparse matrix or table of shape (n, d)
        Inputs of a few rows.
    y : array of shape (n, m), or list of n pairs (t, values), optional
        What was observed of them, as in ``fit``; drawn as points.
    at : array of shape (L,), optional
        Arguments; 200 over those seen in the fit when left out.
    ax : Axes, optional
        Where to draw; on new ones when left out.
    **options
        Passed on to ``plot`` for the curves.

    Examples
    --------
    >>> import matplotlib.pyplot as plt, numpy as np, orff
    >>> X, t = np.linspace(0, 3, 40).reshape(-1, 1), np.linspace(0, 1, 15)
    >>> model = orff.FunctionalRidge(grid=t).fit(X, np.sin(X + 4 * t))
    >>> _, ax = plt.subplots()
    >>> orff.plot.curves(model, X[::10], ax=ax) is ax
    True
    """
    from ._curves import Curves, _arguments, _points as pairs

    _check_axes(ax)
    _checked(model, Curves, "a fitted FunctionalRidge")
    first, last = model._argument()["range"]
    t = np.linspace(first, last, 200) if at is None else np.atleast_1d(_arguments(at))
    if t.ndim != 1:
        raise ValueError(f"at: expected one axis, got {t.ndim}")
    found = model.predict(X, at=t)
    seen = None
    if y is not None:
        own = pairs(y, len(found))
        seen = (model.grid_, _on_grid(y, len(found), len(model.grid_))) if own is None else own
    name = model._argument().get("name") or "argument"

    def draw(ax: Axes) -> None:
        for i, curve in enumerate(found):
            (line,) = ax.plot(t, curve, **options)
            if isinstance(seen, tuple):
                ax.scatter(seen[0], seen[1][i], s=9, color=line.get_color(), linewidths=0, zorder=3)
            elif seen is not None:
                ax.scatter(seen[i, ::2], seen[i, 1::2], s=9, color=line.get_color(), linewidths=0, zorder=3)
        ax.set(xlabel=name, ylabel="value")

    return _on(ax, draw, options)
