"""Where the names of the package are."""

# Made by `cargo xtask gen` from the declarations of the library: change those, not this file.

PLACES = {
    "ExactLaplacianRidge": "_learners",
    "ExactOperatorRidge": "_learners",
    "FourierFeatures": "_learners",
    "FourierVAR": "_learners",
    "Kernel": "kernels",
    "LaplacianFeatures": "_learners",
    "LaplacianRidge": "_learners",
    "Moments": "_gatherer",
    "NystromRidge": "_learners",
    "OperatorClassifier": "_learners",
    "OperatorRidge": "_learners",
    "ParameterError": "_errors",
    "SemiSupervisedRidge": "_learners",
    "VectorField": "_learners",
    "atoms": "kernels",
    "cauchy": "kernels",
    "conjugate": "kernels",
    "curl_free": "kernels",
    "decomposable": "kernels",
    "div_free": "kernels",
    "gaussian": "kernels",
    "helmholtz": "kernels",
    "laplace": "kernels",
    "load": "_base",
    "matern": "kernels",
    "precompose": "kernels",
    "skewed_chi2": "kernels",
    "transformable": "kernels",
}
