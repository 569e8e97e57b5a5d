"""Times an ONNX model with onnxruntime as `executorch bench` times a .pte.

Inputs and outputs are bound before the clock starts, so that what is timed is
the run alone. Prints one line of JSON, under the name given, so that
`executorch bench compare` finds the pair.

    onnxruntime_runner.py MODEL.onnx --name MODEL.pte --threads 1 --seconds 1
"""
import argparse
import json
import time

import numpy as np
import onnxruntime as ort

DTYPES = {
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
    "tensor(float16)": np.float16,
    "tensor(int64)": np.int64,
    "tensor(int32)": np.int32,
    "tensor(int8)": np.int8,
    "tensor(uint8)": np.uint8,
    "tensor(bool)": np.bool_,
}


def make_input(info, rng):
    shape = [size if isinstance(size, int) else 1 for size in info.shape]
    dtype = DTYPES[info.type]
    if np.issubdtype(dtype, np.floating):
        return rng.uniform(-1, 1, shape).astype(dtype)
    return np.zeros(shape, dtype)  # valid as indices


def bind(session):
    binding = session.io_binding()
    rng = np.random.default_rng(0)
    for info in session.get_inputs():
        value = ort.OrtValue.ortvalue_from_numpy(make_input(info, rng))
        binding.bind_ortvalue_input(info.name, value)
    for info in session.get_outputs():
        binding.bind_output(info.name)
    session.run_with_iobinding(binding)
    for info, value in zip(session.get_outputs(), binding.get_outputs()):
        binding.bind_ortvalue_output(info.name, value)
    return binding


def microseconds(run):
    begin = time.perf_counter_ns()
    run()
    return (time.perf_counter_ns() - begin) / 1e3


def sample(run, runs, seconds, warm_up):
    end = time.monotonic() + warm_up
    run()
    while time.monotonic() < end:
        run()
    times = []
    start = time.monotonic()
    while len(times) < runs and time.monotonic() - start < seconds * (5 if len(times) < 3 else 1):
        times.append(microseconds(run))
    return sorted(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--name")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--warm-up", type=float, default=0.1)
    args = parser.parse_args()

    options = ort.SessionOptions()
    options.intra_op_num_threads = args.threads
    options.inter_op_num_threads = 1
    begin = time.perf_counter_ns()
    session = ort.InferenceSession(args.model, options, providers=["CPUExecutionProvider"])
    init = (time.perf_counter_ns() - begin) / 1e3
    binding = bind(session)
    times = sample(lambda: session.run_with_iobinding(binding), args.runs, args.seconds, args.warm_up)
    print(json.dumps({
        "name": args.name or args.model, "kind": "model", "isa": "best",
        "threads": args.threads, "runs": len(times), "min_us": times[0],
        "median_us": times[len(times) // 2], "p90_us": times[len(times) * 9 // 10],
        "init_us": init}))


if __name__ == "__main__":
    main()
