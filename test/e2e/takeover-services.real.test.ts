import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import { type AuditEvent, describeEvent } from "../harness/audit-log.ts";
import { Deployments } from "../harness/deployments.ts";
import { TestSpace } from "../harness/test-space.ts";
import { takeovers } from "./succession.ts";
import { TakeoverStage } from "./takeover-stage.ts";
import { settle, untilRight } from "./takeover-services-cases.ts";

const ROUND = { timeout: 300_000 };
const ENDPOINTS: ReadonlySet<string> = new Set(["endpoints", "endpointslices"]);

describe("another controller manager takes over Services", ROUND, () => {
  let stage: TakeoverStage;
  beforeAll(async () => {
    stage = await TakeoverStage.start(6);
  });
  afterAll(async () => stage?.stop());

  async function spaceOf(name: string): Promise<TestSpace> {
    await stage.createNamespace(name);
    return new TestSpace(stage.client, name);
  }

  function writesTo(actor: string, { namespace }: TestSpace): readonly AuditEvent[] {
    return stage.audit
      .writesOf(actor)
      .filter(
        ({ objectRef }) => objectRef?.namespace === namespace && ENDPOINTS.has(objectRef.resource ?? ""),
      );
  }

  test.each(takeovers)("$from.name → $next.name (round $round)", async ({ from, next, round }) => {
    if (!stage.succession.isLed) await stage.succession.lead(from);
    const settled = await spaceOf(`settled-${round}`);
    await settle(settled);
    const moving = await spaceOf(`moving-${round}`);
    await settle(moving, 12);
    const deployments = new Deployments(stage.client, moving.namespace);
    const actor = await stage.succession.lead(next, async () => {
      // The rollout goes on under the newcomer; pods leave and come while nobody looks.
      await deployments.roll("web", "main:2");
      const [pod] = await moving.pods();
      await moving.delete(resources.pods, pod?.metadata.name ?? "", 0);
    });
    const sentinel = await spaceOf(`sentinel-${round}`);
    await settle(sentinel, 2);
    await moving.until("the rollout is complete", async () => deployments.isComplete("web"), Boolean);
    for (const name of ["plain", "ports", "portless", "near"]) await untilRight(moving, name, "web");
    // Slices that were there at the start are looked at a second time, a second later.
    await settled.never("a write to what was settled", 2_500, async () => {
      await stage.audit.read();
      return writesTo(actor, settled).length > 0;
    });
    expect(writesTo(actor, settled).map(describeEvent)).toEqual([]);
    expect(writesTo(actor, moving).length).toBeGreaterThan(0);
    console.log(
      `${actor}: ${writesTo(actor, moving).length} writes to endpoints of the rollout, 0 to the settled`,
    );
  });
});
