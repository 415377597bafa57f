"""Secrets never get further than here, and what is none stays readable."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.traces.redaction import PLACEHOLDER, SECRET_KINDS, Redactor, kinds_found, scan

KEY = b"a key that belongs to one workspace"


def mixed(length: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    """Characters that look drawn, and are the same every time."""
    digest = hashlib.shake_256(alphabet.encode()).digest(length)
    return "".join(alphabet[byte % len(alphabet)] for byte in digest)


HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits
SHAPES = {
    "aws-access-key": "AKIA" + mixed(16, UPPER),
    "github-pat": "ghp_" + mixed(36),
    "github-fine-grained": "github_pat_" + mixed(82),
    "openai-key": "sk-proj-" + mixed(40),
    "anthropic-key": "sk-ant-api03-" + mixed(60),
    "google-api-key": "AIza" + mixed(35),
    "stripe-secret": "sk_live_" + mixed(24),
    "stripe-publishable": "pk_test_" + mixed(24),
    "slack-token": "xoxb-123456789012-" + mixed(24),
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0." + mixed(43),
    "gitlab-token": "glpat-" + mixed(20),
    "huggingface-token": "hf_" + mixed(34),
    "npm-token": "npm_" + mixed(36),
    "pypi-token": "pypi-AgEIcHlwaS5vcmc" + mixed(60),
    "sendgrid-key": "SG." + mixed(22) + "." + mixed(43),
    "telegram-token": "1234567890:AA" + mixed(33),
    "openrouter-key": "sk-or-v1-" + mixed(64, HEX),
    "groq-key": "gsk_" + mixed(52),
    "xai-key": "xai-" + mixed(80),
    "replicate-token": "r8_" + mixed(37),
    "digitalocean-token": "dop_v1_" + mixed(64, HEX),
    "databricks-token": "dapi" + mixed(32, HEX),
    "vault-token": "hvs." + mixed(90),
    "google-oauth-token": "ya29." + mixed(60),
    "langsmith-key": "lsv2_pt_" + mixed(32, HEX) + "_" + mixed(10, HEX),
    "azure-client-secret": "abc8Q~" + mixed(34),
    "service-token": "nvapi-" + mixed(60),
    "private-key-block": "-----BEGIN RSA PRIVATE KEY-----\n" + (mixed(64) + "\n") * 5 + "-----END RSA PRIVATE KEY-----",
}

IN_CONTEXT = [
    ("basic-auth-url", "https://deploy:{}@git.acme.dev/x.git", "s3cr3t-p4ss"),
    ("pgsql-url", "postgres://app:{}@db/main", "hunter2/x@y"),
    ("pgsql-url", "postgresql+psycopg2://app:{}@db:5432/main", "p%40ss"),
    ("database-url", "mongodb+srv://app:{}@c0.mongodb.net/?w=1", "Tr0ub4dor"),
    ("database-url", "redis://:{}@cache:6379/0", "r3d1spass"),
    ("database-url", "amqp://guest:{}@mq", "rabb1t"),
    ("database-url", "mysql://root:{}@127.0.0.1/db", "my$ql-1"),
    ("env-password", "PASSWORD={}", "correcthorse"),
    ("env-password", "export DB_PASSWORD={} # local", "pa;ss,wo)rd9"),
    ("env-password", "db_password = '{}'", "hunter22"),
    ("env-password", "Api_Key: {}", "s8d7f6g5h4"),
    ("env-password", "api-key: {}", "s8d7f6g5h4"),
    ("env-password", "x-api-key: {}", mixed(24)),
    ("aws-secret-key", "AWS_SECRET_ACCESS_KEY={}", mixed(40, string.ascii_letters + string.digits + "/+")),
    ("env-password", "AccountName=a;AccountKey={};EndpointSuffix=core.windows.net", mixed(86) + "=="),
    ("env-password", "Server=db;User Id=sa;Password={};Encrypt=true", "S0me!Pass"),
    ("env-password", 'log: {{"user":"x","password":"{}"}} sent', 'a\\"b c-9'.replace(" ", "")),
    ("env-password", 'escaped {{\\"client_secret\\":\\"{}\\"}}', "abc123XYZ9"),
    ("env-password", "grant_type=x&client_secret={}&scope=y", "abc123XYZ"),
    ("env-password", "tool --password {} --verbose", "hunter2x"),
    ("env-password", "the password is {}.", "hunter2"),
    ("env-password", "das Passwort ist {}", "geheim77x"),
    ("env-password", "la contraseña es {}", "clave2024x"),
    ("env-password", "password: str = '{}'", "hunter22"),
    ("env-password", "<password>{}</password>", "hunter22"),
    ("env-password", "密码：{}", "hunter22"),
    ("generic-high-entropy", "token: {}", mixed(32)),
    ("generic-high-entropy", "TOKEN={}", mixed(40, HEX)),
    ("generic-high-entropy", "https://api.acme.dev/v1?access_token={}&x=1", mixed(24)),
    ("bearer-token", "Authorization: Bearer {}", mixed(28)),
    ("bearer-token", "curl -H 'authorization: bearer {}' https://x", mixed(28)),
    ("bearer-token", "got Bearer {} back", mixed(40)),
    ("basic-auth", "Authorization: Basic {}", "dXNlcjpwYXNzd29yZA=="),
    ("basic-auth", "curl -s -u {} https://x", "admin:hunter2"),
    ("cookie", "Cookie: {}", "session=abc123def456; theme=dark"),
    ("cookie", "curl -H 'Cookie: {}' https://x", "sid=abc123def456"),
    ("cookie", "Set-Cookie: {}", "id=a3fWa998x; Expires=Wed; HttpOnly"),
]

READABLE = [
    "max_tokens=4096",
    "commit 3f2a9c1b7d8e4f5a6b7c8d9e0f1a2b3c4d5e6f70",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "id 123e4567-e89b-42d3-a456-426614174000",
    "session 123e4567-e89b-42d3-a456-426614174000",
    "integrity sha512-" + "Ab3/" * 21 + "==",
    "data:image/png;base64," + "iVBORw0KGgoAAAANSUhEUgAA" * 40,
    "token = get_token()",
    "token = await fetchToken(user)",
    "const apiKey = process.env.API_KEY",
    'password = os.environ["DB_PASSWORD"]',
    "password=$DB_PASSWORD",
    "API_KEY=${{ secrets.API_KEY }}",
    "ANTHROPIC_API_KEY=<your key here>",
    "def login(user: str, password: str) -> Token:",
    "interface Login { password: string; token?: string }",
    "password: Optional[str] = None",
    'label: "Password"',
    "password: 'Passwort'",
    "The password is required.",
    "the token is base64-encoded",
    "sk-folding-cube-container-inner",
    '.sk-fading-circle .sk-circle12 { animation: "sk" }',
    "see http://localhost:8080/path and write to user@example.com",
    "git@github.com:acme/shop.git",
    "react@18.2.0 and icon@2x.png",
    "primary key, foreign_key: user_id, cache_key=users:list",
    "sort(key=lambda row: row.name)",
    "next_page_token=CAUQAA0123456789abcdef",
    "eos_token_id: 50256, pad_token='<|endoftext|>'",
    'grep -rn "token" src/ | head -20',
    "2026-03-01T09:00:00+02:00",
    "+12345678 added in a diff",
    "/home/runner/work/x and /Users/Shared/y",
    "version 1.2.3-4567, build 555-1234",
    "Authorization: Bearer ${token}",
    "Authorization: Bearer YOUR_API_KEY",
    "class TokenBucket(RateLimiter): pass",
    "ghp_" + mixed(35),
    "github_pat_" + mixed(79),
    "pk_test_short",
    "tokenizer.encode(text)[:1024]",
    "assert secret == expected_secret",
    '"idempotency_key": "metric_9b40748bc5331b44380bc2b5e86c8d76"',
    "        client_secret: Configuration options for the secret.",
    'HEADERS = ("authorization", "x-amz-content-sha256")',
]


@pytest.mark.parametrize(("kind", "secret"), SHAPES.items())
def test_a_secret_of_known_shape_is_replaced_whole_wherever_it_stands(kind, secret):
    redactor = Redactor(KEY)
    for text in (secret, f"use {secret}, please", f'{{"a": "{secret}"}}', f"x={secret}\n", f"({secret})"):
        cleaned = redactor.text(text)
        assert kinds_found(text)[0] == kind
        assert f"<{kind}-" in cleaned
        assert not any(secret[i : i + 6] in cleaned for i in range(14, len(secret) - 6))


@pytest.mark.parametrize(("kind", "pattern", "secret"), IN_CONTEXT)
def test_a_secret_that_its_surroundings_give_away_is_replaced_whole(kind, pattern, secret):
    before, after = pattern.format("\x00").split("\x00")
    cleaned = Redactor(KEY).text(before + secret + after)
    assert [hit.kind for hit in scan(before + secret + after)] == [kind]
    assert re.fullmatch(re.escape(before) + r"<(?:secret|aws-secret-key)-\w{4}>" + re.escape(after), cleaned)
    assert secret[-4:] not in cleaned.removeprefix(before).removesuffix(after)


@pytest.mark.parametrize("text", READABLE)
def test_what_is_no_secret_stays_as_it_is(text):
    assert scan(text, personal=True) == []
    assert Redactor(KEY).text(text) == text


def test_kinds_are_named_as_the_table_names_them():
    table = {
        "aws-access-key", "aws-secret-key", "github-pat", "github-fine-grained", "anthropic-key", "openai-key",
        "google-api-key", "stripe-secret", "stripe-publishable", "slack-token", "private-key-block", "jwt",
        "bearer-token", "basic-auth-url", "env-password", "pgsql-url", "generic-high-entropy",
    }  # fmt: skip
    assert table <= set(SECRET_KINDS)


def test_private_keys_are_found_encoded_and_escaped_too():
    pem = SHAPES["private-key-block"]
    encoded = base64.b64encode(pem.encode()).decode()
    escaped = json.dumps({"private_key": pem})[1:-1]
    putty = "PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 2\n" + mixed(64) + "\n" + mixed(30) + "\nPrivate-MAC: 1"
    for text in (f"client-key-data: {encoded}", escaped, putty, pem.replace("RSA ", "ENCRYPTED "), pem[:200]):
        assert "private-key-block" in kinds_found(text)
        assert mixed(64)[:20] not in Redactor(KEY).text(text)
    certificate = base64.b64encode(b"-----BEGIN CERTIFICATE-----" + b"A" * 100).decode()
    assert scan(f"certificate-authority-data: {certificate}") == []


def test_a_quoted_aws_secret_key_near_its_name_is_found():
    text = f"aws_secret = '{mixed(40, string.ascii_letters + string.digits + '/+')}'"
    assert kinds_found(text) == ["aws-secret-key"]


@pytest.mark.parametrize(
    "name", ["password", "PassWord", "API_KEY", "api-key", "apiKey", "Authorization", "cookie", "X-Api-Key"]
)
def test_a_telling_name_hides_its_value_in_any_case_and_at_any_depth(name):
    data = {"list": [{"deep": {name: "swordfish"}}], "text": json.dumps({"inner": json.dumps({name: "swordfish"})})}
    cleaned = Redactor(KEY).value(data)
    assert "swordfish" not in json.dumps(cleaned)
    assert json.loads(json.loads(cleaned["text"])["inner"])[name] == cleaned["list"][0]["deep"][name]


def test_values_beside_a_secret_keep_their_types():
    data = {
        "token": 5,
        "max_tokens": 4096,
        "password": None,
        "secret": True,
        "ratio": 0.5,
        "none": [],
        "auth": {"ok": 1},
    }
    assert Redactor(KEY).value(data) == data


def test_a_number_behind_a_password_name_is_a_secret_too():
    assert Redactor(KEY).value({"passcode": 12345678})["passcode"].startswith("<secret-")


@pytest.mark.parametrize(
    "headers",
    [
        [{"name": "Authorization", "value": "Bearer abc"}],
        [{"key": "X-Api-Key", "value": "abc"}],
        [["Cookie", "sid=abc123"]],
        ["Host", "acme.dev", "Authorization", "Bearer abc123"],
        ["tool", "--api-key", "abc123"],
    ],
)
def test_header_lists_and_argument_lists_hide_the_value_after_the_name(headers):
    cleaned = json.dumps(Redactor(KEY).value(headers))
    assert "abc" not in cleaned
    assert "<secret-" in cleaned


@pytest.mark.parametrize(
    "data",
    [
        {"properties": {"password": {"type": "string", "description": "At least 8 characters"}}},
        {"required": ["token", "name"]},
        {"token": "Hello", "logprob": -0.1, "bytes": [72]},
        {"name": "token", "description": "what the user was given"},
        {"credentials": "include"},
        {"usage": {"input_tokens": 12, "output_tokens": 3}},
    ],
)
def test_schemas_and_counts_are_no_secrets(data):
    assert Redactor(KEY).value(data) == data


def test_json_text_without_secrets_keeps_every_byte():
    text = '{ "a" :1.50,\t"b":"x" }'
    assert Redactor(KEY).text(text) == text


def test_the_same_secret_reads_the_same_and_another_workspace_reads_differently():
    secret = "hunter2-and-more"
    here, there = Redactor(KEY), Redactor(b"another key of another workspace")
    assert here.text(f"DB_PASSWORD={secret}").removeprefix("DB_PASSWORD=") == here.value({"secret": secret})["secret"]
    assert here.placeholder("email", "a@b.cd") != there.placeholder("email", "a@b.cd")


def test_counts_are_kept_by_kind():
    redactor = Redactor(KEY)
    redactor.text(f"{SHAPES['anthropic-key']} and {SHAPES['anthropic-key']} and PASSWORD=correcthorse")
    assert redactor.counts == {"anthropic-key": 2, "env-password": 1}


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("write to jo.doe+x@acme.io.", r"write to <email-\w{4}>\."),
        ("call +49 171 2345678 now", r"call <phone-\w{4}> now"),
        ("call (555) 123-4567", r"call <phone-\w{4}>"),
        ("Tel. 030/1234567", r"Tel\. <phone-\w{4}>"),
        ("in /home/alice/code/x.py", r"in <home-\w{4}>/code/x\.py"),
        ("in /Users/alice", r"in <home-\w{4}>"),
        (r"in C:\Users\Bob Smith\code", r"in <home-\w{4}>\\code"),
        (r"in C:\\Users\\bob\\code", r"in <home-\w{4}>\\\\code"),
        ("in C:/Users/bob/code", r"in <home-\w{4}>/code"),
        ("in ~/.claude/projects/-home-alice-shop/x", r"in ~/\.claude/projects/<home-\w{4}>-shop/x"),
    ],
)
def test_personal_data_is_replaced_unless_switched_off(text, cleaned):
    assert re.fullmatch(cleaned, Redactor(KEY).text(text))
    assert Redactor(KEY, personal=False).text(text) == text


SNIPPETS = st.sampled_from(
    [
        *SHAPES.values(),
        *(p.format(s) for _, p, s in IN_CONTEXT),
        *READABLE,
        "bob@acme.io",
        "/home/alice",
        "+49 171 2345678",
    ]
)
NOISE = st.text(alphabet=st.sampled_from("ab9=:'\"\\ <>@/{}[],.-_\nK\u0130é"), max_size=12)
TEXTS = st.lists(SNIPPETS | NOISE | st.text(max_size=8), max_size=6).map("".join)


@given(TEXTS)
def test_redacting_twice_changes_nothing(text):
    redactor = Redactor(KEY)
    once = redactor.text(text)
    assert redactor.text(once) == once


@given(TEXTS, st.sampled_from(list(SHAPES.values())), st.sampled_from(" \n\"'(,"))
def test_no_surroundings_protect_a_secret(around, secret, edge):
    cleaned = Redactor(KEY).text(around + edge + secret + edge + around)
    assert secret not in cleaned


@given(
    st.recursive(
        TEXTS | st.integers() | st.none() | st.booleans(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["password", "name", "value", "token", "x"]), inner)
        ),
        max_leaves=8,
    )
)
def test_redacting_a_value_twice_changes_nothing(value):
    redactor = Redactor(KEY)
    once = redactor.value(value)
    assert redactor.value(once) == once


def test_placeholders_are_recognised():
    redactor = Redactor(KEY)
    assert PLACEHOLDER.fullmatch(redactor.placeholder("anthropic-key", "x"))
    assert PLACEHOLDER.fullmatch(redactor.placeholder("cookie", "x")).group().startswith("<secret-")
