import { defineController } from "../../pkg/controller/kit.ts";
import { type AutoscalerSettings, autoscalerContext } from "./context.ts";
import { describeExplanation } from "./explanation.ts";
import { autoscalerRule } from "./handlers.ts";
import { untilNextTurnMs } from "./next-turn.ts";
import { syncAutoscaler } from "./sync.ts";

/** Scales what HorizontalPodAutoscalers name, by the metrics that they name. */
export const podAutoscalerController = defineController(
  {
    name: "horizontal-pod-autoscaler-controller",
    clientName: "horizontal-pod-autoscaler",
    eventSource: "horizontal-pod-autoscaler",
    // Upstream has a client with a limit of its own for each of the scales, the statuses and the three APIs of metrics.
    clientRate: { qpsFactor: 5, burstFactor: 5 },
  },
  (kit, settings: AutoscalerSettings) => {
    const context = autoscalerContext(kit, settings);
    const { autoscalers, past, explanations, selectors, metrics, clock } = context;
    const { workers, syncPeriodMs } = settings;
    kit.ownerQueue({
      name: "horizontalpodautoscaler",
      workers,
      owners: autoscalers,
      wakes: autoscalerRule(clock, syncPeriodMs),
      again: "background",
      remembers: [past, explanations, selectors],
      // What fails has its next turn when it would have it anyway.
      judge: (key) => ({ requeueAfterMs: untilNextTurnMs(key, syncPeriodMs, clock.monotonicMs()) }),
      sync: async (sync) => syncAutoscaler(sync, context),
    });
    autoscalers.hears((change) => {
      const { namespace, name } = change.object.metadata;
      if (change.type === "added") metrics.counted(1);
      if (change.type !== "deleted") return;
      metrics.counted(-1);
      metrics.gone(namespace, name);
    });
    kit.page("why", (query) => {
      const key = query.get("key") ?? "";
      const autoscaler = autoscalers.lister.getByKey(key);
      const explanation = autoscaler && explanations.get(autoscaler);
      const shown = explanation === undefined ? undefined : describeExplanation(key, explanation);
      return { contentType: "application/json", body: `${JSON.stringify(shown ?? null, undefined, 2)}\n` };
    });
  },
);
