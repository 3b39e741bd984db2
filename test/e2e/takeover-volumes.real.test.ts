import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { realClock } from "../../pkg/clock/real.ts";
import { type AuditEvent, describeEvent } from "../harness/audit-log.ts";
import { Kubelets } from "../harness/kubelets.ts";
import { TestSpace } from "../harness/test-space.ts";
import { go, takeovers } from "./succession.ts";
import { TakeoverStage } from "./takeover-stage.ts";
import { VolumeWork } from "./takeover-volumes-cases.ts";

const ROUND = { timeout: 300_000 };

describe("another controller manager takes over volumes", ROUND, () => {
  let stage: TakeoverStage;
  let kubelets: Kubelets;
  beforeAll(async () => {
    stage = await TakeoverStage.start();
    kubelets = new Kubelets(stage.client, realClock);
    await kubelets.start();
  });
  afterAll(async () => {
    await kubelets?.stop();
    await stage?.stop();
  });

  test.each(takeovers)("$from.name → $next.name (round $round)", async ({ from, next, round }) => {
    const name = `volumes-${round}`;
    await stage.createNamespace(name);
    const work = new VolumeWork(new TestSpace(stage.client, name), kubelets, round);
    if (!stage.succession.isLed) await stage.succession.lead(from);
    await work.settle();
    await work.beginAttaching();
    await work.beginBinding();
    let before: ReadonlyMap<string, string> = new Map();
    const actor = await stage.succession.lead(next, async () => {
      before = await work.bound();
    });
    await work.untilBound(work.crowd);
    expect(await work.pairs()).toEqual(["asked: 0 volumes"]);
    await stage.audit.read();
    // What had been begun is not begun again, and nothing goes that is in use.
    const names = ["used", "coming", "leaving"].map((claim) => work.attachmentOf(claim));
    expect(writesTo(actor, "volumeattachments", names).filter(isDone).map(describeEvent)).toEqual([]);
    expect(writesTo(actor, "persistentvolumeclaims", ["asked"]).map(describeEvent)).toEqual([]);
    expect(writesTo(actor, "persistentvolumes", [...before.values()]).map(describeEvent)).toEqual([]);
    expect(writesTo(actor, "persistentvolumeclaims", [...before.keys()]).map(describeEvent)).toEqual([]);
    expect((await work.attachment("used"))?.metadata.deletionTimestamp).toBeUndefined();
    await work.finish();
    await work.untilBound(["asked"]);
    await work.untilReported(["used", "coming"]);
    expect(await work.pairs()).toEqual([]);
    await stage.audit.read();
    const conflicts = stage.audit.writesOf(actor).filter(isConflict);
    if (next.name !== go.name) expect(conflicts.map(describeEvent)).toEqual([]);
    const ofBinding = [...work.crowd].flatMap((claim) => [claim, work.volumeOf(claim)]);
    const writes = ["persistentvolumes", "persistentvolumeclaims"].flatMap((resource) =>
      writesTo(actor, resource, ofBinding),
    );
    console.log(
      `${actor}: ${before.size} of ${work.crowd.length} claims were bound before; ${writes.length} writes for the others, ${conflicts.length} conflicts`,
    );
  });

  function writesTo(actor: string, resource: string, names: readonly string[]): readonly AuditEvent[] {
    return stage.audit
      .writesOf(actor)
      .filter(({ objectRef }) => objectRef?.resource === resource && names.includes(objectRef.name ?? ""));
  }
});

const isDone = ({ responseStatus }: AuditEvent): boolean => (responseStatus?.code ?? 0) < 300;

function isConflict({ responseStatus, objectRef }: AuditEvent): boolean {
  return (
    responseStatus?.code === 409 &&
    ["persistentvolumes", "persistentvolumeclaims"].includes(objectRef?.resource ?? "")
  );
}
