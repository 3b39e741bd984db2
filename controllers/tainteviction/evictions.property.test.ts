import fc from "fast-check";
import { expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import { tolerates } from "../../pkg/api/taints.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { Node, Pod, Taint, Toleration } from "../../pkg/api/types/core-v1.gen.ts";
import type { Transport } from "../../pkg/client/transport.ts";
import { type ControllerWorld, newWorld } from "../../test/harness/controller-world.ts";
import { taintEvictionController } from "./controller.ts";

const NODES = ["a", "b"];
const KEYS = ["x", "y"];
const LONGEST_MS = 60_000;
/** What a node lost so short a time ago, it may be believed to have. */
const SHARED_MS = 1_000;
const kinds = ["pods", "nodes"] as const;

const seconds = fc.constantFrom(0, 3, 20, 60);
const toleration: fc.Arbitrary<Toleration> = fc
  .record({ key: fc.constantFrom(...KEYS), forSeconds: fc.option(seconds, { nil: undefined }) })
  .map(({ key, forSeconds }) => ({
    key,
    operator: "Exists",
    effect: "NoExecute",
    ...(forSeconds !== undefined && { tolerationSeconds: forSeconds }),
  }));
const place = { node: fc.constantFrom(...NODES), key: fc.constantFrom(...KEYS) };
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("taint" as const), ...place }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("untaint" as const), ...place }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("create" as const),
      node: place.node,
      tolerations: fc.array(toleration, { maxLength: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("tolerate" as const), which: fc.nat(30), seconds }) },
  // What the controller has seen of one kind may be older than what it has seen of the other.
  { weight: 2, arbitrary: fc.record({ do: fc.constant("hold" as const), kind: fc.constantFrom(...kinds) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("release" as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("change of leader" as const), awayMs: fc.nat(30_000) }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.nat(25_000) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

test("nobody is evicted who tolerates, nobody before the time, and everybody after it, whoever leads and whatever is seen", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
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

/** When a taint came, and when it went. */
interface Span {
  readonly node: string;
  readonly taint: Taint;
  readonly fromMs: number;
  toMs: number;
}

class Trial {
  readonly #world: ControllerWorld;
  readonly #spans: Span[] = [];
  /** When each pod was made. */
  readonly #made = new Map<string, number>();
  #held: (() => void)[] = [];

  static async begin(): Promise<Trial> {
    const parts: { trial?: Trial } = {};
    const judged = (server: Transport): Transport => ({
      send: async (request, signal) => {
        if (request.method === "DELETE") await parts.trial?.judge(request.path.split("/").at(-1) ?? "");
        return server.send(request, signal);
      },
      close: async () => server.close(),
    });
    const trial = new Trial(await newWorld({ transport: judged }));
    parts.trial = trial;
    for (const name of NODES) await trial.#world.create<Node>(resources.nodes, { metadata: { name } });
    await trial.#start();
    return trial;
  }

  private constructor(world: ControllerWorld) {
    this.#world = world;
  }

  async take(each: Step): Promise<void> {
    switch (each.do) {
      case "taint":
        return this.#taint(each.node, each.key);
      case "untaint":
        return this.#untaint(each.node, each.key);
      case "create":
        return this.#create(each.node, each.tolerations);
      case "tolerate":
        return this.#tolerate(each.which, each.seconds);
      case "hold":
        this.#held.push(this.#world.server.parts.faults.holdWatches({ resource: each.kind }));
        return;
      case "release":
        return this.#release();
      case "change of leader":
        await this.#world.stop();
        this.#release();
        await this.#world.run(each.awayMs);
        return this.#start();
      case "wait":
        return this.#world.run(each.ms);
    }
  }

  /** A pod is about to be deleted. Nothing is done for its deletion by anybody else here. */
  async judge(name: string): Promise<void> {
    const pod = await this.#world.get<Pod>(resources.pods, name);
    const ends = this.#ends(pod, SHARED_MS);
    expect(ends.length, `${name} goes from a node without a taint that it does not tolerate`).toBeGreaterThan(
      0,
    );
    const inMs = Math.min(...ends) - this.#world.clock.monotonicMs();
    expect(inMs, `${name} goes so long before its time`).toBeLessThanOrEqual(0);
  }

  async end(): Promise<void> {
    this.#release();
    await this.#world.run(LONGEST_MS + 10_000);
    const left = (await this.#world.list<Pod>(resources.pods)).filter(
      (pod) => pod.metadata.deletionTimestamp === undefined && this.#ends(pod, 0).length > 0,
    );
    expect(left.map(({ metadata }) => metadata.name)).toEqual([]);
  }

  async stop(): Promise<void> {
    this.#release();
    await this.#world.stop();
  }

  /** The times at which taints of its node end for the pod what it tolerates; those for ever left out. */
  #ends({ metadata, spec }: Pod, sharedMs: number): readonly number[] {
    const nowMs = this.#world.clock.monotonicMs();
    const madeMs = this.#made.get(metadata.name ?? "") ?? 0;
    return this.#spans
      .filter(({ node, toMs }) => node === spec?.nodeName && toMs + sharedMs > nowMs)
      .flatMap(({ taint, fromMs }) => {
        const first = spec?.tolerations?.find((each) => tolerates(each, taint));
        if (first === undefined) return [-Infinity];
        if (first.tolerationSeconds === undefined) return [];
        return [Math.max(fromMs, madeMs) + Number(first.tolerationSeconds) * 1_000];
      });
  }

  async #start(): Promise<void> {
    await this.#world.start(taintEvictionController());
  }

  #release(): void {
    for (const release of this.#held.splice(0)) release();
  }

  async #taint(node: string, key: string): Promise<void> {
    if (this.#here(node).some(({ taint }) => taint.key === key)) return;
    const { clock } = this.#world;
    const taint = { key, effect: "NoExecute", timeAdded: formatTime(clock.nowMs()) };
    this.#spans.push({ node, taint, fromMs: clock.monotonicMs(), toMs: Infinity });
    await this.#writeTaints(node);
  }

  async #untaint(node: string, key: string): Promise<void> {
    for (const span of this.#here(node))
      if (span.taint.key === key) span.toMs = this.#world.clock.monotonicMs();
    await this.#writeTaints(node);
  }

  #here(name: string): readonly Span[] {
    return this.#spans.filter(({ node, toMs }) => node === name && toMs === Infinity);
  }

  async #writeTaints(name: string): Promise<void> {
    const taints = this.#here(name).map(({ taint }) => taint);
    await this.#world.client
      .clientFor<Node>(resources.nodes)
      .patch({ name }, { type: "merge", body: { spec: { taints } } });
    await this.#world.run(10);
  }

  async #create(nodeName: string, tolerations: readonly Toleration[]): Promise<void> {
    const name = `pod-${this.#made.size}`;
    this.#made.set(name, this.#world.clock.monotonicMs());
    const spec = { nodeName, tolerations, containers: [{ name: "main", image: "main" }] };
    await this.#world.create<Pod>(resources.pods, { metadata: { name }, spec });
    await this.#world.run(10);
  }

  async #tolerate(which: number, tolerationSeconds: number): Promise<void> {
    const pods = await this.#world.list<Pod>(resources.pods);
    const pod = pods[which % Math.max(1, pods.length)];
    if (pod === undefined) return;
    const tolerations = (pod.spec?.tolerations ?? []).map((each) => ({ ...each, tolerationSeconds }));
    const ref = { namespace: "default", name: pod.metadata.name ?? "" };
    await this.#world.client
      .clientFor<Pod>(resources.pods)
      .patch(ref, { type: "merge", body: { spec: { tolerations } } });
    await this.#world.run(10);
  }
}
