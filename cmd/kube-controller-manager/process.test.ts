import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import { seededRandom } from "../../pkg/clock/random.ts";
import { realClock } from "../../pkg/clock/real.ts";
import { EmbeddedCluster } from "../../pkg/cluster/cluster.ts";
import { Daemon, ourProgram, type Program } from "../../test/harness/daemon.ts";
import { ask } from "../../test/harness/https-client.ts";
import { freePorts } from "../../test/harness/real-cluster.ts";
import { until } from "../../test/harness/until.ts";

let cluster: EmbeddedCluster;
const daemons: Daemon[] = [];

beforeAll(async () => {
  cluster = await EmbeddedCluster.start({
    clock: realClock,
    random: seededRandom(1),
    listen: { port: 0 },
    insecure: true,
  });
});
afterEach(async () => {
  await Promise.all(daemons.splice(0).map(async (daemon) => daemon.end()));
});
afterAll(async () => cluster?.stop());

function start(flags: readonly string[], program: Program = ourProgram): Daemon {
  const daemon = new Daemon(program, [
    `--master=${cluster.http?.url}`,
    "--controllers=ttl-after-finished-controller",
    ...flags,
  ]);
  daemons.push(daemon);
  return daemon;
}

test("a process that loses its Lease ends with 1, and one that is told to end with 0", async () => {
  const election = [
    "--secure-port=0",
    "--leader-elect-lease-duration=20s",
    "--leader-elect-renew-deadline=15s",
    "--leader-elect-retry-period=200ms",
  ];
  const leases = cluster.client("admin").clientFor(resources.leases);
  const ref = { namespace: "kube-system", name: "kube-controller-manager" };
  const first = start(election);
  await first.says("uccessfully acquired lease");
  await until("somebody else has the Lease", async () => {
    const lease = await leases.get(ref);
    const spec = { ...lease.spec, holderIdentity: "somebody else" };
    return leases.update({ ...lease, spec }).then(
      () => true,
      () => false,
    );
  });
  expect(await first.exit).toEqual({ code: 1, signal: null });
  await leases.delete(ref);
  const second = start(election);
  await second.says("uccessfully acquired lease");
  expect(await second.end("SIGTERM")).toEqual({ code: 0, signal: null });
});

test("SIGUSR1 opens no inspector", async () => {
  const [port = 0] = await freePorts(1);
  // Any free port: that of the inspector may be taken by another process.
  const [node = "", ...rest] = ourProgram;
  const daemon = start(
    [`--secure-port=${port}`, "--leader-elect=false"],
    [node, "--inspect-port=0", ...rest],
  );
  await daemon.says("Serving securely");
  daemon.kill("SIGUSR1");
  // It has had its turn when several requests have been answered since.
  for (let turn = 0; turn < 20; turn++) {
    expect((await ask({ port, path: "/healthz" })).status).toBe(200);
  }
  expect(await daemon.end("SIGTERM")).toEqual({ code: 0, signal: null });
  expect(daemon.output).not.toMatch(/inspector|debugger/i);
});

test.each([
  { flags: ["--v=3"], logged: true, format: /^I.*"HTTP" verb="GET"/m },
  { flags: ["--vmodule=server=3"], logged: true, format: /^I.*"HTTP" verb="GET"/m },
  { flags: ["--vmodule=other=3"], logged: false, format: /"HTTP"/ },
  { flags: ["--logging-format=json", "-v=3"], logged: true, format: /^\{.*"msg":"HTTP".*\}$/m },
])("the log with $flags", async ({ flags, logged, format }) => {
  const [port = 0] = await freePorts(1);
  const daemon = start([`--secure-port=${port}`, "--leader-elect=false", ...flags]);
  await daemon.says("Serving securely");
  await ask({ port, path: "/healthz" });
  await daemon.end("SIGTERM");
  expect(format.test(daemon.output)).toBe(logged);
});
