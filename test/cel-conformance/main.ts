// Runs the tests of the language's own specification (cel-spec, a dependency of upstream's) and says how many pass, and why the
// others do not: node test/cel-conformance/main.ts [VERBOSE]
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { knownDifferences } from "../../pkg/cel/known-differences.test-data.ts";
import { type Compiled, compile, kubernetesEnvironment } from "../../pkg/cel/compile.ts";
import { EvaluationError, type Value } from "../../pkg/cel/values.ts";
import { plain } from "../../pkg/cel/answers.test-data.ts";
import { typeOf, valueOf } from "./expected.ts";
import { type Message, parseTextProto } from "./text-proto.ts";

const verbose = process.argv.length > 2;
const LIMIT = 10_000_000;

/** Libraries that Kubernetes does not use. */
const OTHER_LIBRARIES: ReadonlySet<string> = new Set([
  "bindings_ext",
  "block_ext",
  "encoders_ext",
  "math_ext",
  "proto2_ext",
]);
const MESSAGE_FILES: ReadonlySet<string> = new Set(["enums", "proto2", "proto3", "wrappers"]);
const MESSAGES =
  /google\.protobuf|TestAllTypes|NestedTestAllTypes|TestRequired|GlobalEnum|cel\.expr\.conformance/;

/** Recorded of the real API server's packages; ours answer the same. */
const asInKubernetes: ReadonlySet<string> = (() => {
  const recorded = new URL("../../pkg/cel/recorded.json.br", import.meta.url);
  const { expressions } = JSON.parse(brotliDecompressSync(readFileSync(recorded)).toString()) as {
    readonly expressions: readonly string[];
  };
  // Others differ in their costs only.
  const differing = new Set(["compile", "error", "value"].flatMap((kind) => knownDifferences[kind] ?? []));
  return new Set(expressions.filter((expression) => !differing.has(expression)));
})();

const { stdout } = spawnSync("go", ["list", "-m", "-f", "{{.Dir}}", "cel.dev/expr"], {
  cwd: new URL("../real", import.meta.url),
  encoding: "utf8",
});
const directory = join(stdout.trim(), "tests/simple/testdata");

const one = (message: Message | undefined, field: string): Message | undefined => {
  const value = message?.[field]?.[0];
  return typeof value === "object" && !(value instanceof Uint8Array) ? value : undefined;
};
const text = (message: Message, field: string): string => {
  const value = message[field]?.[0];
  return value instanceof Uint8Array ? Buffer.from(value).toString() : typeof value === "string" ? value : "";
};
const messages = (message: Message, field: string): readonly Message[] =>
  (message[field] ?? []).filter(
    (value): value is Message => typeof value === "object" && !(value instanceof Uint8Array),
  );

/** Undefined when it passes. */
function failure(test: Message): string | undefined {
  const variables = messages(test, "type_env").flatMap((declared) => {
    const type = typeOf(one(one(declared, "ident"), "type"));
    return type === undefined ? [] : [{ name: text(declared, "name"), type }];
  });
  const compiled = compile(text(test, "expr"), kubernetesEnvironment.with(variables));
  const fails = test["eval_error"] !== undefined || test["any_eval_errors"] !== undefined;
  // What is not checked there fails when it is evaluated.
  if (typeof compiled === "string") return fails ? undefined : compiled;
  const expected = one(test, "value") ?? one(one(test, "typed_result"), "result");
  const isTypeOnly = text(test, "check_only") === "true";
  if (isTypeOnly) return undefined;
  const outcome = evaluated(compiled, bindingsOf(test));
  if (outcome instanceof EvaluationError) return fails ? undefined : outcome.message;
  if (fails) return `it is ${JSON.stringify(plain(outcome.value))}`;
  const wanted = expected === undefined ? true : valueOf(expected);
  if (wanted === undefined) return "its value is a message";
  return JSON.stringify(plain(outcome.value)) === JSON.stringify(plain(wanted))
    ? undefined
    : `${JSON.stringify(plain(outcome.value))} instead of ${JSON.stringify(plain(wanted))}`;
}

function bindingsOf(test: Message): ReadonlyMap<string, Value> {
  return new Map(
    messages(test, "bindings").flatMap((binding) => {
      const value = valueOf(one(one(binding, "value"), "value") ?? {});
      return value === undefined ? [] : [[text(binding, "key"), value] as const];
    }),
  );
}

function evaluated(
  { run }: Compiled,
  bindings: ReadonlyMap<string, Value>,
): EvaluationError | { readonly value: Value } {
  try {
    return run((name) => bindings.get(name), LIMIT);
  } catch (error) {
    if (error instanceof EvaluationError) return error;
    throw error;
  }
}

/** Variables may be messages, and values. */
function isOfMessages(file: string, test: Message): boolean {
  const variables = messages(test, "type_env").map((declared) => one(one(declared, "ident"), "type"));
  return (
    MESSAGE_FILES.has(file) ||
    MESSAGES.test(text(test, "expr")) ||
    variables.some((type) => type?.["message_type"] !== undefined || type?.["wrapper"] !== undefined) ||
    one(one(test, "value"), "object_value") !== undefined
  );
}

function reason(file: string, test: Message): string {
  if (OTHER_LIBRARIES.has(file)) return "of a library that Kubernetes does not use";
  if (file === "unknowns") return "of values that are not known";
  if (isOfMessages(file, test)) return "of messages of protobuf";
  if (test["container"] !== undefined) return "of names within a container";
  if (messages(test, "type_env").some((declared) => declared["function"] !== undefined))
    return "of functions of its own";
  if (test["type_env"] === undefined && asInKubernetes.has(text(test, "expr")))
    return "answered as by the real API server, otherwise than specified";
  if (text(test, "disable_check") === "true")
    return "not to be checked beforehand, as expressions here always are";
  return "otherwise";
}

let passed = 0;
let total = 0;
const reasons = new Map<string, number>();
for (const name of readdirSync(directory).filter((each) => each.endsWith(".textproto"))) {
  const file = name.replace(".textproto", "");
  const tests = messages(parseTextProto(readFileSync(join(directory, name), "utf8")), "section").flatMap(
    (section) => messages(section, "test"),
  );
  const failed = tests.flatMap((test) => {
    const why = failure(test);
    return why === undefined ? [] : [[test, why] as const];
  });
  total += tests.length;
  passed += tests.length - failed.length;
  console.log(`${file}: ${tests.length - failed.length} of ${tests.length}`);
  for (const [test, why] of failed) {
    const because = reason(file, test);
    reasons.set(because, (reasons.get(because) ?? 0) + 1);
    if (verbose || because === "otherwise")
      console.log(`  ${because}: ${text(test, "expr")}: ${why.split("\n")[0]}`);
  }
}
console.log(`${passed} of ${total} pass`);
for (const [because, count] of reasons) console.log(`${count} ${because}`);
