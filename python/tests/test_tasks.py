"""Long rows: the task of each row beside its value."""

import numpy as np
import pandas as pd
import pytest

import orff

RNG = np.random.default_rng(3)
X = RNG.uniform(-2, 2, (240, 2))
NAMES = np.array(["left", "right", "up"])
TASK = RNG.integers(0, 3, 240)
TRUTH = np.column_stack([np.sin(X[:, 0]) + X[:, 1], np.cos(X[:, 1]), 5 + X[:, 0]])
Y = TRUTH[np.arange(240), TASK] + 0.05 * RNG.normal(size=240)
WIDE = np.where(TASK[:, None] == np.arange(3), Y[:, None], np.nan)


@pytest.mark.parametrize("cls", [orff.OperatorRidge, orff.ExactOperatorRidge, orff.NystromRidge])
def test_long_rows_are_a_matrix_with_holes(cls):
    long = cls().fit(X, Y, task=NAMES[TASK])
    wide = cls().fit(X, WIDE)
    assert long.tasks_ == ["left", "right", "up"]
    np.testing.assert_allclose(long.predict(X), wide.predict(X), rtol=0, atol=1e-10)
    mean, std = long.predict(X, return_std=True, task=NAMES[TASK])
    every, each = long.predict(X, return_std=True)
    np.testing.assert_array_equal(mean, every[np.arange(240), TASK])
    np.testing.assert_array_equal(std, each[np.arange(240), TASK])
    assert abs(long.score(X, Y, task=NAMES[TASK]) - wide.score(X, WIDE)) < 1e-10
    assert long.score(X, Y, task=NAMES[TASK]) > 0.95


def test_a_task_is_known_by_its_name(tmp_path):
    model = orff.OperatorRidge(n_components=60).fit(X, Y, task=TASK + 9)
    assert model.tasks_ == ["9", "10", "11"]
    model.save(tmp_path / "m.orff")
    again = orff.load(tmp_path / "m.orff")
    expected = model.predict(X, task=TASK + 9)
    for task in [(TASK + 9).astype(float), [str(t + 9) for t in TASK], pd.Series(TASK + 9), (TASK + 9).astype(object)]:
        np.testing.assert_array_equal(again.predict(X, task=task), expected)
    np.testing.assert_array_equal(again.predict(X, task=10), again.predict(X)[:, 1])


def test_outputs_with_names_are_tasks():
    model = orff.OperatorRidge(n_components=60).fit(X, pd.DataFrame(TRUTH, columns=NAMES))
    np.testing.assert_array_equal(model.predict(X, task=NAMES[TASK]), model.predict(X)[np.arange(240), TASK])


def test_weights_of_long_rows_repeat_them():
    w = RNG.integers(0, 3, 240)
    often = np.repeat(np.arange(240), w)
    for solver in ("moments", "rows"):
        model = orff.OperatorRidge(orff.gaussian(1.0), n_components=60, alpha=1e-3, solver=solver)
        weighted = model.fit(X, Y, sample_weight=w, task=TASK).predict(X)
        repeated = model.fit(X[often], Y[often], task=TASK[often]).predict(X)
        np.testing.assert_allclose(weighted, repeated, rtol=0, atol=1e-8)


def test_long_rows_can_be_added():
    model = orff.OperatorRidge(n_components=60, alpha=1e-3)
    model.partial_fit(X[:120], Y[:120], task=NAMES[TASK[:120]]).partial_fit(X[120:], Y[120:], task=NAMES[TASK[120:]])
    assert model.moments_.n_rows == 240
    assert model.score(X, Y, task=NAMES[TASK]) > 0.9
    more = model.moments_.add(X[:5], Y[:5], task=NAMES[TASK[:5]])
    assert more.n_rows == 245
    with pytest.raises(ValueError, match='task: expected one of the 3 tasks of the model .left, right, up., got "down"'):
        model.partial_fit(X[:1], Y[:1], task=["down"])


def test_over_the_rows_is_over_moments():
    kernel = orff.decomposable(orff.gaussian(1.5), output=np.eye(3) + 0.5)
    fit = lambda solver: orff.OperatorRidge(kernel, n_components=60, alpha=1e-4, solver=solver).fit(X, Y, task=TASK)  # noqa: E731
    rows, moments = fit("rows"), fit("moments")
    np.testing.assert_allclose(rows.predict(X), moments.predict(X), rtol=0, atol=1e-7)
    assert rows.n_iter_ > 1 and moments.n_iter_ == 1


@pytest.mark.parametrize(
    ("y", "task", "said"),
    [
        (Y, TASK[1:], r"task: expected shape \(240,\), a word or a number for each row"),
        (WIDE, TASK, r"y: expected shape \(240,\), the value of the task"),
        (Y, [None, *TASK[1:]], "task: expected a word or a number in each row, got none in row 1"),
        (Y, np.where(TASK == 1, np.nan, TASK), "task: expected a word or a number in each row"),
        (Y, TASK + 1j, "task: expected words or numbers"),
        (np.where(TASK == 1, np.nan, Y), TASK, r"y: output 2 \('1'\): not observed"),
        (np.where(TASK == 1, np.inf, Y), TASK, "y: row .*inf is not a finite number"),
    ],
)
def test_tasks_that_cannot_be_are_refused(y, task, said):
    with pytest.raises(ValueError, match=said):
        orff.OperatorRidge(n_components=40).fit(X, y, task=task)


def test_unknown_tasks_are_refused():
    model = orff.OperatorRidge(n_components=40).fit(X, Y, task=TASK)
    with pytest.raises(ValueError, match='task: expected one of the 3 tasks of the model .0, 1, 2., got "7"'):
        model.predict(X[:1], task=[7])
    with pytest.raises(ValueError, match="return_cov: with task"):
        model.predict(X, return_cov=True, task=TASK)
    one = orff.OperatorRidge(n_components=40).fit(X, TRUTH[:, 0], task="only")
    assert one.tasks_ == ["only"] and one.predict(X).shape == (240,)
