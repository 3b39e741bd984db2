import type { Logger } from "../../pkg/log/logger.ts";
import type { Sync, SyncResult } from "../../pkg/controller/sync.ts";
import { detachedSignature } from "../../pkg/tokens/detached-signature.ts";
import { updateClusterInfo } from "./apply.ts";
import { CLUSTER_INFO, contentOf, signedClusterInfo } from "./cluster-info.ts";
import type { SignerContext } from "./context.ts";
import { signingToken } from "./signing-token.ts";

/** Sees to it that the cluster's description carries a signature by each token that is for signing, and no other. */
export async function signClusterInfo(sync: Sync, context: SignerContext): Promise<SyncResult> {
  const map = context.configMaps.lister.get(CLUSTER_INFO.namespace, CLUSTER_INFO.name);
  const content = map && contentOf(map);
  if (map === undefined || content === undefined) return {};
  const signed = signedClusterInfo(map, signatures(context, content, sync.log));
  if (signed === undefined) return {};
  sync.decided("The signatures are not those of the tokens");
  await updateClusterInfo(context, signed, sync.signal);
  return {};
}

function signatures(
  { tokens, clock }: SignerContext,
  content: string,
  log: Logger,
): ReadonlyMap<string, string> {
  const byId = new Map<string, string>();
  for (const secret of tokens.lister.list()) {
    const token = signingToken(secret, clock.nowMs());
    if (token.kind === "usable") byId.set(token.id, detachedSignature(content, token.id, token.secret));
    else log.verbose(3, "Not signed with a token", { secret: secret.metadata.name, reason: token.reason });
  }
  return byId;
}
