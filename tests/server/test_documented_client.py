"""The example client of docs/http.md, run as it stands there."""

from __future__ import annotations

import re
import threading
import time
from pathlib import Path

from tests.server.servers import PERSONA, proposed

PAGE = Path(__file__).parents[2] / "docs" / "http.md"


def test_the_client_of_the_documentation_reloads_after_a_deploy_and_a_rollback(waiting, client, server):
    code = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[1]
    assert code.count("\n") <= 30
    agent: dict[str, object] = {}
    exec(code.replace("http://127.0.0.1:3737", server.url), agent)
    key = (PERSONA, "writer")
    agent["load"](*key)
    shipped = agent["prompts"][key]
    threading.Thread(target=agent["follow"], daemon=True).start()

    def wait_for(text):
        end = time.monotonic() + 20
        while agent["prompts"][key] != text:
            assert time.monotonic() < end
            time.sleep(0.02)

    run = proposed(client)
    client.post(f"/api/evolution/runs/{run['run_uuid']}/accept", json={"note": "ok"}, headers=server.auth)
    wait_for(run["winner_text"])
    server.ask(server.workspace.rollback("writer"))
    wait_for(shipped)
