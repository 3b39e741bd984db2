import type { Mutant } from "./mutant.ts";

const probes = ["cmd/kube-controller-manager/server/health/probes.test.ts"];

const policy: readonly Mutant[] = [
  {
    name: "a controller that is late fails at /healthz",
    file: "pkg/manager/health/health.ts",
    find: 'controller: { healthz: "named",',
    replace: 'controller: { healthz: "counts",',
    tests: probes,
  },
  {
    name: "a controller that is late fails at /livez",
    file: "pkg/manager/health/health.ts",
    find: 'livez: "named",',
    replace: 'livez: "counts",',
    tests: probes,
  },
  {
    name: "a cache that is not filled fails at /healthz",
    file: "pkg/manager/health/health.ts",
    find: 'caches: { readyz: "counts" }',
    replace: 'caches: { readyz: "counts", healthz: "counts" }',
    tests: probes,
  },
  {
    name: "a cache that is not filled shows nowhere",
    file: "pkg/manager/health/health.ts",
    find: 'caches: { readyz: "counts" }',
    replace: "caches: {}",
    tests: probes,
  },
  {
    name: "a lost lease does not count at /livez",
    file: "pkg/manager/health/health.ts",
    find: 'life: { healthz: "counts", livez: "counts",',
    replace: 'life: { healthz: "counts", livez: "named",',
    tests: ["pkg/manager/health/health.test.ts"],
  },
  {
    name: "a lost lease is a matter of role",
    file: "pkg/manager/health/lease-health.ts",
    find: 'concern: "life"',
    replace: 'concern: "role"',
    tests: probes,
  },
  {
    name: "checks of controllers are not added",
    file: "pkg/manager/health/set-health.ts",
    find: "...set.names.map(",
    replace: "...([] as string[]).map(",
    tests: probes,
  },
  {
    name: "the check of the informers is not added",
    file: "pkg/manager/health/set-health.ts",
    find: "    { ...informers, ...(name === undefined ? {} : { name }) },\n",
    replace: "",
    tests: probes,
  },
];

const progress: readonly Mutant[] = [
  {
    name: "long work is stuck work",
    file: "pkg/manager/health/controller-health.ts",
    find: "Math.min(longestRunning.forMs, sinceAnswerMs)",
    replace: "longestRunning.forMs",
    tests: probes,
  },
  {
    name: "work that nothing is heard of is no fault",
    file: "pkg/manager/health/controller-health.ts",
    find: "Math.min(longestRunning.forMs, sinceAnswerMs)",
    replace: "Math.min(longestRunning.forMs, 0)",
    tests: probes,
  },
  {
    name: "answers are not noted",
    file: "pkg/client/rest.ts",
    find: "      this.#answeredMs = clock.monotonicMs();\n",
    replace: "",
    tests: probes,
  },
  {
    name: "the server never answered any controller",
    file: "pkg/controller/controller-set.ts",
    find: "nowMs - client.rest.answeredMs",
    replace: "nowMs",
    tests: probes,
  },
  {
    name: "the end of a quiet watch is not heard",
    file: "pkg/cache/feed/reflector.ts",
    find: "    this.#succeeded();\n    this.#meetsUnreadable",
    replace: "    this.#meetsUnreadable",
    tests: probes,
  },
  {
    name: "silence is for ever",
    file: "pkg/manager/health/informer-health.ts",
    find: "informer.silentMs > MAX_SILENCE_MS",
    replace: "informer.silentMs < 0",
    tests: ["pkg/manager/health/informer-health.test.ts"],
  },
];

export const healthMutants: readonly Mutant[] = [...policy, ...progress];
