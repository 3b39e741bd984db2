import type { Mutant } from "./mutant.ts";
import { row, tested } from "./wiring-row.ts";

const app = tested("app");

const fence: readonly Mutant[] = [
  {
    name: "controllers write without the fence",
    file: "pkg/leader/fenced-client.ts",
    find: "rest.through((transport) => fencedTransport(transport, gate))",
    replace: "rest.through((transport) => (gate, fencedTransport, transport))",
    tests: ["pkg/controller/controller-set.test.ts"],
  },
  {
    name: "a client of the set is not fenced",
    file: "pkg/controller/controller-set.ts",
    find: "return fencedClient(notedClient(clients.client(name, options)), gate);",
    replace: "return (fencedClient, gate, clients.client(name, options)) as FencedClientSet;",
    tests: ["pkg/controller/controller-set.test.ts"],
  },
  {
    name: "events are not fenced",
    file: "pkg/controller/controller-set.ts",
    find: "this.#client(descriptor.clientName).writeOnly",
    replace: "this.#options.clients.client(descriptor.clientName).writeOnly",
    tests: ["pkg/controller/controller-set.test.ts"],
  },
  {
    name: "a client behind a wrap keeps its own transport",
    file: "pkg/client/rest.ts",
    find: "transport: wrap(this.#options.transport)",
    replace: "transport: (wrap, this.#options.transport)",
    tests: ["pkg/controller/controller-set.test.ts"],
  },
  row(
    "a leader's controllers get the open gate",
    "app.ts",
    ["runLeader(run, elector.fence,", "runLeader(run, openGate,"],
    app,
  ),
  row(
    "the gate stays behind",
    "run-controllers.ts",
    ["      gate,\n", "      gate: { ...gate, canWrite: () => true },\n"],
    app,
  ),
];

const ending: readonly Mutant[] = [
  {
    name: "no time limit at the end",
    file: "pkg/manager/end-in-time.ts",
    find: "clock.setTimer(limitMs, expire)",
    replace: "undefined",
    tests: app,
  },
  {
    name: "0 is no time at all",
    file: "pkg/manager/end-in-time.ts",
    find: "if (limitMs > 0) timer",
    replace: "timer",
    tests: app,
  },
  row(
    "the default limit whatever the flag says",
    "run-controllers.ts",
    ["options.generic.controllerShutdownTimeoutMs", "10_000"],
    app,
  ),
  row("a lost lease is a success", "app.ts", ['"lease lost": 1', '"lease lost": 0'], app),
  row(
    "controllers that did not end are a success",
    "app.ts",
    ['"shutdown timeout": 1', '"shutdown timeout": 0'],
    app,
  ),
  row("a lost lease counts as an end in order", "app.ts", ['return "lease lost";', 'return "stopped";'], app),
  row(
    "every end is a success to the shell",
    "main.ts",
    ["return exitCodes[outcome];", "return exitCodes.stopped;"],
    tested("process"),
  ),
  row(
    "whether controllers ended in time is lost",
    "app.ts",
    [
      'await election.close();\n  return clean ? "stopped" : "shutdown timeout";',
      'await election.close();\n  return clean || true ? "stopped" : "shutdown timeout";',
    ],
    app,
  ),
];

const election: readonly Mutant[] = [
  row(
    "--standby-ready inverted",
    "app.ts",
    ["if (!options.own.standbyReady)", "if (options.own.standbyReady)"],
    app,
  ),
  row("--standby-ready fails the process", "app.ts", ['concern: "role"', 'concern: "life"'], app),
  row(
    "requests of the election without a time limit",
    "election.ts",
    ["    timeoutMs: renewDeadlineMs / 2,\n", ""],
    app,
  ),
  row(
    "the election has the whole deadline for one request",
    "election.ts",
    ["renewDeadlineMs / 2", "renewDeadlineMs"],
    app,
  ),
  row("the election waits for the limit of others", "election.ts", ["    limiter: unlimited,\n", ""], app),
  row("the election shares a connection", "election.ts", ["    ownConnection: true,\n", ""], app),
  row(
    "a fixed namespace of the Lease",
    "election.ts",
    ["namespace: resourceNamespace,", 'namespace: (resourceNamespace, "kube-system"),'],
    app,
  ),
  row(
    "a fixed name of the Lease",
    "app.ts",
    ["const leaseName = options.generic.resourceName;", 'const leaseName = "kube-controller-manager";'],
    app,
  ),
  row(
    "the lease lasts as long as the deadline",
    "election.ts",
    ["timing: { leaseDurationMs,", "timing: { leaseDurationMs: renewDeadlineMs + 1,"],
    app,
  ),
  row(
    "renewals at the pace of the deadline",
    "election.ts",
    ["renewDeadlineMs, retryPeriodMs },", "renewDeadlineMs, retryPeriodMs: retryPeriodMs * 2 },"],
    app,
  ),
  row(
    "--leader-elect=false is not heard",
    "app.ts",
    ["options.generic.leaderElect ? candidate(run)", "options.generic.leaderElect || true ? candidate(run)"],
    app,
  ),
];

export const leadingMutants: readonly Mutant[] = [...fence, ...ending, ...election];
