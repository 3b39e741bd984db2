import fc from "fast-check";
import { expect, test } from "vitest";
import type { DaemonSet, DaemonSetUpdateStrategy } from "../../pkg/api/types/apps-v1.gen.ts";
import { cpuTimeMs } from "../../test/harness/cpu-time.ts";
import { rememberedNodeFit } from "./node-fit.ts";
import { podsByNode } from "./node-pods.ts";
import { decidePlacement } from "./placement.ts";
import { decideRollingUpdate } from "./rolling-update.ts";
import { daemonSet, nodes, NODE_LABELS, pod } from "./samples.test-data.ts";
import { decideStatus } from "./status.ts";
import type { Stored } from "../../pkg/api/object.ts";

const NOW = Date.parse("2026-06-01T00:00:00Z");
const LARGEST = 2 ** 31 - 1;
/** No sync may keep everybody else waiting for longer. */
const LIMIT_MS = 50;
const NODES = nodes(0, 1_000, NODE_LABELS);

const extreme = fc.constantFrom(0, 1, 10 ** 6, LARGEST);
const extremeOrShare = fc.oneof(extreme, fc.constantFrom("0%", "1%", "100%"));
const shape = fc.record({
  minReadySeconds: extreme,
  historyLimit: extreme,
  generation: fc.constantFrom(1, LARGEST),
  strategy: fc.oneof(
    fc.constant<DaemonSetUpdateStrategy>({ type: "OnDelete" }),
    fc
      .record({ maxUnavailable: extremeOrShare, maxSurge: extremeOrShare })
      .map((rollingUpdate): DaemonSetUpdateStrategy => ({ type: "RollingUpdate", rollingUpdate })),
  ),
  spec: fc.record({
    nodeSelector: fc.constantFrom({}, NODE_LABELS, { other: "yes" }),
    tolerations: fc
      .constantFrom(0, 1, 50)
      .map((count) =>
        Array.from({ length: count }, (_, index) => ({ key: `k${index}`, operator: "Exists" })),
      ),
  }),
});
/** How many pods each of so many nodes has. */
const spread = fc.record({
  nodes: fc.constantFrom(0, 1, NODES.length),
  each: fc.constantFrom(1, 2),
  phase: fc.constantFrom("Running", "Failed", "Succeeded"),
  ready: fc.boolean(),
});

function podsOf(owner: Stored<DaemonSet>, of: typeof spread extends fc.Arbitrary<infer T> ? T : never) {
  return NODES.slice(0, of.nodes).flatMap(({ metadata: { name } }) =>
    Array.from({ length: of.each }, (_, index) =>
      pod(`${name}-${index}`, {
        on: name,
        hash: index === 0 ? "old" : "new",
        owner,
        phase: of.phase,
        ready: of.ready,
      }),
    ),
  );
}

test("whatever numbers a DaemonSet has, what a sync decides about a thousand nodes takes no time", () => {
  fc.assert(
    fc.property(shape, spread, (sketch, of) => {
      const owner = daemonSet(sketch);
      const all = podsOf(owner, of);
      const spentMs = cpuTimeMs(() => {
        const fits = rememberedNodeFit({})(owner);
        const view = { daemonSet: owner, nodes: NODES, fits, pods: podsByNode(all), hash: "new" };
        decidePlacement({ ...view, backoffMs: () => 0 }, NOW);
        decideRollingUpdate(view, NOW);
        decideStatus({ ...view, acted: true }, NOW);
      });
      expect(spentMs).toBeLessThan(LIMIT_MS);
    }),
    { numRuns: 60, endOnFailure: true },
  );
});
