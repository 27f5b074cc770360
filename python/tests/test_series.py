"""Series: fits, forecasts, validation, in the words of statsmodels."""

import datetime
import warnings

import numpy as np
import orff
import pandas as pd
import pytest
from sklearn.base import clone


def turning(n=150, noise=0.1, seed=0):
    """Two variables that turn about each other, the second a little later."""
    rng = np.random.default_rng(seed)
    A = np.array([[0.9, -0.3], [0.3, 0.9]])
    Y = np.zeros((n, 2))
    for t in range(1, n):
        Y[t] = A @ Y[t - 1] + noise * rng.standard_normal(2)
    return Y


def lstsq(Y, order):
    rows = [np.concatenate([[1.0], *(Y[t - k] for k in range(1, order + 1))]) for t in range(order, len(Y))]
    return np.linalg.lstsq(np.array(rows), Y[order:], rcond=None)[0]


@pytest.mark.parametrize("order", [1, 3])
def test_linear_is_least_squares(order):
    Y = turning()
    model = orff.FourierVAR("linear", order=order).fit(Y)
    assert model.lags == order
    assert np.allclose(model.params, lstsq(Y, order), atol=1e-10)
    rest = Y[order:] - np.array([model.predict(Y)[t] for t in range(order, len(Y))])
    assert np.allclose(model.resid, rest, atol=1e-12) and np.isnan(model.predict(Y)[:order]).all()
    assert np.allclose(model.sigma_u, rest.T @ rest / (len(rest) - 2 * order - 1), atol=1e-12)


def test_it_agrees_with_statsmodels():
    tsa = pytest.importorskip("statsmodels.tsa.api")
    Y = turning()
    theirs, ours = tsa.VAR(Y).fit(2), orff.FourierVAR("linear", order=2).fit(Y)
    assert np.allclose(ours.params, theirs.params, atol=1e-9)
    assert np.allclose(ours.sigma_u, theirs.sigma_u, atol=1e-10)
    assert np.allclose(ours.forecast(12).mean, theirs.forecast(Y[-2:], 12), atol=1e-9)
    assert np.allclose(ours.impulse_response(8), theirs.irf(8).irfs, atol=1e-8)
    white = theirs.test_whiteness(10, adjusted=True)
    assert np.isclose(ours.whiteness["portmanteau"], white.test_statistic)
    assert np.isclose(ours.whiteness["portmanteau_p"], white.pvalue)


@pytest.mark.parametrize("method", ["linear", "features", "exact"])
def test_methods_share_one_interface(method, tmp_path):
    Y = turning(100)
    model = orff.FourierVAR(method, n_components=60).fit(Y)
    found = model.forecast(10, interval=0.9, paths=200)
    assert found.mean.shape == found.lower.shape == (10, 2) and (found.lower < found.upper).all()
    assert model.impulse_response(4).shape == (5, 2, 2)
    strength, p = model.influence(shifts=0)
    assert strength.shape == (2, 2) and p is None
    assert np.sqrt(model.validate(Y, window=70).mse) < 0.2
    model.save(tmp_path / "m.orff")
    again = orff.load(tmp_path / "m.orff")
    assert (again.forecast(10).mean == found.mean).all() and again.method == method
    assert (clone(model).fit(Y).forecast(10).mean == found.mean).all()
    with pytest.raises(ValueError, match="fit it again"):
        again.influence()


def test_the_index_goes_on():
    Y = turning(60)
    months = pd.date_range("2001-01-31", periods=60, freq="ME")
    table = pd.DataFrame(Y, index=months, columns=["a", "b"])
    model = orff.FourierVAR("linear").fit(table)
    mean = model.forecast(3).mean
    assert list(mean.columns) == ["a", "b"] and mean.index.freq == months.freq
    assert list(mean.index.strftime("%Y-%m-%d")) == ["2006-01-31", "2006-02-28", "2006-03-31"]
    assert list(model.params.index) == ["const", "L1.a", "L1.b"]
    quarters = pd.period_range("1999Q1", periods=60, freq="Q")
    mean = orff.FourierVAR("linear").fit(pd.DataFrame(Y, index=quarters)).forecast(2).mean
    assert str(mean.index[0]) == "2014Q1" and isinstance(mean.index, pd.PeriodIndex)
    # a row that is missing is a gap, not a step
    gap = table.drop(months[30])
    found = orff.FourierVAR("linear").fit(gap)
    assert any("2 of 59 steps" in line for line in found.choices_)
    with pytest.raises(ValueError, match="does not come after"):
        orff.FourierVAR("linear").fit(table.iloc[::-1])
    assert found.forecast(2, history=gap).mean.index[0] == mean_after(months)


