"""Every setting once: key, type, default, range, help. Kept in ``honeyguide.toml``; never a secret.

Code, dialog, documentation and JSON schema read this table.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from honeyguide.kernel.errors import InvalidInput, Unreadable
from honeyguide.versions import write_atomically

SettingType = Literal["text", "whole", "number", "switch", "choice", "texts", "table"]


@dataclass(frozen=True, slots=True)
class Setting:
    """One thing a person can set.

    Attributes:
        key: ``table.name`` as it stands in the file.
        default: its value while nobody set it; ``None`` means "not set".
        choices: what a ``choice`` may be.
        least, most: bounds of a number, inclusive.
    """

    key: str
    type: SettingType
    default: Any
    title: str
    help: str
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None


OWN_SERVERS = ("models.openai_servers", "models.anthropic_servers")
TIMEOUT_HELP = "Seconds a call may take; 120 for answers and grades, 300 for the rest, 900 on this computer."

SETTINGS: tuple[Setting, ...] = (
    Setting("models.executor", "text", None, "Model that answers", "PROVIDER:MODEL; empty until a model is chosen."),
    Setting("models.judge", "text", None, "Model that grades", "PROVIDER:MODEL; better not the one that answers."),
    Setting("models.mutator", "text", None, "Model that proposes changes", "PROVIDER:MODEL; a strong one."),
    Setting("models.maintainer", "text", None, "Model that maintains flows", "PROVIDER:MODEL."),
    Setting("models.base_urls", "table", {}, "Addresses", "PROVIDER = address, where it is not the usual one."),
    Setting(
        "models.openai_servers",
        "table",
        {},
        "Further servers (Chat Completions)",
        "NAME = address; its models are NAME:MODEL, its key is in NAME_API_KEY.",
    ),
    Setting(
        "models.anthropic_servers",
        "table",
        {},
        "Further servers (Messages API)",
        "NAME = address; its models are NAME:MODEL, its key is in NAME_API_KEY.",
    ),
    Setting("models.gguf_files", "table", {}, "Model files", "NAME = path of a .gguf file on this computer."),
    Setting("models.concurrency", "whole", 8, "Calls at the same time", "At one provider.", least=1, most=64),
    Setting("models.ca_file", "text", None, "Certificates", "A PEM file trusted besides the system's."),
    Setting("models.proxy", "text", None, "Proxy", "Used for everything but this computer."),
    *(
        Setting(f"models.timeout_{role}", "number", None, f"Time-out: {words}", TIMEOUT_HELP, least=1, most=7200)
        for role, words in (
            ("executor", "answers"),
            ("judge", "grades"),
            ("mutator", "proposals"),
            ("maintainer", "flows"),
        )
    ),
    Setting("models.judge_exam_passed", "switch", True, "Judge may verify", "Set by the judge exam."),
    Setting("limits.calls_per_run", "whole", None, "Calls a run may make", "A ceiling for every run.", least=1),
    Setting("limits.usd_per_run", "number", None, "Money a run may cost", "In US dollars.", least=0),
    Setting("limits.tokens_per_run", "whole", None, "Tokens a run may take", "Read and written, together.", least=1),
    Setting("limits.calls_per_day", "whole", None, "Calls a day may make", "Over all runs and programs.", least=1),
    Setting("limits.usd_per_day", "number", None, "Money a day may cost", "In US dollars, over all runs.", least=0),
    Setting("limits.tokens_per_day", "whole", None, "Tokens a day may take", "Over all runs and programs.", least=1),
    Setting("limits.calls_in_all", "whole", None, "Calls in all", "A ceiling for this workspace, for ever.", least=1),
    Setting("limits.usd_in_all", "number", None, "Money in all", "In US dollars, for this workspace.", least=0),
    Setting("limits.tokens_in_all", "whole", None, "Tokens in all", "A ceiling for this workspace.", least=1),
    Setting(
        "runs.preset", "choice", "efficient", "Search", "How much a run looks at.", ("efficient", "thorough", "quick")
    ),
    Setting("runs.min_delta", "number", 0.02, "Smallest gain", "Worth a proposal, as a share of 1.", least=-1, most=1),
    Setting(
        "runs.batch_verification",
        "switch",
        False,
        "Prove in batches",
        "Half the price where it is offered; takes minutes to hours.",
    ),
    Setting(
        "runs.max_growth",
        "number",
        0.2,
        "Longest growth",
        "How much longer a text may become, as a share of 1; more for short texts.",
        least=0,
        most=20,
    ),
    Setting("runs.allow_looser_gates", "switch", False, "Looser rules", "Whether a request may loosen the gates."),
    Setting(
        "privacy.replace_personal", "switch", True, "Personal data", "Replace mail addresses, phone numbers, home."
    ),
    Setting("privacy.never_send_folders", "texts", [], "Never send", "Traces of these folders reach no model."),
    Setting("files.trusted_folders", "texts", [], "Trusted folders", "Files may be changed inside these."),
    Setting("files.git_commit", "switch", False, "Commit to git", "Commit a deployed file to its repository."),
    Setting("history.watch_folders", "texts", [], "Watched folders", "New sessions in these are picked up."),
    Setting(
        "history.least_answer",
        "whole",
        5,
        "Shortest answer",
        "Characters that make an answer an example; 3 for agents that answer in labels.",
        least=3,
        most=1000,
    ),
    Setting("history.archive", "switch", False, "Archive", "Keep copies of sessions before they are deleted."),
    Setting(
        "service.enabled", "switch", False, "Autonomous service", "Looks for improvements by itself; never deploys."
    ),
    Setting("service.tick_minutes", "whole", 360, "Service interval", "Minutes between two looks.", least=1),
    Setting("service.min_traces", "whole", 20, "New traces needed", "Before a target is tried again.", least=1),
    Setting("service.calls_per_day", "whole", 2000, "Service calls a day", "Ceiling of the service.", least=1),
    Setting("service.usd_per_day", "number", 1.0, "Service money a day", "In US dollars.", least=0),
    Setting("service.targets", "texts", [], "Further targets", "Targets besides personas and sections."),
    Setting("server.origins", "texts", [], "Allowed origins", "Web pages that may call the HTTP API, as https://host."),
    Setting("server.hosts", "texts", [], "Host names", "Further names under which the HTTP API may be called."),
    Setting(
        "window.theme", "choice", "system", "Appearance", "Light, dark, or as the system.", ("system", "light", "dark")
    ),
    Setting(
        "window.change_colours",
        "choice",
        "green-red",
        "Colours of changes",
        "New and removed text; blue and orange for people who mix up green and red.",
        ("green-red", "blue-orange"),
    ),
    Setting("window.language", "text", None, "Language", "As the system when empty, e.g. de."),
    Setting("window.single_keys", "switch", True, "Single-letter keys", "A, R, T, N, P while a list has the focus."),
    Setting("window.reduced_motion", "switch", False, "Less motion", "No fades."),
    Setting("window.tray", "switch", False, "Tray icon", "Shows a badge when a run ends."),
    Setting("updates.url", "text", None, "Update address", "Asked only when you say so, or opted in."),
    Setting("updates.public_key", "text", None, "Update key", "Of whoever runs the address; base64, ed25519."),
    Setting("updates.check", "switch", False, "Look for updates", "Once a day; nothing is downloaded by itself."),
)
_BY_KEY = {setting.key: setting for setting in SETTINGS}


def setting_named(key: str) -> Setting:
    """Return one setting. Raises InvalidInput for an unknown key."""
    found = _BY_KEY.get(key)
    if found is None:
        raise InvalidInput(f"There is no setting called {key!r}.", hint=f"Known are: {', '.join(_BY_KEY)}.")
    return found


def check(setting: Setting, value: Any) -> Any:
    """Return ``value`` if it fits. Raises InvalidInput, naming setting, value and rule."""
    if value is None:
        return None
    kinds: Mapping[str, tuple[type, ...]] = {
        "text": (str,), "whole": (int,), "number": (int, float), "switch": (bool,), "choice": (str,), "texts": (list,),
        "table": (dict,),
    }  # fmt: skip
    fits = isinstance(value, kinds[setting.type]) and (setting.type == "switch" or not isinstance(value, bool))
    if fits and setting.type == "texts":
        fits = all(isinstance(item, str) for item in value)
    if fits and setting.type == "table":
        fits = all(isinstance(k, str) and isinstance(v, str) for k, v in value.items())
    if fits and setting.choices:
        fits = value in setting.choices
    if fits and setting.type in ("whole", "number"):
        fits = value == value and (setting.least is None or value >= setting.least)
        fits = fits and (setting.most is None or value <= setting.most)
    if fits and setting.key in OWN_SERVERS:
        from honeyguide.llm import own_endpoints

        own_endpoints("openai", value)
    if not fits:
        raise InvalidInput(f"{setting.key} cannot be {value!r}.", hint=_rule(setting))
    return value


class Settings:
    """The settings of one workspace: read at once, written atomically, each value checked."""

    def __init__(self, path: Path) -> None:
        """Read the file if it is there. Raises Unreadable, InvalidInput."""
        self._path = path
        self._values: dict[str, Any] = {}
        self._unknown: dict[str, Any] = {}
        self.reload()

    def reload(self) -> None:
        """Read the file anew; unknown entries are kept for the next writing."""
        self._values, self._unknown = {}, {}
        for key, value in _flat(_read(self._path)).items():
            known = _BY_KEY.get(key)
            if known is None:
                self._unknown[key] = value
            else:
                self._values[key] = check(known, value)

    def get(self, key: str) -> Any:
        """Return the value, or the default. Raises InvalidInput for an unknown key."""
        setting = setting_named(key)
        return self._values.get(key, setting.default)

    def is_set(self, key: str) -> bool:
        """Say whether a person set it."""
        return key in self._values

    def set(self, key: str, value: Any) -> None:
        """Set and store a value; ``None`` goes back to the default. Raises InvalidInput, Unwritable."""
        checked = check(setting_named(key), value)
        self.reload()
        if checked is None:
            self._values.pop(key, None)
        else:
            self._values[key] = checked
        write_atomically(self._path, _dump({**self._unknown, **self._values}).encode())

    def all(self) -> dict[str, Any]:
        """Return every key with its value or default."""
        return {setting.key: self.get(setting.key) for setting in SETTINGS}


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise Unreadable(f"{path} cannot be read: {error}.", hint="Correct the file, or remove it.") from error


def _flat(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``table.name`` to value; tables of a table-valued setting stay whole."""
    flat: dict[str, Any] = {}
    for name, value in data.items():
        if not isinstance(value, Mapping):
            flat[name] = value
            continue
        for inner, inner_value in value.items():
            flat[f"{name}.{inner}"] = inner_value
    return flat


