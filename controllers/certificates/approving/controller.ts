import { signerNames } from "../../../pkg/api/certificate-requests.ts";
import { defineController } from "../../../pkg/controller/kit.ts";
import { itself } from "../../../pkg/controller/wake-rules.ts";
import { approvingContext } from "./context.ts";
import { approveRequest } from "./sync.ts";

/** Approves the client certificates of kubelets, for those who may have them. */
export const csrApprovingController = defineController(
  { name: "certificatesigningrequest-approving-controller", clientName: "certificate-controller" },
  (kit) => {
    const context = approvingContext(kit);
    kit.ownerQueue({
      name: "certificate",
      workers: 5,
      backOff: { firstMs: 200 },
      owners: context.requests,
      wakes: (change, wake) => {
        if (change.object.spec.signerName === signerNames.kubeletClient) itself(change, wake);
      },
      sync: async (sync) => approveRequest(sync, context),
    });
  },
);