def mean_after(months):
    return months[-1] + months.freq


def test_panels_and_exogenous_columns():
    rng = np.random.default_rng(1)
    u = rng.standard_normal((80, 1))
    y = np.zeros((80, 1))
    for t in range(1, 80):
        y[t] = 0.5 * y[t - 1] + 2 * u[t] if t != 40 else 3.0
    member = ["a"] * 40 + ["b"] * 40
    model = orff.FourierVAR("linear").fit(y, exog=u, member=member)
    future = rng.standard_normal((3, 1))
    truth, last = [], y[39]
    for row in future:
        last = 0.5 * last + 2 * row
        truth.append(last)
    assert np.allclose(model.forecast(3, exog=future, member="a").mean, truth)
    with pytest.raises(ValueError, match="member: expected one of a, b, got none"):
        model.forecast(3, exog=future)
    with pytest.raises(ValueError, match="^exog: expected 3 rows to come"):
        model.forecast(3, member="a")


def test_rows_are_predicted_from_those_before_them():
    Y = turning(60)
    days = pd.date_range("2001-01-01", periods=60, freq="D")
    member = np.array(["a"] * 35 + ["b"] * 25)
    scaled = np.where((member == "b")[:, None], 100 + 30 * Y, Y)  # in units of its own
    table = pd.DataFrame(scaled, index=np.r_[days[:35], days[:25]], columns=["u", "v"])
    model = orff.FourierVAR("linear", standardise="members").fit(table, member=member)
    # each member by its own deviations and its own past: a regression of standardised rows
    units = {name: (scaled[member == name].mean(axis=0), scaled[member == name].std(axis=0)) for name in "ab"}
    z = np.array([(row - units[m][0]) / units[m][1] for m, row in zip(member, scaled, strict=True)])
    rows = [t for t in range(1, 60) if t != 35]
    X = np.column_stack([np.ones(58), z[[t - 1 for t in rows]]])
    by = np.linalg.lstsq(X, z[rows], rcond=None)[0]
    truth = np.full((60, 2), np.nan)
    for t, mean in zip(rows, X @ by, strict=True):
        truth[t] = units[member[t]][0] + units[member[t]][1] * mean
    found, std = model.predict(table, member=member, return_std=True)
    assert np.allclose(found, truth, atol=1e-8, equal_nan=True)
    assert list(found.columns) == ["u", "v"] and (found.index == table.index).all()
    noise = np.sqrt(np.diag(model.sigma_u))
    assert (std[member == "b"].iloc[1:] > 0.99 * units["b"][1] * noise).all().all()
    # a day that is missing leaves the next one without a past
    gap = table[member == "a"].drop(days[10])
    found = model.predict(gap, member=["a"] * 34)
    assert found.index[found.isna().all(axis=1)].tolist() == [days[0], days[11]]
    with pytest.raises(ValueError, match="member: expected one of a, b, got none"):
        model.predict(table[member == "a"])
    with pytest.raises(ValueError, match="Y: expected 2 columns .u, v., as was learned from, got 1"):
        model.predict(Y[:, :1], member=member)


def test_validation_is_that_of_refits():
    Y = turning(90)
    found = orff.FourierVAR("linear").validate(Y, window=40, step=5)
    errors = []
    for end in range(40, 90, 5):
        by = lstsq(Y[end - 40 : end], 1)
        errors.append(Y[end] - np.concatenate([[1.0], Y[end - 1]]) @ by)
    assert np.allclose(found.errors, errors, atol=1e-10) and found.windows == 10
    assert np.isclose(found.mse, np.mean(np.square(errors))) and (found.at == np.arange(40, 90, 5)).all()
    assert orff.FourierVAR("linear").validate(Y, window=40, expanding=True, horizon=3).by_step.shape == (3,)


