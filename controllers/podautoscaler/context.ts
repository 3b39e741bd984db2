import { resources } from "../../pkg/api/resources.ts";
import { PerOwner } from "../../pkg/api/per-owner.ts";
import { KindLookup } from "../../pkg/client/kind-lookup.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import type { Explanation } from "./explanation.ts";
import { POD_FIELDS } from "./fields.ts";
import { autoscalerMetrics } from "./metrics.ts";
import type { PastSteps } from "./normalize.ts";
import type { StartPeriods } from "./pod-groups.ts";
import { SelectorIndex } from "./selector-index.ts";
import { MetricsApis } from "./sync-fetch.ts";
import { Targets } from "./sync-target.ts";

export interface AutoscalerSettings extends StartPeriods {
  readonly workers: number;
  readonly syncPeriodMs: number;
  /** How far back recommendations are looked at before scaling down, where the autoscaler does not say itself. */
  readonly downscaleStabilizationMs: number;
  readonly tolerance: number;
  /** Pods that the target's selector names and the target does not own are left out. */
  readonly ownedPodsOnly: boolean;
}

/** All that a sync of an autoscaler works with. */
export type AutoscalerContext = ReturnType<typeof autoscalerContext>;

export function autoscalerContext(kit: Kit, settings: AutoscalerSettings) {
  const { client, clock, events, features, metrics } = kit.env;
  const kinds = new KindLookup(client, clock);
  return {
    settings,
    autoscalers: kit.reads(resources.horizontalPodAutoscalers),
    pods: kit.reads(resources.pods, { fields: POD_FIELDS }),
    /** Only whose they are. */
    replicaSets: kit.reads(resources.replicaSets, { fields: [] }).lister,
    targets: new Targets(client, kinds, clock),
    apis: new MetricsApis({ client, kinds, clock, versionPeriodMs: settings.syncPeriodMs }),
    statuses: kit.writes(resources.horizontalPodAutoscalers),
    selectors: new SelectorIndex(),
    past: new PerOwner<PastSteps>(),
    explanations: new PerOwner<Explanation>(),
    gates: {
      scaleToZero: features.enabled("HPAScaleToZero"),
      ownTolerances: features.enabled("HPAConfigurableTolerance"),
      podLevelResources: features.enabled("PodLevelResources"),
    },
    metrics: autoscalerMetrics(metrics),
    events,
    clock,
  };
}
