import { expect, test } from "vitest";
import type { ApiResource, ApiSurface } from "../../pkg/client/discovery-documents.ts";
import { VirtualClock } from "../../pkg/testing/virtual-clock.ts";
import { ServedResources } from "./sync-discovery.ts";

const signal = new AbortController().signal;
const resource = (group: string, version: string, plural: string): ApiResource => ({
  group,
  version,
  plural,
  kind: "Thing",
  namespaced: true,
  verbs: ["list"],
  subresources: [],
  shortNames: [],
  categories: [],
});
const surface = (
  resources: readonly ApiResource[],
  failures: readonly (readonly [string, Error])[] = [],
): ApiSurface => ({
  groups: [
    { name: "a", versions: ["v2", "v1"] },
    { name: "", versions: ["v1"] },
  ],
  resources,
  failures: new Map(failures),
});

/** What is served is told of from the time on at which it is asked anew. */
function serving(current: ApiSurface) {
  const clock = new VirtualClock();
  let asked = 0;
  const state = { current, known: current };
  const invalidate = (): void => {
    asked++;
    state.known = state.current;
  };
  const served = new ServedResources({ surface: async () => state.known, invalidate }, clock);
  const find = async (group: string, plural: string) => served.find({ group, resource: plural }, signal);
  return { clock, state, find, asked: () => asked };
}

test("the best version that has the resource is found, and no other group's", async () => {
  const { find } = serving(
    surface([
      resource("b", "v1", "things"),
      resource("a", "v1", "things"),
      resource("a", "v2", "things"),
      resource("a", "v1", "others"),
      resource("", "v1", "pods"),
    ]),
  );
  expect(await find("a", "things")).toMatchObject({ group: "a", version: "v2" });
  expect(await find("a", "others")).toMatchObject({ group: "a", version: "v1" });
  expect(await find("", "pods")).toMatchObject({ group: "", version: "v1" });
  expect(await find("", "things")).toBeUndefined();
  expect(await find("c", "things")).toBeUndefined();
});

test("what could not be discovered is not missing, unless another version has it", async () => {
  const failure = new Error("no");
  const { find } = serving(surface([resource("a", "v1", "things")], [["a/v2", failure]]));
  expect(await find("a", "things")).toMatchObject({ version: "v1" });
  await expect(find("a", "others")).rejects.toBe(failure);
  expect(await find("", "others")).toBeUndefined();
});

// Upstream asks anew every 30 seconds alone.
test("what has just come is found within ten seconds, and the server is not asked more often", async () => {
  const { clock, state, find, asked } = serving(surface([]));
  expect(await find("a", "things")).toBeUndefined();
  state.current = surface([resource("a", "v1", "things")]);
  await clock.advanceBy(9_000);
  for (let times = 0; times < 5; times++) expect(await find("a", "things")).toBeUndefined();
  expect(asked()).toBe(1);
  await clock.advanceBy(1_000);
  expect(await find("a", "things")).toMatchObject({ version: "v1" });
  expect(asked()).toBe(2);
});

test("what is known is asked anew after half a minute", async () => {
  const { clock, find, asked } = serving(surface([resource("a", "v1", "things")]));
  await find("a", "things");
  await clock.advanceBy(29_000);
  await find("a", "things");
  expect(asked()).toBe(1);
  await clock.advanceBy(1_000);
  await find("a", "things");
  expect(asked()).toBe(2);
});