def test_explosions_warn():
    rng = np.random.default_rng(0)
    y = [1.0]
    for _ in range(40):
        y.append(1.3 * y[-1] + 0.1 * rng.standard_normal())
    model = orff.FourierVAR("linear").fit(np.array(y))
    with pytest.warns(RuntimeWarning, match="the forecast explodes"):
        mean = model.forecast(60).mean
    assert np.isnan(mean[-1]).all() and np.isfinite(mean[0]).all()


def test_bad_series_are_refused():
    Y = turning(30)
    with pytest.raises(orff.ParameterError, match="order: expected order and rows ahead"):
        orff.FourierVAR("linear", order=30).fit(Y)
    with pytest.raises(ValueError, match="exog: expected 30 rows"):
        orff.FourierVAR("linear").fit(Y, exog=Y[:5])
    with pytest.raises(orff.ParameterError, match="window: expected"):
        orff.FourierVAR("linear").validate(Y, window=30)
    with pytest.raises(orff.ParameterError, match="steps: expected"):
        orff.FourierVAR("linear").fit(Y).forecast(0)
    with pytest.raises(ValueError, match="a linear one has them"):
        orff.FourierVAR(n_components=20).fit(Y).params  # noqa: B018
    constant = np.column_stack([Y[:, 0], np.full(30, 2.0)])
    assert np.allclose(orff.FourierVAR("linear").fit(constant).forecast(3).mean[:, 1], 2)


def test_the_fan_holds_the_forecast():
    import matplotlib.pyplot as plt

    table = pd.DataFrame(turning(60), columns=["a", "b"], index=pd.date_range("2001", periods=60, freq="D"))
    model = orff.FourierVAR("linear").fit(table)
    _, ax = plt.subplots()
    orff.plot.forecast(model, 12, variable="b", intervals=[0.5, 0.8, 0.95], ax=ax)
    assert len(ax.collections) == 3 and ax.get_ylabel() == "b"
    assert np.allclose(ax.lines[1].get_ydata(), model.forecast(12).mean["b"])
    with pytest.raises(ValueError, match="variable: expected one of a, b"):
        orff.plot.forecast(model, variable="c", ax=ax)
    plt.close("all")


def test_columns_of_a_history_are_those_of_the_series():
    Y = np.random.default_rng(3).normal(size=(60, 2)) * [1, 5]
    frame, known = pd.DataFrame(Y, columns=["a", "b"]), pd.DataFrame(Y[:, ::-1], columns=["u", "v"])
    model = orff.FourierVAR("linear").fit(frame, known)
    for ask in (model.forecast, model.impulse_response):
        with pytest.raises(ValueError, match="^history: expected the columns a, b as in the first rows, got b, a$"):
            ask(2, history=frame[["b", "a"]], exog=known[:2])
        with pytest.raises(ValueError, match="^exog: expected the columns u, v as in the first rows, got v, u$"):
            ask(2, history=frame, exog=known[["v", "u"]][:2])
    expected = model.forecast(2, history=Y, exog=known[:2].to_numpy()).mean
    assert (model.forecast(2, history=frame, exog=known[:2]).mean.to_numpy() == expected).all()
    # a series without names takes any
    bare = orff.FourierVAR("linear").fit(Y)
    assert bare.n_features_in_ == model.n_features_in_ == 2
    assert (bare.forecast(2, history=frame).mean.to_numpy() == bare.forecast(2).mean).all()


@pytest.mark.parametrize("zone", [None, "Europe/Paris"])
def test_weekends_are_no_gaps_where_no_row_is_on_one(zone):
    days = pd.date_range("2001-01-01", periods=80, freq="B", tz=zone)
    table = pd.DataFrame(turning(80), index=days, columns=["a", "b"])
    model = orff.FourierVAR("linear", order=6).fit(table)
    assert not any("gap" in line or "missing" in line for line in model.choices_)
    assert (model.params.to_numpy() == orff.FourierVAR("linear", order=6).fit(turning(80)).params).all()
    assert model.forecast(7).mean.index.equals(pd.date_range(days[-1], periods=8, freq="B")[1:])
    # a holiday is one row that is missing, on whose sides rows go on by weekdays
    model = orff.FourierVAR("linear").fit(table.drop(days[20]))
    assert any("2 of 79 steps" in line for line in model.choices_)
    friday = table.drop(days[20]).iloc[:59]
    assert days[59].day_name() == "Friday" and model.forecast(1, history=friday).mean.index[0] == days[60]


