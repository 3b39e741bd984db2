import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { ClientBuilder } from "../../pkg/client/client-builder.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import { clientsOf } from "../harness/admin-client.ts";
import { type AuditEvent, AuditLog, describeEvent } from "../harness/audit-log.ts";
import { hasRealCluster, type RealCluster, startRealCluster } from "../harness/real-cluster.ts";
import { TestSpace } from "../harness/test-space.ts";
import { until } from "../harness/until.ts";
import { Succession, takeovers } from "./succession.ts";
import { deletions, settle } from "./takeover-lifecycle-cases.ts";

const LIMIT_MS = 120_000;

describe.skipIf(!hasRealCluster())(
  "another controller manager takes over accounts, quotas, roles and deletions",
  { timeout: 2 * LIMIT_MS },
  () => {
    let cluster: RealCluster;
    let admin: ClientBuilder;
    let client: ClientSet;
    let audit: AuditLog;
    let succession: Succession;

    beforeAll(async () => {
      cluster = await startRealCluster({ audit: true });
      admin = await clientsOf(cluster.kubeconfig);
      client = admin.client("test");
      audit = new AuditLog(cluster.auditLog);
      succession = new Succession(cluster, audit);
    });

    afterAll(async () => {
      await succession?.end();
      await admin?.close();
      await cluster?.stop();
    });

    async function spaceOf(name: string): Promise<TestSpace> {
      await client.clientFor(resources.namespaces).create({ metadata: { name } });
      return new TestSpace(client, name);
    }

    test.each(takeovers)("$from.name → $next.name (round $round)", async ({ from, next, round }) => {
      if (!succession.isLed) await succession.lead(from);
      const settled = await spaceOf(`settled-${round}`);
      await settle(settled);
      const moving = await Promise.all(
        deletions.map(async (deletion) => {
          const space = await spaceOf(`moving-${deletion.name}-${round}`);
          await deletion.setOff(space);
          return { deletion, space };
        }),
      );
      const actor = await succession.lead(next, async () => {
        for (const { deletion, space } of moving) await deletion.meanwhile(space);
      });
      for (const { deletion, space } of moving)
        await until(`${deletion.name} ends`, async () => deletion.isDone(space), LIMIT_MS);
      // What comes after the takeover is looked at after what was there before it.
      await settle(await spaceOf(`sentinel-${round}`));
      await audit.read();
      expect(writesAbout(settled, audit.writesOf(actor)).map(describeEvent)).toEqual([]);
    });

    /** To the namespace, and to roles that bear its name. */
    function writesAbout({ namespace }: TestSpace, writes: readonly AuditEvent[]): readonly AuditEvent[] {
      return writes.filter(
        ({ objectRef }) =>
          objectRef?.namespace === namespace || objectRef?.name?.startsWith(`${namespace}-`) === true,
      );
    }
  },
);
