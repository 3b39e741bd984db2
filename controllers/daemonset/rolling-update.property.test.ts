import fc from "fast-check";
import { expect, test } from "vitest";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { RollingModel } from "./rolling-model.test-data.ts";
import { daemonSet, nodes, ON_DELETE, surge, unavailable } from "./samples.test-data.ts";
import { targetNode } from "./pod-template.ts";

interface Roll {
  readonly nodes: number;
  /** How many at a time, or their share. */
  readonly limit: number | string;
  /** Pods that do not become ready by themselves, by their numbers. */
  readonly slow: readonly number[];
}

const rolls: fc.Arbitrary<Roll> = fc.record({
  nodes: fc.integer({ min: 1, max: 12 }),
  limit: fc.oneof(
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 1, max: 100 }).map((share) => `${share}%`),
  ),
  slow: fc.array(fc.nat({ max: 30 }), { maxLength: 6 }),
});

/** All nodes have a ready pod of the first template; the second is to be rolled. */
function begin(roll: Roll, strategy: ReturnType<typeof surge>): RollingModel {
  const model = new RollingModel(daemonSet({ strategy: ON_DELETE }), nodes(0, roll.nodes));
  model.sync();
  model.mark(true);
  model.daemonSet = daemonSet({ strategy });
  model.hash = "second";
  return model;
}

function most({ nodes: count, limit }: Roll): number {
  return typeof limit === "number" ? limit : Math.ceil((Number.parseInt(limit, 10) * count) / 100);
}

function readyNodes(model: RollingModel): number {
  const ready = new Set(model.ready());
  return new Set(
    model.pods.filter(({ metadata }) => ready.has(metadata.name ?? "")).map(({ spec }) => targetNode(spec)),
  ).size;
}

/** Syncs, and lets pods become ready in between, until nothing happens any more; looks after every sync. */
function play(model: RollingModel, roll: Roll, look: () => void): void {
  const isSlow = ({ metadata }: Pod): boolean =>
    roll.slow.includes(Number(metadata.name?.slice("pod-".length)));
  for (let quiet = 0, syncs = 0; quiet < 2; syncs++) {
    expect(syncs).toBeLessThan(20 * roll.nodes + 20);
    const [created, removed] = model.sync();
    look();
    quiet = created + removed === 0 ? quiet + 1 : 0;
    // Slow ones are ready when everything else has come to rest.
    model.mark(true, (pod) => quiet > 0 || !isSlow(pod));
  }
}

function isRolled(model: RollingModel): boolean {
  return model.pods.length === model.nodes.length && model.pods.every(model.isCurrent);
}

test("an update in place leaves no more nodes without a ready pod than it may, and ends", () => {
  fc.assert(
    fc.property(rolls, (roll) => {
      const model = begin(roll, unavailable(roll.limit));
      play(model, roll, () => {
        expect(roll.nodes - readyNodes(model)).toBeLessThanOrEqual(most(roll));
        expect(model.pods.length).toBeLessThanOrEqual(roll.nodes);
      });
      expect(isRolled(model)).toBe(true);
    }),
  );
});

test("an update with surge leaves no node without a ready pod, has no more pods than it may, and ends", () => {
  fc.assert(
    fc.property(rolls, (roll) => {
      const model = begin(roll, surge(roll.limit));
      play(model, roll, () => {
        expect(readyNodes(model)).toBe(roll.nodes);
        expect(model.pods.length).toBeLessThanOrEqual(roll.nodes + most(roll));
      });
      expect(isRolled(model)).toBe(true);
    }),
  );
});
