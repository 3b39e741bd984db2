import { BOOTSTRAP_TOKEN_KEYS, BOOTSTRAP_TOKENS } from "../../pkg/api/bootstrap-token.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Kit } from "../../pkg/controller/kit.ts";

/** All that the clean-up of a token works with. */
export type CleanerContext = ReturnType<typeof cleanerContext>;

export function cleanerContext(kit: Kit) {
  return {
    tokens: kit.reads(resources.secrets, {
      ...BOOTSTRAP_TOKENS,
      fields: [`data[${BOOTSTRAP_TOKEN_KEYS.expiration}]`],
    }),
    client: kit.env.client.clientFor(resources.secrets),
    clock: kit.env.clock,
  };
}
