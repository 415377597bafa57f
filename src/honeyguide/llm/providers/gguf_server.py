"""The child process that runs a model file: ``python -m honeyguide.llm.providers.gguf_server FILE CONTEXT SLOTS``.

Prints ``ready PORT`` once the model answers on loopback. Ends when its standard input is closed, so it cannot
outlive the program that started it.
"""

from __future__ import annotations

import os
import sys

KEY_VARIABLE = "HONEYGUIDE_GGUF_KEY"


def main(arguments: list[str]) -> int:
    """Serve the file until standard input ends."""
    import xllamacpp

    path, context, slots = arguments[0], int(arguments[1]), int(arguments[2])
    key = os.environ.pop(KEY_VARIABLE, "")
    params = xllamacpp.CommonParams()
    params.model.path = path
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_parallel = slots
    params.n_ctx = context * slots
    # one processor is left to the window; llama.cpp spins, and two programs spinning on one starve both
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = max(1, (os.cpu_count() or 2) - 1)
    params.sampling.temp = 0.0
    params.sampling.seed = 1
    params.ui = False
    if key:
        params.api_keys = [key]
    server = xllamacpp.Server(params)
    port = server.listening_address.rsplit(":", 1)[1].strip("/")
    sys.stdout.write(f"ready {port}\n")
    sys.stdout.flush()
    while sys.stdin.buffer.read(4096):
        pass
    os._exit(0)  # the server's own threads would keep the process


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
