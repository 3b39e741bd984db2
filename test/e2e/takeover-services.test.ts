import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { ClientBuilder } from "../../pkg/client/client-builder.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import { clientsOf } from "../harness/admin-client.ts";
import { type AuditEvent, AuditLog, describeEvent } from "../harness/audit-log.ts";
import { Deployments } from "../harness/deployments.ts";
import { HOLLOW_WORLD_FLAGS, type HollowWorld, startHollowWorld } from "../harness/hollow-world.ts";
import { hasRealCluster, type RealCluster, startRealCluster } from "../harness/real-cluster.ts";
import { TestSpace } from "../harness/test-space.ts";
import { Succession, takeovers } from "./succession.ts";
import { settle, untilRight } from "./takeover-services-cases.ts";

const ROUND = { timeout: 300_000 };
const ENDPOINTS: ReadonlySet<string> = new Set(["endpoints", "endpointslices"]);

describe.skipIf(!hasRealCluster())("another controller manager takes over Services", ROUND, () => {
  let cluster: RealCluster;
  let admin: ClientBuilder;
  let client: ClientSet;
  let audit: AuditLog;
  let world: HollowWorld;
  let succession: Succession;

  beforeAll(async () => {
    cluster = await startRealCluster({ audit: true, apiServerFlags: HOLLOW_WORLD_FLAGS });
    admin = await clientsOf(cluster.kubeconfig);
    client = admin.client("test");
    audit = new AuditLog(cluster.auditLog);
    world = startHollowWorld(admin, 6);
    succession = new Succession(cluster, audit);
  });

  afterAll(async () => {
    await succession?.end();
    await world?.stop();
    await admin?.close();
    await cluster?.stop();
  });

  async function spaceOf(name: string): Promise<TestSpace> {
    await client.clientFor(resources.namespaces).create({ metadata: { name } });
    return new TestSpace(client, name);
  }

  function writesTo(actor: string, { namespace }: TestSpace): readonly AuditEvent[] {
    return audit
      .writesOf(actor)
      .filter(
        ({ objectRef }) => objectRef?.namespace === namespace && ENDPOINTS.has(objectRef.resource ?? ""),
      );
  }

  test.each(takeovers)("$from.name → $next.name (round $round)", async ({ from, next, round }) => {
    if (!succession.isLed) await succession.lead(from);
    const settled = await spaceOf(`settled-${round}`);
    await settle(settled);
    const moving = await spaceOf(`moving-${round}`);
    await settle(moving, 12);
    const deployments = new Deployments(client, moving.namespace);
    const actor = await succession.lead(next, async () => {
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
      await audit.read();
      return writesTo(actor, settled).length > 0;
    });
    expect(writesTo(actor, settled).map(describeEvent)).toEqual([]);
    expect(writesTo(actor, moving).length).toBeGreaterThan(0);
    console.log(
      `${actor}: ${writesTo(actor, moving).length} writes to endpoints of the rollout, 0 to the settled`,
    );
  });
});
