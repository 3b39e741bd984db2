import { compareInt64 } from "../../pkg/api/int64.ts";
import {
  daemonSet,
  type DaemonSetSketch,
  LABELS,
  nodes,
} from "../../controllers/daemonset/samples.test-data.ts";
import type { ObjectMeta } from "../../pkg/api/object.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { ControllerRevision, DaemonSet, DaemonSetStatus } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { ControllerWorld } from "./controller-world.ts";

/** A DaemonSet called foo in a world, the nodes node-0, node-1 …, and what comes of them. */
export class DaemonSetInWorld {
  readonly #world: ControllerWorld;

  constructor(world: ControllerWorld) {
    this.#world = world;
  }

  async create(sketch: DaemonSetSketch = {}, more: Partial<ObjectMeta> = {}): Promise<DaemonSet> {
    const { metadata, ...rest } = daemonSet(sketch);
    const { uid: _, ...named } = metadata;
    return this.#world.create(resources.daemonSets, { ...rest, metadata: { ...named, ...more } });
  }

  async addNodes(count: number, first = 0): Promise<void> {
    for (const each of nodes(first, count)) await this.#world.create(resources.nodes, each);
  }

  /** On node-0, and nobody's. */
  async createOrphan(name: string): Promise<Pod> {
    return this.#world.create(resources.pods, {
      metadata: { name, labels: LABELS },
      spec: { containers: [{ name: "main", image: "foo/bar" }], nodeName: "node-0" },
    });
  }

  /** A new template. */
  async setImage(image: string): Promise<void> {
    await this.#world.update(resources.daemonSets, "foo", (ds) => {
      const { template, ...spec } = ds.spec ?? { selector: {}, template: {} };
      const containers = [{ name: "main", image }];
      return { ...ds, spec: { ...spec, template: { ...template, spec: { ...template.spec, containers } } } };
    });
  }

  async pods(): Promise<readonly Pod[]> {
    return this.#world.list<Pod>(resources.pods);
  }

  /** What the pods run. */
  async images(): Promise<readonly (string | undefined)[]> {
    return (await this.pods()).map(({ spec }) => spec?.containers[0]?.image);
  }

  /** Oldest first. */
  async revisions(): Promise<readonly ControllerRevision[]> {
    const all = await this.#world.list<ControllerRevision>(resources.controllerRevisions);
    return all.toSorted((a, b) => compareInt64(a.revision, b.revision));
  }

  async status(): Promise<DaemonSetStatus | undefined> {
    return (await this.#world.get(resources.daemonSets, "foo")).status;
  }
}
