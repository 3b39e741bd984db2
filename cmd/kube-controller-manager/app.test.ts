import { expect, test } from "vitest";
import { controlledRun, leaseKey } from "../../test/harness/controlled-run.ts";
import { resources } from "../../pkg/api/resources.ts";
import { exitCodes } from "./app.ts";

const election = [
  "--leader-elect-lease-duration=40s",
  "--leader-elect-renew-deadline=30s",
  "--leader-elect-retry-period=4s",
  "--leader-elect-resource-name=held",
  "--leader-elect-resource-namespace=leases",
];

test("the Lease has the name, the namespace and the duration of the flags", async () => {
  const run = await controlledRun(election);
  await run.pass(1_000);
  const lease = await run.admin.clientFor(resources.leases).get({ namespace: "leases", name: "held" });
  expect(lease.spec?.leaseDurationSeconds).toBe(40);
  expect(lease.spec?.holderIdentity).toMatch(/.+_.+/);
  expect(await run.stop()).toBe("stopped");
});

test("the election has a connection of its own, no limit, and half of the renew deadline for each request", async () => {
  const run = await controlledRun(election);
  const [, options] = run.made.find(([name]) => name === "leader-election") ?? [];
  expect(options).toMatchObject({ ownConnection: true, timeoutMs: 15_000 });
  expect(options?.limiter).toBeDefined();
  await run.stop();
});

test("a leader renews every retry period, and gives up when it could not for the renew deadline", async () => {
  const run = await controlledRun(election);
  await run.pass(1_000);
  const before = run.writesOf("leader-election").length;
  await run.pass(16_000);
  expect(run.writesOf("leader-election").length - before).toBe(4);
  run.breakOff("leader-election");
  await run.pass(25_000);
  expect(run.outcome()).toBeUndefined();
  await run.pass(20_000);
  expect(run.outcome()).toBe("lease lost");
  await run.stop();
});

test("who has lost its Lease writes nothing more, whatever its controllers try, and fails", async () => {
  // The probe goes on for ever: time runs out for it.
  const run = await controlledRun([...election, "--controller-shutdown-timeout=10s"], { deaf: true });
  await run.pass(5_000);
  expect(run.writesOf("probe").length).toBeGreaterThan(2);
  await run.loseLease(leaseKey(election));
  await run.pass(5_000);
  run.forget();
  await run.pass(60_000);
  expect(run.writesOf("probe")).toEqual([]);
  expect(run.refused).toBeGreaterThan(10);
  expect(await run.stop()).toBe("lease lost");
});

test("only an end in order is a success", () => {
  expect(exitCodes).toEqual({ stopped: 0, "lease lost": 1, "shutdown timeout": 1 });
});

test("without an election controllers write at once, and there is no Lease", async () => {
  const run = await controlledRun(["--leader-elect=false"]);
  await run.pass(3_000);
  expect(run.writesOf("probe").length).toBeGreaterThan(1);
  expect(run.made.map(([name]) => name)).not.toContain("leader-election");
  expect(await run.stop()).toBe("stopped");
});

test.each([
  { flags: ["--leader-elect=false"], endsAfterMs: 10_000 },
  { flags: ["--leader-elect=false", "--controller-shutdown-timeout=25s"], endsAfterMs: 25_000 },
  { flags: election, endsAfterMs: 10_000 },
])("controllers that do not end have $endsAfterMs ms with $flags", async ({ flags, endsAfterMs }) => {
  const run = await controlledRun(flags, { deaf: true });
  await run.pass(1_000);
  run.tellToStop();
  await run.pass(endsAfterMs - 1_000);
  expect(run.outcome()).toBeUndefined();
  await run.pass(2_000);
  expect(run.outcome()).toBe("shutdown timeout");
});

test("--controller-shutdown-timeout=0 waits for as long as it takes", async () => {
  const run = await controlledRun(["--leader-elect=false", "--controller-shutdown-timeout=0"], {
    deaf: true,
  });
  await run.pass(1_000);
  run.tellToStop();
  await run.pass(3_600_000);
  expect(run.outcome()).toBeUndefined();
  run.letGo();
  await run.pass(2_000);
  expect(run.outcome()).toBe("stopped");
});

test.each([
  { flags: ["--standby-ready=false"], status: 500 },
  { flags: ["--standby-ready=true"], status: 200 },
  { flags: [], status: 200 },
])("/readyz of a standby is $status with $flags; it is always healthy", async ({ flags, status }) => {
  const leader = await controlledRun(election);
  await leader.pass(1_000);
  const standby = await controlledRun([...election, ...flags], {
    server: leader.server,
    clock: leader.clock,
  });
  await leader.pass(5_000);
  expect(standby.writesOf("probe")).toEqual([]);
  const answer = (run: typeof standby, endpoint: "readyz" | "healthz" | "livez"): number =>
    run.health.answer(endpoint, { verbose: false, excluded: [] }).status;
  expect(answer(standby, "readyz")).toBe(status);
  expect(answer(standby, "healthz")).toBe(200);
  expect(answer(standby, "livez")).toBe(200);
  expect(answer(leader, "readyz")).toBe(200);
  expect(await standby.stop()).toBe("stopped");
  expect(await leader.stop()).toBe("stopped");
});

test("controllers get the feature gates of the flags", async () => {
  const flags = ["--leader-elect=false", "--feature-gates=HPAScaleToZero=true,PodDeletionCost=false"];
  const run = await controlledRun(flags);
  await run.pass(1_000);
  expect(run.env().features.enabled("HPAScaleToZero")).toBe(true);
  expect(run.env().features.enabled("PodDeletionCost")).toBe(false);
  await run.stop();
});

test("controllers start over one to two start intervals", async () => {
  const run = await controlledRun(["--leader-elect=false", "--controller-start-interval=20s"]);
  await run.pass(19_000);
  expect(run.writesOf("probe")).toEqual([]);
  await run.pass(23_000);
  expect(run.writesOf("probe").length).toBeGreaterThan(0);
  await run.stop();
});

test("caches hand out all objects again after one to two of the least resync periods", async () => {
  const run = await controlledRun(["--leader-elect=false", "--min-resync-period=7m"]);
  await run.pass(60_000);
  expect(run.resyncs()).toBe(0);
  await run.pass(360_000);
  expect(run.resyncs()).toBe(0);
  await run.pass(480_000);
  expect(run.resyncs()).toBeGreaterThan(0);
  await run.stop();
});

test.each([
  { flags: [], fairQueues: true, syncHistory: 50 },
  { flags: ["--fair-queues=false", "--sync-history=7"], fairQueues: false, syncHistory: 7 },
])("controllers get what $flags say of their queues", async ({ flags, fairQueues, syncHistory }) => {
  const run = await controlledRun(["--leader-elect=false", ...flags]);
  await run.pass(1_000);
  expect(run.env()).toMatchObject({ fairQueues, syncHistory });
  await run.stop();
});

test("a sync is late when it has gone without an answer for --health-max-sync-duration", async () => {
  const run = await controlledRun(["--leader-elect=false", "--health-max-sync-duration=70s"]);
  await run.pass(1_000);
  const worst = (): number =>
    Math.max(
      ...(["healthz", "livez", "readyz"] as const).map(
        (endpoint) => run.health.answer(endpoint, { verbose: false, excluded: [] }).status,
      ),
    );
  run.syncFor(3_600_000);
  run.breakOff("probe");
  await run.pass(60_000);
  expect(worst()).toBe(200);
  await run.pass(20_000);
  expect(worst()).toBe(500);
  await run.stop();
});
