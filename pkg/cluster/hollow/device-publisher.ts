import { keyOf, type Stored } from "../../api/object.ts";
import { newControllerRef } from "../../api/owner-references.ts";
import type { Projected } from "../../api/projected.ts";
import { resources } from "../../api/resources.ts";
import type { Node } from "../../api/types/core-v1.gen.ts";
import type { ResourceSlice } from "../../api/types/resource-v1.gen.ts";
import type { ControllerDescriptor } from "../../controller/env.ts";
import { type Kit, wired } from "../../controller/kit.ts";
import type { OwnerSync, SyncResult } from "../../controller/sync.ts";
import { DEVICES_ANNOTATION, devicesOfAnnotation, type HollowDevices } from "./device-annotation.ts";

const NODE_FIELDS = [`metadata.annotations[${DEVICES_ANNOTATION}]`] as const;
const SLICE_FIELDS = ["spec.nodeName", `metadata.annotations[${DEVICES_ANNOTATION}]`] as const;
const SLICES_OF_NODE = "node";

type CachedNode = Projected<Node, typeof NODE_FIELDS>;

const saying = ({ metadata }: Pick<CachedNode, "metadata">): string =>
  metadata.annotations?.[DEVICES_ANNOTATION] ?? "";

/** Publishes the devices that nodes are said to have, as drivers do. What others do to a slice, taints above all, stays. */
export function hollowDevices(): ControllerDescriptor {
  return {
    name: "hollow-devices",
    clientName: "hollow-devices",
    build: wired((kit) => {
      const publisher = new Publisher(kit);
      const { nodes, slices } = publisher;
      const queue = kit.ownerQueue({
        name: "nodes",
        workers: 4,
        owners: nodes,
        wakes: (change, wake) => {
          const isNews =
            change.type === "updated"
              ? saying(change.before) !== saying(change.object)
              : saying(change.object) !== "";
          if (change.type !== "deleted" && isNews) wake(keyOf(change.object));
        },
        sync: async (sync) => publisher.publish(sync),
      });
      slices.wakes(queue, ({ type, object }, wake) => {
        if (type === "deleted" && object.spec.nodeName !== undefined) wake(object.spec.nodeName);
      });
    }),
  };
}

class Publisher {
  readonly nodes;
  readonly slices;
  readonly #writes;

  constructor(kit: Kit) {
    this.nodes = kit.reads(resources.nodes, { fields: NODE_FIELDS });
    this.slices = kit.reads(resources.resourceSlices, { fields: SLICE_FIELDS });
    this.slices.addIndex(SLICES_OF_NODE, ({ spec }) => (spec.nodeName === undefined ? [] : [spec.nodeName]));
    this.#writes = kit.writes(resources.resourceSlices);
  }

  async publish(sync: OwnerSync<CachedNode>): Promise<SyncResult> {
    const { owner: node } = sync;
    const said = saying(node);
    const wanted = new Map(
      devicesOfAnnotation(said).map((each) => [`${node.metadata.name}-${each.driver}`, each]),
    );
    const published = this.slices.lister
      .byIndex(SLICES_OF_NODE, node.metadata.name)
      .filter(({ metadata }) => metadata.annotations?.[DEVICES_ANNOTATION] !== undefined);
    for (const slice of published) {
      const isRight = saying(slice) === said && wanted.has(slice.metadata.name);
      if (isRight) wanted.delete(slice.metadata.name);
      else await this.#writes.remove(sync, slice);
    }
    for (const [name, each] of wanted) {
      sync.decided("The node has other devices than are published", { driver: each.driver });
      await this.#writes.create(sync, sliceOf(node, name, each));
    }
    return {};
  }
}

function sliceOf(node: Stored<CachedNode>, name: string, { driver, devices }: HollowDevices): ResourceSlice {
  const { controller: _, blockOwnerDeletion: __, ...owner } = newControllerRef(node, resources.nodes);
  return {
    metadata: { name, annotations: { [DEVICES_ANNOTATION]: saying(node) }, ownerReferences: [owner] },
    spec: {
      driver,
      nodeName: node.metadata.name,
      pool: { name: node.metadata.name, generation: 1, resourceSliceCount: 1 },
      devices,
    },
  };
}
