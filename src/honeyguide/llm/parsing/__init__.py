"""Replies in the wild, turned into verdicts, JSON objects and prompts; pure text work, no model, no network.

Every room above ``llm`` may import it, and nobody else parses a model's reply.
"""

from honeyguide.llm.parsing.json_objects import FoundObject, JsonScan, as_number, pick_object, scan_json
from honeyguide.llm.parsing.prompt_text import PromptProblem, PromptReply, clean_prompt_reply
from honeyguide.llm.parsing.reasoning import Answer, strip_reasoning
from honeyguide.llm.parsing.verdicts import ParsedVerdict, parse_verdict

__all__ = [
    "Answer",
    "FoundObject",
    "JsonScan",
    "ParsedVerdict",
    "PromptProblem",
    "PromptReply",
    "as_number",
    "clean_prompt_reply",
    "parse_verdict",
    "pick_object",
    "scan_json",
    "strip_reasoning",
]
