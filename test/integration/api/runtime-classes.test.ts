import { beforeAll, expect, test } from "vitest";
import { until } from "../../harness/until.ts";
import { describeApi } from "./api-client.ts";

describeApi("runtime classes", (api) => {
  let pods = "";
  const containers = [{ name: "c", image: "i" }];
  const overhead = { podFixed: { cpu: "100m", memory: "64Mi" } };
  const scheduling = {
    nodeSelector: { "example.com/vm": "yes" },
    tolerations: [
      { key: "vm", operator: "Exists" },
      { key: "a", value: "b", effect: "NoSchedule" },
    ],
  };
  beforeAll(async () => {
    pods = `/api/v1/namespaces/${await api().namespace()}/pods`;
    const classes = "/apis/node.k8s.io/v1/runtimeclasses";
    await api().send("POST", classes, { metadata: { name: "vm" }, handler: "vm", overhead, scheduling });
    await api().send("POST", classes, { metadata: { name: "plain" }, handler: "plain" });
    const trial = { metadata: { name: "trial" }, spec: { containers, runtimeClassName: "plain" } };
    await until(
      "the class",
      async () => (await api().send("POST", `${pods}?dryRun=All`, trial)).status === 201,
    );
  });

  test("say what pods cost besides their containers, and where they may run", async () => {
    const own = [
      { key: "vm", operator: "Equal", value: "x" },
      { key: "mine", operator: "Exists", effect: "NoSchedule" },
    ];
    const spec = { containers, runtimeClassName: "vm", nodeSelector: { a: "b" }, tolerations: own };
    const { status, body } = await api().send("POST", pods, { metadata: { name: "p" }, spec });
    expect(status).toBe(201);
    expect(body.spec["overhead"]).toEqual(overhead.podFixed);
    expect(body.spec["nodeSelector"]).toEqual({ a: "b", ...scheduling.nodeSelector });
    // What tolerates more takes the place of what tolerates less.
    const given = (body.spec["tolerations"] as readonly { readonly key: string }[]).filter(
      ({ key }) => !key.startsWith("node.kubernetes.io/"),
    );
    expect(given).toEqual([own[1], ...scheduling.tolerations]);
  });

  test.each([
    ["of no class", { runtimeClassName: "nope" }, 'pod rejected: RuntimeClass "nope" not found'],
    [
      "with an overhead and no class",
      { overhead: { cpu: "1" } },
      "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
    ],
    [
      "with an overhead that its class does not say",
      { overhead: { cpu: "1" }, runtimeClassName: "plain" },
      "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
    ],
    [
      "with another overhead",
      { overhead: { cpu: "1" }, runtimeClassName: "vm" },
      "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
    ],
    [
      "for other nodes",
      { nodeSelector: { "example.com/vm": "no" }, runtimeClassName: "vm" },
      "conflict: runtimeClass.scheduling.nodeSelector[example.com/vm] = yes; pod.spec.nodeSelector[example.com/vm] = no",
    ],
  ])("refuse a pod %s", async (_, more, message) => {
    const spec = { containers, ...more };
    const { status, body } = await api().send("POST", pods, { metadata: { name: "q" }, spec });
    expect([status, body.message]).toEqual([403, `pods "q" is forbidden: ${message}`]);
  });

  test("take the same overhead in other words", async () => {
    const spec = { containers, runtimeClassName: "vm", overhead: { cpu: "0.1", memory: "65536Ki" } };
    const { status } = await api().send("POST", pods, { metadata: { name: "same" }, spec });
    expect(status).toBe(201);
  });
});
