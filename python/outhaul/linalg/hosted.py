"""Functions of matrices that NumPy computes, in host memory, at once."""

import numpy as np

from ..functions.analysis.hosted import hosted

LinAlgError = np.linalg.LinAlgError
lstsq, eig, eigvals, cond, multi_dot = map(
    hosted,
    (np.linalg.lstsq, np.linalg.eig, np.linalg.eigvals, np.linalg.cond, np.linalg.multi_dot),
)
