// Asks the real API server's own packages (Go) what they say of expressions, and keeps it for pkg/cel/recorded.test.ts.
// node hack/record-cel-answers.ts [more.json]: the recorded expressions again, and those of a JSON list.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";

const file = new URL("../pkg/cel/recorded.json.br", import.meta.url);

interface Recorded {
  readonly expressions: readonly string[];
}

const [more] = process.argv.slice(2);
const added = more === undefined ? [] : (JSON.parse(readFileSync(more, "utf8")) as readonly string[]);
const known = (JSON.parse(brotliDecompressSync(readFileSync(file)).toString()) as Recorded).expressions;
const expressions = [...new Set([...known, ...added])];
const { stdout, stderr, status } = spawnSync("go", ["run", "../../hack/print-cel-answers.go"], {
  cwd: new URL("../test/real", import.meta.url),
  input: JSON.stringify(expressions),
  encoding: "utf8",
  maxBuffer: 2 ** 28,
});
if (status !== 0) throw new Error(stderr);
const recorded = { expressions, answers: JSON.parse(stdout) as unknown };
writeFileSync(file, brotliCompressSync(JSON.stringify(recorded)));
console.log(`${expressions.length} expressions`);