def _dump(values: Mapping[str, Any]) -> str:
    """Write TOML: top-level entries, then one table a group; table-valued settings as inline tables."""
    top = [f"{_name(key)} = {_literal(value)}" for key, value in sorted(values.items()) if "." not in key]
    groups: dict[str, list[str]] = {}
    for key, value in sorted(values.items()):
        group, dot, name = key.partition(".")
        if dot:
            groups.setdefault(group, []).append(f"{_name(name)} = {_literal(value)}")
    blocks = ["\n".join(top)] if top else []
    blocks += [f"[{_name(group)}]\n" + "\n".join(lines) for group, lines in groups.items()]
    return "\n\n".join(blocks) + ("\n" if blocks else "")


def _name(name: str) -> str:
    return name if name and all(c.isascii() and (c.isalnum() or c in "_-") for c in name) else _quoted(name)


def _quoted(text: str) -> str:
    """Return a TOML basic string: everything as it is but quotes, backslashes and control characters."""
    marks = {'"': '\\"', "\\": "\\\\"}
    return '"' + "".join(marks.get(c, f"\\u{ord(c):04X}" if ord(c) < 32 or ord(c) == 127 else c) for c in text) + '"'


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_name(str(k))} = {_literal(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_literal(item) for item in value) + "]"
    return str(value)


def _rule(setting: Setting) -> str:
    if setting.choices:
        return f"Use one of: {', '.join(setting.choices)}."
    bounds = [f"at least {setting.least:g}"] if setting.least is not None else []
    bounds += [f"at most {setting.most:g}"] if setting.most is not None else []
    kinds = {"whole": "a whole number", "number": "a number", "switch": "true or false", "texts": "a list of texts"}
    return f"It takes {' '.join([kinds.get(setting.type, 'a ' + setting.type), *bounds])}."
