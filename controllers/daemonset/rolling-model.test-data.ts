import type { Stored, StoredObject } from "../../pkg/api/object.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { DaemonSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Node, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { isRollingUpdate, REVISION_HASH } from "./daemon-set.ts";
import { nodeFit } from "./node-fit.ts";
import { podsByNode } from "./node-pods.ts";
import { decidePlacement } from "./placement.ts";
import { targetNode } from "./pod-template.ts";
import { decideRollingUpdate } from "./rolling-update.ts";
import { pod } from "./samples.test-data.ts";

/** Nodes and pods to which the decisions of sync after sync are done at once, with nothing between. */
export class RollingModel {
  daemonSet: DaemonSet;
  nodes: readonly Stored<Node>[];
  hash = "first";
  nowSeconds = 0;
  pods: readonly Stored<Pod>[] = [];
  #made = 0;

  constructor(daemonSet: DaemonSet, nodes: readonly Stored<Node>[]) {
    this.daemonSet = daemonSet;
    this.nodes = nodes;
  }

  /** One sync: how many pods it creates and how many it deletes. */
  sync(): readonly [created: number, removed: number] {
    const [placed, displaced] = this.#place();
    if (!isRollingUpdate(this.daemonSet)) return [placed, displaced];
    const { create, remove } = decideRollingUpdate(this.#view(), this.nowSeconds * 1_000);
    this.#change(create, remove);
    return [placed + create.length, displaced + remove.length];
  }

  /** All pods that `which` picks, `count` at most. */
  mark(ready: boolean, which: (pod: Stored<Pod>) => boolean = () => true, count = Infinity): void {
    let left = count;
    this.pods = this.pods.map((each) => {
      const isReady = each.status?.conditions?.[0]?.status === "True";
      if (left <= 0 || isReady === ready || !which(each)) return each;
      left--;
      const status = ready ? "True" : "False";
      const lastTransitionTime = formatTime(this.nowSeconds * 1_000);
      return { ...each, status: { conditions: [{ type: "Ready", status, lastTransitionTime }] } };
    });
  }

  relabel(hash: string, which: (pod: Stored<Pod>) => boolean): void {
    this.pods = this.pods.map((each) =>
      which(each)
        ? {
            ...each,
            metadata: { ...each.metadata, labels: { ...each.metadata.labels, [REVISION_HASH]: hash } },
          }
        : each,
    );
  }

  ready(): readonly string[] {
    return this.pods
      .filter(({ status }) => status?.conditions?.[0]?.status === "True")
      .map(({ metadata }) => metadata.name ?? "");
  }

  /** Whether the pod's node has one of the current template. */
  hasCurrentBeside = (beside: Stored<Pod>): boolean =>
    this.pods.some((each) => this.isCurrent(each) && targetNode(each.spec) === targetNode(beside.spec));

  isCurrent = (each: Stored<Pod>): boolean => each.metadata.labels?.[REVISION_HASH] === this.hash;

  #place(): readonly [number, number] {
    const { create, remove } = decidePlacement(
      { ...this.#view(), backoffMs: () => 0 },
      this.nowSeconds * 1_000,
    );
    this.#change(
      create,
      remove.map((each) => each.pod),
    );
    return [create.length, remove.length];
  }

  #view() {
    const { daemonSet, nodes, hash, pods } = this;
    return { daemonSet, nodes, hash, fits: nodeFit(daemonSet, {}), pods: podsByNode(pods) };
  }

  #change(create: readonly string[], remove: readonly StoredObject[]): void {
    const made = create.map((meantFor) =>
      pod(`pod-${this.#made++}`, { meantFor, hash: this.hash, created: this.nowSeconds }),
    );
    this.pods = [...this.pods.filter((each) => !remove.includes(each)), ...made];
  }
}
