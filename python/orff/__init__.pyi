# Made by `cargo xtask gen` from the declarations of the library: change those, not this file.

from . import bounds as bounds, kernels as kernels, plot as plot
from ._learners import AlignedClassifier as AlignedClassifier
from ._learners import AlignedFeatures as AlignedFeatures
from ._learners import ExactLaplacianClassifier as ExactLaplacianClassifier
from ._learners import ExactLaplacianRidge as ExactLaplacianRidge
from ._learners import ExactOperatorRidge as ExactOperatorRidge
from ._learners import FourierFeatures as FourierFeatures
from ._learners import FourierOneClassSVM as FourierOneClassSVM
from ._learners import FourierVAR as FourierVAR
from ._learners import FunctionalRidge as FunctionalRidge
from ._learners import IsolationForest as IsolationForest
from ._learners import JointQuantileRegression as JointQuantileRegression
from .kernels import Kernel as Kernel
from ._learners import LandmarkClassifier as LandmarkClassifier
from ._learners import LandmarkFeatures as LandmarkFeatures
from ._learners import LaplacianClassifier as LaplacianClassifier
from ._learners import LaplacianFeatures as LaplacianFeatures
from ._learners import LaplacianRidge as LaplacianRidge
from ._learners import LevelSets as LevelSets
from ._gatherer import Moments as Moments
from ._learners import NystromRidge as NystromRidge
from ._learners import OneClassForest as OneClassForest
from ._learners import OperatorClassifier as OperatorClassifier
from ._learners import OperatorRidge as OperatorRidge
from ._errors import ParameterError as ParameterError
from ._learners import QuantileFunction as QuantileFunction
from ._learners import RiskRegressor as RiskRegressor
from ._learners import SemiSupervisedClassifier as SemiSupervisedClassifier
from ._learners import SemiSupervisedRidge as SemiSupervisedRidge
from ._learners import VectorField as VectorField
from .kernels import atoms as atoms
from .kernels import cauchy as cauchy
from .kernels import conjugate as conjugate
from .kernels import curl_free as curl_free
from .kernels import decomposable as decomposable
from .kernels import div_free as div_free
from .kernels import gaussian as gaussian
from .kernels import helmholtz as helmholtz
from .kernels import laplace as laplace
from ._base import load as load
from .kernels import matern as matern
from .kernels import precompose as precompose
from .kernels import skewed_chi2 as skewed_chi2
from .kernels import spectral_mixture as spectral_mixture
from .kernels import transformable as transformable

__version__: str
