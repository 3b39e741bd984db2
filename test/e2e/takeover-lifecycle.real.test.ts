import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AuditEvent, describeEvent } from "../harness/audit-log.ts";
import { TestSpace } from "../harness/test-space.ts";
import { until } from "../harness/until.ts";
import { takeovers } from "./succession.ts";
import { TakeoverStage } from "./takeover-stage.ts";
import { deletions, settle } from "./takeover-lifecycle-cases.ts";

const LIMIT_MS = 120_000;

describe(
  "another controller manager takes over accounts, quotas, roles and deletions",
  { timeout: 2 * LIMIT_MS },
  () => {
    let stage: TakeoverStage;
    beforeAll(async () => {
      stage = await TakeoverStage.start();
    });
    afterAll(async () => stage?.stop());

    async function spaceOf(name: string): Promise<TestSpace> {
      await stage.createNamespace(name);
      return new TestSpace(stage.client, name);
    }

    test.each(takeovers)("$from.name → $next.name (round $round)", async ({ from, next, round }) => {
      if (!stage.succession.isLed) await stage.succession.lead(from);
      const settled = await spaceOf(`settled-${round}`);
      await settle(settled);
      const moving = await Promise.all(
        deletions.map(async (deletion) => {
          const space = await spaceOf(`moving-${deletion.name}-${round}`);
          await deletion.setOff(space);
          return { deletion, space };
        }),
      );
      const actor = await stage.succession.lead(next, async () => {
        for (const { deletion, space } of moving) await deletion.meanwhile(space);
      });
      for (const { deletion, space } of moving)
        await until(`${deletion.name} ends`, async () => deletion.isDone(space), LIMIT_MS);
      // What comes after the takeover is looked at after what was there before it.
      await settle(await spaceOf(`sentinel-${round}`));
      await stage.audit.read();
      expect(writesAbout(settled, stage.audit.writesOf(actor)).map(describeEvent)).toEqual([]);
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
