import { expect, test } from "vitest";
import { fakeClients } from "../../test/harness/fake-clients.ts";
import { FakeTransport } from "../../test/harness/fake-transport.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { featureGates } from "../api/feature-gates.ts";
import { resources } from "../api/resources.ts";
import { seededRandom } from "../clock/random.ts";
import { openGate, type WriteGate } from "../leader/fence.ts";
import { silentLogger } from "../log/logger.ts";
import { noMetrics } from "../metrics/metrics.ts";
import { ControllerSet } from "./controller-set.ts";
import type { Env } from "./env.ts";

const closedGate: WriteGate = { canWrite: () => false, signal: new AbortController().signal };

interface Stage {
  readonly env: Env;
  readonly transport: FakeTransport;
  readonly clock: VirtualClock;
  end(): Promise<void>;
}

/** A set of one controller, which only shows what it has got. */
function stage(gate: WriteGate, asConfiguredUser: boolean, eventSource: string | null = "probe"): Stage {
  const clock = new VirtualClock();
  const transport = new FakeTransport(() => ({
    body: { kind: "ConfigMapList", apiVersion: "v1", items: [], metadata: {} },
  }));
  const clients = fakeClients(transport, clock);
  let env: Env | undefined;
  const set = new ControllerSet({
    descriptors: [
      {
        name: "probe",
        clientName: "probe",
        ...(eventSource !== null && { eventSource }),
        ...(asConfiguredUser && { asConfiguredUser }),
        build: (given) => {
          env = given;
          return { run: async () => undefined };
        },
      },
    ],
    clients,
    gate,
    clock,
    random: seededRandom(1),
    log: silentLogger,
    metrics: noMetrics,
    features: featureGates(),
    name: "test",
  });
  if (env === undefined) throw new Error("nothing was built");
  const stop = new AbortController();
  const ended = set.run(stop.signal);
  return {
    env,
    transport,
    clock,
    end: async () => {
      let over = false;
      stop.abort();
      void ended.finally(() => (over = true));
      await clock.runUntil(() => over, 60_000);
    },
  };
}

const configMap = { metadata: { namespace: "default", name: "one" } };

test.each([false, true])(
  "a controller reads but does not write while the gate is closed (as the configured user: %s)",
  async (asConfiguredUser) => {
    const { env, transport } = stage(closedGate, asConfiguredUser);
    const client = env.client.clientFor(resources.configMaps);
    await expect(client.list({ namespace: "default" })).resolves.toMatchObject({ items: [] });
    const refused = { code: "Fenced" };
    await expect(client.create(configMap)).rejects.toMatchObject(refused);
    await expect(client.update(configMap)).rejects.toMatchObject(refused);
    await expect(client.delete(configMap.metadata)).rejects.toMatchObject(refused);
    await expect(env.client.dynamic(resources.configMaps).create(configMap)).rejects.toMatchObject(refused);
    await expect(env.client.metadata(resources.configMaps).delete(configMap.metadata)).rejects.toMatchObject(
      refused,
    );
    await expect(env.client.writeOnly(resources.configMaps).create(configMap)).rejects.toMatchObject(refused);
    await expect(env.client.rest.json({ method: "POST", path: "/x" })).rejects.toMatchObject(refused);
    expect(transport.lines).toEqual(["GET /api/v1/namespaces/default/configmaps"]);
  },
);

test.each([
  { is: "open", gate: openGate, sent: ["POST /api/v1/namespaces/default/events"] },
  { is: "closed", gate: closedGate, sent: [] },
])("its events are sent while the gate is open: it is $is", async ({ gate, sent }) => {
  const { env, transport, clock, end } = stage(gate, false);
  env.events.event({ kind: "ConfigMap", apiVersion: "v1", ...configMap }, "Normal", "Made", "It was made");
  await clock.advanceBy(1_000);
  await end();
  expect(transport.lines).toEqual(sent);
});

test("a controller that has not said as whom it records events cannot record any", () => {
  const { env } = stage(openGate, false, null);
  const about = { kind: "ConfigMap", apiVersion: "v1", ...configMap };
  expect(() => env.events.event(about, "Normal", "Made", "It was made")).toThrow(
    "probe records an event but its descriptor names no eventSource",
  );
});
