import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import { parseTime } from "../../pkg/api/time.ts";
import type { Node } from "../../pkg/api/types/core-v1.gen.ts";
import { realClock } from "../../pkg/clock/real.ts";
import { type AuditEvent, describeEvent } from "../harness/audit-log.ts";
import { Kubelets } from "../harness/kubelets.ts";
import { TestSpace } from "../harness/test-space.ts";
import { until } from "../harness/until.ts";
import { go, takeovers } from "./succession.ts";
import {
  addNode,
  DUE_MS,
  GRACE_MS,
  isEvicted,
  isUnready,
  NODE_FLAGS,
  Outage,
} from "./takeover-nodes-cases.ts";
import { TakeoverStage } from "./takeover-stage.ts";

const ROUND = { timeout: 300_000 };
const WELL = ["well-0", "well-1", "well-2", "well-3"];
/** Times in objects have no fractions. */
const SECOND_MS = 1_000;
/** Of a machine that is busy. */
const LATE_MS = 5_000;

describe("another controller manager takes over while a node is lost", ROUND, () => {
  let stage: TakeoverStage;
  let kubelets: Kubelets;
  beforeAll(async () => {
    stage = await TakeoverStage.start(0, NODE_FLAGS);
    kubelets = new Kubelets(stage.client, realClock);
    await kubelets.start();
  });
  afterAll(async () => {
    await kubelets?.stop();
    await stage?.stop();
  });

  async function spaceOf(name: string): Promise<TestSpace> {
    await stage.createNamespace(name);
    return new TestSpace(stage.client, name);
  }

  test.each(takeovers)("$from.name → $next.name (round $round)", async ({ from, next, round }) => {
    const space = await spaceOf(`outage-${round}`);
    if (!stage.succession.isLed) {
      await stage.succession.lead(from);
      for (const name of WELL) await addNode(space, kubelets, name);
    }
    const outage = new Outage(space, kubelets, round);
    await outage.begin();
    const lostMs = await outage.lostMs();
    const before = await outage.node(outage.lost);
    const actor = await stage.succession.lead(next, async () => {
      expect(isEvicted(await outage.pod("missed"))).toBe(false);
      await outage.goOn();
    });
    const ledMs = realClock.nowMs();
    await addNode(space, kubelets, `new-${round}`);
    await outage.untilTainted(outage.dying);
    expect(await outage.deathMs()).toBeGreaterThan(GRACE_MS - SECOND_MS);
    await until("pods of the second node are not ready", async () => isUnready(await outage.pod("on-dying")));
    await outage.untilEvicted("missed");
    await outage.untilEvicted("due");
    await outage.untilTainted(outage.lost);
    await stage.audit.read();
    const evictionsMs = [...evictions(actor, space)].map(([name, atMs]) => [name, atMs - lostMs] as const);
    console.log(`${actor}, led ${ledMs - lostMs} ms after the taint: ${JSON.stringify(evictionsMs)}`);
    const { missed = Number.NaN, due = Number.NaN } = Object.fromEntries(evictionsMs);
    // Nobody goes too early, whoever leads.
    expect(due).toBeGreaterThan(DUE_MS);
    if (next.name !== go.name) {
      // The Go program begins to count anew, and takes taints away to set them again.
      expect(due).toBeLessThan(DUE_MS + SECOND_MS + LATE_MS);
      expect(missed).toBeLessThan(ledMs - lostMs + LATE_MS);
      expect((await outage.node(outage.lost)).spec?.taints).toEqual(before.spec?.taints);
      expect(writesOf(actor, [outage.lost, ...WELL]).map(describeEvent)).toEqual([]);
      const settled = ["at-once", "default", "for-ever"];
      expect(writesOf(actor, settled, space).map(describeEvent)).toEqual([]);
    }
    await outage.end();
    for (const name of ["default", "for-ever", "on-dying"] as const)
      expect(isEvicted(await outage.pod(name)), name).toBe(false);
    const ranges = (await stage.client.clientFor<Node>(resources.nodes).list()).items.map(
      ({ spec }) => spec?.podCIDR,
    );
    expect(new Set(ranges).size).toBe(ranges.length);
  });

  /** To objects of these names: of no namespace where none is given. */
  function writesOf(actor: string, names: readonly string[], space?: TestSpace): readonly AuditEvent[] {
    return stage.audit
      .writesOf(actor)
      .filter(
        ({ objectRef: { namespace, name = "" } = {} }) =>
          namespace === space?.namespace && names.includes(name),
      );
  }

  /** When which pods were first deleted by this process. */
  function evictions(actor: string, { namespace }: TestSpace): ReadonlyMap<string, number> {
    const deletions = stage.audit
      .writesOf(actor)
      .filter(({ verb, objectRef }) => verb === "delete" && objectRef?.namespace === namespace)
      .toReversed();
    return new Map(
      deletions.map(({ objectRef, requestReceivedTimestamp }) => [
        objectRef?.name ?? "",
        parseTime(requestReceivedTimestamp) ?? Number.NaN,
      ]),
    );
  }
});
