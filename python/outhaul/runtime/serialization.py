"""Values that travel between client and server, as bytes. Lazy arrays refer to each other,
thousands deep, and pickle follows references recursively. So each array is pickled separately, and
references to it are numbers."""

import io
import pickle

import cloudpickle

from ..arrays.array import Array


class Packer(cloudpickle.Pickler):
    """`arrays` are the arrays found so far, by number."""

    def __init__(self, file):
        super().__init__(file, protocol=5)
        self.arrays = []
        self.numbers = {}

    def persistent_id(self, value):
        if not isinstance(value, Array):
            return None
        value = value.value  # without what it is a view of
        if id(value) not in self.numbers:
            self.numbers[id(value)] = len(self.arrays)
            self.arrays.append(value)
        return self.numbers[id(value)]


class Unpacker(pickle.Unpickler):
    """Creates the arrays first, so that references to them can be restored by number."""

    def __init__(self, file, count):
        super().__init__(file)
        self.arrays = [Array.__new__(Array) for _ in range(count)]

    def persistent_load(self, number):
        return self.arrays[number]


def pack(value):
    """Returns a value as bytes."""
    body = io.BytesIO()
    packer = Packer(body)
    packer.dump(value)
    count = 0
    while count < len(packer.arrays):  # each may refer to new arrays
        packer.dump(vars(packer.arrays[count]))
        count += 1
    return pickle.dumps(count) + body.getbuffer()


def unpack(data):
    """Unpickles the bytes, which can run any code: only call it after the key was checked."""
    file = io.BytesIO(data)
    unpacker = Unpacker(file, pickle.load(file))
    value = unpacker.load()
    for array in unpacker.arrays:
        vars(array).update(unpacker.load())
    return value
