import { excess, maxAmounts, parseAmounts } from "../../pkg/api/quota/amounts.ts";
import type { ResourceQuota } from "../../pkg/api/types/core-v1.gen.ts";
import { runInTurns } from "../../pkg/clock/turns.ts";
import type { OwnerSync, SyncResult } from "../../pkg/controller/sync.ts";
import type { Monitor } from "../../pkg/controller/monitors.ts";
import type { QuotaContext } from "./context.ts";
import { fieldsOf, isMeasured } from "./measured.ts";
import { decideStatus } from "./status.ts";
import { type Counted, countUsage } from "./usage.ts";

type Sync = OwnerSync<ResourceQuota>;

/** Counts what a quota is about, and writes it down where it is not what the status says. */
export async function syncQuota(sync: Sync, context: QuotaContext): Promise<SyncResult> {
  const { owner } = sync;
  const mayUseLess = context.mayUseLess.get(owner) === true;
  context.mayUseLess.delete(owner);
  try {
    return await syncUsage(sync, context, mayUseLess);
  } catch (error) {
    if (mayUseLess) context.mayUseLess.set(owner, true);
    throw error;
  }
}

async function syncUsage(sync: Sync, context: QuotaContext, mayUseLess: boolean): Promise<SyncResult> {
  const { owner: quota } = sync;
  const namespace = quota.metadata.namespace;
  const countable = {
    resources: context.monitors.all().map((monitor) => countedIn(namespace, monitor)),
    devices: context.devices(),
  };
  const { amounts, unknown } = await runInTurns(
    context.clock,
    countUsage(quota, countable, context.clock.nowMs()),
  );
  const before = parseAmounts(quota.status?.used);
  const used = mayUseLess ? amounts : maxAmounts(amounts, before);
  const status = decideStatus(quota, used);
  if (status !== undefined) {
    // This is noted first: the cache may show what it lacks before the answer comes.
    if (excess(before, parseAmounts(status.used)).size > 0)
      context.loweredMs.set(quota, context.clock.monotonicMs());
    sync.decided("The status does not say what is used", { used: status.used });
    await context.writes.updateStatusUnread(sync, withStatus(quota, status));
  }
  // The limits that could be counted are written all the same.
  if (unknown.length > 0) throw new Error(`objects are not known yet: ${unknown.join(", ")}`);
  return {};
}

function countedIn(namespace: string, { resource, informer }: Monitor): Counted {
  return {
    resource,
    isForeign: isMeasured(resource) && fieldsOf(resource) === undefined,
    objects: () => (informer.hasSynced() ? informer.lister.inNamespace(namespace) : undefined),
  };
}

function withStatus(quota: ResourceQuota, status: NonNullable<ResourceQuota["status"]>): ResourceQuota {
  return { ...quota, status };
}
