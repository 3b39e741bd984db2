import fc from "fast-check";
import { expect, test } from "vitest";
import { isPodReady } from "../../pkg/api/pod.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { isTooManyRequests } from "../../pkg/client/errors.ts";
import { type ControllerWorld, NAMESPACE, newWorld } from "../../test/harness/controller-world.ts";
import { disruptionController } from "./controller.ts";
import { budget, LABELS } from "./samples.test-data.ts";

const MIN_AVAILABLE = 3;
const kinds = ["pods", "poddisruptionbudgets"] as const;

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("evict" as const), which: fc.nat(30) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("evict all" as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("create" as const), ready: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("become ready" as const), which: fc.nat(30) }) },
  // What the controller has seen of one kind may be older than what it has seen of the other.
  { weight: 2, arbitrary: fc.record({ do: fc.constant("hold" as const), kind: fc.constantFrom(...kinds) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("release" as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.nat(3_000) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

test("evictions alone never leave fewer healthy pods than the budget asks for, whatever the controller has seen", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const trial = new Trial(await newWorld());
      try {
        await trial.begin();
        for (const each of steps) await trial.take(each);
        await trial.end();
      } finally {
        await trial.stop();
      }
    }),
    { numRuns: 40 },
  );
});

class Trial {
  readonly #world: ControllerWorld;
  #held: (() => void)[] = [];
  #created = 0;

  constructor(world: ControllerWorld) {
    this.#world = world;
  }

  async begin(): Promise<void> {
    const { metadata, ...rest } = budget({ minAvailable: MIN_AVAILABLE });
    const { uid: _, ...named } = metadata;
    await this.#world.create(resources.podDisruptionBudgets, { ...rest, metadata: named });
    for (let index = 0; index < 5; index++) await this.#create(true);
    await this.#world.start(disruptionController());
  }

  async take(each: Step): Promise<void> {
    switch (each.do) {
      case "evict":
        return this.#evict([await this.#name(each.which)]);
      case "evict all":
        return this.#evict((await this.#pods()).map(({ metadata }) => metadata.name ?? ""));
      case "create":
        return this.#create(each.ready);
      case "become ready": {
        const name = await this.#name(each.which);
        return name === "" ? undefined : this.#world.markPod(name, "ready");
      }
      case "hold":
        this.#held.push(this.#world.server.parts.faults.holdWatches({ resource: each.kind }));
        return undefined;
      case "release":
        return this.#release();
      case "wait":
        return this.#world.run(each.ms);
    }
  }

  /** Once everything has been seen, the status is what there is. */
  async end(): Promise<void> {
    this.#release();
    await this.#world.run(5 * 60_000);
    const { status } = await this.#world.get(resources.podDisruptionBudgets, "foobar");
    const healthy = await this.#healthy();
    expect(status).toMatchObject({
      currentHealthy: healthy,
      expectedPods: (await this.#pods()).length,
      disruptionsAllowed: Math.max(0, healthy - MIN_AVAILABLE),
    });
    expect(status?.disruptedPods).toBeUndefined();
  }

  async stop(): Promise<void> {
    this.#release();
    await this.#world.stop();
  }

  async #evict(names: readonly string[]): Promise<void> {
    const before = await this.#healthy();
    const pods = this.#world.client.clientFor(resources.pods);
    await Promise.all(
      names
        .filter((name) => name !== "")
        .map(async (name) => {
          const body = {
            apiVersion: "policy/v1",
            kind: "Eviction",
            metadata: { name },
            deleteOptions: { gracePeriodSeconds: 0 },
          };
          try {
            await pods.createSubresource({ namespace: NAMESPACE, name }, "eviction", body);
          } catch (error) {
            if (!isTooManyRequests(error)) throw error;
          }
        }),
    );
    expect(await this.#healthy()).toBeGreaterThanOrEqual(Math.min(before, MIN_AVAILABLE));
  }

  async #create(ready: boolean): Promise<void> {
    const name = `pod-${this.#created++}`;
    await this.#world.create(resources.pods, {
      metadata: { name, labels: LABELS },
      spec: { nodeName: "node", containers: [{ name: "main", image: "image" }] },
    });
    await this.#world.markPod(name, ready ? "ready" : "running");
  }

  async #pods(): Promise<readonly Pod[]> {
    return this.#world.list<Pod>(resources.pods);
  }

  async #healthy(): Promise<number> {
    return (await this.#pods()).filter(isPodReady).length;
  }

  async #name(which: number): Promise<string> {
    const pods = await this.#pods();
    return pods[which % Math.max(1, pods.length)]?.metadata.name ?? "";
  }

  #release(): void {
    for (const release of this.#held.splice(0)) release();
  }
}
