import type { ApiObject } from "../../api/object.ts";
import {
  addAmounts,
  type Amounts,
  describeAmounts,
  exceeding,
  excess,
  formatAmounts,
  parseAmounts,
  pickAmounts,
} from "../../api/quota/amounts.ts";
import { type Devices, devicesOf } from "../../api/quota/devices.ts";
import { quotaCovers } from "../../api/quota/scopes.ts";
import { isAbout, usageOf } from "../../api/quota/usage.ts";
import { resources } from "../../api/resources.ts";
import type { Pod, ResourceQuota } from "../../api/types/core-v1.gen.ts";
import type { Clock } from "../../clock/clock.ts";
import type { AdmissionAttributes } from "../server/admission.ts";
import { forbidden } from "../server/status-error.ts";
import type { ClusterReader } from "./cluster-reader.ts";
import { type AdmissionPlugin, isResource } from "./plugin.ts";

export interface QuotaOptions {
  readonly reader: ClusterReader;
  readonly clock: Clock;
  /** Stores a quota with its new usage. */
  writeStatus(quota: ResourceQuota, used: Readonly<Record<string, string>>): void;
}

/**
 * Takes what an object will use off the namespace's quotas, or refuses it. Usage only ever grows here; a controller
 * counts anew what is really there.
 */
export function resourceQuotaAdmission(options: QuotaOptions): AdmissionPlugin {
  return {
    name: "ResourceQuota",
    validate(attributes, object) {
      const { operation, namespace, subresource, dryRun } = attributes;
      if (object === undefined || namespace === "" || subresource !== "") return;
      if (operation !== "CREATE" && operation !== "UPDATE") return;
      const quotas = options.reader.list(resources.resourceQuotas, namespace);
      if (quotas.length === 0) return;
      const charges = quotas.flatMap((quota) => chargeOf(options, attributes, quota, object));
      if (dryRun) return;
      // Only when all of them agree.
      for (const { quota, used } of charges) options.writeStatus(quota, formatAmounts(used));
    },
  };
}

interface Charge {
  readonly quota: ResourceQuota;
  readonly used: Amounts;
}

function chargeOf(
  { clock, reader }: QuotaOptions,
  attributes: AdmissionAttributes,
  quota: ResourceQuota,
  object: ApiObject,
): Charge[] {
  const { resource, before } = attributes;
  const hard = parseAmounts(quota.status?.hard ?? {});
  const spec = quota.spec ?? {};
  const devices = devicesIn(reader);
  const names = [...hard.keys()].filter((name) => isAbout(resource, name, devices));
  if (!quotaCovers(spec, names, resource, object)) return [];
  const refuse = (why: string): never => {
    throw forbidden(resource, attributes.refusedName, why);
  };
  const quotaName = quota.metadata?.name ?? "";
  const missing = isResource(attributes, resources.pods) ? missingAmounts(object, names) : "";
  if (missing !== "") refuse(`failed quota: ${quotaName}: must specify ${missing}`);
  const used = parseAmounts(quota.status?.used ?? {});
  const unknown = names.filter((name) => !used.has(name));
  if (unknown.length > 0) {
    refuse(`status unknown for quota: ${quotaName}, resources: ${unknown.toSorted().join(",")}`);
  }
  const nowMs = clock.nowMs();
  const wasCovered = before !== undefined && quotaCovers(spec, names, resource, before);
  const old: Amounts = wasCovered ? usageOf(resource, before, nowMs, devices) : new Map();
  // Of what it is about at all, everything that it uses counts. upstream: CheckRequest
  const requested = pickAmounts(excess(usageOf(resource, object, nowMs, devices), old), hard.keys());
  if (requested.size === 0) return [];
  const total = addAmounts(used, requested);
  const exceeded = exceeding(pickAmounts(total, requested.keys()), hard);
  if (exceeded.length > 0) {
    const shown = (amounts: Amounts): string => describeAmounts(pickAmounts(amounts, exceeded));
    refuse(
      `exceeded quota: ${quotaName}, requested: ${shown(requested)}, used: ${shown(used)}, limited: ${shown(hard)}`,
    );
  }
  return [{ quota, used: total }];
}

function devicesIn(reader: ClusterReader): Devices {
  return devicesOf({
    classes: reader.list(resources.deviceClasses),
    podNamed: (namespace, name) => reader.get(resources.pods, namespace, name),
    claimsIn: (namespace) => reader.list(resources.resourceClaims, namespace),
  });
}

const computeNames = ["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"];

/** Where cpu or memory are limited, every container says what it needs. */
function missingAmounts(pod: Pod, names: readonly string[]): string {
  const { resources: whole, containers = [], initContainers = [] } = pod.spec ?? {};
  if (Object.keys(whole?.requests ?? {}).length + Object.keys(whole?.limits ?? {}).length > 0) return "";
  const missing: string[] = [];
  for (const name of computeNames.filter((one) => names.includes(one)).toSorted()) {
    const list = name.startsWith("limits.") ? "limits" : "requests";
    const resource = name.replace(/^(requests|limits)\./, "");
    const lacking = [...containers, ...initContainers]
      .filter((container) => container.resources?.[list]?.[resource] === undefined)
      .map((container) => container.name);
    if (lacking.length > 0) missing.push(`${name} for: ${[...new Set(lacking)].toSorted().join(",")}`);
  }
  return missing.join("; ");
}
