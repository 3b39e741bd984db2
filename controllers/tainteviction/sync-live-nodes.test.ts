import { expect, test } from "vitest";
import type { Node } from "../../pkg/api/types/core-v1.gen.ts";
import type { Stored } from "../../pkg/api/object.ts";
import { VirtualClock } from "../../pkg/testing/virtual-clock.ts";
import { asStored } from "../../test/harness/stored.ts";
import { LiveNodes } from "./sync-live-nodes.ts";

const { signal } = new AbortController();
const node = asStored<Node>({ metadata: { name: "a", uid: "uid-a" } });

/** Nodes of a server that answers one request after the other as it is told to. */
function nodesOf(clock: VirtualClock) {
  const asked: PromiseWithResolvers<Stored<Node>>[] = [];
  const get = async (): Promise<Stored<Node>> => {
    const answer = Promise.withResolvers<Stored<Node>>();
    asked.push(answer);
    return answer.promise;
  };
  return { live: new LiveNodes({ get }, clock), asked };
}

test("who looks within a second of another is given the same answer", async () => {
  const clock = new VirtualClock();
  const { live, asked } = nodesOf(clock);
  const both = [live.read(node, signal), live.read(node, signal)];
  asked[0]?.resolve(node);
  expect(await Promise.all(both)).toMatchObject([{ metadata: { name: "a" } }, { metadata: { name: "a" } }]);
  expect(asked).toHaveLength(1);
  await clock.advanceBy(1_000);
  const later = live.read(node, signal);
  asked[1]?.resolve(node);
  await later;
  expect(asked).toHaveLength(2);
});

test("an answer that did not come is nobody else's: the next one asks anew, at once", async () => {
  const { live, asked } = nodesOf(new VirtualClock());
  const first = live.read(node, signal);
  asked[0]?.reject(new Error("away"));
  await expect(first).rejects.toThrow("away");
  const next = live.read(node, signal);
  asked[1]?.resolve(node);
  expect(await next).toMatchObject({ metadata: { name: "a" } });
});

test("an answer that fails late does not take a later one with it", async () => {
  const clock = new VirtualClock();
  const { live, asked } = nodesOf(clock);
  const first = live.read(node, signal);
  await clock.advanceBy(1_000);
  const second = live.read(node, signal);
  asked[0]?.reject(new Error("away"));
  await expect(first).rejects.toThrow("away");
  const third = live.read(node, signal);
  asked[1]?.resolve(node);
  await Promise.all([second, third]);
  expect(asked).toHaveLength(2);
});
