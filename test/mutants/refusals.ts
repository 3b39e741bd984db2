import type { Mutant } from "./mutant.ts";

const discovery: readonly Mutant[] = [
  {
    name: "a refused root of discovery offers nothing",
    file: "pkg/client/discovery.ts",
    find: "accept: ACCEPT_AGGREGATED });",
    replace:
      'accept: ACCEPT_AGGREGATED }).catch(() => ({ kind: "APIGroupDiscoveryList", items: [] }) as unknown);',
    tests: ["pkg/client/discovery.test.ts", "controllers/namespace/sync-content.test.ts"],
  },
  {
    name: "any document is a discovery document",
    file: "pkg/client/discovery-documents.ts",
    find: "if (found !== kind)",
    replace: "if (found === 1)",
    tests: ["pkg/client/discovery.test.ts"],
  },
  {
    name: "what a stale group does not tell of is absent",
    file: "pkg/client/discovery-documents.ts",
    find: '? "unknown" : "absent"',
    replace: '? "absent" : "absent"',
    tests: ["pkg/client/discovery.test.ts"],
  },
];

export const refusalsMutants: readonly Mutant[] = [...discovery];
