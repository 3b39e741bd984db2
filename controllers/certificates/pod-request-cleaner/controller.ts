import { defineController } from "../../../pkg/controller/kit.ts";
import { cleanerContext } from "./context.ts";
import { cleanPodRequests } from "./sync.ts";

const PERIOD_MS = 300_000;

/** Deletes requests for certificates of pods, which are answered soon or never. */
export const podCertificateRequestCleanerController = defineController(
  {
    name: "podcertificaterequest-cleaner-controller",
    clientName: "podcertificaterequestcleaner",
    featureGates: ["PodCertificateRequest"],
  },
  (kit) => {
    const context = cleanerContext(kit);
    kit.every({
      name: "rounds",
      periodMs: PERIOD_MS,
      round: async (sync) => cleanPodRequests(sync, context),
    });
  },
);
