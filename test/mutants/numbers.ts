import type { Mutant } from "./mutant.ts";

const WIRE = ["pkg/api/wire-json.test.ts"];
const INT64 = ["pkg/api/int64.test.ts"];
const REVISIONS = ["controllers/deployment/annotations.test.ts"];
const EMBEDDED = ["test/integration/api/numbers.test.ts"];

/** Bytes that become objects, and back. */
const wire: readonly Mutant[] = [
  {
    name: "lines of a watch are read with doubles",
    file: "pkg/client/http/json-lines.ts",
    find: "return parseJsonBytes(bytes);",
    replace: 'return JSON.parse(bytes.toString("utf8"));',
    tests: ["pkg/client/http/list-reader.test.ts"],
  },
  {
    name: "long numbers are never found",
    file: "pkg/api/wire-json.ts",
    find: "return hasLongInteger(bytes) ?",
    replace: "return bytes.length < 0 ?",
    tests: WIRE,
  },
  {
    name: "the first of several runs of digits ends the search",
    file: "pkg/api/wire-json.ts",
    find: "&& isWhole(bytes, start, end)) return true;",
    replace: ") return isWhole(bytes, start, end);",
    tests: WIRE,
  },
  {
    name: "long numbers at the end of a list are not found",
    file: "pkg/api/wire-json.ts",
    find: 'Buffer.from(",]} \\t\\r\\n")',
    replace: 'Buffer.from(",} \\t\\r\\n")',
    tests: WIRE,
  },
  {
    name: "long numbers below zero are not found",
    file: "pkg/api/wire-json.ts",
    find: "bytes[start - 1] === MINUS ? start - 2 : start - 1",
    replace: "start - 1",
    tests: WIRE,
  },
  {
    name: "only places far apart are looked at",
    file: "pkg/api/wire-json.ts",
    find: "at < bytes.length; at += LONG",
    replace: "at < bytes.length; at += 2 * LONG",
    tests: WIRE,
  },
  {
    name: "what does not fit in 64 bits is cut to them",
    file: "pkg/api/exact-json.ts",
    find: "isWhole ? parseInt64(source) :",
    replace: "isWhole ? BigInt.asIntN(64, BigInt(source)) :",
    tests: WIRE,
  },
  {
    name: "long numbers with a fraction lose it",
    file: "pkg/api/exact-json.ts",
    find: "const integer = isWhole ? parseInt64(source) : undefined;",
    replace: 'const integer = parseInt64(source.split(".")[0] ?? "");',
    tests: WIRE,
  },
  {
    name: "short numbers below zero lose their sign",
    file: "pkg/api/exact-json.ts",
    find: "return isNegative ? -sum : sum;",
    replace: "return sum;",
    tests: WIRE,
  },
  {
    name: "a key __proto__ sets the prototype",
    file: "pkg/api/exact-json.ts",
    find: "setKey(object, key, this.value());",
    replace: "object[key] = this.value();",
    tests: WIRE,
  },
  {
    name: "an escaped quote ends a string",
    file: "pkg/api/exact-json.ts",
    find: "      copied = true;\n      this.#at++;",
    replace: "      copied = true;",
    tests: WIRE,
  },
  {
    name: "bigints are written as strings",
    file: "pkg/api/int64.ts",
    find: "return JSON.rawJSON(this.toString());",
    replace: "return this.toString();",
    tests: WIRE,
  },
  {
    name: "lines of the log show the nearest double",
    file: "pkg/log/pino.ts",
    find: "klogText(parseJson(line) as LogRecord, processId)",
    replace: "klogText(JSON.parse(line) as LogRecord, processId)",
    tests: ["pkg/log/pino.test.ts"],
  },
  {
    name: "protobuf gives the nearest double",
    file: "pkg/api/protobuf/decode.ts",
    find: "return reader.int64();",
    replace: "return reader.number();",
    tests: ["pkg/api/protobuf/decode.test.ts"],
  },
  {
    name: "raw JSON in protobuf gives the nearest double",
    file: "pkg/api/protobuf/decode.ts",
    find: 'return parseJson(json.toString("utf8"));',
    replace: 'return JSON.parse(json.toString("utf8"));',
    tests: ["pkg/api/protobuf/decode.test.ts"],
  },
  {
    name: "the last bits of a number in protobuf are lost",
    file: "pkg/api/protobuf/reader.ts",
    find: "let exact = 0n;\n    for (let at = start; at < this.at; at++)",
    replace: "let exact = 0n;\n    for (let at = start; at < this.at - 1; at++)",
    tests: ["pkg/api/protobuf/decode.test.ts"],
  },
];