def test_hours_and_days_of_a_zone_are_of_its_clocks():
    # the clocks of Paris leave out an hour on 25 March 2001
    for start, freq in (("2001-03-20", "D"), ("2001-03-24 20:00", "h")):
        times = pd.date_range(start, periods=40, freq=freq, tz="Europe/Paris")
        model = orff.FourierVAR("linear").fit(pd.DataFrame(turning(40), index=times))
        assert not any("gap" in line for line in model.choices_)
        assert model.forecast(3).mean.index.equals(pd.date_range(times[-1], periods=4, freq=freq)[1:])


def test_spans_numbers_and_dates_go_on():
    Y = turning(40)
    for index in (pd.timedelta_range("0s", periods=40, freq="5min"), pd.Index(10.0 + 0.5 * np.arange(40))):
        mean = orff.FourierVAR("linear").fit(pd.DataFrame(Y, index=index)).forecast(2).mean
        assert list(mean.index) == [index[-1] + (index[1] - index[0]), index[-1] + 2 * (index[1] - index[0])]
    days = [datetime.date(2001, 1, 1) + datetime.timedelta(days=k) for k in range(40)]
    del days[20]
    for time in (days, [str(day) for day in days], pd.Series(pd.to_datetime(days)).dt.tz_localize("UTC")):
        model = orff.FourierVAR("linear").fit(np.delete(Y, 20, axis=0), time=time)
        assert any("2 of 39 steps" in line for line in model.choices_)
    with pytest.raises(ValueError, match="row 2, column time: 2001-01-01 does not come after 2001-01-02 of row 1"):
        orff.FourierVAR("linear").fit(Y[:39], time=[days[1], days[0], *days[2:]])


def test_a_series_of_pandas_is_answered_by_one():
    days = pd.date_range("2001-01-01", periods=60, freq="D")
    one = pd.Series(turning(60)[:, 0] + 0.1 * turning(60)[:, 1], index=days, name="gdp")
    model = orff.FourierVAR("linear", order=2).fit(one)
    found = model.forecast(3, interval=0.9)
    assert model.names == ["gdp"] and found.mean.name == "gdp" and found.mean.index.freq == days.freq
    assert np.allclose(found.mean, orff.FourierVAR("linear", order=2).fit(one.to_frame()).forecast(3).mean["gdp"])
    assert found.upper.shape == (3,) and model.predict(one).index.equals(days)
    assert model.forecast(1, history=one[:30]).mean.index[0] == days[30]


def test_an_index_of_members_and_times_is_a_panel():
    months = pd.date_range("2001-01-31", periods=40, freq="ME")
    index = pd.MultiIndex.from_product([["x", "y"], months], names=["member", "month"])
    Y = np.random.default_rng(4).normal(size=(80, 2)) + np.sin(np.arange(80))[:, None]
    table = pd.DataFrame(Y, index=index, columns=["a", "b"])
    model = orff.FourierVAR("linear").fit(table)
    plain = orff.FourierVAR("linear").fit(Y, member=["x"] * 40 + ["y"] * 40)
    assert (model.params.to_numpy() == plain.params).all()
    mean = model.forecast(2, member="y").mean
    assert (mean.to_numpy() == plain.forecast(2, member="y").mean).all()
    assert mean.index.equals(pd.date_range(months[-1], periods=3, freq="ME")[1:])
    assert model.predict(table).index.equals(index)
    assert model.forecast(1, member="x", history=table.loc[["x"]].iloc[:9]).mean.index[0] == months[9]
    with pytest.raises(ValueError, match="members and times, got one of 3 levels"):
        orff.FourierVAR("linear").fit(pd.concat([table], keys=["z"]))


