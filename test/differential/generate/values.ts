import type { Json } from "../../../pkg/api/json.ts";
import { rawNumber, TOKEN } from "../case.ts";
import type { Catalog, Schema } from "./catalog.ts";
import type { Chance } from "./chance.ts";

const names = ["a", "app", "main", "data", "a-b", "x1", TOKEN, `${TOKEN}-b`, "http", "my.name"];
const oddStrings = [
  "",
  " ",
  "A",
  "a_b",
  "-a",
  "a-",
  ".",
  "..",
  "a..b",
  "a/b",
  "a/b/c",
  "example.com/x",
  "/",
  "a b",
  "ä",
  "日本",
  "😀",
  "a\nb",
  "\u0000",
  "'\"\\",
  "<&>",
  "0",
  "-1",
  "true",
  "null",
  "1.2.3.4",
  "::1",
  "10.0.0.0/8",
  "256.1.1.1",
  "*",
  "*.example.com",
  "Example.com",
  "http://example.com",
  "$(A)",
  "{.a}",
  "a".repeat(63),
  "a".repeat(64),
  "a".repeat(253),
  "a".repeat(254),
  `${"a".repeat(63)}.${"b".repeat(64)}`,
];
const quantities = ["1", "2", "100m", "1Gi", "64Mi", "0.5", "1k", "0"];
const oddQuantities: readonly unknown[] = [
  "",
  "-1",
  "0x1",
  "1e3",
  "1E3",
  "1.0001",
  "1.5Gi",
  "1n",
  "0.1n",
  "1024Mi",
  "1000m",
  "01",
  "+1",
  ".5",
  "5.",
  "1 Gi",
  "1gi",
  "Gi",
  "9223372036854775807",
  "9223372036854775808",
  "1e30",
  "12E",
  "1u",
  5,
  1.5,
  rawNumber("9223372036854775807"),
  rawNumber("1e3"),
  null,
  true,
  {},
];
const times = ["2020-01-01T00:00:00Z", "2001-02-03T04:05:06Z"];
const oddTimes: readonly unknown[] = [
  "",
  "2020-01-01",
  "2020-01-01T00:00:00",
  "2020-01-01T00:00:00+01:00",
  "2020-01-01T00:00:00.123456Z",
  "2020-01-01T00:00:00.1Z",
  "2020-13-01T00:00:00Z",
  "0001-01-01T00:00:00Z",
  "9999-12-31T23:59:59Z",
  "now",
  0,
  null,
];
const oddIntegers: readonly unknown[] = [
  0,
  -1,
  1,
  2,
  100,
  65535,
  65536,
  2147483647,
  -2147483648,
  rawNumber("2147483648"),
  rawNumber("9223372036854775807"),
  rawNumber("-9223372036854775808"),
  rawNumber("9223372036854775808"),
  rawNumber("1.0"),
  rawNumber("1.5"),
  rawNumber("1e2"),
  rawNumber("-0"),
  "1",
  true,
  null,
];
const base64 = ["", "YQ==", "AAEC"];
const oddBase64: readonly unknown[] = ["a", "YQ", "YR==", "****", "YQ==\n", "_-__", " YQ==", 1, null, "ä"];
const intOrStrings: readonly unknown[] = [
  1,
  0,
  "25%",
  "50%",
  "http",
  -1,
  "101%",
  "%",
  "",
  "1",
  65536,
  "abc%",
  null,
  {},
];

/** What a field of this name usually holds. */
const byName: Readonly<Record<string, readonly unknown[]>> = {
  image: ["main:1", "registry.example/app:1", "x", "", " x"],
  apiVersion: ["v1", "apps/v1", "example.com/v1", "", "a/b/c"],
  kind: ["Deployment", "Pod", "ConfigMap", "Service", "", "x"],
  apiGroup: ["", "apps", "rbac.authorization.k8s.io", "example.com"],
  operator: ["In", "NotIn", "Exists", "DoesNotExist", "Equal", "Gt", "Lt", "", "Near"],
  key: ["app", "example.com/a", "kubernetes.io/hostname", "", "a b"],
  topologyKey: ["kubernetes.io/hostname", "zone", ""],
  path: ["/", "/a", "a", "a/../b", "..", "", "/a/../b"],
  mountPath: ["/a", "/b", "", "a:b"],
  schedule: ["* * * * *", "0 0 1 1 *", "@daily", "", "x", "60 * * * *", "TZ=UTC * * * * *", "@every 1h"],
  timeZone: ["Etc/UTC", "Europe/Berlin", "", "Local", "Nowhere"],
  namespace: ["{{ns}}", "{{ns}}", "default", "other", ""],
  uid: ["u", "{{uid}}", ""],
  resourceVersion: ["", "0", "1", "{{rv}}", "x"],
  fieldPath: ["metadata.name", "metadata.labels['a']", "spec.nodeName", "status.podIP", "x", ""],
  containerPort: [80, 8080, 0, 65535, 65536, -1],
  port: [80, 443, 8080, 0, 65535, 65536, -1],
  clusterIP: ["", "None", "1.2.3.4", "x"],
  cidr: ["10.0.0.0/8", "10.0.0.1/8", "::/0", "x", ""],
  ip: ["1.2.3.4", "::1", "01.2.3.4", "127.0.0.1", "x", ""],
  protocol: ["TCP", "UDP", "SCTP", "tcp", ""],
  expression: ["true", "object.metadata.name == 'a'", "", "("],
  restartPolicy: ["Always", "OnFailure", "Never", "", "x"],
  storageClassName: ["", "fast", "A_"],
  priorityClassName: ["", "none", "system-node-critical"],
  finalizers: [["example.com/f"], ["x"], ["orphan", "foregroundDeletion"], []],
  generateName: [`${TOKEN}-`, TOKEN, `${TOKEN}_`, ""],
};

