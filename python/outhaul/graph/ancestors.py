"""The ancestors of lazy arrays, parents first."""


def ancestors_of(arrays, replaced=None):
    """Returns all ancestors of these arrays and the arrays themselves, each after its parents."""
    order, seen, stack = [], set(), [(array.value, False) for array in reversed(arrays)]
    while stack:
        array, entered = stack.pop()
        array = (replaced or {}).get(id(array), array).value
        if entered:
            order.append(array)
        elif id(array) not in seen:
            seen.add(id(array))
            stack.append((array, True))
            stack.extend((parent, False) for parent in reversed(array.node.parents()))
    return order
