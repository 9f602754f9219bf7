"""The functions behind the methods and operators of arrays, by name. They make arrays, so their
files import the class. `outhaul/__init__.py` imports them all, and gives them to the class by
`provide`."""

import types

functions = types.SimpleNamespace()
"""The package's public functions, and the others that `provide` got; `package` is the package."""


def provide(package, **others):
    """Takes the public functions of the package, and other functions by name."""
    public = {name: getattr(package, name) for name in package.__all__}
    vars(functions).update(public, package=package, **others)
