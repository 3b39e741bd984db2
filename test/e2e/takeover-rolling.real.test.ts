import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import { type AuditEvent, describeEvent } from "../harness/audit-log.ts";
import { Deployments } from "../harness/deployments.ts";
import { until } from "../harness/until.ts";
import { go, takeovers } from "./succession.ts";
import { TakeoverStage } from "./takeover-stage.ts";
import {
  LIMIT_MS,
  NAME,
  NODES,
  podUids,
  POLL_MS,
  rollingJourneys,
  settledRollingCases,
} from "./takeover-rolling-cases.ts";

/** What these controllers write; Go's others have work of their own in the same namespaces. */
const comparable: ReadonlySet<string> = new Set([
  "statefulsets",
  "daemonsets",
  "controllerrevisions",
  "pods",
]);

describe(
  "another controller manager takes over StatefulSets and DaemonSets",
  { timeout: 3 * LIMIT_MS },
  () => {
    let stage: TakeoverStage;
    beforeAll(async () => {
      stage = await TakeoverStage.start(NODES);
    });
    afterAll(async () => stage?.stop());

    async function inNamespace(name: string): Promise<Deployments> {
      await stage.createNamespace(name);
      return new Deployments(stage.client, name);
    }

    function writesTo(actor: string, namespace: string): readonly AuditEvent[] {
      return stage.audit
        .writesOf(actor)
        .filter(({ objectRef }) => objectRef?.namespace === namespace)
        .filter(({ objectRef }) => !actor.startsWith(go.name) || comparable.has(objectRef?.resource ?? ""));
    }

    function createdIn(writes: readonly AuditEvent[], resource: string): readonly AuditEvent[] {
      return writes.filter(
        ({ verb, objectRef, responseStatus }) =>
          verb === "create" &&
          objectRef?.resource === resource &&
          objectRef.subresource === undefined &&
          responseStatus?.code === 201,
      );
    }

    test.each(takeovers)("$from.name → $next.name (round $round)", async ({ from, next, round }) => {
      if (!stage.succession.isLed) await stage.succession.lead(from);
      const [settled, moving] = await Promise.all([
        Promise.all(
          settledRollingCases.map(async (settledCase) => {
            const scene = await inNamespace(`settled-${settledCase.name}-${round}`);
            await settledCase.create(scene);
            const isSettled = async (): Promise<boolean> => settledCase.isSettled(scene);
            await until(`${settledCase.name} settles`, isSettled, LIMIT_MS, POLL_MS);
            return { name: settledCase.name, scene };
          }),
        ),
        Promise.all(
          rollingJourneys.map(async (journey) => {
            const scene = await inNamespace(`moving-${journey.name}-${round}`);
            await journey.setOff(scene);
            return { journey, scene };
          }),
        ),
      ]);
      const uids = await Promise.all(settled.map(async ({ scene }) => podUids(scene)));
      const actor = await stage.succession.lead(next, async () => {
        for (const { journey, scene } of moving) await journey.meanwhile?.(scene);
      });
      for (const { journey, scene } of moving)
        await until(`${journey.name} arrives`, async () => journey.isDone(scene), LIMIT_MS, POLL_MS);
      // By then all that was there at the takeover has been looked at.
      await stage.audit.read();
      for (const [index, { name, scene }] of settled.entries()) {
        expect(writesTo(actor, scene.namespace).map(describeEvent), name).toEqual([]);
        expect(await podUids(scene), name).toEqual(uids[index]);
      }
      for (const { journey, scene } of moving) {
        const all = stage.audit.events.filter(
          ({ stage, objectRef }) => stage === "ResponseComplete" && objectRef?.namespace === scene.namespace,
        );
        const writes = writesTo(actor, scene.namespace);
        // It goes on with what is there: no revision is made again, and no pod twice.
        expect(createdIn(writes, "controllerrevisions").map(describeEvent), journey.name).toEqual([]);
        expect(createdIn(all, "controllerrevisions"), journey.name).toHaveLength(2);
        expect(createdIn(all, "pods"), journey.name).toHaveLength(journey.podsInAll);
        expect(createdIn(writes, "pods").length, journey.name).toBeGreaterThan(0);
      }
      console.log(`${actor}: 0 writes to ${settled.length} that were settled, ${moving.length} went on`);
      await Promise.all([...settled, ...moving].map(async ({ scene }) => remove(scene)));
    });

    /** Room for the next round: nodes have so many pods at the most, and each round asks as many questions. */
    async function remove({ namespace }: Deployments): Promise<void> {
      const ref = { namespace, name: NAME };
      for (const kind of [
        stage.client.clientFor(resources.statefulSets),
        stage.client.clientFor(resources.daemonSets),
      ]) {
        const { items } = await kind.list({ namespace });
        if (items.length > 0) await kind.delete(ref, { propagationPolicy: "Background" });
      }
    }
  },
);
