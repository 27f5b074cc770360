"""Going on learning: rows add, moments merge and travel."""

import copy
import os
import pickle
import signal
import time

import numpy as np
import orff
import pandas as pd
import polars as pl
import pytest
from orff import _base

OPTIONS = {"n_components": 100}


def test_parts_make_the_whole(rows):
    X, Y = rows
    whole = orff.OperatorRidge(**OPTIONS, warm_start=True).fit(X, Y)
    assert whole.moments_.n_rows == 150
    parts = orff.OperatorRidge(**OPTIONS).fit_moments(whole.moments_.empty().add(X, Y))
    assert (parts.predict(X) == whole.predict(X)).all()
    there = [pickle.loads(pickle.dumps(whole.moments_.empty())) for _ in range(2)]
    there[0].add(X[:70], Y[:70])
    there[1].add(X[70:], Y[70:])
    sent = pickle.loads(pickle.dumps(there[1]))
    merged = orff.OperatorRidge().fit_moments(there[0].merge(sent))
    assert merged.moments_.n_rows == 150 and repr(sent) == "Moments(80 rows, 3 inputs, 2 outputs)"
    assert np.allclose(merged.predict(X), whole.predict(X), atol=1e-7)
    assert (orff.OperatorRidge(**OPTIONS).fit(X, Y).predict(X) == whole.predict(X)).all()


def test_partial_fit(rows):
    X, Y = rows
    model = orff.OperatorRidge(**OPTIONS)
    for k in range(0, 150, 50):
        model.partial_fit(X[k : k + 50], Y[k : k + 50])
        assert model.moments_.n_rows == k + 50
        assert model.predict(X).shape == (150, 2)
    assert model.score(X, Y) > 0.97
    assert (pickle.loads(pickle.dumps(model)).predict(X) == model.predict(X)).all()
    again = pickle.loads(pickle.dumps(model)).partial_fit(X, Y)
    assert again.moments_.n_rows == 300 and model.moments_.n_rows == 150
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(X[:, :2], Y)
    assert model.moments_.n_rows == 150
    field = orff.VectorField("curl-free", **OPTIONS).partial_fit(X[:, :2], Y).partial_fit(X[:, :2], Y)
    assert field.jacobian(X[:3, :2]).shape == (3, 2, 2)


def test_warm_start_keeps_the_choices(rows):
    X, Y = rows
    model = orff.OperatorRidge(**OPTIONS, warm_start=True).fit(X, Y)
    chosen = model.lengthscale_
    model.fit(3 * X[:90], Y[:90])
    assert (model.lengthscale_ == chosen).all() and model.moments_.n_rows == 90
    cold = orff.OperatorRidge(**OPTIONS).fit(3 * X[:90], Y[:90])
    assert (cold.lengthscale_ != chosen).all()
    assert not hasattr(cold, "moments_")
    with pytest.warns(UserWarning, match="begins anew"):
        cold.partial_fit(X, Y)
    assert cold.moments_.n_rows == 150


def test_what_cannot_merge_is_refused(rows):
    X, Y = rows
    a = orff.OperatorRidge(**OPTIONS).partial_fit(X, Y).moments_
    b = orff.OperatorRidge(**OPTIONS).partial_fit(2 * X, Y).moments_
    with pytest.raises(ValueError, match="began differently"):
        a.merge(b)
    with pytest.raises(ValueError, match="3 inputs and 2 outputs as before"):
        a.add(X, Y[:, 0])
    assert a.n_rows == 150
    assert not hasattr(orff.ExactOperatorRidge(), "partial_fit")
    with pytest.raises(ValueError, match="second pass"):
        orff.OperatorRidge(alpha="loo").partial_fit(X, Y)


def test_changed_parameters_are_noticed():
    X = np.random.default_rng(3).normal(size=(80, 2))
    model = orff.OperatorRidge(n_components=32, alpha=1e-3, warm_start=True).fit(X, np.sin(X))
    assert model.set_params(alpha=10.0).fit(X, np.sin(X)).alpha_ == 10.0
    with pytest.raises(ValueError, match="n_components"):
        model.set_params(n_components=-3).fit(X, np.sin(X))
    with pytest.raises(ValueError, match="parameters changed since the first rows"):
        model.set_params(n_components=32, alpha=1.0).partial_fit(X, np.sin(X))
    model.set_params(alpha=10.0).partial_fit(X, np.sin(X))
    assert model.moments_.n_rows == 160
    with pytest.raises(TypeError, match="expected Moments"):
        model.fit_moments(None)


