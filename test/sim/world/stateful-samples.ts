import type { StatefulSet, StatefulSetSpec } from "../../../pkg/api/types/apps-v1.gen.ts";
import { type Random, randomBelow } from "../../../pkg/clock/random.ts";
import { podTemplate } from "./samples.ts";

type Strategy = NonNullable<StatefulSetSpec["updateStrategy"]>;
type Retention = NonNullable<StatefulSetSpec["persistentVolumeClaimRetentionPolicy"]>;

export const MOST_STATEFUL_PODS = 5;
export const DATA = "data";

export function newStatefulSet(random: Random): StatefulSet {
  const hasClaims = random.next() < 0.6;
  // One kind for each name: pods that were left by a StatefulSet without claims could never get any.
  const name = hasClaims ? "db-a" : "db-b";
  return {
    metadata: { name },
    spec: {
      replicas: randomBelow(random, MOST_STATEFUL_PODS + 1),
      serviceName: name,
      selector: { matchLabels: { app: name } },
      template: podTemplate(random, name),
      podManagementPolicy: random.next() < 0.6 ? "OrderedReady" : "Parallel",
      updateStrategy: newStrategy(random),
      ...(random.next() < 0.2 && { ordinals: { start: 1 + randomBelow(random, 3) } }),
      ...(random.next() < 0.3 && { minReadySeconds: 1 + randomBelow(random, 10) }),
      ...(random.next() < 0.5 && { revisionHistoryLimit: randomBelow(random, 3) }),
      ...(hasClaims && {
        volumeClaimTemplates: [
          {
            metadata: { name: DATA },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          },
        ],
        persistentVolumeClaimRetentionPolicy: newRetention(random),
      }),
    },
  };
}

/** A partition that leaves some pods at their revision, more often none. */
export function newStrategy(random: Random): Strategy {
  if (random.next() < 0.2) return { type: "OnDelete" };
  const partition = random.next() < 0.6 ? 0 : randomBelow(random, MOST_STATEFUL_PODS);
  return { type: "RollingUpdate", rollingUpdate: { partition } };
}

export function newRetention(random: Random): Retention {
  const choose = (): string => (random.next() < 0.5 ? "Retain" : "Delete");
  return { whenDeleted: choose(), whenScaled: choose() };
}
