import type { Clock } from "../../pkg/clock/clock.ts";
import type { Counter, Gauge, Histogram, Metrics } from "../../pkg/metrics/metrics.ts";
import { STORAGE_SECONDS, storageOperations } from "../../pkg/metrics/storage-operations.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../pkg/api/types/core-v1.gen.ts";
import { classOf } from "../../pkg/api/volumes/claim-facts.ts";
import { attributesClassOf, modeOf } from "../../pkg/api/volumes/fit.ts";
import type { Change } from "../../pkg/controller/change.ts";
import { pluginOf } from "./plugins.ts";

const OF_PLUGIN = ["plugin_name", "operation_name"];

export type Operation = "provision" | "delete";

interface Begun {
  readonly plugin: string;
  readonly operation: Operation;
  readonly sinceMs: number;
}

/**
 * How long it takes until a claim that was to be provisioned is bound, and until a volume that was to be deleted is gone.
 * upstream: pkg/controller/volume/persistentvolume/metrics/metrics.go#OperationStartTimeCache
 */
export class OperationTimes {
  /** By the uid of the claim or the volume. */
  readonly #begun = new Map<string, Begun>();
  readonly #clock: Clock;
  readonly #durations: Histogram;
  readonly #steps: Histogram;
  readonly #errors: readonly Counter[];

  constructor(clock: Clock, metrics: Metrics) {
    this.#clock = clock;
    this.#durations = metrics.histogram({
      name: "volume_operation_total_seconds",
      help: "How long operations on volumes take from end to end.",
      labels: OF_PLUGIN,
      buckets: STORAGE_SECONDS,
      stability: "ALPHA",
    });
    this.#steps = storageOperations(metrics);
    const errors = {
      help: "Operations on volumes that failed.",
      labels: OF_PLUGIN,
      stability: "ALPHA",
    } as const;
    this.#errors = [
      metrics.counter({ ...errors, name: "volume_operation_total_errors", deprecatedVersion: "1.36.0" }),
      metrics.counter({ ...errors, name: "volume_operation_errors_total" }),
    ];
  }

  /** What has begun already goes on. */
  begin(uid: string, plugin: string, operation: Operation): void {
    if (this.#begun.has(uid)) return;
    this.#begun.set(uid, { plugin, operation, sinceMs: this.#clock.monotonicMs() });
  }

  succeeded(uid: string): void {
    const begun = this.#begun.get(uid);
    if (begun === undefined) return;
    this.#begun.delete(uid);
    const seconds = (this.#clock.monotonicMs() - begun.sinceMs) / 1_000;
    this.#durations.observe(seconds, labelsOf(begun));
  }

  /** It goes on, as it will be tried again. */
  failed(uid: string): void {
    const begun = this.#begun.get(uid);
    if (begun !== undefined) for (const errors of this.#errors) errors.inc(labelsOf(begun));
  }

  forget(uid: string): void {
    this.#begun.delete(uid);
  }

  /** One step of a plugin, as such. */
  async step<T>(volume_plugin: string, operation_name: string, work: () => Promise<T>): Promise<T> {
    const startMs = this.#clock.monotonicMs();
    let status = "fail-unknown";
    try {
      const done = await work();
      status = "success";
      return done;
    } finally {
      const seconds = (this.#clock.monotonicMs() - startMs) / 1_000;
      this.#steps.observe(seconds, { volume_plugin, operation_name, status, migrated: "false" });
    }
  }
}

function labelsOf({ plugin, operation }: Begun): Readonly<Record<string, string>> {
  return { plugin_name: plugin, operation_name: operation };
}

type Labels = Readonly<Record<string, string>>;

/** A gauge of how many objects there are by labels; each change is counted, so that no scrape looks at all of them. */
class Census<T extends PersistentVolume | PersistentVolumeClaim> {
  readonly #gauge: Gauge;
  readonly #labelsOf: (object: T) => Labels | undefined;
  readonly #counts = new Map<string, number>();

  constructor(gauge: Gauge, labelsFor: (object: T) => Labels | undefined) {
    this.#gauge = gauge;
    this.#labelsOf = labelsFor;
  }

  add(object: T, by: 1 | -1): void {
    const labels = this.#labelsOf(object);
    if (labels === undefined) return;
    const key = JSON.stringify(Object.values(labels));
    const count = (this.#counts.get(key) ?? 0) + by;
    if (count > 0) {
      this.#counts.set(key, count);
      this.#gauge.set(count, labels);
    } else {
      this.#counts.delete(key);
      this.#gauge.remove(labels);
    }
  }
}

export interface Collector {
  readonly volume: (change: Change<PersistentVolume>) => void;
  readonly claim: (change: Change<PersistentVolumeClaim>) => void;
}

/** upstream: pkg/controller/volume/persistentvolume/metrics/metrics.go#pvAndPVCCountCollector */
export function collector(metrics: Metrics): Collector {
  const gauge = (name: string, help: string, ...labels: readonly string[]): Gauge =>
    metrics.gauge({ name: `pv_collector_${name}`, help, labels, stability: "ALPHA" });
  const ofVolume = ({ spec }: PersistentVolume): Labels => ({ storage_class: spec?.storageClassName ?? "" });
  const ofClaim = (claim: PersistentVolumeClaim): Labels => ({
    namespace: claim.metadata.namespace ?? "",
    storage_class: classOf(claim),
    volume_attributes_class: attributesClassOf(claim),
  });
  const CLAIM_LABELS = ["namespace", "storage_class", "volume_attributes_class"];
  const isBound = ({ status }: PersistentVolume | PersistentVolumeClaim): boolean =>
    status?.phase === "Bound";
  const volumes = [
    new Census<PersistentVolume>(
      gauge("total_pv_count", "Volumes that there are.", "plugin_name", "volume_mode"),
      (volume) => ({ plugin_name: pluginOf(volume), volume_mode: modeOf(volume) }),
    ),
    new Census<PersistentVolume>(
      gauge("bound_pv_count", "Volumes that are bound.", "storage_class"),
      (volume) => (isBound(volume) ? ofVolume(volume) : undefined),
    ),
    new Census<PersistentVolume>(
      gauge("unbound_pv_count", "Volumes that are not bound.", "storage_class"),
      (volume) => (isBound(volume) ? undefined : ofVolume(volume)),
    ),
  ];
  const claims = [
    new Census<PersistentVolumeClaim>(
      gauge("bound_pvc_count", "Claims that are bound.", ...CLAIM_LABELS),
      (claim) => (isBound(claim) ? ofClaim(claim) : undefined),
    ),
    new Census<PersistentVolumeClaim>(
      gauge("unbound_pvc_count", "Claims that are not bound.", ...CLAIM_LABELS),
      (claim) => (isBound(claim) ? undefined : ofClaim(claim)),
    ),
  ];
  return {
    volume: (change) => count(volumes, change),
    claim: (change) => count(claims, change),
  };
}

function count<T extends PersistentVolume | PersistentVolumeClaim>(
  all: readonly Census<T>[],
  change: Change<T>,
): void {
  for (const census of all) {
    if (change.type === "updated") {
      if (change.resync) continue;
      census.add(change.before, -1);
    }
    census.add(change.object, change.type === "deleted" ? -1 : 1);
  }
}
