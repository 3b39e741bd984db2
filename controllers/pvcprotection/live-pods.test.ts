import { expect, test } from "vitest";
import { LivePods } from "./live-pods.ts";

const { signal } = new AbortController();

interface Listing {
  readonly namespace: string;
  readonly end: (claims: readonly string[] | Error) => void;
}

function stage(): { readonly pods: LivePods; readonly listings: Listing[] } {
  const listings: Listing[] = [];
  const pods = new LivePods(async (namespace, onPod) => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
    listings.push({ namespace, end: (end) => (end instanceof Error ? reject(end) : resolve(end)) });
    for (const claimName of await promise) {
      const volumes = [{ name: "data", persistentVolumeClaim: { claimName } }];
      onPod({ metadata: { name: `of-${claimName}`, namespace }, spec: { containers: [], volumes } });
    }
  });
  return { pods, listings };
}

/** All that can go on without an answer of the server. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

test("all that ask at once share a list, and tell pods by their claims", async () => {
  const { pods, listings } = stage();
  const answers = [pods.now("a", signal), pods.now("a", signal)];
  await settled();
  expect(listings.map(({ namespace }) => namespace)).toEqual(["a"]);
  listings[0]?.end(["data", "logs", "data"]);
  const [one, two] = await Promise.all(answers);
  expect(two).toBe(one);
  expect([...(one?.keys() ?? [])]).toEqual(["data", "logs"]);
  expect(one?.get("data")).toHaveLength(2);
});

test("who asks while a list runs gets one that begins afterwards, shared with all that do so", async () => {
  const { pods, listings } = stage();
  const first = pods.now("a", signal);
  await settled();
  const later = [pods.now("a", signal), pods.now("a", signal)];
  await settled();
  expect(listings).toHaveLength(1);
  listings[0]?.end([]);
  expect((await first).size).toBe(0);
  await settled();
  expect(listings).toHaveLength(2);
  listings[1]?.end(["data"]);
  for (const answer of await Promise.all(later)) expect([...answer.keys()]).toEqual(["data"]);
  const last = pods.now("a", signal);
  await settled();
  expect(listings).toHaveLength(3);
  listings[2]?.end([]);
  expect((await last).size).toBe(0);
});

test("namespaces do not wait for each other", async () => {
  const { pods, listings } = stage();
  const answers = [pods.now("a", signal), pods.now("b", signal)];
  await settled();
  expect(listings.map(({ namespace }) => namespace)).toEqual(["a", "b"]);
  for (const { end } of listings) end([]);
  await Promise.all(answers);
});

test("a list that fails fails for who waited for it, and for nobody after", async () => {
  const { pods, listings } = stage();
  const first = pods.now("a", signal);
  await settled();
  const second = pods.now("a", signal);
  listings[0]?.end(new Error("no"));
  await expect(first).rejects.toThrow("no");
  await settled();
  listings[1]?.end(["data"]);
  expect([...(await second).keys()]).toEqual(["data"]);
});
