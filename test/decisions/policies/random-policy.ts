import type { ValidatingAdmissionPolicySpec } from "../../../pkg/api/types/admissionregistration-v1.gen.ts";
import type { OpenApiSchema } from "../../../pkg/cel/schemas/open-api-schema.ts";
import { type Random, randomBelow } from "../../../pkg/clock/random.ts";
import type { NamedKind } from "./policy-checker.ts";

const LITERALS: Readonly<Record<string, readonly string[]>> = {
  string: ["'a'", '"b.c"', "'10'", "''", "r'\\d+'", "'x' + 'y'"],
  integer: ["1", "0", "-5", "3 * 2", "9223372036854775807", "int('3')"],
  number: ["1.5", "0.0", "double(2)"],
  boolean: ["true", "false", "1 < 2"],
  other: ["null", "[1, 2]", "['a']", "{'a': 1}", "b'ab'", "duration('1h')", "dyn(1)", "1u"],
};
const COMPARISONS = ["==", "!=", "<", ">=", "in", "=="];
const METHODS = [
  "startsWith('a')",
  "matches('^a.*')",
  "size() > 0",
  "lowerAscii() == 'a'",
  "contains('b')",
  "format([1]) == ''",
];
/** About what is there beside the objects; some of it wrong. */
const OTHERS = [
  "request.operation == 'UPDATE'",
  "request.userInfo.groups.exists(g, g == 'system:masters')",
  "request.userInfo.extra['a'].size() > 0",
  "request.userInfo.extra.all(k, k != 'a')",
  "request.kind.group in ['apps', '']",
  "request.dryRun",
  "request.dryRun == 'yes'",
  "request.nope == 1",
  "request.resource.resource + request.subResource == 'a'",
  "request.options.propagationPolicy == 'x'",
  "namespaceObject.metadata.labels['a'] == 'b'",
  "namespaceObject == null",
  "namespaceObject.spec.finalizers.size() == 0",
  "namespaceObject.status.phase == 1",
  "namespaceObject.metadata.creationTimestamp < timestamp('2026-01-01T00:00:00Z')",
  "authorizer.group('apps').resource('deployments').check('get').allowed()",
  "authorizer.requestResource.check('get').allowed()",
  "authorizer.path('/healthz').check('get').reason() == ''",
  "authorizer.group(1).resource('a').check('get').allowed()",
  "authorizer.serviceAccount('a', 'b').group('').resource('pods').namespace('x').check('list').errored()",
  "authorizer.group('').resource('pods').fieldSelector('spec.nodeName=a').labelSelector('a=b').check('list').allowed()",
  "authorizer.nope()",
  "quantity('1Gi').isGreaterThan(quantity('1Mi'))",
  "url('https://a/b').getHost() == 'a'",
  "ip('10.0.0.1').family() == 4 && cidr('10.0.0.0/8').containsIP('10.0.0.1')",
  "semver('1.2.3').major() == 1",
  "format.dns1123Label().validate('a').hasValue()",
  "sets.contains([1, 2], [1]) && [1, 2].isSorted() && [1, 2].sum() == 3",
  "'abc'.find('b') == 'b' && 'a,b'.split(',').size() == 2",
  "optional.of(1).orValue(2) == 1",
  "type(object) == type(oldObject)",
  "[1, 'a', true].exists(x, x == 1)",
  "{'a': 1, 2: 'b'}.size() == 2",
  "nope == 1",
  "object.",
  "1 +",
  "'unclosed",
  "object == null || oldObject != null",
  "cel.bind(x, 1, x + 1) == 2",
  "[1, 2].map(x, x > 1, x * 2) == [4]",
  "has(object.metadata) && !has(object.nope)",
  "has(object)",
  "object.all(x, x == 1)",
  "string(1) + 1 == '11'",
  "1 == 1 ? 'a' : 2",
  "true && 1",
  "object.metadata.name.format() == ''",
];

interface Place {
  readonly text: string;
  readonly schema: OpenApiSchema;
}

/** Policies that speak of objects as their schemas have them, and now and then of what is not there or otherwise. */
export class RandomPolicies {
  readonly #random: Random;
  readonly #kinds: readonly NamedKind[];
  #variables = 0;

  constructor(random: Random, kinds: readonly NamedKind[]) {
    this.#random = random;
    this.#kinds = kinds;
  }

