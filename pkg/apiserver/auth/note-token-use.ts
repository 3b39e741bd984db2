import { resources } from "../../api/resources.ts";
import type { Secret } from "../../api/types/core-v1.gen.ts";
import type { Clock } from "../../clock/clock.ts";
import { bucketName, storageKey } from "../server/served-resource.ts";
import type { Store } from "../storage/store.ts";

/** Says since when the server has noted uses; whoever cleans up unused tokens asks here first. */
export const USE_TRACKING = "kube-apiserver-legacy-service-account-token-tracking";

const LAST_USED = "kubernetes.io/legacy-token-last-used";
const DAY_MS = 86_400_000;

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Labels a Secret with the day on which its token was used: one write a day, however often it is used. */
export function noteTokenUse(store: Store, clock: Clock, secret: Secret): void {
  const nowMs = clock.nowMs();
  const { namespace, name, labels } = secret.metadata;
  // Tomorrow is today to a server whose clock is ahead.
  if ([dayOf(nowMs), dayOf(nowMs + DAY_MS)].includes(labels?.[LAST_USED] ?? "")) return;
  const { group, plural } = resources.secrets;
  const key = storageKey(true, namespace ?? "", name ?? "");
  const metadata = { ...secret.metadata, labels: { ...labels, [LAST_USED]: dayOf(nowMs) } };
  store.put(bucketName(group, plural), key, secret, { ...secret, metadata });
}
