"""Draws docs/python.png: ``python docs/figures.py`` with the package and matplotlib installed."""

import pathlib

import matplotlib
import numpy as np
import orff

matplotlib.use("Agg")
import matplotlib.pyplot as plt

rng = np.random.default_rng(0)
P = rng.uniform(-2, 2, (150, 2))
gradient = np.column_stack([np.cos(P[:, 0]) * np.cos(P[:, 1]), -np.sin(P[:, 0]) * np.sin(P[:, 1])])
whirl = np.exp(-(P**2).sum(axis=1, keepdims=True)) * P[:, ::-1] * [1, -1]
noise = 0.05 * rng.normal(size=P.shape)
field = orff.VectorField("curl-free").fit(P, gradient + noise)
both = orff.VectorField().fit(P, gradient + whirl + noise)
smooth = orff.OperatorRidge(alpha="loo").fit(P, gradient + noise)

x = rng.uniform(0, 1.5, (400, 1))
spread = np.sin(6 * x[:, 0]) + (1.6 - x[:, 0]) * 0.3 * rng.normal(size=400)
fan = orff.QuantileFunction().fit(x, spread)
t = np.arange(240) / 6
series = np.column_stack([np.sin(t), np.cos(t)]) + 0.1 * rng.normal(size=(240, 2))
coming = orff.FourierVAR("linear", order=2).fit(series)

figure, axes = plt.subplots(2, 3, figsize=(15, 8), layout="constrained")
orff.plot.field(field, style="streamlines", ax=axes[0, 0]).set_title("a curl-free field and its training points")
orff.plot.potential(field, ax=axes[0, 1]).set_title("its potential")
orff.plot.curl_map(both, ax=axes[0, 2]).set_title("the curl of a field with a whirl")
orff.plot.path(smooth, ax=axes[1, 0]).set_title("scores along ridges")
orff.plot.quantile_fan(fan, ax=axes[1, 1]).set_title("quantiles")
orff.plot.forecast(coming, 36, ax=axes[1, 2]).set_title("a forecast")
figure.savefig(pathlib.Path(__file__).with_name("python.png"), dpi=80, bbox_inches="tight")
