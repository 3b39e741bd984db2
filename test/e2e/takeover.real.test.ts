import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AuditEvent, describeEvent } from "../harness/audit-log.ts";
import { Deployments } from "../harness/deployments.ts";
import { until } from "../harness/until.ts";
import { go, takeovers } from "./succession.ts";
import { effects, TakeoverStage } from "./takeover-stage.ts";
import { batchJourneys, settledBatchCases } from "./takeover-batch-cases.ts";
import { type Journey, journeys, type Settled, settledCases } from "./takeover-cases.ts";

interface Moving {
  readonly journey: Journey;
  readonly deployments: Deployments;
  readonly namespace: string;
}

/** What controllers that exist in both programs write; Go's others have work of their own. */
const comparable: ReadonlySet<string> = new Set([
  "deployments",
  "replicasets",
  "replicationcontrollers",
  "pods",
  "jobs",
  "cronjobs",
]);

/** As long as a CronJob may need to start twice. */
const TWO_MINUTES_AND_MORE = 150_000;
const ROUND = { timeout: 300_000 };

describe("another controller manager takes over a cluster", ROUND, () => {
  let stage: TakeoverStage;
  beforeAll(async () => {
    stage = await TakeoverStage.start(3);
  });
  afterAll(async () => stage?.stop());

  async function inNamespace(name: string): Promise<Deployments> {
    await stage.createNamespace(name);
    return new Deployments(stage.client, name);
  }

  /** Everything that was there at the takeover has been looked at once a newcomer is done. */
  async function hasLookedAround(round: string): Promise<void> {
    const deployments = await inNamespace(`sentinel-${round}`);
    await deployments.create("sentinel", 1);
    await until("a Deployment that came after the takeover is complete", async () =>
      deployments.isComplete("sentinel"),
    );
  }

  function writes(actor: string, namespace: string): readonly AuditEvent[] {
    return writesOf(actor).filter(({ objectRef }) => objectRef?.namespace === namespace);
  }

  function writesOf(actor: string): readonly AuditEvent[] {
    const all = stage.audit.writesOf(actor);
    if (!actor.startsWith(go.name)) return all;
    return all.filter(({ objectRef }) => comparable.has(objectRef?.resource ?? ""));
  }

  test.each(takeovers)("$from.name → $next.name (round $round)", async ({ from, next, round }) => {
    if (!stage.succession.isLed) await stage.succession.lead(from);
    const settled = await settleAll(round);
    const moving = await setOff(round);
    const newActor = await stage.succession.lead(next, async () => {
      for (const { journey, deployments } of moving) await journey.meanwhile?.(deployments);
    });
    await hasLookedAround(round);
    for (const { journey, deployments } of moving) {
      await until(`${journey.name} arrives`, async () => journey.isDone(deployments), TWO_MINUTES_AND_MORE);
    }
    await stage.audit.read();
    for (const { name, namespace } of settled) {
      expect(effects(writes(newActor, namespace)), name).toEqual([]);
    }
    for (const { journey, namespace } of moving) {
      const made = writes(newActor, namespace).filter(({ verb }) => verb === "create");
      const replicaSets = made.filter(({ objectRef }) => objectRef?.resource === "replicasets");
      const pods = made.filter(({ objectRef }) => objectRef?.resource === "pods");
      // It goes on with what is there: no revision is made again, and no pod twice.
      expect(replicaSets.map(describeEvent), journey.name).toEqual([]);
      expect(await podsCreated(namespace), journey.name).toBe(journey.podsInAll);
      expect(pods.length, journey.name).toBeGreaterThan(0);
    }
    report(newActor);
  });

  async function settleAll(round: string): Promise<readonly (Settled & { readonly namespace: string })[]> {
    return Promise.all(
      [...settledCases, ...settledBatchCases].map(async (settled) => {
        const namespace = `settled-${settled.name}-${round}`;
        const deployments = await inNamespace(namespace);
        await settled.create(deployments);
        await until(`${settled.name} settles`, async () => settled.isSettled(deployments));
        return { ...settled, namespace };
      }),
    );
  }

  async function setOff(round: string): Promise<readonly Moving[]> {
    return Promise.all(
      [...journeys, ...batchJourneys].map(async (journey) => {
        const namespace = `moving-${journey.name}-${round}`;
        const deployments = await inNamespace(namespace);
        await journey.setOff(deployments);
        return { journey, deployments, namespace };
      }),
    );
  }

  /** By any process, ever. */
  async function podsCreated(namespace: string): Promise<number> {
    await stage.audit.read();
    const isCreation = ({ stage, verb, objectRef, responseStatus }: AuditEvent): boolean =>
      stage === "ResponseComplete" &&
      verb === "create" &&
      objectRef?.resource === "pods" &&
      objectRef.subresource === undefined &&
      objectRef.namespace === namespace &&
      responseStatus?.code === 201;
    return stage.audit.events.filter(isCreation).length;
  }

  function report(actor: string): void {
    const where = ({ objectRef }: AuditEvent): string =>
      `${(objectRef?.namespace ?? "-").replace(/-.*/, "")}/${objectRef?.resource ?? "-"}`;
    const counts = Object.entries(Object.groupBy(writesOf(actor), where));
    console.log(`${actor} wrote: ${counts.map(([what, all]) => `${what} ×${all?.length ?? 0}`).join(", ")}`);
  }
});
