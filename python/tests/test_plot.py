"""Pictures hold what they claim to show."""

import matplotlib.pyplot as plt
import numpy as np
import orff
import pandas as pd
import pytest
from matplotlib.axes import Axes


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def field(plane):
    return orff.VectorField("curl-free").fit(*plane)


def test_arrows_are_the_field(field, plane):
    ax = orff.plot.field(field, size=5, bounds=(-1, 1, -1, 1))
    (arrows,) = [c for c in ax.collections if hasattr(c, "U")]
    at = np.column_stack([m.ravel() for m in np.meshgrid(np.linspace(-1, 1, 5), np.linspace(-1, 1, 5))])
    assert np.allclose(np.column_stack([arrows.U, arrows.V]), field.predict(at))
    points = ax.collections[-1].get_offsets()
    assert np.allclose(np.sort(points, axis=0), np.sort(plane[0], axis=0))


def test_axes_are_taken_and_returned(field):
    _, axes = plt.subplots(1, 3)
    assert orff.plot.field(field, style="streamlines", ax=axes[0]) is axes[0]
    assert orff.plot.potential(field, ax=axes[1]) is axes[1]
    assert orff.plot.curl_map(field, ax=axes[2]) is axes[2]
    with pytest.raises(ValueError, match="style: expected quiver or streamlines, got dots"):
        orff.plot.field(field, style="dots")


def test_maps_show_the_values(field):
    ax = orff.plot.potential(field, size=9)
    drawn = next(c for c in ax.collections if hasattr(c, "zmin"))
    x, y = np.linspace(*ax.get_xlim(), 9), np.linspace(*ax.get_ylim(), 9)
    phi = field.potential(np.column_stack([m.ravel() for m in np.meshgrid(x, y)]))
    assert drawn.zmin == pytest.approx(phi.min()) and drawn.zmax == pytest.approx(phi.max())


def test_names_become_labels(plane):
    X, Y = pd.DataFrame(plane[0], columns=["east", "north"]), plane[1]
    ax = orff.plot.field(orff.VectorField(n_components=64).fit(X, Y))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("east", "north")


def test_the_path_has_its_ridge(rows):
    model = orff.OperatorRidge(alpha="loo", n_components=64).fit(*rows)
    ax = orff.plot.path(model)
    lines = {line.get_label(): line for line in ax.lines}
    assert len(lines) == 4 and ax.get_xscale() == "log"
    assert np.allclose(lines["leave-one-out"].get_xdata(), model.path_["alpha"])
    given = orff.OperatorRidge(alpha=0.1, n_components=64).fit(*rows)
    with pytest.raises(ValueError, match="the ridge was given"):
        orff.plot.path(given)


def test_the_learning_curve_rises(rows):
    ax = orff.plot.learning_curve(orff.OperatorRidge(n_components=64), *rows, train_sizes=[30, 100], cv=3)
    assert isinstance(ax, Axes)
    held_out = next(line for line in ax.lines if line.get_label() == "held out").get_ydata()
    assert held_out[1] > held_out[0]


def test_only_planes_are_drawn(rows):
    with pytest.raises(ValueError, match="expected a field in the plane"):
        orff.plot.field(orff.OperatorRidge(n_components=64).fit(*rows))
