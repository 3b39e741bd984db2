import { toInt64 } from "../../api/int64.ts";

const named: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ...spellings(["y", "yes", "true", "on"], true),
  ...spellings(["n", "no", "false", "off"], false),
  ...spellings(["null"], null),
  ["~", null],
  ["", null],
]);

function spellings<T>(words: readonly string[], value: T): (readonly [string, T])[] {
  return words.flatMap((word) =>
    [word, word.toUpperCase(), word.slice(0, 1).toUpperCase() + word.slice(1)].map(
      (one) => [one, value] as const,
    ),
  );
}

const whole = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))$/;
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const time = /^\d{4}-\d{1,2}-\d{1,2}(?:$|[Tt ]\d)/;

export class YamlError extends Error {
  readonly code = "Yaml";
}

/** The value of a scalar without quotes, or of one with a tag, as Go's YAML 1.1 has it. */
export function yamlScalar(text: string, tag: string): unknown {
  if (tag === "!!binary") return Buffer.from(text, "base64").toString();
  if (tag !== "" && !typeTags.has(tag)) return text;
  const value = resolve(text);
  const actual = tagOf(value);
  if (tag === "" || tag === actual || (tag === "!!float" && actual === "!!int")) return value;
  throw new YamlError(`yaml: cannot decode ${actual} \`${text}\` as a ${tag}`);
}

const typeTags = new Set(["!!bool", "!!int", "!!float", "!!null"]);

function tagOf(value: unknown): string {
  if (value === null) return "!!null";
  if (typeof value === "boolean") return "!!bool";
  if (typeof value === "string") return "!!str";
  return typeof value === "bigint" || Number.isInteger(value) ? "!!int" : "!!float";
}

function resolve(text: string): unknown {
  const name = named.get(text);
  if (name !== undefined) return name;
  if (/^[-+]?\.(inf|Inf|INF)$/.test(text))
    throw new YamlError(`json: unsupported value: ${text.startsWith("-") ? "-" : "+"}Inf`);
  if (/^\.(nan|NaN|NAN)$/.test(text)) throw new YamlError("json: unsupported value: NaN");
  if (!/^[-+.0-9]/.test(text) || time.test(text) || text.length > 400) return text;
  return numberOf(text.replaceAll("_", "")) ?? text;
}

function numberOf(text: string): unknown {
  const match = whole.exec(text);
  if (match !== null) {
    const [, sign, hex, binary, octal, decimal] = match;
    const digits =
      hex !== undefined
        ? `0x${hex}`
        : binary !== undefined
          ? `0b${binary}`
          : octal !== undefined
            ? `0o${octal}`
            : (decimal ?? "0");
    const value = sign === "-" ? -BigInt(digits) : BigInt(digits);
    // What has more than 64 bits is a double, as in JSON.
    return BigInt.asIntN(64, value) === value ? toInt64(value) : Number(value);
  }
  const number = float.test(text) ? Number(text) : Infinity;
  return Number.isFinite(number) ? number : undefined;
}
