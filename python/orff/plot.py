"""Pictures of fitted models, with matplotlib (imported when a function is called).

Each function draws on the Axes it is given, or on the current ones, and returns them.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._field import Field
    from ._regressor import Regressor

INK = "#333333"


def _axes(ax: Axes | None) -> Axes:
    try:
        import matplotlib.pyplot as plt
    except ImportError as missing:
        raise ImportError("orff.plot: needs matplotlib; install it, or orff[plot]") from missing
    return plt.gca() if ax is None else ax


def _points(model: Regressor) -> np.ndarray:
    """Training rows kept with the model: inputs, then outputs."""
    return np.asarray(model._training()["points"], dtype=np.float64)


def _grid(model: Field, size: int, bounds: tuple[float, float, float, float] | None) -> tuple[np.ndarray, ...]:
    """The axes of a grid over the training points, and its points as rows."""
    if model.n_features_in_ != 2:
        raise ValueError(f"plot: expected a field in the plane (2 inputs), got {model.n_features_in_}")
    if bounds is None:
        seen = _points(model)[:, :2]
        low, high = seen.min(axis=0), seen.max(axis=0)
        margin = 0.05 * (high - low)
        bounds = (low[0] - margin[0], high[0] + margin[0], low[1] - margin[1], high[1] + margin[1])
    x, y = np.linspace(*bounds[:2], size), np.linspace(*bounds[2:], size)
    return x, y, np.column_stack([m.ravel() for m in np.meshgrid(x, y)])


def _ask(model: Field, method: str, points: np.ndarray) -> np.ndarray:
    """A method of the model at points, which are of its own columns."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        return getattr(model, method)(points)


def _label(ax: Axes, model: Regressor) -> None:
    names = model._info["inputs"]
    ax.set_xlabel(names[0])
    ax.set_ylabel(names[1])
    ax.set_aspect("equal", adjustable="box")


def field(
    model: Field,
    *,
    style: str = "quiver",
    size: int = 24,
    points: bool = True,
    bounds: tuple[float, float, float, float] | None = None,
    ax: Axes | None = None,
    **options: Any,
) -> Axes:
    """A field in the plane as arrows or streamlines, coloured by speed, with its training points.

    Parameters
    ----------
    model : VectorField
        A fitted field with two inputs.
    style : {"quiver", "streamlines"}
        Arrows on a grid, or lines that follow the field.
    size : int
        Points of the grid along each axis.
    points : bool
        Whether to draw the training points.
    bounds : (left, right, bottom, top), optional
        The region; that of the training points when left out.
    ax : Axes, optional
        Where to draw.
    **options
        Passed on to ``quiver`` or ``streamplot``.
    """
    ax = _axes(ax)
    if style not in ("quiver", "streamlines"):
        raise ValueError(f"style: expected quiver or streamlines, got {style}")
    x, y, rows = _grid(model, size if style == "quiver" else max(size, 60), bounds)
    value = _ask(model, "predict", rows)
    u, v = value[:, 0].reshape(len(y), len(x)), value[:, 1].reshape(len(y), len(x))
    speed = np.hypot(u, v)
    options = {"cmap": "viridis", **options}
    if style == "quiver":
        drawn = ax.quiver(x, y, u, v, speed, **options)
    else:
        options = {"density": 1.4, "linewidth": 1.1, "arrowsize": 0.9, **options}
        drawn = ax.streamplot(x, y, u, v, color=speed, **options).lines
    ax.figure.colorbar(drawn, ax=ax, label="speed")
    if points:
        seen = _points(model)
        ax.scatter(seen[:, 0], seen[:, 1], s=9, color=INK, linewidths=0, zorder=3)
    ax.set_xlim(x[0], x[-1])
    ax.set_ylim(y[0], y[-1])
    _label(ax, model)
    return ax


def _map(model: Field, method: str, label: str, size: int, bounds: Any, ax: Axes | None, options: dict) -> Axes:
    ax = _axes(ax)
    x, y, rows = _grid(model, size, bounds)
    value = _ask(model, method, rows).reshape(len(y), len(x))
    drawn = ax.contourf(x, y, value, **{"levels": 21, **options})
    ax.figure.colorbar(drawn, ax=ax, label=label)
    _label(ax, model)
    return ax


def potential(
    model: Field,
    *,
    size: int = 80,
    bounds: tuple[float, float, float, float] | None = None,
    ax: Axes | None = None,
    **options: Any,
) -> Axes:
    """The potential of a field in the plane (of its gradient part, if it has another), as a filled contour map."""
    return _map(model, "potential", "potential", size, bounds, ax, {"cmap": "viridis", **options})


def curl_map(
    model: Field,
    *,
    size: int = 80,
    bounds: tuple[float, float, float, float] | None = None,
    ax: Axes | None = None,
    **options: Any,
) -> Axes:
    """The curl of a field in the plane, white where there is none."""
    from matplotlib.ticker import MaxNLocator

    _, _, rows = _grid(model, size, bounds)
    largest = np.abs(_ask(model, "curl", rows)).max() or 1.0
    levels = MaxNLocator(nbins=20, symmetric=True).tick_values(-largest, largest)
    options = {"cmap": "RdBu_r", "levels": levels, **options}
    return _map(model, "curl", "curl", size, bounds, ax, options)


def path(model: Regressor, *, ax: Axes | None = None, **options: Any) -> Axes:
    """The scores along ridges, each against its best value, with the ridge that was taken."""
    ax = _axes(ax)
    found = model.path_
    if not len(found["alpha"]):
        raise ValueError("path: the ridge was given, so none was compared; fit with alpha='evidence', 'gcv' or 'loo'")
    per_row = max(1, model._training()["rows"]) * model.n_outputs_
    scores = {
        "log evidence lost per entry": (found["evidence"].max() - found["evidence"]) / per_row,
        "generalised cross-validation": found["gcv"] / np.nanmin(found["gcv"]) - 1,
        "leave-one-out": found["loo"] / np.nanmin(found["loo"]) - 1 if np.isfinite(found["loo"]).any() else None,
    }
    for name, score in scores.items():
        if score is not None:
            ax.plot(found["alpha"], score, label=name, **options)
    ax.axvline(model.alpha_, color=INK, linestyle=":", linewidth=1, label=f"alpha = {model.alpha_:.2e}")
    ax.set_xscale("log")
    ax.set_yscale("symlog", linthresh=1e-3)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("alpha")
    ax.set_ylabel("excess over the best")
    ax.legend(frameon=False, loc="upper center", fontsize="small")
    return ax


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
        Where to draw.
    **options
        Passed on to ``sklearn.model_selection.learning_curve``.
    """
    from sklearn.model_selection import learning_curve as curve

    ax = _axes(ax)
    sizes, train, test = curve(estimator, X, y, train_sizes=train_sizes, cv=cv, **options)
    for name, scores in (("learned from", train), ("held out", test)):
        mean, spread = scores.mean(axis=1), scores.std(axis=1)
        (line,) = ax.plot(sizes, mean, marker="o", markersize=4, label=name)
        ax.fill_between(sizes, mean - spread, mean + spread, color=line.get_color(), alpha=0.15, linewidth=0)
    ax.set_xlabel("rows")
    ax.set_ylabel("score")
    ax.legend(frameon=False)
    return ax
