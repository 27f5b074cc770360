"""Pictures hold what they claim to show."""

import matplotlib.pyplot as plt
import numpy as np
import orff
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge


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
    with pytest.raises(ValueError, match="style: expected quiver or streamlines, got \"dots\""):
        orff.plot.field(field, style="dots")


def test_without_axes_each_picture_has_its_own(field, rows):
    _, mine = plt.subplots()
    chosen = orff.OperatorRidge(n_components=64).fit(*rows)
    series = orff.FourierVAR("linear").fit(rows[1])
    drawn = [
        orff.plot.field(field),
        orff.plot.potential(field),
        orff.plot.curl_map(field),
        orff.plot.path(chosen),
        orff.plot.forecast(series, 3),
        orff.plot.learning_curve(Ridge(), *rows, train_sizes=[30, 60], cv=2),
    ]
    fan = orff.plot.quantile_fan(orff.QuantileFunction(n_components=16).fit(rows[0][:, :1], rows[1][:, 0]))
    # words are to be read wherever they come to stand
    assert all(ax.get_legend().get_frame().get_alpha() > 0.8 for ax in (*drawn[3:], fan))
    assert all(ax.get_xlabel() and ax.get_ylabel() for ax in (*drawn, fan))
    assert len({ax.figure.number for ax in [mine, *drawn, fan]}) == 8
    assert not mine.collections and not mine.lines


def test_what_is_slow_is_seen_on_white(field):
    def contrast(colour):  # of the Web Content Accessibility Guidelines
        part = np.asarray(to_rgba(colour)[:3])
        light = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722]
        return 1.05 / (light + 0.05)

    for style in ("quiver", "streamlines"):
        ax = orff.plot.field(field, style=style, points=False)
        colours = ax.collections[0].get_cmap()
        assert contrast(colours(0.0)) > 2 and contrast(colours(1.0)) > 10
        given = orff.plot.field(field, style=style, points=False, cmap="magma")
        assert given.collections[0].get_cmap().name == "magma"


def test_a_colour_of_ones_own_needs_no_bar(field):
    for style in ("quiver", "streamlines"):
        ax = orff.plot.field(field, style=style, color="tab:red", points=False)
        assert len(ax.figure.axes) == 1
        assert np.allclose(
            ax.collections[0].get_edgecolor()[0] if style == "streamlines" else ax.collections[0].get_facecolor()[0],
            to_rgba("tab:red"),
        )
        plt.close()
        assert len(orff.plot.field(field, style=style).figure.axes) == 2
        plt.close()


def test_arrows_do_not_overlap(plane):
    wide = orff.VectorField("curl-free", n_components=64).fit(plane[0] * [4, 1], plane[1])
    ax = orff.plot.field(wide)
    (arrows,) = [c for c in ax.collections if hasattr(c, "U")]
    x, y = np.unique(arrows.X), np.unique(arrows.Y)
    assert len(x) > 1.8 * 20 and len(y) < 0.6 * 20
    assert np.hypot(arrows.U, arrows.V).max() / arrows.scale == pytest.approx(x[1] - x[0])
    assert y[1] - y[0] == pytest.approx(x[1] - x[0], rel=0.2)


def test_the_curl_is_asked_for_once_and_rounding_is_white(field, monkeypatch):
    asked, curl = [], type(field).curl
    monkeypatch.setattr(type(field), "curl", lambda self, X: asked.append(X) or curl(self, X))
    ax = orff.plot.curl_map(field, size=9)
    assert len(asked) == 1
    drawn = next(c for c in ax.collections if hasattr(c, "zmin"))
    middle = len(drawn.levels) // 2
    assert drawn.levels[middle - 1] == -drawn.levels[middle]
    # a field that has no curl is within the middle colour
    assert np.abs(curl(field, asked[0])).max() < drawn.levels[middle]


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