/** What is counted. */
const arithmetic: readonly Mutant[] = [
  {
    name: "an Int64 has two forms",
    file: "pkg/api/int64.ts",
    find: "return Number.isSafeInteger(short) ? short : wrapped;",
    replace: "return wrapped;",
    tests: INT64,
  },
  {
    name: "sums do not wrap around",
    file: "pkg/api/int64.ts",
    find: "const wrapped = BigInt.asIntN(64, value);",
    replace: "const wrapped = value;",
    tests: INT64,
  },
  {
    name: "decimals above 64 bits are read",
    file: "pkg/api/int64.ts",
    find: "return value >= MIN && value <= MAX ? value : undefined;",
    replace: "return value;",
    tests: INT64,
  },
  {
    name: "numbers of 32 bits have 33",
    file: "pkg/api/int64.ts",
    find: "BigInt.asIntN(32, value) === value ?",
    replace: "BigInt.asIntN(33, value) === value ?",
    tests: INT64,
  },
  {
    name: "revisions of a Deployment are counted as doubles",
    file: "controllers/deployment/annotations.ts",
    find: 'return parseInt64(object.metadata.annotations?.[REVISION] ?? "0");',
    replace: 'return BigInt(Number(parseInt64(object.metadata.annotations?.[REVISION] ?? "0") ?? 0));',
    tests: REVISIONS,
  },
  {
    name: "the revision after the highest of all has 65 bits",
    file: "controllers/deployment/annotations.ts",
    find: "BigInt.asIntN(64, (revisionsOf(replicaSets)[0] ?? 0n) + 1n)",
    replace: "(revisionsOf(replicaSets)[0] ?? 0n) + 1n",
    tests: REVISIONS,
  },
  {
    name: "revisions below 0 are gone back to",
    file: "controllers/deployment/annotations.ts",
    find: "revisions.filter((revision) => revision > 0n)",
    replace: "revisions",
    tests: REVISIONS,
  },
  {
    name: "a revision that is no number is set over",
    file: "controllers/deployment/annotations.ts",
    find: "const rises = heldNumber !== undefined && heldNumber < revision;",
    replace: "const rises = (heldNumber ?? 0n) < revision;",
    tests: REVISIONS,
  },
  {
    name: "going back looks for the nearest double",
    file: "controllers/deployment/rollback.ts",
    find: 'return parseInt64(deployment.metadata.annotations?.[ROLLBACK_TO] ?? "");',
    replace:
      'const asked = parseInt64(deployment.metadata.annotations?.[ROLLBACK_TO] ?? "");\n  return asked === undefined ? asked : BigInt(Number(asked));',
    tests: ["controllers/deployment/rollback.test.ts"],
  },
  {
    name: "ReplicaSets go by the order of doubles",
    file: "controllers/deployment/cleanup.ts",
    find: "compareInt64(a, b)",
    replace: "Number(a) - Number(b)",
    tests: ["controllers/deployment/cleanup.test.ts"],
  },
  {
    name: "revisions of histories are counted as doubles",
    file: "pkg/api/controller-revision.ts",
    find: "return addInt64(highest, 1);",
    replace: "return Number(highest) + 1;",
    tests: ["pkg/api/controller-revision.test.ts"],
  },
  {
    name: "revisions of histories are sorted as doubles",
    file: "pkg/api/controller-revision.ts",
    find: "compareInt64(a.revision, b.revision)",
    replace: "Number(a.revision) - Number(b.revision)",
    tests: ["pkg/api/controller-revision.test.ts"],
  },
];

