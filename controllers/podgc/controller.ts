import { defineController } from "../../pkg/controller/kit.ts";
import { type PodGarbageCollectorSettings, podGcContext } from "./context.ts";
import { collectPods } from "./sync.ts";

const PERIOD_MS = 20_000;

/** Deletes pods that nobody else will: too many finished ones, and those whose node or scheduler will not end them. */
export const podGarbageCollectorController = defineController(
  { name: "pod-garbage-collector-controller", clientName: "pod-garbage-collector" },
  (kit, settings: PodGarbageCollectorSettings) => {
    const context = podGcContext(kit, settings);
    kit.every({ name: "rounds", periodMs: PERIOD_MS, round: async (sync) => collectPods(sync, context) });
  },
);
