import { BOOTSTRAP_TOKENS } from "../../pkg/api/bootstrap-token.ts";
import type { Projected } from "../../pkg/api/projected.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Secret } from "../../pkg/api/types/core-v1.gen.ts";
import type { Kit } from "../../pkg/controller/kit.ts";

/** What is read of tokens. */
const TOKEN_FIELDS = ["data[expiration]"] as const;
export type ExpiringToken = Projected<Secret, typeof TOKEN_FIELDS>;

/** All that the clean-up of a token works with. */
export type CleanerContext = ReturnType<typeof cleanerContext>;

export function cleanerContext(kit: Kit) {
  return {
    tokens: kit.reads(resources.secrets, {
      ...BOOTSTRAP_TOKENS,
      fields: TOKEN_FIELDS,
    }),
    client: kit.env.client.clientFor(resources.secrets),
    clock: kit.env.clock,
  };
}
