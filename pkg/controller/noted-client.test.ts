import { expect, test } from "vitest";
import { fakeClients } from "../../test/harness/fake-clients.ts";
import { FakeTransport } from "../../test/harness/fake-transport.ts";
import { resources } from "../api/resources.ts";
import { clientSet } from "../client/client-set.ts";
import type { MessageStream, UpgradeRefusal } from "../client/transport.ts";
import { silentLogger } from "../log/logger.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { notedClient } from "./noted-client.ts";
import { SyncRun, within } from "./sync-run.ts";

const stream: MessageStream = {
  protocol: "a",
  messages: async function* () {},
  send: async () => undefined,
  close: async () => undefined,
};

/** What a sync has written that does this. */
async function writesOf(
  work: (client: ReturnType<typeof notedClient>) => Promise<unknown>,
  upgraded: MessageStream | UpgradeRefusal = stream,
): Promise<readonly string[]> {
  const fake = new FakeTransport(({ method }) => {
    if (method === "DELETE") throw new Error("torn");
    return { body: { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a", namespace: "n" } } };
  });
  const { rest } = fakeClients(fake, new VirtualClock()).client("test");
  const client = notedClient(
    clientSet(
      rest.through(() => ({
        send: async (request, signal) => fake.send(request, signal),
        upgrade: async () => upgraded,
        close: async () => fake.close(),
      })),
    ),
  );
  const { signal } = new AbortController();
  const run = new SyncRun({ key: "n/a", reasons: [], log: silentLogger, signal, noted: true });
  await within(run, async () => work(client));
  return run.writes;
}

const session = { path: "/api/v1/namespaces/n/pods/p/exec" };
const object = { namespace: "n", name: "a" };

test("of a sync its writes are noted, with what has become of them, and nothing that it reads", async () => {
  const writes = await writesOf(async (client) => {
    const maps = client.clientFor(resources.configMaps);
    await maps.get(object);
    await maps.create({ apiVersion: "v1", kind: "ConfigMap", metadata: object });
    await expect(maps.delete(object)).rejects.toThrow("torn");
  });
  expect(writes).toEqual([
    "POST /api/v1/namespaces/n/configmaps 200",
    "DELETE /api/v1/namespaces/n/configmaps/a: torn",
  ]);
});

test("a sync has sessions with pods, which may change whatever they like", async () => {
  const writes = await writesOf(async ({ rest }) => {
    expect(await rest.upgrade(session, ["a"])).toBe(stream);
  });
  expect(writes).toEqual([`GET ${session.path} 101`]);
});

test("a session that is refused is noted as that", async () => {
  const refusal = { status: 403, headers: {}, text: "not you" };
  const writes = await writesOf(async ({ rest }) => {
    await expect(rest.upgrade(session, ["a"])).rejects.toThrow("not you");
  }, refusal);
  expect(writes).toEqual([`GET ${session.path} 403`]);
});
