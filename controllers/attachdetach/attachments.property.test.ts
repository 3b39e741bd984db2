import fc from "fast-check";
import { expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { Node, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { VolumeAttachment } from "../../pkg/api/types/storage-v1.gen.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import { NAMESPACE } from "../../test/harness/controller-world.ts";
import { RWO, RWX, Scene, uniqueName } from "./scene.test-data.ts";

const NODES = ["node-1", "node-2", "node-3"];
/** The last is for many nodes. */
const VOLUMES = ["a", "b", "many"];
const SHARED = "many";
const FINALIZER = "external-attacher/csi-example-com";
const kinds = ["pods", "nodes", "volumeattachments"] as const;
const troubles = ["refused", "before", "after"] as const;
const requests = [
  { verb: "create", resource: "volumeattachments" },
  { verb: "delete", resource: "volumeattachments" },
  { verb: "patch", resource: "nodes" },
  { verb: "get", resource: "volumeattachments" },
] as const;

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("create" as const),
      node: fc.constantFrom(...NODES),
      volume: fc.constantFrom(...VOLUMES),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("delete" as const), which: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("finish" as const), which: fc.nat(20) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("drive" as const), fails: fc.boolean() }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("kubelet" as const), node: fc.constantFrom(...NODES) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("hold" as const), kind: fc.constantFrom(...kinds) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("release" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("trouble" as const),
      request: fc.constantFrom(...requests),
      when: fc.constantFrom(...troubles),
      status: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("change of leader" as const) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.nat(3_000) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

test("no volume is on two nodes or leaves one that uses it, and in the end all are where they are needed", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 50 }), async (steps) => {
      const trial = await Trial.begin();
      try {
        for (const each of steps) await trial.take(each);
        await trial.end();
      } finally {
        await trial.stop();
      }
    }),
    { numRuns: 60 },
  );
});

class Trial {
  readonly #scene: Scene;
  /** What kubelets have mounted. */
  readonly #mounted = new Map<string, Set<string>>(NODES.map((node) => [node, new Set()]));
  #held: (() => void)[] = [];
  #pods = 0;

  private constructor(scene: Scene) {
    this.#scene = scene;
  }

  static async begin(): Promise<Trial> {
    const scene = await Scene.make();
    for (const node of NODES) await scene.addNode(node);
    for (const volume of VOLUMES) await scene.addVolume(volume, volume === SHARED ? RWX : RWO);
    await scene.start();
    return new Trial(scene);
  }

