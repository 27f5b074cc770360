"""Classifiers with a learned kernel."""

from __future__ import annotations

from ._alignment import LearnedKernel
from ._classifier import Classifier


class Aligned(LearnedKernel, Classifier):
    """Fits labels with a kernel that is learned from them first."""
