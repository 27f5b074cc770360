"""scikit-learn's own checks, with nothing expected to fail, and its tools."""

import numpy as np
import orff
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks


class SquareField(orff.VectorField):
    """A field needs as many outputs as inputs: repeats the outputs of the checks, and answers with the first."""

    def fit(self, X, y, sample_weight=None):
        if y is None:
            return super().fit(X, y, sample_weight)
        self._asked = np.shape(y)[1:]
        width = X.shape[1] if hasattr(X, "shape") and len(X.shape) == 2 else np.shape(X)[-1]
        outputs = np.asarray(y).reshape(len(y), -1)
        # a plane is the smallest space with fields; one input gets an independent field of one component
        self._lone = width == 1
        self.set_params(kernel="decomposable" if self._lone else self.kernel)
        return super().fit(X, np.resize(outputs.T, (width, len(outputs))).T, sample_weight)

    def predict(self, X):
        wide = super().predict(X)
        return wide[:, 0] if not self._asked else wide[:, np.arange(self._asked[0]) % wide.shape[1]]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.single_output = True
        return tags


SMALL = {"n_components": 128}

@parametrize_with_checks(
    [
        orff.FourierFeatures(),
        orff.OperatorRidge(),
        orff.ExactOperatorRidge(),
        orff.NystromRidge(),
        SquareField(),
    ]
)
def test_check_estimator(estimator, check):
    check(estimator)
