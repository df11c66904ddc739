"""PyTorch's and CuPy's arrays on a GPU through plx: bits, streams, graphs, devices, growth of memory; and the time of a call.
To be run by hand:  PYTHONPATH=python PLX_LIBRARY=build/.libs/libparallax.so python3 tests/python/native_torch.py"""

import sys
import threading
import time

import plx

failures = 0


def say(well, what, more=""):
    global failures
    failures += not well
    print("%s: %s%s" % ("ok" if well else "FAILED", what, ": %s" % more if more != "" else ""), flush=True)


def with_torch(torch):
    def whole(*shape):
        return torch.randint(-8, 9, shape, device="cuda").float()

    a, b = whole(64, 48), whole(48, 80)
    expected = (a.double() @ b.double()).float()
    say(torch.equal(plx.gemm(a, b), expected), "torch: a product")
    say(torch.equal(plx.gemm(b.T, a.T), expected.T), "torch: of transposed views")
    say(torch.equal(plx.gemm(a[:, 1:], b[1:]), (a[:, 1:].double() @ b[1:].double()).float()), "torch: of slices")
    half = plx.gemm(a.half(), b.half(), out=torch.empty(64, 80, device="cuda"))
    say(torch.equal(half, expected), "torch: float16 into float32")
    say(torch.equal(plx.gemm(a.bfloat16(), b.bfloat16(), out=torch.empty(64, 80, device="cuda")), expected), "torch: bfloat16")
    for bad, word in ((a.requires_grad_(False).clone().requires_grad_(True), ""), (a.to_sparse(), ""), (a > 0, "elements")):
        try:
            plx.reduce(bad, out=torch.empty((), device="cuda"))
            say(False, "torch: %s is taken" % bad.layout)
        except (BufferError, RuntimeError, plx.Error, TypeError) as why:
            say(word in str(why), "torch: refused", str(why)[:90])
    right = 0
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for i in range(50):
            x = whole(64, 48)
            torch.cuda._sleep(20000000)  # some 10 ms in which x is not there yet
            x.add_(i)
            right += torch.equal(plx.gemm(x, b), (x.double() @ b.double()).float())
    say(right == 50, "torch: behind late kernels of its stream", "%d of 50" % right)
    c, t, s = torch.empty(64, 80, device="cuda"), torch.empty(80, 64, device="cuda"), torch.empty((), device="cuda")
    plans = plx.plan("gemm", a, b, c), plx.plan("transpose", c, t), plx.plan("reduce", t, s, reduction="max")
    graph, right = torch.cuda.CUDAGraph(), 0
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        stream = torch.cuda.current_stream().cuda_stream
        queue = plx.Queue(stream)
        plans[0](a, b, c, queue=queue)
        plans[1](c, t, queue=queue)
        plans[2](t, s, queue=queue)
    for i in range(1000):
        a.copy_(whole(64, 48))
        graph.replay()
        product = (a.double() @ b.double()).float()
        right += torch.equal(t, product.T) and bool(s == product.max())
    say(right == 1000, "torch: replays of a graph, captured without a reservation", "%d of 1000" % right)
    del graph

    def work(seed, wrong):
        draw = torch.Generator().manual_seed(seed)
        before = torch.cuda.current_device()
        for i in range(1000):
            m, n, k = (int(v) for v in torch.randint(1, 65, (3,), generator=draw))
            x, y = whole(m, k), whole(k, n)
            wrong.append(not torch.equal(plx.gemm(x, y), (x.double() @ y.double()).float()))
        wrong.append(torch.cuda.current_device() != before)

    wrong = []
    for turn in range(2):
        threads = [threading.Thread(target=work, args=(seed, wrong)) for seed in range(4)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        free = torch.cuda.mem_get_info()[0]
        if turn == 0:
            settled = free
    say(not any(wrong), "torch: 8000 drawn products of 4 threads, and their device")
    say(free > settled - (64 << 20), "torch: memory does not grow", "%d bytes" % (settled - free))
    a, b, c = whole(256, 256), whole(256, 256), whole(256, 256)
    plan = plx.plan("gemm", a, b, c)
    for name, call in (("gemm", lambda: plx.gemm(a, b, out=c)), ("plan", lambda: plan(a, b, c)), ("torch", lambda: torch.mm(a, b, out=c))):
        best = 1e9
        for _ in range(20):
            torch.cuda.synchronize()
            start = time.perf_counter()
            for _ in range(50):
                call()
            best = min(best, (time.perf_counter() - start) / 50)
        print("time: 256^3 by %s: %.1f us a call" % (name, best * 1e6))


def with_cupy(cupy):
    a, b = cupy.arange(12, dtype="f4").reshape(3, 4), cupy.arange(20, dtype="f4").reshape(4, 5)
    say(bool((plx.gemm(a, b) == a @ b).all()), "cupy: a product")
    say(bool((plx.gemm(b.T, a.T) == b.T @ a.T).all()), "cupy: of transposed views")
    with cupy.cuda.Stream(non_blocking=True) as stream:
        c, t, s, a2 = cupy.zeros((3, 5), "f4"), cupy.zeros((5, 3), "f4"), cupy.zeros((), "f4"), a.copy()
        plans = plx.plan("gemm", a2, b, c), plx.plan("transpose", c, t), plx.plan("reduce", t, s, reduction="max")
        queue = plx.Queue(stream)
        for plan in plans:
            queue.reserve(plan)
        stream.synchronize()
        stream.begin_capture()
        plans[0](a2, b, c, queue=queue)
        plans[1](c, t, queue=queue)
        plans[2](t, s, queue=queue)
        graph = stream.end_capture()
        right = 0
        for i in range(1000):
            a2[...] = a + i % 100
            graph.launch(stream)
            product = (a + i % 100) @ b
            right += bool((t == product.T).all()) and bool(s == product.max())
        say(right == 1000, "cupy: replays of a graph", "%d of 1000" % right)


def main():
    found = False
    for name, prove in (("torch", with_torch), ("cupy", with_cupy)):
        try:
            module = __import__(name)
        except ImportError:
            print("note: there is no %s" % name)
            continue
        found = True
        prove(module)
    print("%d failed" % failures)
    return 77 if not found else failures != 0


if __name__ == "__main__":
    sys.exit(main())
