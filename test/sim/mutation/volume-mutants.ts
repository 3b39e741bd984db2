import type { Mutant } from "./mutant.ts";

const binder = "controllers/persistentvolume";
const attacher = "controllers/attachdetach";
const STALE = ["stale cache of volumes"];

/** In the controllers of volumes. */
export const volumeMutants: readonly Mutant[] = [
  {
    name: "takes a claim of the same name for the one that has the volume",
    file: "pkg/api/volumes/claim-facts.ts",
    find: 'return uid === undefined || uid === "" || uid === metadata.uid;',
    replace: "return true;",
  },
  {
    name: "gives a claim that a volume is kept for another one",
    file: `${binder}/sync-claim.ts`,
    find: "const found = keptFor(claim, context) ?? (delayed",
    replace: "void keptFor;\n  const found = undefined ?? (delayed",
  },
  {
    name: "asks for new volumes though there are free ones",
    file: `${binder}/sync-claim.ts`,
    find: "(delayed ? undefined : context.free.find(claim))",
    replace: 'context.free.find({ ...claim, spec: { storageClassName: "none" } })',
  },
  {
    name: "does not wait for the first pod of a claim",
    file: `${binder}/decide-claim.ts`,
    find: "if (isDelayed(storageClass) && !isAnnotated(claim, SELECTED_NODE))",
    replace:
      "if (isDelayed(storageClass) && !isAnnotated(claim, SELECTED_NODE) && view.provisions === false)",
  },
  {
    name: "asks once more for a volume that it has asked for",
    file: `${binder}/sync-provision.ts`,
    find: "if (claim.metadata.annotations?.[STORAGE_PROVISIONER] === provisioner) return claim;",
    replace:
      "if (claim.metadata.annotations?.[STORAGE_PROVISIONER] === provisioner) return claimWrites.update(sync, withoutAnnotation(claim, STORAGE_PROVISIONER));",
  },
  {
    name: "offers volumes that come to nobody",
    file: `${binder}/sync-claim.ts`,
    find: "if (!isDelayed(classes.lister.get(undefined, classOf(claim)))) waiting.add(claim);",
    replace: "void waiting; void classes;",
  },
  {
    name: "believes its cache that a claim has lost its volume",
    needs: STALE,
    file: `${binder}/sync-claim.ts`,
    find: 'if (plan.do !== "lose" || name === "" || claim.status?.phase === "Lost") return plan;',
    replace: "if (name !== sync.key) return plan;",
  },
  {
    name: "believes its cache that the claim of a volume is gone",
    needs: STALE,
    file: `${binder}/sync-volume.ts`,
    find: "return readLive(claimClient, { namespace, name, uid }, signal);",
    replace: "void readLive; void claimClient; void signal; return undefined;",
  },
  {
    name: "deletes volumes that are to be retained",
    file: `${binder}/decide-volume.ts`,
    find: 'case "Retain":\n      return "keep";',
    replace: 'case "Retain":\n      return "delete";',
  },
  {
    name: "keeps volumes that are to be deleted",
    file: `${binder}/decide-volume.ts`,
    find: 'case "Delete":\n      return "delete";',
    replace: 'case "Delete":\n      return "keep";',
  },
  {
    name: "leaves the finalizer on volumes that nobody has any more",
    file: "controllers/pvprotection/controller.ts",
    find: 'owner.status?.phase === "Bound"',
    replace: 'owner.status?.phase !== "Pending"',
  },
  {
    name: "lets claims go that pods use",
    file: "controllers/pvcprotection/claim-use.ts",
    find: "return !isShutDown(pod) || !isClaimOfPod(claim, pod);",
    replace: "return !isShutDown(pod) && isClaimOfPod(claim, pod);",
  },
  {
    name: "attaches a volume to a second node",
    file: `${attacher}/volume-plan.ts`,
    find: "({ isConfirmed }) => isConfirmed || attachment === undefined",
    replace: '({ node }) => node === ""',
  },
  {
    name: "detaches what a node uses",
    file: `${attacher}/sync-volume.ts`,
    find: "isInUse: reports.isInUse(node, volume),",
    replace: "isInUse: false,",
  },
  {
    name: "does not tell nodes what they are to lose",
    file: `${attacher}/volume-plan.ts`,
    find: 'return node.isReported ? rest("The node is told first") : { kind: "remove", force };',
    replace: 'return { kind: "remove", force };',
  },
  {
    name: "never detaches by force",
    file: `${attacher}/volume-plan.ts`,
    find: 'if (!node.isReady && isOver) return "timeout";\n  return node.isOutOfService ? "out-of-service" : undefined;',
    replace: "void isOver; void node; return undefined;",
    also: {
      file: `${attacher}/volume-plan.ts`,
      find: "if (node.isReady || limits.isEndless) return",
      replace: "if (node.isReady || limits.maxWaitMs > 0) return",
    },
  },
  {
    name: "detaches by force at once",
    file: `${attacher}/volume-plan.ts`,
    find: 'if (!node.isReady && isOver) return "timeout";',
    replace: 'if (!node.isReady) return "timeout"; void isOver;',
  },
  {
    name: "forgets what was begun before it led",
    file: `${attacher}/sync-start.ts`,
    find: "(object) => takeAttachment(context, object)",
    replace: "(object) => void [takeAttachment, object]",
  },
  {
    name: "forgets what nodes had before it led",
    file: `${attacher}/sync-start.ts`,
    find: "if (node !== undefined) takeNode(context, node);",
    replace:
      "if (node !== undefined && isManaged(node)) context.desired.manage(metadata.name); void takeNode;",
  },
  {
    name: "does not try again what a driver has failed at",
    needs: ["request errors"],
    file: `${attacher}/volume-plan.ts`,
    find: 'return rest("It has just failed", delay.untilMs - nowMs);\n  // What has',
    replace: 'return rest("It has just failed");\n  // What has',
  },
];
