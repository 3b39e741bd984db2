import { claimKeysOf, CLAIMS_OF_PODS } from "../../pkg/api/pod-claims.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import { POD_FIELDS } from "./claim-use.ts";
import { LivePods } from "./live-pods.ts";
import { UNUSED_SINCE_GATE } from "./unused-condition.ts";

/** All that a sync works with. Claims are written back whole. */
export type ClaimProtectionContext = ReturnType<typeof claimProtectionContext>;

export function claimProtectionContext(kit: Kit) {
  const pods = kit.reads(resources.pods, { fields: POD_FIELDS });
  pods.addIndex(CLAIMS_OF_PODS, claimKeysOf);
  const { client, clock, features } = kit.env;
  const podClient = client.clientFor(resources.pods);
  return {
    claims: kit.reads(resources.persistentVolumeClaims),
    pods,
    livePods: new LivePods(async (namespace, onPod, signal) => {
      await podClient.listEach({ namespace }, onPod, signal);
    }),
    writes: kit.writes(resources.persistentVolumeClaims),
    tellsUnused: features.enabled(UNUSED_SINCE_GATE),
    clock,
  };
}