def test_rows_to_come_are_of_the_times_to_come():
    months = pd.date_range("2001-01-31", periods=43, freq="ME")
    known = pd.DataFrame({"u": np.arange(43) % 5.0}, index=months)
    table = pd.DataFrame(turning(43), index=months, columns=["a", "b"])[:40]
    model = orff.FourierVAR("linear").fit(table, exog=known[:40])
    expected = model.forecast(3, exog=known[40:].to_numpy()).mean
    pd.testing.assert_frame_equal(model.forecast(3, exog=known[40:]).mean, expected)
    with pytest.raises(ValueError, match="^exog: expected the rows to come, 2004-05-31 .* got one of 2004-06-30"):
        model.forecast(2, exog=known[41:])


def test_what_is_wrong_is_said_in_words():
    Y = turning(40)
    model = orff.FourierVAR("linear").fit(pd.DataFrame(Y, columns=["a", "b"]))
    with pytest.raises(ValueError, match="history: expected at least 1 rows .* got 0×2"):
        model.forecast(2, history=np.zeros((0, 2)))
    with pytest.raises(ValueError, match="a series needs rows"):
        orff.FourierVAR("linear").fit(np.zeros((0, 2)))
    with pytest.raises(ValueError, match="^Y: expected the columns a, b as in the first rows, got b, a$"):
        model.predict(pd.DataFrame(Y, columns=["b", "a"]))
    with pytest.raises(ValueError, match="size: expected one number, or 2, one per variable"):
        model.impulse_response(2, size=[1, 2, 3])
    with pytest.raises(ValueError, match="none, as one series without members was learned from"):
        model.forecast(2, member="x")
    ended = Y.copy()
    ended[-1, 1] = np.nan
    with pytest.raises(ValueError, match="give a history that ends before it"):
        orff.FourierVAR("linear").fit(ended).forecast(2)
    with pytest.raises(ValueError, match=r"^exog: expected 2 rows to come \(steps\) of 1 variables, got none"):
        orff.FourierVAR("linear").fit(Y, Y[:, :1]).forecast(2)
    with pytest.warns(UserWarning, match="20 rows for 20 coefficients: the fit leaves no noise"):
        orff.FourierVAR("linear", order=20).fit(np.random.default_rng(0).normal(size=(40, 2)))