def test_moments_are_values(rows):
    X, Y = rows
    model = orff.OperatorRidge(**OPTIONS).partial_fit(X[:80], Y[:80])
    handed, before = model.moments_, model.predict(X)
    handed.add(X[80:], Y[80:])
    assert handed.n_rows == 150 and model.moments_.n_rows == 80
    assert (model.predict(X) == before).all()
    model.fit_moments(handed)
    whole = model.predict(X)
    assert model.moments_.n_rows == 150 and np.abs(whole - before).max() > 1e-3
    handed.add(X, Y)
    other = orff.OperatorRidge().fit_moments(handed).partial_fit(X, Y)
    assert handed.n_rows == 300 and model.moments_.n_rows == 150
    assert (model.predict(X) == whole).all()
    assert (pickle.loads(pickle.dumps(model)).predict(X) == whole).all()
    assert model.partial_fit(X[:1], Y[:1]).moments_.n_rows == 151 and other.n_outputs_ == 2
    for twin in (copy.copy(handed), copy.deepcopy(handed)):
        assert twin.add(X, Y).n_rows == 450 and handed.n_rows == 300
    # a copy has the same bits
    assert (
        orff.OperatorRidge().fit_moments(handed.copy().copy()).predict(X) == other.fit_moments(handed).predict(X)
    ).all()


def test_moments_know_their_columns(rows):
    X, Y = rows
    frame, fields = pd.DataFrame(X, columns=["a", "b", "c"]), pd.DataFrame(Y, columns=["u", "v"])
    model = orff.OperatorRidge(**OPTIONS).partial_fit(frame, fields)
    there = pickle.loads(pickle.dumps(model.moments_.empty()))
    for make in (lambda table: table, pl.from_pandas):
        with pytest.raises(ValueError, match="X: expected the columns a, b, c as in the first rows, got b, a, c"):
            there.add(make(frame[["b", "a", "c"]]), Y)
        for add in (there.add, model.partial_fit):
            with pytest.raises(ValueError, match="y: expected the columns u, v as in the first rows, got v, u"):
                add(make(frame), make(fields[["v", "u"]]))
        there.add(make(frame), make(fields))
    assert there.add(X, Y).n_rows == 450 and model.moments_.n_rows == 150
    for renamed, said in (
        ((frame.rename(columns=str.upper), fields), "X: expected the columns a, b, c as in .*, got A, B, C"),
        ((frame, fields.rename(columns=str.upper)), "y: expected the columns u, v as in .*, got U, V"),
    ):
        other = orff.OperatorRidge(**OPTIONS).partial_fit(*renamed).moments_
        with pytest.raises(ValueError, match=said):
            there.merge(other)
    assert there.n_rows == 450
    # an estimator that knew other columns takes those of the moments
    other = orff.OperatorRidge(**OPTIONS).fit(frame.rename(columns=str.upper), Y).fit_moments(there)
    assert list(other.feature_names_in_) == ["a", "b", "c"]
    plain = orff.OperatorRidge(**OPTIONS).partial_fit(X, Y).moments_
    assert not hasattr(other.fit_moments(plain), "feature_names_in_")


def test_moments_belong_to_their_class(rows):
    X, Y = rows
    of_field = orff.VectorField(**OPTIONS).partial_fit(X[:, :2], Y).moments_
    model = orff.OperatorRidge(**OPTIONS).fit(X, Y)
    with pytest.raises(ValueError, match="moments: expected those of OperatorRidge, got those of VectorField"):
        model.fit_moments(of_field)
    assert model.predict(X).shape == (150, 2)


def test_one_output_keeps_its_axes(rows):
    X, Y = rows
    flat = orff.OperatorRidge(**OPTIONS).partial_fit(X, Y[:, 0])
    column = orff.OperatorRidge(**OPTIONS).partial_fit(X, Y[:, :1])
    assert flat.fit_moments(flat.moments_).predict(X).shape == (150,)
    assert column.fit_moments(column.moments_).predict(X).shape == (150, 1)


