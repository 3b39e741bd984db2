import { expect, test } from "vitest";
import { fakeClients } from "../../../test/harness/fake-clients.ts";
import { type FakeAnswer, FakeTransport } from "../../../test/harness/fake-transport.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { resources } from "../../api/resources.ts";
import { seededRandom } from "../../clock/random.ts";
import { sleep } from "../../clock/wait.ts";
import { silentLogger } from "../../log/logger.ts";
import { noMetrics } from "../../metrics/metrics.ts";
import { SharedInformerFactory } from "../informer/informer-factory.ts";

const metadata = { resourceVersion: "5" };
const pod = { metadata: { name: "web", namespace: "a", uid: "u", resourceVersion: "4" } };
const whole: FakeAnswer = { body: { apiVersion: "v1", kind: "PodList", metadata, items: [pod] } };
const expired = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "Expired", code: 410 };

test.each<[string, object]>([
  ["a refusal", { kind: "Status", apiVersion: "v1", status: "Failure", reason: "Forbidden", code: 403 }],
  ["a list of something else", { apiVersion: "v1", kind: "ServiceList", metadata: {}, items: [{}] }],
  ["something that is no list", { apiVersion: "v1", kind: "Pod", metadata: {} }],
  ["nothing", {}],
])("%s with code 200 in place of a list empties no cache and tells no handler", async (_, body) => {
  const clock = new VirtualClock();
  let answer: FakeAnswer = whole;
  let lists = 0;
  async function* watch(signal: AbortSignal | undefined): AsyncGenerator<string> {
    await sleep(clock, 60_000, signal);
    yield `${JSON.stringify({ type: "ERROR", object: expired })}\n`;
  }
  const transport = new FakeTransport(({ query }, signal) => {
    if (query?.get("watch") === "true") return { chunks: watch(signal) };
    lists++;
    return answer;
  });
  const client = fakeClients(transport, clock).client("test");
  const factory = new SharedInformerFactory({
    clients: client,
    clock,
    random: seededRandom(1),
    log: silentLogger,
    metrics: noMetrics,
    name: "test",
    streamLists: false,
  });
  const informer = factory.informer(resources.pods);
  const deleted: unknown[] = [];
  informer.addHandler({ onDelete: (object) => deleted.push(object) });
  factory.start(new AbortController().signal);
  await clock.runUntil(() => informer.hasSynced());
  answer = { body };
  await clock.runUntil(() => lists === 3);
  expect(deleted).toEqual([]);
  expect(informer.lister.get("a", "web")).toBeDefined();
  expect(factory.health()[0]?.lastError).toMatchObject({ name: "ApiError" });
  const ended = factory.shutdown();
  await clock.advanceBy(60_000);
  await ended;
});