@pytest.mark.parametrize("method", ["features", "exact"])
def test_a_forecast_from_where_nothing_was_learned_says_so(method):
    Y = turning()
    model = orff.FourierVAR(method).fit(Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for end in (40, 90, 150):
            model.forecast(5, interval=0.9, history=Y[:end])
    with pytest.warns(RuntimeWarning, match="step 1 follows from rows further out than any that was learned from"):
        model.forecast(2, history=Y + 6)


def test_numbers_of_rows_grow():
    Y = turning(60)
    for wrong in (pd.DataFrame(Y).iloc[::-1], pd.DataFrame(Y).sample(frac=1, random_state=0)):
        for ask in (orff.FourierVAR("linear").fit, orff.FourierVAR("linear").validate):
            with pytest.raises(ValueError, match="^Y: index: row .* does not come after .* sort"):
                ask(wrong)
    model = orff.FourierVAR("linear").fit(pd.DataFrame(Y))
    with pytest.raises(ValueError, match="^history: index: row 2: 58 does not come after 59"):
        model.forecast(2, history=pd.DataFrame(Y).iloc[::-1])
    # each member has its own; rows that were dropped are no gap, unless the numbers are times, and it is said
    twice = pd.DataFrame(np.vstack([Y, Y]), index=np.r_[:60, :60])
    assert orff.FourierVAR("linear").fit(twice, member=np.repeat(["a", "b"], 60)).lags == 1
    dropped = pd.DataFrame(Y).drop([20, 40])
    with pytest.warns(UserWarning, match="index: row 21: 21 jumps by 2, .* give time=Y.index"):
        orff.FourierVAR("linear").fit(dropped)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = orff.FourierVAR("linear").fit(dropped, time=dropped.index)
    assert any("4 of 59 steps" in line for line in model.choices_)


def test_a_history_follows_as_the_rows_learned_from_do():
    days = pd.date_range("2001-01-01", periods=60, freq="B", name="day")
    table = pd.DataFrame(turning(60), index=days, columns=["a", "b"])
    model = orff.FourierVAR("linear", order=2).fit(table)
    for ask in (model.forecast, model.impulse_response):
        with pytest.raises(ValueError, match="does not come after"):
            ask(2, history=table.iloc[::-1])
        # two rows alone do not tell that one is missing between them: those learned from do
        for gap in (table.drop(days[-2]), table.iloc[[-3, -1]], table.iloc[::2]):
            with pytest.raises(ValueError, match="^history: expected 2 rows at its end that follow each other"):
                ask(2, history=gap)
        with pytest.raises(ValueError, match="^history: expected times as those learned from"):
            ask(2, history=table.tz_localize("UTC"))
    friday = table.iloc[[4, 5]]
    assert days[4].day_name() == "Friday"
    assert np.isfinite(model.forecast(1, history=friday).mean.to_numpy()).all()
    # a gap further back is none of its business
    known = model.forecast(2).mean
    assert (model.forecast(2, history=table.drop(days[30])).mean.to_numpy() == known.to_numpy()).all()
    assert known.index.name == "day"


def test_a_history_is_of_one_member():
    index = pd.MultiIndex.from_product([["x", "y"], pd.date_range("2001-01-01", periods=40)])
    table = pd.DataFrame(turning(80), index=index, columns=["a", "b"])
    model = orff.FourierVAR("linear", standardise="members").fit(table)
    own = model.forecast(2, member="y").mean
    pd.testing.assert_frame_equal(model.forecast(2, history=table.loc[["y"]]).mean, own)
    with pytest.raises(ValueError, match="^history: expected rows of x, got those of x, y"):
        model.forecast(2, history=table, member="x")
    with pytest.raises(ValueError, match="^history: expected rows of x, got those of y"):
        model.forecast(2, history=table.loc[["y"]], member="x")


@pytest.mark.parametrize("freq", ["ME", "MS", "QE", "QS", "YS", "BME", "B", "W", "2ME", "h"])
def test_a_row_that_is_missing_does_not_hide_the_frequency(freq):
    times = pd.date_range("2001-01-01", periods=60, freq=freq, name="when")
    coming = pd.date_range(times[-1], periods=4, freq=freq, name="when")[1:]
    table = pd.DataFrame(turning(60), index=times)
    for rows in (table, table.drop(times[25]), table.drop(times[[10, 11, 40]])):
        found = orff.FourierVAR("linear").fit(rows).forecast(3).mean.index
        pd.testing.assert_index_equal(found, coming)
    periods = pd.period_range("2001-01", periods=60, freq="M", name="when")
    found = orff.FourierVAR("linear").fit(pd.DataFrame(turning(60), index=periods)).forecast(2).mean.index
    assert found.name == "when" and found[0] == periods[-1] + 1


@pytest.mark.parametrize("method", ["linear", "features"])
def test_shocks_larger_than_the_series_are_followed(method):
    Y = turning(120)
    model = orff.FourierVAR(method, n_components=60).fit(1e-3 * Y)
    if method == "linear":
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = model.impulse_response(5)
        powers = [np.linalg.matrix_power(model.params[1:].T, k) for k in range(6)]
        assert np.allclose(found, powers, atol=1e-9)
    else:
        with pytest.warns(RuntimeWarning, match="a shock of y1 by 1.*: step 1 follows from rows further out"):
            assert np.isfinite(model.impulse_response(5)).all()


def test_constants_and_short_series_have_orders():
    Y = turning(120)
    model = orff.FourierVAR("linear", order="evidence").fit(np.column_stack([Y, np.ones(120)]))
    assert model.lags == orff.FourierVAR("linear", order="evidence").fit(Y).lags
    with pytest.raises(orff.ParameterError, match="^max_order: expected at most 3, as half of the rows"):
        orff.FourierVAR("linear", order="validation").fit(Y[:10])
    with pytest.raises(ValueError, match="lie too close together"):
        orff.FourierVAR("linear").fit(1e-200 * Y)


def test_deviations_of_errors_keep_their_unit():
    Y = np.cumsum(np.random.default_rng(1).normal(size=(40, 2)), axis=0)
    near, far = (orff.FourierVAR("linear", order=1).validate(unit * Y, window=10) for unit in (1.0, 2.0**332))  # 1e100
    assert far.sd / far.mse == pytest.approx(near.sd / near.mse, rel=1e-9)