/** Values by the schemas of the real server: most of them such that the object may well be taken. */
export class Values {
  readonly #catalog: Catalog;
  readonly #chance: Chance;

  constructor(catalog: Catalog, chance: Chance) {
    this.#catalog = catalog;
    this.#chance = chance;
  }

  /** `odd`: how many leaves in a hundred are of the sort that is often forgotten. */
  of(schema: Schema, name: string, odd: number, depth = 0): unknown {
    const chance = this.#chance;
    const known = this.#catalog.resolve(schema);
    if (known.enum !== undefined) return chance.percent(odd) ? this.#odd("string") : chance.one(known.enum);
    if (Object.hasOwn(byName, name) && known.properties === undefined && known.type !== "object")
      return chance.percent(odd)
        ? this.#odd(known.type ?? "string", known.format)
        : structuredClone(chance.one(byName[name] ?? []));
    if (known.properties !== undefined) return this.#object(known, odd, depth);
    if (known.type === "array") return this.#list(known.items ?? {}, name, odd, depth);
    if (known.additionalProperties !== undefined) return this.#map(known.additionalProperties, odd, depth);
    if (chance.percent(odd)) return this.#odd(known.type ?? "object", known.format);
    return this.#plain(known);
  }

  /** A value of no use for a field of this type, or one at its limits. */
  odd(schema: Schema): unknown {
    const known = this.#catalog.resolve(schema);
    return this.#odd(known.type ?? "object", known.format);
  }

  #plain({ type, format }: Schema): unknown {
    const chance = this.#chance;
    if (type === "boolean") return chance.percent(50);
    if (type === "integer") return chance.one([0, 1, 2, 3, 5, 10, 30, 100]);
    if (type === "number") return chance.one([0, 1, 0.5]);
    if (type === "object" || type === undefined) return chance.one([{}, { a: "b" }]);
    if (format === "quantity") return chance.one(quantities);
    if (format === "date-time") return chance.one(times);
    if (format === "byte") return chance.one(base64);
    if (format === "int-or-string") return chance.one(intOrStrings.slice(0, 5));
    return chance.one(names);
  }

  #odd(type: string, format = ""): unknown {
    const chance = this.#chance;
    if (chance.percent(12))
      return chance.one<unknown>([null, "", 0, 1, -1, true, false, {}, [], [1], { a: 1 }, [null], "x"]);
    if (type === "integer" || type === "number") return chance.one(oddIntegers);
    if (type === "boolean") return chance.one<unknown>([null, "true", 0, 1, ""]);
    if (type === "object")
      return chance.one<unknown>([null, {}, [], "", { a: null }, { a: { b: [1, null] } }]);
    if (type === "array") return chance.one<unknown>([null, [], [null], {}, ""]);
    if (format === "quantity") return chance.one(oddQuantities);
    if (format === "date-time") return chance.one(oddTimes);
    if (format === "byte") return chance.one(oddBase64);
    if (format === "int-or-string") return chance.one(intOrStrings);
    return chance.one(oddStrings);
  }

  #object(schema: Schema, odd: number, depth: number): Json {
    const result: Json = {};
    const properties = schema.properties ?? {};
    const required = new Set(schema.required ?? []);
    const often = depth > 4 ? 2 : 40 / (1 + Object.keys(properties).length / 2);
    for (const [key, member] of Object.entries(properties)) {
      const isWanted = required.has(key) ? !this.#chance.percent(odd / 4) : this.#chance.percent(often);
      if (isWanted && depth < 9) result[key] = this.of(member, key, odd, depth + 1);
    }
    return result;
  }

  #list(schema: Schema, name: string, odd: number, depth: number): unknown[] {
    const length = this.#chance.weighted([
      [6, 1],
      [2, 2],
      [1, 0],
      [1, 3],
    ]);
    return Array.from({ length }, () => this.of(schema, name, odd, depth + 1));
  }

  #map(schema: Schema, odd: number, depth: number): Json {
    const result: Json = {};
    for (let left = this.#chance.below(3); left > 0; left--) {
      const key = this.#chance.percent(odd)
        ? this.#chance.one(oddStrings)
        : this.#chance.one(["a", "app", "cpu", "memory", "example.com/x", "storage", "pods", "b.txt"]);
      result[key] = this.of(schema, "", odd, depth + 1);
    }
    return result;
  }
}
