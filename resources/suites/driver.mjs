// Loads an eval suite and answers requests, one line of JSON each; see suites/code_suite.py.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";

const say = (() => {
  const write = process.stdout.write.bind(process.stdout);
  return (answer) => write(JSON.stringify(answer) + "\n");
})();
// What the suite itself prints must not look like an answer.
process.stdout.write = process.stderr.write.bind(process.stderr);
console.log = console.info = console.debug = (...parts) => console.error(...parts);

const path = resolve(process.argv[2]);
let cases = [];

const described = (one) => ({
  name: one.name,
  evidence: one.evidence ?? [],
  repetitions: one.repetitions ?? null,
  quorum: one.quorum ?? null,
  draft: one.draft === true,
  prompt: one.prompt ?? null,
  stdin: one.stdin ?? null,
  cwd: one.cwd ?? null,
  timeoutMs: one.timeoutMs ?? null,
  allowNonZero: one.allowNonZero === true,
});

const failure = (error) => {
  const reason = error instanceof Error ? error.message : String(error);
  const inconclusive = error?.name === "EvalInconclusiveError" || /^inconclusive:/i.test(reason);
  return { ok: false, inconclusive, reason };
};

const named = (name) => {
  const one = cases.find((each) => each.name === name);
  if (!one) throw new Error(`there is no case ${name}`);
  return one;
};

const actions = {
  load: async () => {
    const loaded = (await import(pathToFileURL(path).href)).default;
    if (!Array.isArray(loaded)) throw new Error("the default export is no array");
    cases = loaded.map((one) => Object.freeze({ ...one, setup: one.setup?.bind(one), check: one.check?.bind(one) }));
    for (const one of cases) {
      if (typeof one.name !== "string" || typeof one.check !== "function") throw new Error("a case lacks name or check");
    }
    return { ok: true, cases: cases.map(described) };
  },
  setup: async ({ name, dir }) => {
    await named(name).setup?.(dir);
    return { ok: true };
  },
  check: async ({ name, context }) => {
    const result = await named(name).check(context);
    if (result === null) return { ok: true };
    return { ok: false, inconclusive: false, reason: typeof result === "string" ? result : null };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    const request = JSON.parse(line);
    answer = await actions[request.do](request);
  } catch (error) {
    answer = failure(error);
  }
  say(answer);
}
