import type { Mutant } from "./mutant.ts";

const STALE_CACHES = ["replicaset", "daemonset", "job"].map(
  (controller) => `controllers/${controller}/stale-caches.test.ts`,
);

/** What is remembered of an owner, and what becomes of it under another of its name. */
const identityMutants: readonly Mutant[] = [
  ...STALE_CACHES.map((test) => ({
    name: `gives what is remembered of an owner to another of its name (${test})`,
    file: "pkg/api/per-owner.ts",
    find: "return entry?.uid === owner.metadata.uid ? entry?.value : undefined;",
    replace: "return entry?.value;",
    tests: [test],
  })),
  {
    name: "forgets what is remembered of the second owner when the first is gone",
    file: "pkg/api/per-owner.ts",
    find: "if (this.#entries.get(keyOf(owner))?.uid === owner.metadata.uid) ",
    replace: "",
    tests: ["pkg/reconcile/expectations.test.ts"],
  },
];

export const replicasMutants: readonly Mutant[] = [...identityMutants];
