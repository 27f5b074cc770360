"""Data that the tests share."""

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")


@pytest.fixture(scope="session")
def rows():
    """A smooth function with three inputs and two outputs, and a little noise."""
    rng = np.random.default_rng(3)
    X = rng.uniform(-2, 2, (150, 3))
    Y = np.column_stack([np.sin(1.5 * X[:, 0]) + X[:, 1], X[:, 0] * X[:, 2]])
    return X, Y + 0.05 * rng.normal(size=Y.shape)


@pytest.fixture(scope="session")
def plane():
    """A field in the plane that is the gradient of sin(x)·cos(y)."""
    rng = np.random.default_rng(5)
    X = rng.uniform(-1.5, 1.5, (120, 2))
    Y = np.column_stack([np.cos(X[:, 0]) * np.cos(X[:, 1]), -np.sin(X[:, 0]) * np.sin(X[:, 1])])
    return X, Y