/** What the embedded server takes and refuses, as the real one does. */
const embedded: readonly Mutant[] = [
  {
    name: "bodies are read with doubles",
    file: "pkg/apiserver/decode/json-depth.ts",
    find: "return parseJson(text);",
    replace: "return JSON.parse(text);",
    tests: EMBEDDED,
  },
  {
    name: "patches are read with doubles",
    file: "pkg/apiserver/server/patch.ts",
    find: 'return parseBodyJson(body?.text ?? "");',
    replace: 'return JSON.parse(body?.text ?? "");',
    tests: EMBEDDED,
  },
  {
    name: "the log is read with doubles",
    file: "pkg/apiserver/storage/file-journal.ts",
    find: "const { r, b, k, o } = parseJson(text) as Change;\n      if (revision > 0",
    replace: "const { r, b, k, o } = JSON.parse(text) as Change;\n      if (revision > 0",
    tests: ["pkg/apiserver/storage/file-journal.test.ts"],
  },
  {
    name: "snapshots are read with doubles",
    file: "pkg/apiserver/storage/file-journal.ts",
    find: "const { r, b, k, o } = parseJson(text) as Change;\n      if (o !== undefined) target",
    replace: "const { r, b, k, o } = JSON.parse(text) as Change;\n      if (o !== undefined) target",
    tests: ["pkg/apiserver/storage/file-journal.test.ts"],
  },
  {
    name: "2147483648 replicas are taken",
    file: "pkg/api/wire-form.ts",
    find: `case "int32":
        return isInt32(value) &&`,
    replace: `case "int32":
        return Number.isInteger(value) &&`,
    tests: EMBEDDED,
  },
  {
    name: "numbers beyond 64 bits are taken",
    file: "pkg/api/wire-form.ts",
    find: "return isInt64(value) &&",
    replace: 'return (Number.isInteger(value) || typeof value === "bigint") &&',
    tests: EMBEDDED,
  },
  {
    name: "ports of 64 bits are taken",
    file: "pkg/api/wire-form.ts",
    find: `if (typeof value === "string") return value;
        return isInt32(value) &&`,
    replace: `if (typeof value === "string") return value;
        return isInt64(value) &&`,
    tests: EMBEDDED,
  },
  {
    name: "user ids of 64 bits are not looked at",
    file: "pkg/apiserver/kinds/pod/security.ts",
    find: "const id = int64(holder, key);",
    replace: 'const id = int64(holder, key) as number;\n  if (typeof id !== "number") return;',
    tests: EMBEDDED,
  },
  {
    name: "the end of a long grace period is no time",
    file: "pkg/apiserver/server/deletion-step.ts",
    find: "formatTime(nowMs + secondsToMs(seconds))",
    replace: "formatTime(nowMs + Number(seconds) * 1000)",
    tests: EMBEDDED,
  },
  {
    name: "generations are counted as doubles",
    file: "pkg/apiserver/server/update.ts",
    find: "addInt64(before.metadata.generation ?? 0, 1)",
    replace: "Number(before.metadata.generation ?? 0)",
    tests: EMBEDDED,
  },
  {
    name: "generations of a DaemonSet's template are counted as doubles",
    file: "pkg/apiserver/kinds/workloads/daemon-set.ts",
    find: 'return parseInt64(annotation ?? "") ?? 0n;',
    replace: 'return BigInt(Number(annotation ?? "0"));',
    tests: EMBEDDED,
  },
  {
    name: "numbers of 64 bits are no numbers to a CustomResourceDefinition",
    file: "pkg/apiserver/crd/validate-value.ts",
    find: 'isInt64(value) ? "integer" : "number"',
    replace: 'Number.isInteger(value) ? "integer" : "number"',
    tests: ["test/integration/api/custom-resources.test.ts"],
  },
];

export const numbersMutants: readonly Mutant[] = [...wire, ...arithmetic, ...embedded];
