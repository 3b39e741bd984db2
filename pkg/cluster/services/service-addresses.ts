import { findCondition, setCondition } from "../../api/conditions.ts";
import { resources } from "../../api/resources.ts";
import { parseTime } from "../../api/time.ts";
import type { ServiceCIDR } from "../../api/types/networking-v1.gen.ts";
import { isAlreadyExists, isNotFound } from "../../client/errors.ts";
import type { ControllerDescriptor } from "../../controller/env.ts";
import { type Kit, wired } from "../../controller/kit.ts";
import { isGone } from "../../controller/read-live.ts";
import type { Sync, SyncResult } from "../../controller/sync.ts";
import { isGiven } from "../../endpoints/given-address.ts";
import { addressesOf, addressObject, HOLDER_FIELDS, isHeldBy } from "./service-address.ts";

const DEFAULT_RANGE = "kubernetes";
/** An address may be there before its service: a real API server makes it first. */
const GRACE_MS = 60_000;
const BY_ADDRESS = "address";

/** Of the cluster, where Services get their addresses from: one of a family, or one of each. */
export interface ServiceAddressSettings {
  readonly cidrs: readonly string[];
}

/**
 * What a real API server does beside its requests: the ServiceCIDR of the cluster is there and ready, and each address
 * that a Service has is an IPAddress. Here that comes a moment after the Service.
 */
export function serviceAddresses({ cidrs }: ServiceAddressSettings): ControllerDescriptor {
  return {
    name: "service-addresses",
    clientName: "service-addresses",
    build: wired((kit) => {
      const context = addressContext(kit, cidrs);
      const addresses = kit.queue({
        name: "addresses",
        unmeasured: true,
        workers: 4,
        sync: async (sync) => syncAddress(sync, context),
      });
      context.services.wakes(addresses, (change, wake) => {
        const held = change.type === "deleted" ? [] : addressesOf(change.object);
        const before = addressesOf(change.type === "updated" ? change.before : change.object);
        for (const address of new Set([...before, ...held])) {
          if (!held.includes(address)) context.givenBack.add(address);
          wake(address);
        }
      });
      context.addresses.wakes(addresses, ({ object }, wake) => wake(object.metadata.name));
      const ranges = kit.queue({
        name: "range",
        unmeasured: true,
        workers: 1,
        sync: async (sync) => syncRange(sync, context),
      });
      context.ranges.wakes(ranges, ({ object }, wake) => wake(object.metadata.name));
      ranges.work.add(DEFAULT_RANGE);
    }),
  };
}

function addressContext(kit: Kit, cidrs: readonly string[]) {
  const { client, clock } = kit.env;
  const services = kit.reads(resources.services, { fields: HOLDER_FIELDS });
  services.addIndex(BY_ADDRESS, (service) => addressesOf(service));
  return {
    cidrs,
    services,
    addresses: kit.reads(resources.ipAddresses),
    ranges: kit.reads(resources.serviceCIDRs),
    /** Addresses that a service had, and that are to go. */
    givenBack: new Set<string>(),
    addressClient: client.clientFor(resources.ipAddresses),
    rangeClient: client.clientFor(resources.serviceCIDRs),
    clock,
  };
}

type Context = ReturnType<typeof addressContext>;

async function syncAddress({ key, signal }: Sync<string>, context: Context): Promise<SyncResult> {
  const { services, addresses, addressClient, givenBack, clock } = context;
  const found = addresses.lister.get(undefined, key);
  const [holder] = services.lister.byIndex(BY_ADDRESS, key);
  if (found === undefined || holder !== undefined) givenBack.delete(key);
  try {
    if (found === undefined) {
      if (holder !== undefined) await addressClient.create(addressObject(key, holder), {}, signal);
    } else if (isGiven(found) && !isHeldBy(found, holder)) {
      const { name, uid, creationTimestamp } = found.metadata;
      const graceMs = (parseTime(creationTimestamp) ?? 0) + GRACE_MS - clock.nowMs();
      if (holder === undefined && !givenBack.has(key) && graceMs > 0) return { requeueAfterMs: graceMs };
      // That it is gone is told, and the next holder gets its own then.
      await addressClient.delete({ name }, { preconditions: { uid } }, signal);
    }
  } catch (error) {
    // A cache that was behind: what is new in it comes as a change.
    if (!isAlreadyExists(error) && !isGone(error)) throw error;
  }
  return {};
}

async function syncRange({ key, signal }: Sync<string>, context: Context): Promise<SyncResult> {
  if (key !== DEFAULT_RANGE) return {};
  const { cidrs, ranges, rangeClient, clock } = context;
  const found = ranges.lister.get(undefined, key);
  try {
    if (found === undefined) {
      await rangeClient.create({ metadata: { name: key }, spec: { cidrs: [...cidrs] } }, {}, signal);
    } else if (found.metadata.deletionTimestamp === undefined && isUnsaid(found, cidrs)) {
      const ready = {
        type: "Ready",
        status: "True",
        reason: "",
        message: "Kubernetes default Service CIDR is ready",
      };
      const conditions = setCondition(found.status?.conditions ?? [], ready, clock.nowMs());
      await rangeClient.updateStatus({ ...found, status: { conditions } }, {}, signal);
    }
  } catch (error) {
    if (!isAlreadyExists(error) && !isNotFound(error)) throw error;
  }
  return {};
}

/** Nobody has said yet whether it is ready, and it is the one that the server works with. */
function isUnsaid({ spec, status }: ServiceCIDR, cidrs: readonly string[]): boolean {
  const isSame = spec?.cidrs?.join() === cidrs.join();
  return isSame && findCondition(status?.conditions, "Ready") === undefined;
}
