import { beforeEach, describe, expect, test } from "vitest";
import { seededRandom } from "../../clock/random.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { allKinds } from "../kinds/all-kinds.ts";
import { ApiServer } from "../server/api-server.ts";
import { Store } from "../storage/store.ts";
import { builtInAdmission } from "./built-in-admission.ts";

type Json = Readonly<Record<string, unknown>>;

const classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
const pods = "/api/v1/namespaces/default/pods";

let server: ApiServer;
/** The same objects, and nobody who says what they may be. */
let withoutAdmission: ApiServer;

beforeEach(async () => {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const store = new Store({ clock });
  const admission = builtInAdmission({ store, clock, random, serviceCidr: "10.0.0.0/24" });
  server = new ApiServer({ clock, random, store, admission, kinds: allKinds });
  withoutAdmission = new ApiServer({ clock, random, store, kinds: allKinds });
  await send("POST", "/api/v1/namespaces", { metadata: { name: "default" } });
  await send("POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
});

async function send(method: string, path: string, body: object, to = server): Promise<Json> {
  const headers: Record<string, string> =
    method === "PATCH" ? { "content-type": "application/merge-patch+json" } : {};
  const response = await to.handle({
    method,
    path,
    query: new URLSearchParams(),
    headers,
    body: { value: body },
  });
  if (response.body.kind !== "object") throw new Error(`no object but ${response.body.kind}`);
  return structuredClone(response.body.value) as Json;
}

async function createClass(name: string, rest: object, to = server): Promise<Json> {
  return send("POST", classes, { metadata: { name }, ...rest }, to);
}

async function createPod(spec: object): Promise<Json> {
  const containers = [{ name: "app", image: "x:1" }];
  const answer = await send("POST", pods, { metadata: { name: "p" }, spec: { containers, ...spec } });
  return (answer["spec"] ?? answer) as Json;
}

const none = { priority: 0, preemptionPolicy: "PreemptLowerPriority" };
const refusal = (why: string): Json => ({ code: 403, message: `pods "p" is forbidden: ${why}` });
const madeUp = (what: string, given: unknown, computed: unknown): Json =>
  refusal(
    `the ${what} (${String(given)}) must not be provided in pod spec; priority admission controller computed ${String(computed)} from the given PriorityClass name`,
  );

describe("the priority of a pod", () => {
  beforeEach(async () => {
    await createClass("high", { value: 1_000 });
    await createClass("polite", { value: 500, preemptionPolicy: "Never" });
  });

  test.each<[string, object, Json]>([
    ["is nothing without a class", {}, none],
    ["is its class's", { priorityClassName: "high" }, { ...none, priority: 1_000 }],
    [
      "is its class's, with its politeness",
      { priorityClassName: "polite" },
      { priority: 500, preemptionPolicy: "Never" },
    ],
    ["may be known to who asks", { priorityClassName: "high", priority: 1_000 }, { priority: 1_000 }],
    ["may be known to be nothing", { priority: 0 }, none],
    ["cannot be made up", { priority: 1 }, madeUp("integer value of priority", 1, 0)],
    [
      "cannot be another than its class's",
      { priorityClassName: "high", priority: 0 },
      madeUp("integer value of priority", 0, 1_000),
    ],
    [
      "may say how polite its class is",
      { priorityClassName: "polite", preemptionPolicy: "Never" },
      { priority: 500 },
    ],
    [
      "cannot be less polite than its class",
      { priorityClassName: "polite", preemptionPolicy: "PreemptLowerPriority" },
      madeUp("string value of PreemptionPolicy", "PreemptLowerPriority", "Never"),
    ],
    [
      "cannot be more polite than no class",
      { preemptionPolicy: "Never" },
      madeUp("string value of PreemptionPolicy", "Never", "PreemptLowerPriority"),
    ],
    [
      "needs a class that is there",
      { priorityClassName: "gone" },
      refusal("no PriorityClass with name gone was found"),
    ],
  ])("%s", async (_, spec, expected) => {
    expect(await createPod(spec)).toMatchObject(expected);
  });

  test("stays through an update that leaves it out", async () => {
    await createPod({ priorityClassName: "polite" });
    const spec = { priority: null, preemptionPolicy: null, activeDeadlineSeconds: 9 };
    expect(await send("PATCH", `${pods}/p`, { spec })).toMatchObject({
      spec: { priority: 500, preemptionPolicy: "Never", activeDeadlineSeconds: 9 },
    });
  });
});

describe("the class of pods that name none", () => {
  const isDefault = { globalDefault: true };

  test("is the default one, which can be passed by", async () => {
    await createClass("usual", { value: 7, preemptionPolicy: "Never", ...isDefault });
    await createClass("high", { value: 1_000 });
    expect(await createPod({ priorityClassName: "high" })).toMatchObject({ priority: 1_000 });
    await server.handle({ method: "DELETE", path: `${pods}/p`, query: new URLSearchParams(), headers: {} });
    expect(await createPod({})).toMatchObject({
      priorityClassName: "usual",
      priority: 7,
      preemptionPolicy: "Never",
    });
  });

  test("is the lowest where there are several", async () => {
    await createClass("middle", { value: 20, ...isDefault });
    await createClass("high", { value: 30, ...isDefault }, withoutAdmission);
    await createClass("low", { value: 10, ...isDefault }, withoutAdmission);
    expect(await createPod({})).toMatchObject({ priorityClassName: "low", priority: 10 });
  });

  test("is one: another is refused, but not what is no default, nor a change of the default itself", async () => {
    const message = (name: string): string =>
      `priorityclasses.scheduling.k8s.io "${name}" is forbidden: PriorityClass usual is already marked as default. Only one default can exist`;
    await createClass("usual", { value: 1, ...isDefault });
    expect(await createClass("second", { value: 2, ...isDefault })).toMatchObject({
      code: 403,
      message: message("second"),
    });
    expect(await createClass("other", { value: 2 })).toMatchObject({ value: 2 });
    expect(await send("PATCH", `${classes}/other`, isDefault)).toMatchObject({ message: message("other") });
    const described = { description: "For all." };
    expect(await send("PATCH", `${classes}/usual`, described)).toMatchObject({ ...described, ...isDefault });
  });
});

const added = [
  { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
  { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
];
const [notReady, unreachable] = added;
const [own, other] = ["node.kubernetes.io/not-ready", "example.com/other"].map((key) => ({
  key,
  operator: "Exists",
}));

test.each<[string, readonly object[], readonly (object | undefined)[]]>([
  ["five minutes", [], [notReady, unreachable]],
  ["five minutes beside other troubles", [{ ...other, effect: "NoExecute" }], [notReady, unreachable]],
  ["as long as it says", [{ ...notReady, tolerationSeconds: 1 }], [unreachable]],
  ["for ever, where it tolerates every effect", [{ ...own }], [unreachable]],
  [
    "five minutes, where it tolerates only that it is not scheduled",
    [{ ...own, effect: "NoSchedule" }],
    added,
  ],
  ["for ever, where it tolerates everything", [{ operator: "Exists" }], []],
  ["for ever, where it tolerates all that evicts", [{ operator: "Exists", effect: "NoExecute" }], []],
])("a pod waits %s on a node that has gone", async (_, given, expected) => {
  expect((await createPod({ tolerations: given }))["tolerations"]).toEqual([...given, ...expected]);
});

test.each<[string, readonly object[], readonly object[]]>([
  ["that has no taints", [], [{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }]],
  [
    "with taints of its own",
    [
      { key: "a", effect: "NoSchedule" },
      { key: "node.kubernetes.io/not-ready", effect: "NoExecute" },
    ],
    [
      { key: "a", effect: "NoSchedule" },
      { key: "node.kubernetes.io/not-ready", effect: "NoExecute" },
      { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" },
    ],
  ],
  [
    "that says so itself",
    [{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }],
    [{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }],
  ],
])("a new node %s takes no pods yet", async (_, taints, expected) => {
  const node = await send("POST", "/api/v1/nodes", { metadata: { name: "n" }, spec: { taints } });
  expect(node["spec"]).toMatchObject({ taints: expected });
});
