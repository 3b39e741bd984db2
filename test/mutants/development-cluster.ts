import type { Mutant } from "./mutant.ts";

const volumes = ["test/integration/controllers/volumes.test.ts"];
const unitOf = (...names: readonly string[]): readonly string[] =>
  names.map((name) => `pkg/cluster/${name}.test.ts`);

/** The development cluster: volumes, scheduler, and what hollow nodes tell and answer. */
export const plantMutants: readonly Mutant[] = [
  {
    name: "a claim goes although a pod on a node uses it",
    file: "pkg/cluster/volumes/claim-protection.ts",
    find: `if ((pod.spec?.nodeName ?? "") === "") return false;`,
    replace: `if ((pod.spec?.nodeName ?? "") !== "") return false;`,
    tests: volumes,
  },
  {
    name: "a bound volume goes when it is deleted",
    file: "pkg/cluster/volumes/volume-protection.ts",
    find: `status?.phase === "Bound"`,
    replace: `status?.phase === "Lost"`,
    tests: volumes,
  },
  {
    name: "a claim that binds late is bound before its pod is placed",
    file: "pkg/cluster/volumes/decide-claim.ts",
    find: `if (delayed && !isAnnotated(claim, SELECTED_NODE))`,
    replace: `if (delayed && isAnnotated(claim, SELECTED_NODE))`,
    tests: volumes,
  },
  {
    name: "a volume that is to be retained is deleted",
    file: "pkg/cluster/volumes/hollow-volume.ts",
    find: `spec?.persistentVolumeReclaimPolicy === "Delete" &&`,
    replace: `spec?.persistentVolumeReclaimPolicy !== "" &&`,
    tests: volumes,
  },
  {
    name: "a claim takes the largest volume",
    file: "pkg/cluster/volumes/find-volume.ts",
    find: `capacityOf(volume).compare(capacityOf(other)) < 0 : modes < 0`,
    replace: `capacityOf(volume).compare(capacityOf(other)) > 0 : modes < 0`,
    tests: volumes,
  },
  {
    name: "two claims of a pod get one volume",
    file: "pkg/cluster/scheduler/pod-volumes.ts",
    find: `excluded.add(volume.metadata.name ?? "");`,
    replace: `excluded.add("");`,
    tests: unitOf("scheduler/pod-volumes"),
  },
  {
    name: "a pod gets a node although its claim is unbound",
    file: "pkg/cluster/scheduler/pod-volumes.ts",
    find: `else isUnbound = true;`,
    replace: `else isUnbound = false;`,
    tests: unitOf("scheduler/pod-volumes"),
  },
  {
    name: "a node that would rather not have a pod gets it",
    file: "pkg/cluster/scheduler/choose-node.ts",
    find: `(node) => -intolerable(node)`,
    replace: `(node) => intolerable(node)`,
    tests: unitOf("scheduler/choose-node"),
  },
  {
    name: "the start of a container is told although nothing has begun",
    file: "pkg/cluster/hollow/pod-events.ts",
    find: `return begun !== undefined && begun !== (was && beginningOf(was));`,
    replace: `return begun !== undefined;`,
    tests: unitOf("hollow/pod-events"),
  },
  {
    name: "an image is pulled again without a pause that grows",
    file: "pkg/cluster/hollow/image-pull.ts",
    find: `Math.min(2 * pauseMs, LONGEST_PAUSE_MS)`,
    replace: `Math.min(pauseMs, LONGEST_PAUSE_MS)`,
    tests: unitOf("hollow/image-pull"),
  },
  {
    name: "events of a rush of pods are all sent",
    file: "pkg/cluster/hollow/event-ration.ts",
    find: `this.#left -= events;`,
    replace: `this.#left -= 1;`,
    tests: unitOf("hollow/event-ration"),
  },
  {
    name: "what is typed into a WebSocket stays masked",
    file: "pkg/apiserver/http/web-socket.ts",
    find: `(mask[index & 3] ?? 0)`,
    replace: `(mask[index & 1] ?? 0)`,
    tests: ["pkg/apiserver/http/web-socket.test.ts"],
  },
  {
    name: "who may only look opens sessions",
    file: "pkg/apiserver/server/api-server.ts",
    find: `if (needsCreate(info.subresource)) await`,
    replace: `if (needsCreate("")) await`,
    tests: ["test/integration/api/pod-processes.test.ts"],
  },
  {
    name: "a pod that does not run uses something",
    file: "pkg/cluster/metrics/metrics-api.ts",
    find: `if (usage.length === 0) return [];`,
    replace: `if (usage.length < 0) return [];`,
    tests: unitOf("cluster"),
  },
];
