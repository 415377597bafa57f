// Lets node take a .ts file that holds plain JavaScript; for tests, where bun is not there.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

export async function load(url, context, next) {
  if (!url.endsWith(".ts")) return next(url, context);
  return { format: "module", shortCircuit: true, source: await readFile(fileURLToPath(url)) };
}
