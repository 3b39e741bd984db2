import type { Mutant } from "./mutant.ts";

/** Names that are taken for identities. */
export const identityMutants: readonly Mutant[] = [
  {
    name: "deletes whatever slice has the name",
    file: "pkg/controller/endpoints/service-slices.ts",
    find: "{ preconditions: { uid } }",
    replace: "{}",
  },
  {
    name: "writes over whatever slice has the name",
    file: "pkg/endpoints/slice-name.ts",
    find: "    ...(uid !== undefined && { uid }),\n    ...(resourceVersion !== undefined && { resourceVersion }),\n",
    replace: "",
  },
  {
    name: "leaves Endpoints that nobody has seen when their Service goes",
    file: "controllers/endpoints/handlers.ts",
    find: "if (isWrittenHere(endpoints) && !hasService) wake(key);",
    replace: "",
  },
];

/** Refusals that are taken for facts about the world. */
export const refusalMutants: readonly Mutant[] = [
  {
    name: "takes an API that refuses to say what it has for one that has nothing",
    file: "pkg/client/discovery.ts",
    find: 'const document = await this.#rest.json({ method: "GET", path, accept: ACCEPT_AGGREGATED });',
    replace:
      'const document = await this.#rest.json({ method: "GET", path, accept: ACCEPT_AGGREGATED }).catch(() => ({ kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2", items: [] }));',
  },
];
