"""Functions of lazy arrays that take what NumPy's take: lists, numbers and NumPy arrays in place of
the array, and `out=`."""

import functools
import inspect

from .method_functions import functions
from .numpy_protocols import written_out


def accepting(function):
    """Returns the function, with its first argument made a lazy array if it is none, and with
    `out=` if it has none itself."""
    has_out = "out" in inspect.signature(function).parameters

    @functools.wraps(function)
    def call(array, *others, out=None, **options):
        if not isinstance(array, functions.Array):
            array = functions.asarray(array)
        if has_out:
            return function(array, *others, **options, **({} if out is None else {"out": out}))
        made = function(array, *others, **options)
        return made if out is None else written_out(function.__name__, [array], made, out)

    return call


def takes_array(function):
    """Returns whether the first parameter is declared as a lazy array."""
    own = inspect.unwrap(function) if inspect.isfunction(function) else None
    if not inspect.isfunction(own) or hasattr(function, "is_changing"):
        return False
    [first] = own.__code__.co_varnames[:1] if own.__code__.co_argcount else [None]
    return own.__annotations__.get(first) == "Array"


def accept_all(module):
    """Replaces the public functions of a module that take a lazy array first."""
    for name in module.__all__ if hasattr(module, "__all__") else list(vars(module)):
        function = getattr(module, name)
        if not name.startswith("_") and takes_array(function):
            setattr(module, name, accepting(function))
