import { afterEach, beforeEach, expect, test } from "vitest";
import { settle, VirtualClock } from "../../testing/virtual-clock.ts";
import { seededRandom } from "../../clock/random.ts";
import { DirectTransport } from "../direct-transport.ts";
import { embeddedServer } from "../embedded-server.ts";
import type { ApiServer } from "../server/api-server.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const group = "example.com";
const schema = { openAPIV3Schema: { type: "object" } };
const v1 = { name: "v1", served: true, storage: false, schema };
const v2 = { name: "v2", served: true, storage: true, schema };

let clock: VirtualClock;
let server: ApiServer;
let transport: DirectTransport;
beforeEach(async () => {
  clock = new VirtualClock();
  server = embeddedServer({ clock, random: seededRandom(1) });
  transport = new DirectTransport(server);
  const names = { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" };
  const spec = { group, scope: "Namespaced", names, versions: [v1, v2] };
  await send("POST", definitions, { metadata: { name: `widgets.${group}` }, spec });
  await clock.advanceBy(10_000);
});
afterEach(async () => server.close());

async function send(method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: unknown) {
  const [target = "", query = ""] = path.split("?");
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const headers = { "content-type": type };
  const response = await transport.send(
    { method, path: target, query: new URLSearchParams(query), headers, body },
    new AbortController().signal,
  );
  expect(response.status).toBeLessThan(300);
  return response;
}

/** Whether the watch of a version has ended. */
async function watch(version: string): Promise<() => boolean> {
  const response = await send("GET", `/apis/${group}/${version}/widgets?watch=1&resourceVersion=0`);
  let isEnded = false;
  void (async () => {
    for await (const _ of response.documents());
    isEnded = true;
  })();
  await settle();
  return () => isEnded;
}

test("a watch ends when its version is served no more, and another when the definition goes", async () => {
  const [first, second] = [await watch("v1"), await watch("v2")];
  await send("PATCH", `${definitions}/widgets.${group}`, {
    spec: { versions: [{ ...v1, served: false }, v2] },
  });
  await clock.advanceBy(10_000);
  expect([first(), second()]).toEqual([true, false]);
  await send("DELETE", `${definitions}/widgets.${group}`);
  await clock.advanceBy(10_000);
  expect([first(), second()]).toEqual([true, true]);
});
