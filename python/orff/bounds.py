"""How far random features can be from their kernel, and what is learned from its mean error: the bounds of the papers, with
their misprints corrected (docs/bounds.md has the theorems and the proofs). `bound` and `variance` are of features, `report` is of a
fitted model, the others are formulas.

>>> from orff import bounds
>>> answer = bounds.bound("curl-free", dimension=3, diameter=2.0, n_components=200_000, epsilon=0.2)
>>> answer.asked, answer.best.name
('probability', 'brault-2017-bounded')
>>> answer.best.value < 1e-6
True
"""

from ._bounds_alignment import alignment, landmark
from ._bounds_features import Answer, Bound, Variance, bound, variance
from ._bounds_fitted import Report, report
from ._bounds_learning import consistency, generalisation, warped

__all__ = [
    "Answer",
    "Bound",
    "Report",
    "Variance",
    "alignment",
    "bound",
    "consistency",
    "generalisation",
    "landmark",
    "report",
    "variance",
    "warped",
]