def test_what_cannot_be_drawn_leaves_no_figure(rows, plane):
    X, Y = rows
    space = orff.VectorField("curl-free", n_components=64).fit(X, np.sin(X))
    line = orff.VectorField("curl-free", n_components=64).fit(X[:, :1], Y[:, :1])
    one = orff.OperatorRidge(n_components=64).fit(X[:, :2], Y[:, 0])
    given = orff.OperatorRidge(alpha=0.1, n_components=64).fit(X, Y)
    flat = orff.VectorField("curl-free", n_components=64).fit(*plane)
    wrong = [
        (space, ValueError, r"model: expected a field in the plane \(2 inputs, 2 outputs\), got 3 and 3"),
        (line, ValueError, "expected a field in the plane"),
        (Ridge().fit(X, Y), TypeError, "model: expected a fitted VectorField, got Ridge"),
        (orff.VectorField, TypeError, "model: expected a fitted VectorField, got the class"),
        (orff.VectorField(), NotFittedError, "not fitted yet"),
    ]
    with pytest.raises(ValueError, match=r"expected a field in the plane \(2 inputs, 2 outputs\), got 2 and 1"):
        orff.plot.field(one)
    with pytest.raises(TypeError, match="model: expected a fitted VectorField, got OperatorRidge"):
        orff.plot.curl_map(one)
    for draw in (orff.plot.field, orff.plot.potential, orff.plot.curl_map):
        for model, error, said in wrong:
            with pytest.raises(error, match=said):
                draw(model)
        with pytest.raises(ValueError, match="size: expected a whole number from 2 to 2000, got 1"):
            draw(flat, size=1)
        for bounds in ((1, -1, -1, 1), (0, 1)):
            with pytest.raises(ValueError, match="bounds: expected"):
                draw(flat, bounds=bounds)
    with pytest.raises(ValueError, match="style"):
        orff.plot.field(flat, style="dots")
    for model, error in ((given, ValueError), (Ridge(), TypeError), (orff.OperatorRidge(), NotFittedError)):
        with pytest.raises(error):
            orff.plot.path(model)
    with pytest.raises(TypeError, match="expected a fitted estimator of outputs, such as OperatorRidge"):
        orff.plot.path(orff.FourierFeatures().fit(X))
    with pytest.raises(ValueError):
        orff.plot.learning_curve(Ridge(), X, Y[:-1])
    assert plt.get_fignums() == []


def test_rows_with_holes_need_bounds(plane):
    X, Y = plane
    holes = np.where(np.arange(len(Y))[:, None] % 2 == [0, 1], np.nan, Y)
    model = orff.VectorField("curl-free", n_components=64).fit(X, holes)
    with pytest.raises(ValueError, match="bounds: expected .* as no training row has every output"):
        orff.plot.field(model)
    for draw in (orff.plot.field, orff.plot.curl_map):
        draw(model, bounds=(-1, 1, -1, 1))


def test_wrong_arguments_leave_no_figure(field, rows):
    chosen = orff.OperatorRidge(n_components=64).fit(*rows)
    for draw, model in (
        (orff.plot.field, field),
        (orff.plot.potential, field),
        (orff.plot.curl_map, field),
        (orff.plot.path, chosen),
    ):
        with pytest.raises(TypeError, match="^ax: expected Axes of matplotlib or None, got 3$"):
            draw(model, ax=3)
        with pytest.raises(TypeError, match="^options: no_such: .*no_such"):
            draw(model, no_such=1)
        if draw is orff.plot.path:
            continue
        for bounds in (("a", "b", "c", "d"), 3, (0, 1, 0, 1, 2), (0, np.nan, 0, 1)):
            with pytest.raises(ValueError, match=r"^bounds: expected \(left, right, bottom, top\) with .*, got "):
                draw(model, bounds=bounds)
        for bounds in ((0, np.inf, 0, 1), (-1e300, 1e300, -1e300, 1e300)):
            with pytest.raises(ValueError, match="^bounds: expected finite numbers within ±1e\\+100, got "):
                draw(model, bounds=bounds)
        with pytest.raises(ValueError, match="^bounds: expected sides of which one is at most 1e\\+06 times the other"):
            draw(model, bounds=(0, 1, 0, 1e-9))
        for size in (10**9, 2.5, "many"):
            with pytest.raises(ValueError, match="^size: expected a whole number from 2 to 2000, got "):
                draw(model, size=size)
    with pytest.raises(TypeError, match="^ax: expected Axes"):
        orff.plot.learning_curve(chosen, *rows, ax="here")
    with pytest.raises(TypeError, match="no_such"):
        orff.plot.learning_curve(chosen, *rows, no_such=1)
    assert plt.get_fignums() == []
    # nothing was left on axes that were given, either
    ax = plt.figure().subplots()
    with pytest.raises(TypeError, match="^options"):
        orff.plot.field(field, ax=ax, no_such=1)
    assert not ax.collections and ax.figure.axes == [ax]


def test_points_on_a_line_or_a_single_one_have_room(plane):
    X, Y = plane
    across = np.column_stack([X[:, 0], np.full(len(X), 7.0)])
    for points, sides in ((across, (3.2, 1.7)), (np.array([[5.0, -3.0]]), (2.8, 2.8))):
        model = orff.VectorField("curl-free", n_components=64).fit(points, Y[: len(points)])
        for draw in (orff.plot.field, orff.plot.curl_map):
            ax = draw(model)
            (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
            assert left < points[:, 0].min() and points[:, 0].max() < right
            assert bottom < points[0, 1] < top
            assert right - left == pytest.approx(sides[0], rel=0.2) and top - bottom == pytest.approx(sides[1], rel=0.2)
            plt.close()


def test_the_names_of_the_module_are_its_functions():
    assert orff.plot.__all__ == [
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
