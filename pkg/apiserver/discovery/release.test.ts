import { expect, test } from "vitest";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { allResources } from "../../api/resources.ts";
import { seededRandom } from "../../clock/random.ts";
import { embeddedServer } from "../embedded-server.ts";
import { isServedIn, NEWEST_MINOR, OLDEST_MINOR } from "./release.ts";

interface Discovery {
  readonly minor: string;
  readonly gitVersion: string;
  readonly resources: readonly { readonly name: string }[];
}

async function get(path: string, kubernetesMinor?: number): Promise<Discovery> {
  const options = kubernetesMinor === undefined ? {} : { kubernetesMinor };
  const server = embeddedServer({ clock: new VirtualClock(), random: seededRandom(1), ...options });
  const request = { method: "GET", path, query: new URLSearchParams(), headers: {} } as const;
  const { body } = await server.handle(request);
  if (body.kind !== "object") throw new Error(`${path} answered without an object`);
  return body.value as Discovery;
}

test("/version says which release the server stands in for", async () => {
  expect(await get("/version")).toMatchObject({ minor: "36", gitVersion: "v1.36.4" });
  expect(await get("/version", 34)).toMatchObject({
    minor: "34",
    gitVersion: "v1.34.0+emulated",
    emulationMinor: "34",
    minCompatibilityMinor: "33",
  });
});

test("kinds that came later are not served", async () => {
  const storage = async (minor: number): Promise<readonly string[]> =>
    (await get("/apis/storage.k8s.io/v1", minor)).resources.map(({ name }) => name);
  expect(await storage(34)).toContain("volumeattributesclasses");
  expect(await storage(33)).toEqual(
    (await storage(34)).filter((name) => !name.startsWith("volumeattributes")),
  );
});

test("each release has all that the one before had", () => {
  const countIn = (minor: number): number =>
    allResources().filter((resource) => isServedIn(minor, resource)).length;
  const minors = Array.from({ length: NEWEST_MINOR - OLDEST_MINOR + 1 }, (_, index) => OLDEST_MINOR + index);
  const counts = minors.map(countIn);
  expect(counts.map((count) => count - (counts[0] ?? 0))).toEqual([0, 5, 5, 7]);
});
