import type { Mutant } from "./mutant.ts";

const file = "pkg/client/discovery-file.ts";
const discovery = "pkg/client/discovery.ts";
const ofFile = ["pkg/client/discovery-file.test.ts"];
const ofDiscovery = ["pkg/client/discovery.test.ts"];

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
];
