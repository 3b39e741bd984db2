import { BOOTSTRAP_TOKENS } from "../../pkg/api/bootstrap-token.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import { CLUSTER_INFO } from "./cluster-info.ts";
import { TOKEN_FIELDS } from "./signing-token.ts";

/** All that signing works with. */
export type SignerContext = ReturnType<typeof signerContext>;

export function signerContext(kit: Kit) {
  return {
    tokens: kit.reads(resources.secrets, {
      ...BOOTSTRAP_TOKENS,
      fields: TOKEN_FIELDS,
    }),
    /** Whole, as it is written back. */
    configMaps: kit.reads(resources.configMaps, {
      namespace: CLUSTER_INFO.namespace,
      fieldSelector: `metadata.name=${CLUSTER_INFO.name}`,
    }),
    client: kit.env.client.clientFor(resources.configMaps),
    clock: kit.env.clock,
  };
}
