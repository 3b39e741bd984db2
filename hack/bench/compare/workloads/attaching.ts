import { resources } from "../../../../pkg/api/resources.ts";
import type { Node, Pod } from "../../../../pkg/api/types/core-v1.gen.ts";
import type { VolumeAttachment } from "../../../../pkg/api/types/storage-v1.gen.ts";
import type { WatchEvent } from "../../../../pkg/api/object.ts";
import { csiUniqueName } from "../../../../pkg/api/volumes/csi-names.ts";
import { realClock } from "../../../../pkg/clock/real.ts";
import type { ClientSet } from "../../../../pkg/client/client-set.ts";
import { follow, type Following } from "../follow.ts";
import { inParallel } from "../in-parallel.ts";
import { measured } from "../measured.ts";
import { quantile } from "../median.ts";
import { createNamespace } from "../probe.ts";
import { conflictsOf } from "../scraped-metrics.ts";
import type { Workload } from "../workload.ts";
import { claimsOf, DRIVER, nameOf, NAMESPACE, nodes, volumeNameOf, volumes } from "./volume-objects.ts";

const LIMIT_MS = 300_000;
const NODES = 100;
const PODS_OF_EACH = 15;

/** Pods come to nodes with a volume each; the driver, here, attaches what it is asked for at once. */
export const attaching: Workload = {
  id: "v-attach",
  title: `${(NODES * PODS_OF_EACH).toLocaleString("en")} pods with a volume each come to ${NODES} nodes`,
  needs: ["persistentvolume-attach-detach-controller"],
  alone: true,
  figures: {
    seconds: { label: "until all nodes have all", unit: "s", goal: { bound: "at most", value: 1 } },
    p50: { label: "from the pod's creation to the node that has it, p50", unit: "s" },
    p99: { label: "p99 of that", unit: "s", goal: { bound: "at most", value: 1 } },
    cpu: { label: "CPU", unit: "s", goal: { bound: "at most", value: 1 } },
    writes: { label: "API writes a volume, Events too", unit: "" },
    gone: { label: "until none is attached after the pods", unit: "s", goal: { bound: "at most", value: 1 } },
    goneP50: { label: "from the pod's deletion to the attachment's, p50", unit: "s" },
    goneP99: { label: "p99 of that", unit: "s", goal: { bound: "at most", value: 1 } },
    goneCpu: { label: "CPU for that", unit: "s", goal: { bound: "at most", value: 1 } },
    goneWrites: { label: "API writes a volume for that", unit: "" },
    conflicts: { label: "conflicts", unit: "", goal: { bound: "at most", value: 0, absolute: true } },
  },
  prepare: async (stage) => {
    const count = NODES * PODS_OF_EACH;
    await createNamespace(stage.client, NAMESPACE);
    await stage.store([...nodes(NODES), ...volumes(count, true), ...claimsOf(count, true)]);
  },
  play: async ({ client }, start) => {
    const indexes = Array.from({ length: NODES * PODS_OF_EACH }, (_, index) => index);
    const manager = await start();
    await manager.settle(LIMIT_MS);
    const driver = new Driver(client, indexes.length);
    const pods = client.clientFor<Pod>(resources.pods);
    try {
      const came = await measured(manager, async () => {
        const create = async (index: number): Promise<unknown> => {
          driver.asked(index);
          return pods.create(podOf(index));
        };
        await inParallel(indexes, create, 64);
        await driver.allAreReported();
      });
      const went = await measured(manager, async () => {
        const remove = async (index: number): Promise<unknown> => {
          driver.asked(index);
          return pods.delete({ namespace: NAMESPACE, name: nameOf(index) }, { gracePeriodSeconds: 0 });
        };
        await inParallel(indexes, remove, 64);
        await driver.allAreGone();
      });
      return {
        figures: {
          seconds: came.seconds,
          p50: quantile(driver.secondsToReport, 0.5),
          p99: quantile(driver.secondsToReport, 0.99),
          cpu: came.cpuSeconds,
          writes: came.writes / indexes.length,
          gone: went.seconds,
          goneP50: quantile(driver.secondsToGo, 0.5),
          goneP99: quantile(driver.secondsToGo, 0.99),
          goneCpu: went.cpuSeconds,
          goneWrites: went.writes / indexes.length,
          conflicts: conflictsOf(await manager.metrics()),
        },
        curves: { RSS: manager.rss },
      };
    } finally {
      await driver.stop();
    }
  },
};

