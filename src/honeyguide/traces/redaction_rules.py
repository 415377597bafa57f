"""Secrets that are recognised by their own shape, wherever they stand.

One row per kind. A pattern is tried only at the places where one of its ``needles`` (lower case) occurs, which keeps
long harmless texts cheap. ``redaction_context`` finds what only its surroundings give away.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from honeyguide.traces.redaction_judgement import is_random
from honeyguide.traces.redaction_places import SecretHit, places


@dataclass(frozen=True, slots=True)
class Rule:
    """One recognisable kind of secret.

    Attributes:
        kind: its public name.
        needles: lower-case texts, one of which begins every such secret (or stands in it, see ``anywhere``).
        pattern: what it looks like; group 1, where there is one, is the secret itself.
        accept: a last look at the secret; ``None`` accepts every match.
        anywhere: a needle may stand inside the match; the whole text is searched once a needle occurs in it.
        dense: needle and secret are one run of at least ``DENSE_LENGTH`` characters without spaces or quotes.
    """

    kind: str
    needles: tuple[str, ...]
    pattern: re.Pattern[str]
    accept: Callable[[str], bool] | None = None
    anywhere: bool = False
    dense: bool = True

    def find(self, text: str, lowered: str) -> Iterator[SecretHit]:
        """Yield the secrets of this kind in ``text``; ``lowered`` is the same in lower case, of the same length."""
        for found in self._matches(text, lowered):
            secret = 1 if self.pattern.groups else 0
            if self.accept is None or self.accept(found.group(secret)):
                yield SecretHit(self.kind, found.start(secret), found.end(secret))

    def _matches(self, text: str, lowered: str) -> Iterator[re.Match[str]]:
        for needle in self.needles:
            if self.anywhere:
                if needle in lowered:
                    yield from self.pattern.finditer(text)
                    return
                continue
            for place in places(lowered, needle):
                found = self.pattern.match(text, place)
                if found:
                    yield found


DENSE_LENGTH = 20
LONGEST_DENSE = 600
_DENSE = re.compile(r"[a-z0-9_+/=.~:%\-]{20,}")
_MARKS = re.compile(r"[_.~:\-]")


def dense_parts(lowered: str) -> str:
    """Return the long unbroken runs of a text, the only places where most secrets can be.

    Encoded images are passed over: runs beyond ``LONGEST_DENSE`` characters without any of ``_ . ~ : -``.
    """
    runs = _DENSE.findall(lowered)
    return " ".join(run for run in runs if len(run) <= LONGEST_DENSE or _MARKS.search(run))


def _rule(
    kind: str,
    needles: str,
    pattern: str,
    accept: Callable[[str], bool] | None = None,
    *,
    anywhere: bool = False,
    dense: bool = True,
) -> Rule:
    return Rule(kind, tuple(needles.split()), re.compile(pattern), accept, anywhere, dense)


def _is_openai_key(secret: str) -> bool:
    """Tell a key from a style-sheet class such as ``sk-folding-cube-container``."""
    body = secret.removeprefix("sk-")
    if body.startswith(("proj-", "svcacct-", "admin-", "None-")) or not re.search("[-_]", body):
        return True
    return is_random(body) or any(is_random(part, shortest=16) for part in re.split("[-_]", body))


def _has_digit_and_letter(secret: str) -> bool:
    return any(c.isdigit() for c in secret) and any(c.isalpha() for c in secret)


def _is_encoded_private_key(secret: str) -> bool:
    head = base64.b64decode(secret[:64] + "==")
    return b"PRIVATE KEY" in head


def _is_service_token(secret: str) -> bool:
    return is_random(re.sub(r"\A[A-Za-z0-9]{2,8}[_-]", "", secret), hex_counts=True)


def _is_no_hash(secret: str) -> bool:
    return re.fullmatch(r"[0-9a-f]+|[0-9A-F]+", secret) is None


_START = r"(?<![A-Za-z0-9])"
_END = r"(?![A-Za-z0-9])"

RULES: tuple[Rule, ...] = (
    _rule("aws-access-key", "akia asia", _START + r"(?:AKIA|ASIA)[0-9A-Z]{16}" + _END),
    _rule(
        "aws-secret-key",
        "aws",
        r"(?i:\baws[^\n]{0,30}?[\"'`=:\s])([0-9a-zA-Z/+]{40})(?![0-9a-zA-Z/+=])",
        _is_no_hash,
        dense=False,
    ),
    _rule("github-pat", "ghp_ gho_ ghu_ ghs_ ghr_", _START + r"gh[pousr]_[A-Za-z0-9]{36,}"),
    _rule("github-fine-grained", "github_pat_", _START + r"github_pat_[A-Za-z0-9_]{80,}"),
    _rule("anthropic-key", "sk-ant-", _START + r"sk-ant-[A-Za-z0-9_-]{20,}"),
    _rule("openrouter-key", "sk-or-", _START + r"sk-or-(?:v1-)?[A-Za-z0-9]{32,}"),
    _rule("langfuse-key", "sk-lf-", _START + r"sk-lf-[A-Za-z0-9-]{20,}"),
    _rule("openai-key", "sk-", _START + r"(?<!-)sk-(?!ant-)[A-Za-z0-9_-]{20,}", _is_openai_key),
    _rule("google-api-key", "aiza", _START + r"AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])"),
    _rule("google-api-key", "aq.", _START + r"AQ\.[A-Za-z0-9_-]{40,}", is_random),
    _rule("google-oauth-token", "ya29. gocspx- 1//0", _START + r"(?:ya29\.|GOCSPX-|1//0)[A-Za-z0-9_-]{20,}"),
    _rule(
        "stripe-secret",
        "sk_live_ sk_test_ rk_live_ rk_test_ whsec_",
        _START + r"(?:(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{20,}|whsec_[A-Za-z0-9+/=]{24,})",
    ),
    _rule("stripe-publishable", "pk_live_ pk_test_", _START + r"pk_(?:live|test)_[A-Za-z0-9]{20,}"),
    _rule(
        "slack-token",
        "xox xapp-",
        _START + r"(?:xox[abcdeoprs](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{10,})",
    ),
    _rule(
        "slack-webhook", "hooks.slack.com", r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_+-]{20,})"
    ),
    _rule(
        "private-key-block",
        "-----begin",
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
        r"(?:(?:(?!-----BEGIN )[\s\S]){0,20000}?-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
        r"|(?:[A-Za-z0-9+/=:,]{16,}|\\+[nr]|\s)*)",
        dense=False,
    ),
    _rule(
        "private-key-block",
        "ls0tls1crudjti",
        r"LS0tLS1CRUdJTi[A-Za-z0-9+/=]{40,}",
        _is_encoded_private_key,
        dense=False,
    ),
    _rule("private-key-block", "private-lines:", r"Private-Lines: \d+\s+([A-Za-z0-9+/=\s]{40,})", dense=False),
    _rule(
        "jwt",
        "eyj",
        _START + r"eyJ[A-Za-z0-9_-]{7,}\.(?:[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]+){0,2}"
        r"|eyJ[A-Za-z0-9_-]{7,}\.?)",
    ),
    _rule(
        "gitlab-token",
        "glpat- glptt- gldt- glrt- glcbt- gloas-",
        _START + r"gl(?:pat|ptt|dt|rt|cbt|oas)-[A-Za-z0-9_.-]{20,}",
    ),
    _rule("huggingface-token", "hf_ api_org_", _START + r"(?:hf|api_org)_[A-Za-z0-9]{30,}"),
    _rule("npm-token", "npm_", _START + r"npm_[A-Za-z0-9]{36,}"),
    _rule("pypi-token", "pypi-ag", _START + r"pypi-Ag[A-Za-z0-9_-]{40,}"),
    _rule("docker-token", "dckr_", _START + r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}"),
    _rule("sendgrid-key", "sg.", _START + r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{32,}"),
    _rule("mailgun-key", "key-", _START + r"key-[0-9a-f]{32}" + _END),
    _rule("mailchimp-key", "-us1 -us2", _START + r"[0-9a-f]{32}-us[0-9]{1,2}" + _END, anywhere=True),
    _rule("twilio-key", "sk", _START + r"SK[0-9a-f]{32}" + _END),
    _rule("telegram-token", ":aa", _START + r"[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])", anywhere=True),
    _rule(
        "discord-token",
        "discord",
        _START + r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}",
        anywhere=True,
        dense=False,
    ),
    _rule("discord-webhook", "/api/webhooks/", r"/api/webhooks/([0-9]{15,}/[A-Za-z0-9_-]{40,})"),
    _rule("azure-client-secret", "7q~ 8q~", _START + r"[A-Za-z0-9_.~-]{3}[78]Q~[A-Za-z0-9_.~-]{31,}", anywhere=True),
    _rule("azure-sas", "sig=", r"[?&;]sig=([A-Za-z0-9%+/=]{30,})", anywhere=True),
    _rule("digitalocean-token", "doo_v1_ dop_v1_ dor_v1_", _START + r"do[opr]_v1_[0-9a-f]{64}" + _END),
    _rule("databricks-token", "dapi", _START + r"dapi[0-9a-f]{32}(?:-[0-9])?" + _END),
    _rule("shopify-token", "shpat_ shpca_ shppa_ shpss_", _START + r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32,}"),
    _rule("square-token", "sq0 eaaa", _START + r"(?:sq0[a-z]{3}-[A-Za-z0-9_-]{22,}|EAAA[A-Za-z0-9_-]{56,})"),
    _rule("atlassian-token", "atatt3 atctt3", _START + r"AT(?:ATT|CTT)3[A-Za-z0-9_=-]{50,}"),
    _rule("linear-key", "lin_", _START + r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    _rule("notion-token", "ntn_ secret_", _START + r"(?:ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43})" + _END),
    _rule("figma-token", "figd_ figo_", _START + r"fig[do]_[A-Za-z0-9_-]{36,}"),
    _rule("postman-key", "pmak-", _START + r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}" + _END),
    _rule("newrelic-key", "nrak- nrii-", _START + r"NR(?:AK|II)-[A-Za-z0-9_-]{27,}"),
    _rule("sentry-token", "sntrys_ sntryu_", _START + r"sntry[su]_[A-Za-z0-9+/=_-]{40,}"),
    _rule("grafana-token", "glsa_ glc_", _START + r"(?:glsa_[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}|glc_[A-Za-z0-9+/=]{32,})"),
    _rule("vault-token", "hvs. hvb. hvr.", _START + r"hv[sbr]\.[A-Za-z0-9_-]{24,}"),
    _rule("doppler-token", "dp.", _START + r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{30,}"),
    _rule("planetscale-token", "pscale_", _START + r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,}"),
    _rule("supabase-token", "sbp_ sb_secret_", _START + r"(?:sbp_[0-9a-f]{40,}|sb_secret_[A-Za-z0-9_-]{20,})"),
    _rule("fly-token", "fm1 fm2 fo1_", _START + r"(?:fm[12][ar]?_[A-Za-z0-9+/=_-]{60,}|fo1_[A-Za-z0-9_-]{40,})"),
    _rule(
        "cloudflare-token",
        "cfut_ cfat_ v1.0-",
        _START + r"(?:cf[ua]t_[A-Za-z0-9_-]{36,}|v1\.0-[0-9a-f]{24}-[0-9a-f]{100,})",
    ),
    _rule("groq-key", "gsk_", _START + r"gsk_[A-Za-z0-9]{40,}"),
    _rule("xai-key", "xai-", _START + r"xai-[A-Za-z0-9]{60,}"),
    _rule("perplexity-key", "pplx-", _START + r"pplx-[A-Za-z0-9]{40,}"),
    _rule("replicate-token", "r8_", _START + r"r8_[A-Za-z0-9]{36,}"),
    _rule("langsmith-key", "lsv2_", _START + r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}" + _END),
    _rule("tavily-key", "tvly-", _START + r"tvly-[A-Za-z0-9-]{28,}", _has_digit_and_letter),
    _rule(
        "service-token",
        "pcsk_ csk- nvapi- jina_ fw_ e2b_ re_ bkua_ ccipat_ pul- cfpat- rubygems_ hrku- nfp_ rnd_ vcp_ sk_ sess- "
        "pat-na",
        _START + r"(?:pcsk_|csk-|nvapi-|jina_|fw_|e2b_|re_|bkua_|CCIPAT_|pul-|CFPAT-|rubygems_|HRKU-|nfp_|rnd_|vcp_|sk_"
        r"|sess-|pat-na[0-9]-)[A-Za-z0-9_-]{24,}",
        _is_service_token,
    ),
    _rule("age-secret-key", "age-secret-key-1", r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    _rule("onepassword-token", "ops_eyj", _START + r"ops_eyJ[A-Za-z0-9+/=_-]{100,}"),
)
DENSE_RULES = tuple(rule for rule in RULES if rule.dense)
LOOSE_RULES = tuple(rule for rule in RULES if not rule.dense)


def find_shapes(text: str, lowered: str) -> Iterator[SecretHit]:
    """Find everything that its own shape gives away; ``lowered`` is ``text`` in lower case, of the same length."""
    for rule in LOOSE_RULES:
        for needle in rule.needles:
            if needle in lowered:
                yield from rule.find(text, lowered)
                break
    dense = dense_parts(lowered)
    if dense:
        for rule in DENSE_RULES:
            for needle in rule.needles:
                if needle in dense:
                    yield from rule.find(text, lowered)
                    break
