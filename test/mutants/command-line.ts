import type { Mutant } from "./mutant.ts";

const MANAGER = ["pkg/cluster/manager.test.ts"];
const HOME = ["cmd/kcm/clusters/cluster-home.test.ts"];
const MERGE = ["cmd/kcm/kubeconfig/merge.test.ts"];
const SELECT = ["cmd/kube-controller-manager/select-controllers.test.ts"];

/** What kcm does beside running a cluster, and under which Lease its controllers work. */
export const commandLineMutants: readonly Mutant[] = [
  {
    name: "works without asking for the Lease",
    file: "pkg/cluster/manager.ts",
    find: "if (candidate === undefined || descriptors.length === 0)",
    replace: "if (candidate !== undefined || descriptors.length === 0)",
    tests: MANAGER,
  },
  {
    name: "writes though it has no Lease",
    file: "pkg/cluster/manager.ts",
    find: "this.#work(election.elector.fence, leading)",
    replace: "this.#work(openGate, signal)",
    tests: MANAGER,
  },
  {
    name: "stands by for ever once it has lost the Lease",
    file: "pkg/cluster/manager.ts",
    find: 'while ((await this.#runTerm(candidate, signal)) === "lost") {',
    replace: 'if ((await this.#runTerm(candidate, signal)) === "lost") {',
    tests: MANAGER,
  },
  {
    name: "tells again of a leader that it has told of",
    file: "pkg/cluster/manager.ts",
    find: "if (leader === this.#leader) return;",
    replace: "",
    tests: MANAGER,
  },
  {
    name: "shares a directory with another process",
    file: "cmd/kcm/clusters/directory-lock.ts",
    find: "BEGIN EXCLUSIVE",
    replace: "BEGIN",
    tests: HOME,
  },
  {
    name: "takes a record without a process for a cluster",
    file: "cmd/kcm/clusters/cluster-home.ts",
    find: 'const state = !isTaken ? "stale" :',
    replace: 'const state = isTaken && record.url === "-" ? "stale" :',
    tests: HOME,
  },
  {
    name: "forgets what a cluster of that name had left",
    file: "cmd/kcm/clusters/cluster-home.ts",
    find: "this.left = readRecord(directory);",
    replace: "this.left = undefined;",
    tests: HOME,
  },
  {
    name: "takes somebody else's context out of a kubeconfig",
    file: "cmd/kcm/kubeconfig/merge.ts",
    find: "entry.name !== name || !isOurs(entry));",
    replace: "entry.name !== name);",
    tests: MERGE,
  },
  {
    name: "replaces somebody else's context in a kubeconfig",
    file: "cmd/kcm/kubeconfig/merge.ts",
    find: "entry.name === name && !isOurs(entry))",
    replace: "entry.name === name && isOurs(entry))",
    tests: MERGE,
  },
  {
    name: "changes the current context",
    file: "cmd/kcm/kubeconfig/merge.ts",
    find: "if (!merged[CURRENT]) merged",
    replace: "merged",
    tests: MERGE,
  },
  {
    name: "writes numbers that JavaScript cannot hold",
    file: "cmd/kcm/kubeconfig/merge.ts",
    find: " || hasInexactNumber(document))",
    replace: ")",
    tests: MERGE,
  },
  {
    name: "runs what another flag rules in spite of -*",
    file: "cmd/kube-controller-manager/select-controllers.ts",
    find: 'if (controller.ruledBy !== undefined && others !== "-*") return true;',
    replace: "if (controller.ruledBy !== undefined) return true;",
    tests: SELECT,
  },
  {
    name: "lists all controllers by the alias that was meant",
    file: "cmd/kube-controller-manager/options/nearest.ts",
    find: "    .filter(({ distance }) => distance <= farthest)\n",
    replace: "",
    tests: SELECT,
  },
  {
    name: "serves kinds before their time",
    file: "pkg/apiserver/discovery/release.ts",
    find: "(since[groupResource(resource)] ?? 0) <= minor",
    replace: "(since[groupResource(resource)] ?? 0) <= minor + 1",
    tests: ["pkg/apiserver/discovery/release.test.ts"],
  },
];
