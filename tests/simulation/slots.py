"""A time-indexed model of the same machine in CP-SAT: can an instance finish within so many slots?

It checks the exact search with another solver and another formulation. They share nothing, so the
graphs are defined here again. Heuristics, and hints from the checked search, are deliberately
absent."""

from dataclasses import dataclass, field

from ortools.sat.python import cp_model


@dataclass
class Graph:
    size: list = field(default_factory=list)  # slots on a link, also the unit of memory
    given: set = field(default_factory=set)
    kept: set = field(default_factory=set)
    tasks: list = field(default_factory=list)  # (inputs, outputs)

    def data(self, size, given=False):
        self.size.append(size)
        if given:
            self.given.add(len(self.size) - 1)
        return len(self.size) - 1

    def task(self, inputs, sizes):
        outputs = [self.data(size) for size in sizes]
        self.tasks.append((list(inputs), outputs))
        return outputs


def build(instance):
    graph, n, size = Graph(), instance.partitions, instance.size
    inputs = lambda count: [graph.data(size, True) for _ in range(count)]
    if instance.app == "blur":
        row = inputs(n)
        for _ in range(instance.iterations):
            row = [graph.task(row[max(i - 1, 0) : i + 2], [size])[0] for i in range(n)]
        graph.kept = set(row)
    elif instance.app == "matmul":
        a, b = [[p] for p in inputs(n // 2)], inputs(n // 2)
        for _ in range(instance.iterations):
            a = [[graph.task([*row, col], [size])[0] for col in b] for row in a]
        graph.kept = {p for row in a for p in row}
    elif instance.app == "sort":
        row = inputs(n)
        for _ in range(instance.iterations):
            buckets = [graph.task([p], [size // n] * n) for p in row]
            row = [graph.task([bucket[j] for bucket in buckets], [size])[0] for j in range(n)]
        graph.kept = set(row)
    elif instance.app == "outer":
        a, b = inputs(n), inputs(n)
        for p in a:
            for q in b:
                graph.task([p, q], [])
    elif instance.app == "gemm":
        a, b, c = inputs(n * n), inputs(n * n), inputs(n * n)
        for k in range(n):
            for i in range(n):
                for j in range(n):
                    c[i * n + j] = graph.task([a[i * n + k], b[k * n + j], c[i * n + j]], [size])[0]
        graph.kept = set(c)
    return graph


def feasible(instance, slots, seconds):
    """Returns True, False, or None when the time is up."""
    graph, model = build(instance), cp_model.CpModel()
    gpus, parts, tasks = range(instance.gpus), range(len(graph.size)), range(len(graph.tasks))
    cost, times = instance.compute, range(slots)
    new = lambda: model.NewBoolVar("")
    start = {(s, g, t): new() for s in tasks for g in gpus for t in times}
    load = {(p, g, t): new() for p in parts for g in gpus for t in times}
    store = {(p, g, t): new() for p in parts for g in gpus for t in times}
    have = {(p, g, t): new() for p in parts for g in gpus for t in range(slots + 1)}
    host = {(p, t): new() for p in parts for t in range(slots + 1)}
    read = {(p, t): new() for p in graph.given for t in times} if instance.read else {}
    write = {(p, t): new() for p in graph.kept for t in times} if instance.read else {}
    running = lambda var, key, length, t: [
        var[(*key, u)] for u in range(max(0, t - length + 1), t + 1)
    ]
    maker = {p: s for s, (_, outputs) in enumerate(graph.tasks) for p in outputs}

    for s in tasks:
        model.AddExactlyOne(start[s, g, t] for g in gpus for t in times)
        for g in gpus:
            for t in times:
                if t + cost > slots:
                    model.Add(start[s, g, t] == 0)
                for p in graph.tasks[s][0]:
                    for u in range(t, min(t + cost, slots)):
                        model.AddImplication(start[s, g, t], have[p, g, u])
    for p in parts:
        for g in gpus:
            model.Add(have[p, g, 0] == 0)
            for t in times:
                size = graph.size[p]
                model.AddImplication(load[p, g, t], host[p, t])
                for u in range(t, t + size):
                    if u < slots:
                        model.AddImplication(store[p, g, t], have[p, g, u])
                    else:
                        model.Add(store[p, g, t] == 0)
                arrives = [load[p, g, t + 1 - size]] if t + 1 - size >= 0 else []
                if p in maker and t + 1 - cost >= 0:
                    arrives.append(start[maker[p], g, t + 1 - cost])
                model.AddBoolOr([have[p, g, t + 1].Not(), have[p, g, t], *arrives])
        model.Add(host[p, 0] == (1 if p in graph.given and not instance.read else 0))
        for t in times:
            arrives = [
                store[p, g, t + 1 - graph.size[p]] for g in gpus if t + 1 - graph.size[p] >= 0
            ]
            length = instance.read
            if (p, 0) in read and t + 1 - length >= 0:
                arrives.append(read[p, t + 1 - length])
            model.AddBoolOr([host[p, t + 1].Not(), host[p, t], *arrives])
    for p in graph.kept:
        if not instance.read:
            model.Add(host[p, slots] == 1)
            continue
        model.AddExactlyOne(write[p, t] for t in times)
        for t in times:
            model.AddImplication(write[p, t], host[p, t])
            if t + instance.write > slots:
                model.Add(write[p, t] == 0)
    unit = instance.size
    for t in times:
        down = {g: sum((running(load, (p, g), graph.size[p], t) for p in parts), []) for g in gpus}
        up = {g: sum((running(store, (p, g), graph.size[p], t) for p in parts), []) for g in gpus}
        for g in gpus:
            model.AddAtMostOne(sum((running(start, (s, g), cost, t) for s in tasks), []))
            if instance.sharing == "half":
                model.AddAtMostOne(down[g] + up[g])
            elif instance.sharing == "full":
                model.AddAtMostOne(down[g])
                model.AddAtMostOne(up[g])
            used = [graph.size[p] * have[p, g, t] for p in parts]
            used += [
                graph.size[p] * var
                for p in parts
                for var in running(load, (p, g), graph.size[p], t)
            ]
            for s in tasks:
                made = sum(graph.size[p] for p in graph.tasks[s][1])
                used += [made * var for var in running(start, (s, g), cost, t)]
            model.Add(sum(used) <= instance.memory * unit)
        if instance.sharing == "bus":
            model.AddAtMostOne(sum(down.values(), []))
            model.AddAtMostOne(sum(up.values(), []))
        if instance.read:
            model.AddAtMostOne(
                sum((running(read, (p,), instance.read, t) for p in graph.given), [])
            )
            model.AddAtMostOne(
                sum((running(write, (p,), instance.write, t) for p in graph.kept), [])
            )
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = seconds
    solver.parameters.num_workers = 1
    answer = solver.Solve(model)
    return {cp_model.OPTIMAL: True, cp_model.FEASIBLE: True, cp_model.INFEASIBLE: False}.get(answer)
