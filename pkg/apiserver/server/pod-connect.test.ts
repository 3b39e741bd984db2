import { beforeEach, expect, test } from "vitest";
import { seededRandom } from "../../clock/random.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { embeddedServer } from "../embedded-server.ts";
import type { ApiServer } from "./api-server.ts";
import type { PodProcesses } from "./pod-processes.ts";
import type { ApiResponse } from "./request.ts";

const pods = "/api/v1/namespaces/default/pods";

let server: ApiServer;
let clock: VirtualClock;
/** What the processes were asked for. */
let asked: Record<string, unknown>;

beforeEach(async () => {
  clock = new VirtualClock();
  asked = {};
  const note = async (what: object): Promise<never> => {
    const { pod, podNow: _, ...rest } = what as { pod: { metadata: { name: string } }; podNow: unknown };
    asked = { ...rest, pod: pod.metadata.name };
    return [] as never;
  };
  const processes: PodProcesses = { logs: note, exec: note, attach: note, forward: note };
  server = embeddedServer({ clock, random: seededRandom(1), processes });
  await create("/api/v1/namespaces", { metadata: { name: "default" } });
  await create(pods, {
    metadata: { name: "p" },
    spec: {
      nodeName: "n",
      containers: [{ name: "c", image: "i" }],
      automountServiceAccountToken: false,
    },
  });
});

async function create(path: string, value: object): Promise<void> {
  await server.handle({ method: "POST", path, query: new URLSearchParams(), headers: {}, body: { value } });
}

async function get(subresource: string, query: string): Promise<ApiResponse> {
  const headers = { connection: "Upgrade", upgrade: "websocket" };
  return server.handle({
    method: "GET",
    path: `${pods}/p/${subresource}`,
    query: new URLSearchParams(query),
    headers,
  });
}

const log = {
  pod: "p",
  container: "c",
  follow: false,
  previous: false,
  timestamps: false,
  sinceMs: undefined,
  tailLines: undefined,
  limitBytes: undefined,
};

test.each<[string, string, object]>([
  ["nothing", "", {}],
  ["to follow", "follow=true", { follow: true }],
  ["the previous one", "previous=true", { previous: true }],
  ["times", "timestamps=true", { timestamps: true }],
  ["no times", "timestamps=false", {}],
  ["lines", "tailLines=0", { tailLines: 0 }],
  ["bytes", "limitBytes=7", { limitBytes: 7 }],
  ["all since a time", "sinceTime=2026-01-01T00:00:00Z", { sinceMs: Date.UTC(2026, 0, 1) }],
])("of a log is asked %s", async (_, query, expected) => {
  expect((await get("log", query)).status).toBe(200);
  expect(asked).toEqual({ ...log, ...expected });
});

test("of a log is asked what is so old at most", async () => {
  await get("log", "sinceSeconds=9");
  expect(asked).toEqual({ ...log, sinceMs: clock.nowMs() - 9_000 });
  const { status } = await get("log", "sinceSeconds=9&sinceTime=2026-01-01T00:00:00Z");
  expect(status).toBe(422);
});

async function session(subresource: string, query: string): Promise<object> {
  const { body } = await get(subresource, query);
  if (body.kind !== "session") throw new Error(`no session: ${JSON.stringify(body)}`);
  const { run, ...wants } = body.session;
  await run({} as never, new AbortController().signal);
  return wants;
}

test.each<[string, string, object, object]>([
  [
    "exec",
    "command=ls&command=-l&stdout=true",
    { stdin: false, stdout: true, stderr: false },
    { command: ["ls", "-l"], tty: false },
  ],
  [
    "exec",
    "command=sh&stdin=true&stdout=true&stderr=true&tty=true",
    // A terminal has one output.
    { stdin: true, stdout: true, stderr: false },
    { command: ["sh"], tty: true },
  ],
  [
    "exec",
    "command=sh&stderr=true",
    { stdin: false, stdout: false, stderr: true },
    { command: ["sh"], tty: false },
  ],
  ["attach", "stdin=true", { stdin: true, stdout: false, stderr: false }, { tty: false }],
  ["attach", "stdout=true&tty=true", { stdin: false, stdout: true, stderr: false }, { tty: true }],
])("%s with %s", async (...[subresource, query, wants, what]) => {
  expect(await session(subresource, query)).toEqual(wants);
  expect(asked).toEqual({ pod: "p", container: "c", ...what });
});

test("ports are those that were asked for, and each connection says to which it goes", async () => {
  const { body } = await get("portforward", "ports=80,81&ports=65535");
  if (body.kind !== "ports") throw new Error("no ports");
  expect(body.session.ports).toEqual([80, 81, 65_535]);
  await body.session.open(81, {} as never, new AbortController().signal);
  expect(asked).toEqual({ pod: "p", port: 81 });
});

test.each([
  ["exec", "command=ls", 400, "you must specify at least 1 of stdin, stdout, stderr"],
  ["exec", "stdout=true", 400, "you must specify at least 1 command for the container"],
  ["portforward", "ports=0", 400, 'invalid port "0"'],
  ["portforward", "ports=65536", 400, 'invalid port "65536"'],
  ["portforward", "ports=a", 400, 'invalid port "a"'],
])("%s with %s is refused", async (...[subresource, query, status, message]) => {
  const { status: answered, body } = await get(subresource, query);
  expect([answered, (body as { readonly value?: unknown }).value]).toEqual([
    status,
    expect.objectContaining({ message }),
  ]);
});
