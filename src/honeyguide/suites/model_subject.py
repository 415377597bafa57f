"""Any prompt under a suite: a model answers each case's input with the text as its system prompt."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

from honeyguide.feedback.items import FailureClass
from honeyguide.kernel.errors import AuthFailed, ModelError, ModelRefused, NoKey
from honeyguide.llm.protocol import Message, ModelClient, ModelRef, ModelRequest
from honeyguide.suites.cases import EvalCase
from honeyguide.suites.runner import Attempt


class ModelSubject:
    """A ``Subject``: one text of an agent, asked through a model. Each trial is another sample."""

    def __init__(self, client: ModelClient, model: ModelRef, text: str, *, max_tokens: int = 2048) -> None:
        self._client = client
        self._model = model
        self._text = text
        self._max_tokens = max_tokens
        self._trials: Counter[str] = Counter()

    async def run(self, case: EvalCase, folder: Path) -> Attempt:
        """Ask once. Raises BudgetExceeded or Interrupted; a model that fails is an attempt that failed."""
        number = self._trials[case.name]
        self._trials[case.name] += 1
        given = "\n\n".join(text for text in (case.input, case.prompt, case.stdin) if text)
        request = ModelRequest(
            self._model, (Message("user", given or " "),), self._text, self._max_tokens, repetition=number
        )
        try:
            reply = await asyncio.wait_for(self._client.complete(request), case.timeout_ms / 1000)
        except TimeoutError:
            return Attempt("", "no answer in time", None, timed_out=True)
        except (NoKey, AuthFailed) as error:
            return Attempt("", error.message, 1, failure=FailureClass.AUTH)
        except ModelRefused as error:
            return Attempt("", error.message, 1, failure=FailureClass.ENVIRONMENT)
        except ModelError as error:
            return Attempt("", error.message, 1, failure=FailureClass.PROVIDER)
        return Attempt(reply.text)
