import { type Mutant, mutantsOf } from "./mutant.ts";

const file = "pkg/client/discovery-file.ts";
const discovery = "pkg/client/discovery.ts";
const ofFile = ["pkg/client/discovery-file.test.ts"];
const ofDiscovery = ["pkg/client/discovery.test.ts"];

const lookup = "pkg/client/kind-lookup.ts";
const kindLookup = mutantsOf("kind lookup", ["pkg/client/kind-lookup.test.ts"]);
const autoscaler = mutantsOf("horizontal-pod-autoscaler", ["controllers/podautoscaler/failures.test.ts"]);
const discoveryIsBack = [
  "a group that could not be discovered once is never asked for again",
  lookup,
  "if (known.resource !== undefined || !this",
  "if (known.resource !== undefined || known.failure !== undefined || !this",
] as const;

/** What becomes of kinds that others name when discovery fails, and when versions come and go. */
const kinds: readonly Mutant[] = [
  kindLookup(...discoveryIsBack),
  autoscaler(...discoveryIsBack),
  kindLookup(
    "what is served in another version by now is gone",
    lookup,
    "if (resource === undefined || isSame(resource, found)) throw error;",
    "if (resource === undefined || !isSame(resource, found)) throw error;",
  ),
  kindLookup(
    "for what is not there discovery is asked all the time",
    lookup,
    "this.#askAnew();\n      const { resource }",
    "this.#client.discovery.invalidate();\n      const { resource }",
  ),
  kindLookup("what is refused is looked for elsewhere", lookup, "if (!isNotFound(error)) throw error;", ""),
  mutantsOf("disruption", ["controllers/disruption/sync-scale.test.ts"])(
    "an owner whose version is not served any more is gone",
    "controllers/disruption/sync-scale.ts",
    "scale = (await this.#kinds.ask(kind, resource, scaleAt, signal)).answer;",
    "scale = await scaleAt(resource);",
  ),
  autoscaler(
    "a target whose version is not served any more is gone",
    "controllers/podautoscaler/sync-target.ts",
    "await this.#kinds.ask({ group, kind }, found, scaleAt, signal);",
    "{ resource: found, answer: await scaleAt(found) };",
  ),
  autoscaler(
    "an outage of discovery is said to be the target's fault",
    "controllers/podautoscaler/sync-target.ts",
    'if (isUnreachable(error)) throw error;\n      throw new TargetError(messageOf(error), "kind"',
    'throw new TargetError(messageOf(error), "kind"',
  ),
  autoscaler(
    "a kind of which discovery knows nothing is not told of",
    "controllers/podautoscaler/sync-target.ts",
    'if (isUnreachable(error)) throw error;\n      throw new TargetError(messageOf(error), "kind", { cause: error });',
    "throw error;",
  ),
];

/** What servers offer, as clients keep it. */
export const discoveryMutants: readonly Mutant[] = [
  {
    name: "kept discovery: it is of use for ever",
    file,
    find: "!(ageMs <= this.#maxAgeMs)",
    replace: "!(ageMs <= Infinity)",
    tests: ofFile,
  },
  {
    name: "kept discovery: what is from time to come is believed",
    file,
    find: "ageMs < 0 ||",
    replace: "",
    tests: ofFile,
  },
  {
    name: "kept discovery: another server's counts",
    file,
    find: "server !== this.#server ||",
    replace: "",
    tests: ofFile,
  },
  {
    name: "kept discovery: what was learned in part is kept",
    file,
    find: "if (failures.size > 0) return;",
    replace: "if (failures.size > 1) return;",
    tests: ofFile,
  },
  {
    name: "kept discovery: a damaged file is believed",
    file,
    find: "isListOf(resources, isResource)",
    replace: "isListOf(resources, isFields)",
    tests: ofFile,
  },
  {
    name: "kept discovery: others may read it",
    file,
    find: '"wx", 0o600',
    replace: '"wx", 0o644',
    tests: ofFile,
  },
  {
    name: "kept discovery: the file is written in place",
    file,
    find: "const half = `${this.#path}.${randomUUID()}.tmp`;",
    replace: "const half = `${this.#path}.tmp${randomUUID().slice(0, 0)}`;",
    tests: ofFile,
  },
  {
    name: "kept discovery: it is believed after invalidation",
    file: discovery,
    find: "    this.#isInvalidated = true;\n",
    replace: "",
    tests: ofDiscovery,
  },
  {
    name: "kept discovery: an unknown kind is not asked for",
    file: "pkg/client/rest-mapper.ts",
    find: "if (resource !== undefined || this.#discovery.isLive) return resource;",
    replace: "if (this !== undefined) return resource;",
    tests: ofDiscovery,
  },
  {
    name: "kept discovery: what was learned is not kept",
    file: discovery,
    find: "await this.#store?.write(surface);",
    replace: "",
    tests: ofDiscovery,
  },
  ...kinds,
];