  next(): ValidatingAdmissionPolicySpec {
    const kinds = Array.from({ length: 1 + this.#below(3) }, () => this.#one(this.#kinds));
    const params = this.#happens(0.4) ? this.#one(this.#kinds) : undefined;
    const roots = kinds.slice(0, 1).flatMap(({ schema }) => [
      { text: "object", schema },
      { text: "oldObject", schema },
    ]);
    if (params !== undefined) roots.push({ text: "params", schema: params.schema });
    this.#variables = this.#below(3);
    const variables = Array.from({ length: this.#variables }, (_, index) => ({
      name: `v${index}`,
      expression: this.#happens(0.3) ? this.#condition(roots, 1) : this.#walk(roots).text,
    }));
    const validations = Array.from({ length: 1 + this.#below(3) }, () => ({
      expression: this.#condition(roots, 2),
      ...(this.#happens(0.4) && { messageExpression: this.#message(roots) }),
    }));
    return {
      matchConstraints: {
        resourceRules: kinds.map(({ group, version, plural }) => ({
          apiGroups: [group],
          apiVersions: [version],
          resources: [plural],
          operations: ["*"],
        })),
      },
      ...(params && {
        paramKind: {
          apiVersion: params.group === "" ? params.version : `${params.group}/${params.version}`,
          kind: params.kind,
        },
      }),
      ...(variables.length > 0 && { variables }),
      validations,
    };
  }

  #condition(roots: readonly Place[], depth: number): string {
    if (depth > 0 && this.#happens(0.35)) {
      const [a, b] = [this.#condition(roots, depth - 1), this.#condition(roots, depth - 1)];
      return this.#one([
        `${a} && ${b}`,
        `${a} || ${b}`,
        `!(${a})`,
        `(${a}) ? (${b}) : false`,
        `(${a}) == (${b})`,
      ]);
    }
    if (this.#happens(0.25)) return this.#one(OTHERS);
    if (this.#variables > 0 && this.#happens(0.2)) {
      const variable = `variables.v${this.#below(this.#variables + (this.#happens(0.1) ? 1 : 0))}`;
      return this.#one([`${variable} == ${this.#literal(undefined)}`, variable, `${variable}.size() > 0`]);
    }
    return this.#about(this.#walk(roots), depth);
  }

  #about(place: Place, depth: number): string {
    const { text, schema } = place;
    if (this.#happens(0.15))
      return this.#one([`has(${text})`, `!has(${text})`, text, `${text}.?a.hasValue()`]);
    if (schema.items !== undefined && this.#happens(0.8)) {
      const inner = this.#about(this.#walk([{ text: "x", schema: schema.items }]), depth);
      const macro = this.#one(["all", "exists", "exists_one"]);
      return this.#one([
        `${text}.${macro}(x, ${inner})`,
        `${text}.filter(x, ${inner}).size() < 3`,
        `${text}.map(x, ${inner}) == [true]`,
        `${text}.${macro}(i, x, ${inner})`,
        `size(${text}) > 1`,
      ]);
    }
    if (schema.additionalProperties !== undefined && this.#happens(0.8))
      return this.#one([
        `'a' in ${text}`,
        `${text}['a'] == ${this.#literal(undefined)}`,
        `${text}.all(k, k.startsWith('a'))`,
        `${text}.a == ${this.#literal(undefined)}`,
        `${text}.exists(k, v, v == ${this.#literal(undefined)})`,
        `${text}[1] == 'a'`,
      ]);
    if (schema.type === "string" && this.#happens(0.4)) return `${text}.${this.#one(METHODS)}`;
    if (this.#happens(0.1))
      return this.#one([
        `quantity(${text}).isLessThan(quantity('1'))`,
        `string(${text}) == ''`,
        `int(${text}) > 1`,
        `timestamp(${text}) > timestamp('2026-01-01T00:00:00Z')`,
        `type(${text}) == string`,
        `${text} + ${this.#literal(schema.type)} == ${this.#literal(undefined)}`,
        `${text}.getFullYear() > 2000`,
      ]);
    return `${text} ${this.#one(COMPARISONS)} ${this.#literal(schema.type)}`;
  }

  #message(roots: readonly Place[]): string {
    const { text } = this.#walk(roots);
    return this.#one([
      `'wrong: ' + ${text}`,
      `'wrong: ' + string(${text})`,
      text,
      `'%s'.format([${text}])`,
      "'so'",
    ]);
  }

  /** From an object down to something in it. */
  #walk(roots: readonly Place[]): Place {
    let { text, schema } = this.#one(roots);
    for (let depth = 0; depth < 7; depth++) {
      const names = Object.keys(schema.properties ?? {});
      if (schema.items !== undefined && this.#happens(0.3)) {
        text += this.#one(["[0]", "[0]", "['a']"]);
        schema = schema.items;
      } else if (names.length === 0 || (depth > 1 && this.#happens(0.15))) {
        break;
      } else {
        const isWrong = this.#happens(0.04);
        const name = isWrong ? this.#one(["nope", "Spec", "statuss"]) : this.#one(names);
        // Names that the language has for itself are written otherwise.
        const written = /^[a-z_]\w*$/i.test(name) ? name : this.#one(["kind", "metadata"]);
        text += `${this.#happens(0.05) ? ".?" : "."}${written}`;
        schema = schema.properties?.[written] ?? {};
      }
    }
    return { text, schema };
  }

  #literal(type: string | undefined): string {
    const fitting = LITERALS[type ?? ""];
    const of = fitting !== undefined && this.#happens(0.75) ? fitting : this.#one(Object.values(LITERALS));
    return this.#one(of);
  }

  #one<T>(of: readonly T[]): T {
    const chosen = of[this.#below(of.length)];
    if (chosen === undefined) throw new Error("there is nothing to choose from");
    return chosen;
  }

  #below(bound: number): number {
    return randomBelow(this.#random, bound);
  }

  #happens(share: number): boolean {
    return this.#random.next() < share;
  }
}
