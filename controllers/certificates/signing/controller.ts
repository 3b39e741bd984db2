import type { ControllerDescriptor } from "../../../pkg/controller/env.ts";
import { defineController } from "../../../pkg/controller/kit.ts";
import { itself } from "../../../pkg/controller/wake-rules.ts";
import { type Signer, signingContext, type SigningSettings } from "./context.ts";
import type { SigningAuthority } from "../../../pkg/pki/signing-authority.ts";
import { signRequest } from "./sync.ts";

/** Of each signer, as upstream has them: no flag says otherwise. */
const WORKERS = 5;

const define = defineController(
  { name: "certificatesigningrequest-signing-controller", clientName: "certificate-controller" },
  (kit, settings: SigningSettings) => {
    const context = signingContext(kit, settings);
    for (const [files, ofThem] of Map.groupBy(settings.signers, (signer) => signer.files)) {
      const authority = files.load();
      const working = ofThem.map(({ signerName }): Signer => ({ signerName, authority }));
      const follow = (next: SigningAuthority): void => {
        for (const signer of working) signer.authority = next;
      };
      kit.task(async (signal) => files.follow(follow, kit.env, signal));
      for (const signer of working) {
        kit.ownerQueue({
          name: "certificate",
          label: `certificate (${signer.signerName})`,
          workers: WORKERS,
          backOff: { firstMs: 200 },
          owners: context.requests,
          wakes: (change, wake) => {
            if (change.object.spec.signerName === signer.signerName) itself(change, wake);
          },
          sync: async (sync) => signRequest(sync, signer, context),
        });
      }
    }
  },
);

/** Signs approved requests with the keys of the cluster's authorities. */
export function csrSigningController(settings: SigningSettings): ControllerDescriptor {
  return {
    ...define(settings),
    checkSettings: () => {
      for (const { files } of settings.signers) files.load();
    },
  };
}