def test_an_interrupt_after_the_last_row_adds_nothing(rows, monkeypatch):
    X, Y = rows

    class Press:
        """Ctrl-C when the last row was read, and what was gathered is about to be added."""

        def __init__(self, rows):
            self.rows = rows

        def __call__(self, stage, done, said):
            if stage == "fit" and done == self.rows:
                raise KeyboardInterrupt

        def close(self):
            pass

    model = orff.OperatorRidge(**OPTIONS).partial_fit(X[:80], Y[:80])
    before = model.predict(X)
    monkeypatch.setattr(_base, "Progress", Press)
    model.set_params(verbose=1)
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(X[80:], Y[80:])
    assert model.moments_.n_rows == 80 and (model.predict(X) == before).all()


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="timers")
def test_what_is_interrupted_adds_nothing():
    X = np.random.default_rng(0).normal(size=(3000, 3))
    moments = orff.OperatorRidge(n_components=1200, lengthscale=1.0, alpha=1e-3).partial_fit(X, np.sin(X)).moments_
    other, known, nothing = moments.copy(), moments.n_rows, 0

    def press(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, press)
    try:
        for act in (lambda: moments.add(X, np.sin(X)), lambda: moments.merge(other)):
            began = time.perf_counter()
            act()
            took, known = time.perf_counter() - began, known + 3000
            for share in np.linspace(0.1, 1.0, 10):
                try:
                    signal.setitimer(signal.ITIMER_REAL, share * took)
                    act()
                    signal.setitimer(signal.ITIMER_REAL, 0)
                    known += 3000
                except KeyboardInterrupt:
                    # all of it where the key was pressed after the work was done, never a part
                    late = moments.n_rows == known + 3000
                    known += 3000 if late else 0
                    nothing += not late
                assert moments.n_rows == known
        assert nothing > 0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_copies_of_estimators_go_on_by_themselves(rows):
    X, Y = rows
    model = orff.OperatorRidge(**OPTIONS).partial_fit(X[:80], Y[:80])
    twin = copy.copy(model).partial_fit(X[80:], Y[80:])
    assert (model.moments_.n_rows, twin.moments_.n_rows) == (80, 150)


def test_leave_one_out_with_a_warm_start(rows):
    X, Y = rows
    cold = orff.OperatorRidge(**OPTIONS, alpha="loo").fit(X, Y)
    warm = orff.OperatorRidge(**OPTIONS, alpha="loo", warm_start=True).fit(X, Y)
    assert (warm.predict(X) == cold.predict(X)).all() and warm.alpha_ == cold.alpha_
    chosen = warm.lengthscale_
    assert (warm.fit(2 * X[:90], Y[:90]).lengthscale_ == chosen).all() and warm.moments_.n_rows == 90
    # each row left out and learned from the others, with the same nλ
    best = np.nanargmin(warm.path_["loo"])
    assert warm.alpha_ == warm.path_["alpha"][best]
    for more in (lambda: warm.partial_fit(X, Y), lambda: warm.moments_.add(X, Y)):
        with pytest.raises(ValueError, match="leave-one-out from rows that are read once"):
            more()
    assert warm.moments_.n_rows == 90


def test_kept_moments_say_that_they_are_in_double(rows):
    X, Y = rows
    said = "double precision: moments that are kept are gathered in it"
    mixed = {"precision": "mixed", "alpha": 1e-3, **OPTIONS}
    for model in (
        orff.OperatorRidge(**mixed).partial_fit(X, Y),
        orff.OperatorRidge(**mixed, warm_start=True).fit(X, Y),
    ):
        assert sum(line.startswith(said) for line in model.choices_) == 1
    cold = orff.OperatorRidge(**mixed).fit(X, Y)
    assert not any(line.startswith("double") for line in cold.choices_)


def test_a_model_from_a_file_has_no_moments(rows, tmp_path):
    X, Y = rows
    path = os.fsencode(tmp_path / "m.orff")
    orff.OperatorRidge(**OPTIONS).fit(X, Y).save(path)
    with pytest.warns(UserWarning, match="no moments to go on from, .* files do not hold them"):
        assert orff.load(path).partial_fit(X, Y).moments_.n_rows == 150