  async take(each: Step): Promise<void> {
    const { world } = this.#scene;
    switch (each.do) {
      case "create":
        await this.#scene.addPod(`pod-${++this.#pods}`, each.node, each.volume);
        break;
      case "delete":
      case "finish": {
        const { metadata } = (await this.#podsOfAll())[each.which] ?? {};
        if (metadata?.name === undefined) return;
        if (each.do === "delete") await this.#scene.removePod(metadata.name);
        else await this.#scene.setPod(metadata.name, { phase: "Succeeded" });
        break;
      }
      case "drive":
        await this.#drive(each.fails);
        break;
      case "kubelet":
        await this.#tend(each.node);
        break;
      case "hold":
        this.#held.push(world.server.parts.faults.holdWatches({ resource: each.kind }));
        break;
      case "release":
        this.#release();
        break;
      case "trouble": {
        const { request: target, when } = each;
        const action =
          each.status && when !== "refused"
            ? ({ kind: "status", when, error: internal("trouble") } as const)
            : ({ kind: "disconnect", when } as const);
        world.server.parts.faults.add({ target, action, times: 1 });
        break;
      }
      case "change of leader":
        await world.stop();
        this.#release();
        await this.#scene.start();
        break;
      case "wait":
        await world.run(each.ms);
    }
    await this.#check();
  }

  /** All is calm: what pods need is where they are, as far as it can be in more than one place; nothing else is. */
  async end(): Promise<void> {
    this.#release();
    for (let round = 0; round < 12; round++) {
      await this.#drive(false);
      for (const node of NODES) await this.#tend(node);
      await this.#scene.world.run(round < 8 ? 3_000 : 130_000);
      await this.#check();
    }
    const needed = new Set((await this.#running()).map(({ node, volume }) => `${volume} on ${node}`));
    const there = new Set(await this.#scene.attachments());
    expect([...there].filter((place) => !needed.has(place))).toEqual([]);
    for (const volume of VOLUMES) {
      const wanted = [...needed].filter((place) => place.startsWith(`${volume} `));
      const has = [...there].filter((place) => place.startsWith(`${volume} `));
      expect(has).toHaveLength(volume === SHARED ? wanted.length : Math.min(wanted.length, 1));
    }
    for (const node of NODES) {
      const own = VOLUMES.filter((volume) => there.has(`${volume} on ${node}`)).map(uniqueName);
      expect((await this.#scene.reported(node)).toSorted()).toEqual(own.toSorted());
    }
  }

  async stop(): Promise<void> {
    this.#release();
    await this.#scene.world.stop();
  }

  #release(): void {
    for (const release of this.#held.splice(0)) release();
  }

  async #podsOfAll(): Promise<readonly Pod[]> {
    return this.#scene.world.list<Pod>(resources.pods);
  }

  async #objects(): Promise<readonly VolumeAttachment[]> {
    return this.#scene.world.list<VolumeAttachment>(resources.volumeAttachments);
  }

  async #running(): Promise<readonly { readonly node: string; readonly volume: string }[]> {
    const pods = await this.#podsOfAll();
    return pods.flatMap(({ spec, status }) => {
      const [volume] = spec?.volumes ?? [];
      const claim = volume?.persistentVolumeClaim?.claimName;
      if (claim === undefined || status?.phase === "Succeeded") return [];
      return { node: spec?.nodeName ?? "", volume: claim };
    });
  }

  /** The driver does what it is asked for, or says why not. */
  async #drive(fails: boolean): Promise<void> {
    const client = this.#scene.world.client.clientFor<VolumeAttachment>(resources.volumeAttachments);
    for (const object of await this.#objects()) {
      const { finalizers = [], deletionTimestamp } = object.metadata;
      const error = { message: "busy" };
      const attached = object.status?.attached ?? false;
      if (finalizers.length === 0 && deletionTimestamp === undefined)
        await client.update({ ...object, metadata: { ...object.metadata, finalizers: [FINALIZER] } });
      else if (deletionTimestamp !== undefined && fails)
        await client.updateStatus({ ...object, status: { attached, detachError: error } });
      else if (deletionTimestamp !== undefined)
        await client.update({ ...object, metadata: { ...object.metadata, finalizers: [] } });
      else if (!attached)
        await client.updateStatus({
          ...object,
          status: fails ? { attached: false, attachError: error } : { attached: true },
        });
    }
  }

  /** A kubelet says first what it is about to use, then looks whether it has that, and lets go of what nobody needs. */
  async #tend(node: string): Promise<void> {
    const mounted = this.#mounted.get(node) ?? new Set();
    const needed = (await this.#running()).filter((each) => each.node === node).map(({ volume }) => volume);
    for (const volume of mounted) if (!needed.includes(volume)) mounted.delete(volume);
    const before = await this.#node(node);
    const inUse = [...new Set([...needed, ...mounted])];
    const known = before.status?.volumesInUse ?? [];
    if (known.length !== inUse.length || !inUse.every((volume) => known.includes(uniqueName(volume))))
      await this.#scene.use(node, ...inUse);
    const { status } = await this.#node(node);
    for (const volume of needed)
      if (status?.volumesAttached?.some(({ name }) => name === uniqueName(volume))) mounted.add(volume);
  }

  async #node(name: string): Promise<Node> {
    return this.#scene.world.get<Node>(resources.nodes, name);
  }

  async #check(): Promise<void> {
    const objects = await this.#objects();
    const placeOf = ({ spec }: VolumeAttachment): string =>
      `${spec.source.persistentVolumeName} on ${spec.nodeName}`;
    for (const volume of VOLUMES.filter((each) => each !== SHARED)) {
      const places = objects.map(placeOf).filter((place) => place.startsWith(`${volume} `));
      expect(places.length, `${places.join(", ")} at the same time`).toBeLessThanOrEqual(1);
    }
    const kept = new Set(
      objects.filter(({ metadata }) => metadata.deletionTimestamp === undefined).map(placeOf),
    );
    for (const [node, volumes] of this.#mounted)
      for (const volume of volumes)
        expect(kept.has(`${volume} on ${node}`), `${volume} leaves ${node}, which uses it`).toBe(true);
    const known = await this.#scene.world.client.clientFor(resources.pods).list({ namespace: NAMESPACE });
    expect(known.items.length).toBeLessThanOrEqual(this.#pods);
  }
}
