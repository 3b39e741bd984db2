import type { Mutant } from "./mutant.ts";

const claims = "controllers/resourceclaim";
const taints = "controllers/devicetainteviction";

/** In the controllers of devices, and where devices are given. */
export const deviceMutants: readonly Mutant[] = [
  {
    name: "leaves claims reserved for pods that are over",
    file: `${claims}/sync-claim.ts`,
    find: "if (known?.metadata.uid === pod.uid) return !isDone(known);",
    replace: "if (known?.metadata.uid === pod.uid) return known !== undefined;",
  },
  {
    name: "takes claims from pods that the cache does not show",
    needs: ["stale cache of devices"],
    file: `${claims}/sync-claim.ts`,
    find: "return (await readLive(context.podClient, { ...pod, namespace }, sync.signal)) !== undefined;\n}\n\nasync function release",
    replace: "return false;\n}\n\nasync function release",
  },
  {
    name: "asks for another name in each try to make a claim",
    file: `${claims}/claim-of-template.ts`,
    find: "`${uid}/${claimName}/${taken}`",
    replace: "`${uid}/${claimName}/${process.hrtime.bigint()}`",
  },
  {
    name: "deletes claims of pods that need them",
    file: `${claims}/sync-claim.ts`,
    find: "  if (isNeeded) return;\n",
    replace: "",
  },
  {
    name: "leaves claims of pods that are over",
    file: `${claims}/sync-claim.ts`,
    find: "if (remaining.length === 0 && !isLeaving(claim)) await removeUnneeded(sync, context);",
    replace: "void removeUnneeded;",
  },
  {
    name: "leaves devices with claims that nobody uses",
    file: `${claims}/sync-claim.ts`,
    find: "const isUnused = remaining.length === 0 && isHeld(claim);",
    replace: "const isUnused = remaining.length > 0 && isHeld(claim);",
  },
  {
    name: "evicts who tolerates the taint",
    file: `${taints}/eviction-plan.ts`,
    find: "if (tolerationSeconds === undefined) return undefined;",
    replace: "if (tolerationSeconds === undefined) continue;",
  },
  {
    name: "does not hear that devices break",
    file: `${taints}/controller.ts`,
    find: "slices.wakes(podQueue, sliceRule(context));",
    replace: "void sliceRule;",
  },
  {
    name: "gives a device to two claims",
    file: "pkg/cluster/scheduler/scheduling.ts",
    find: "deviceClaims.byIndex(CLAIMS_OF_DEVICE, device).length > 0",
    replace: "deviceClaims.byIndex(CLAIMS_OF_DEVICE, device).length > 1",
  },
];