/** Attaches what it is asked for at once, and sees when nodes are told, and when it is asked no more. */
class Driver {
  readonly secondsToReport: number[] = [];
  readonly secondsToGo: number[] = [];
  readonly #count: number;
  readonly #client;
  readonly #askedMs = new Map<string, number>();
  readonly #reported = new Map<string, readonly string[]>();
  readonly #nodes: Following;
  readonly #attachments: Following;

  constructor(client: ClientSet, count: number) {
    this.#count = count;
    this.#client = client.clientFor<VolumeAttachment>(resources.volumeAttachments);
    this.#nodes = follow(client, resources.nodes, {}, (event) => this.#nodeTells(event));
    this.#attachments = follow(client, resources.volumeAttachments, {}, (event) => this.#isAsked(event));
  }

  /** From now on the volume is wanted, or is not any more. */
  asked(index: number): void {
    this.#askedMs.set(volumeNameOf(index), realClock.monotonicMs());
  }

  async allAreReported(): Promise<void> {
    const areReported = (): boolean => this.#reportedCount() === this.#count;
    await this.#nodes.until("all volumes are reported", areReported, LIMIT_MS);
  }

  async allAreGone(): Promise<void> {
    const areGone = (): boolean => this.secondsToGo.length === this.#count;
    await this.#attachments.until("there is no VolumeAttachment", areGone, LIMIT_MS);
    await this.#nodes.until("no volume is reported", () => this.#reportedCount() === 0, LIMIT_MS);
  }

  async stop(): Promise<void> {
    await Promise.all([this.#nodes.stop(), this.#attachments.stop()]);
  }

  #reportedCount(): number {
    return [...this.#reported.values()].reduce((sum, { length }) => sum + length, 0);
  }

  #nodeTells({ object: { metadata, status } }: WatchEvent<Node>): void {
    const { name = "" } = metadata;
    const before = this.#reported.get(name) ?? [];
    const volumes = status?.volumesAttached?.map((each) => each.name) ?? [];
    this.#reported.set(name, volumes);
    for (const volume of volumes)
      if (!before.includes(volume)) this.secondsToReport.push(this.#secondsSince(volume));
  }

  #isAsked({ type, object: { metadata, spec, status } }: WatchEvent<VolumeAttachment>): void {
    const { name = "", deletionTimestamp } = metadata;
    if (type === "DELETED") {
      const volume = csiUniqueName({ driver: DRIVER, volumeHandle: spec.source.persistentVolumeName ?? "" });
      this.secondsToGo.push(this.#secondsSince(volume));
    } else if (status?.attached !== true && deletionTimestamp === undefined) {
      const body = { status: { attached: true } };
      void this.#client.patch({ name }, { type: "merge", body }, { subresource: "status" });
    }
  }

  #secondsSince(volume: string): number {
    return (realClock.monotonicMs() - (this.#askedMs.get(volume) ?? Number.NaN)) / 1_000;
  }
}

function podOf(index: number): Pod {
  const claimName = nameOf(index);
  return {
    metadata: { namespace: NAMESPACE, name: claimName },
    spec: {
      nodeName: `node-${index % NODES}`,
      containers: [{ name: "main", image: "app:v1" }],
      volumes: [{ name: "data", persistentVolumeClaim: { claimName } }],
    },
  };
}
