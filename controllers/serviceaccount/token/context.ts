import type { Secret, ServiceAccount } from "../../../pkg/api/types/core-v1.gen.ts";
import type { Lister } from "../../../pkg/cache/lister.ts";
import type { ResourceClient } from "../../../pkg/client/resource-client.ts";
import type { Clock } from "../../../pkg/clock/clock.ts";
import type { Random } from "../../../pkg/clock/random.ts";
import type { TokenSigner } from "../../../pkg/tokens/token-signer.ts";

/** All that the syncs of accounts and Secrets work with. */
export interface TokenContext {
  readonly accounts: Lister<ServiceAccount>;
  /** Of Secrets that hold tokens, and no others. */
  readonly secrets: Lister<Secret>;
  readonly accountClient: Pick<ResourceClient<ServiceAccount>, "get" | "update">;
  readonly secretClient: Pick<ResourceClient<Secret>, "get" | "update" | "delete">;
  readonly signer: TokenSigner;
  /** In PEM; "" when there is none. */
  readonly rootCa: string;
  readonly clock: Clock;
  readonly random: Random;
}
