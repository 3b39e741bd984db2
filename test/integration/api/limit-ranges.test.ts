import { beforeAll, describe, expect, test } from "vitest";
import { until } from "../../harness/until.ts";
import { describeApi } from "./api-client.ts";

const container = (resources: object, name = "c") => ({ name, image: "i", resources });
const podOf = (containers: readonly object[], more: object = {}) => ({
  metadata: { name: "p" },
  spec: { automountServiceAccountToken: false, containers, ...more },
});

interface Case {
  readonly what: string;
  readonly pod: object;
  /** Undefined: it is admitted. */
  readonly refused?: string;
}

const ofPod: readonly Case[] = [
  {
    what: "without a limit",
    pod: podOf([container({ requests: { cpu: "1", memory: "1Mi" } })]),
    refused: "maximum cpu usage per Pod is 2.  No limit is specified",
  },
  {
    what: "with too much in all",
    pod: podOf([
      container({ requests: { memory: "1Mi" }, limits: { cpu: "1500m" } }),
      container({ limits: { cpu: "1" } }, "d"),
    ]),
    refused: "maximum cpu usage per Pod is 2, but limit is 2500m",
  },
  {
    what: "with too little in all",
    pod: podOf([container({ requests: { memory: "1Ki" }, limits: { cpu: "1" } })]),
    refused: "minimum memory usage per Pod is 1Mi, but request is 1Ki",
  },
  {
    what: "with an init container beside a sidecar",
    pod: podOf([container({ limits: { cpu: "1", memory: "3Mi" } })], {
      initContainers: [
        { ...container({ limits: { cpu: "800m" } }, "s"), restartPolicy: "Always" },
        container({ limits: { cpu: "1300m" } }, "t"),
      ],
    }),
    refused: "maximum cpu usage per Pod is 2, but limit is 2100m",
  },
  {
    what: "with resources of its own, which count instead",
    pod: podOf([container({ limits: { cpu: "1" }, requests: { memory: "1Mi" } })], {
      resources: { limits: { cpu: "3" }, requests: { memory: "2Mi" } },
    }),
    refused: "maximum cpu usage per Pod is 2, but limit is 3",
  },
  { what: "at all bounds", pod: podOf([container({ limits: { cpu: "2", memory: "1Mi" } })]) },
  { what: "within bounds", pod: podOf([container({ limits: { cpu: "2", memory: "3Mi" } })]) },
];

const ratio = "cpu max limit to request ratio per Container is 2, but";
const ofRatio: readonly Case[] = [
  {
    what: "without a request",
    pod: podOf([container({})]),
    refused: `${ratio} no request is specified or request is 0`,
  },
  {
    what: "without a limit",
    pod: podOf([container({ requests: { cpu: "1" } })]),
    refused: `${ratio} no limit is specified or limit is 0`,
  },
  {
    what: "that bursts too high",
    pod: podOf([container({ requests: { cpu: "100m" }, limits: { cpu: "250m" } })]),
    refused: `${ratio} provided ratio is 2.500000`,
  },
  { what: "that bursts", pod: podOf([container({ requests: { cpu: "100m" }, limits: { cpu: "200m" } })]) },
];

describeApi("limit ranges", (api) => {
  /** A namespace with these limits, once the server heeds them. */
  async function space(limits: readonly object[]): Promise<string> {
    const home = `/api/v1/namespaces/${await api().namespace()}`;
    const made = await api().send("POST", `${home}/limitranges`, {
      metadata: { name: "l" },
      spec: { limits },
    });
    expect(made.status).toBe(201);
    const huge = podOf([container({ requests: { cpu: "1k" }, limits: { cpu: "1G" } })]);
    const claim = claimOf("1Ki");
    await until("limits are heeded", async () => {
      const pod = await api().send("POST", `${home}/pods?dryRun=All`, huge);
      const volume = await api().send("POST", `${home}/persistentvolumeclaims?dryRun=All`, claim);
      return [pod.status, volume.status].includes(403);
    });
    return home;
  }

  describe.each([
    ["of pods", [{ type: "Pod", max: { cpu: "2" }, min: { memory: "1Mi" } }], ofPod],
    ["of ratios", [{ type: "Container", maxLimitRequestRatio: { cpu: "2" } }], ofRatio],
  ] as const)("%s", (_, limits, cases) => {
    let home = "";
    beforeAll(async () => {
      home = await space(limits);
    });
    test.each(cases)("a pod $what", async ({ pod, refused }) => {
      const answer = await api().send("POST", `${home}/pods?dryRun=All`, pod);
      const message = refused === undefined ? undefined : `pods "p" is forbidden: ${refused}`;
      expect([answer.status, answer.body.message]).toEqual([refused === undefined ? 201 : 403, message]);
    });
  });

  test("what is filled in is told in an annotation", async () => {
    const home = await space([
      {
        type: "Container",
        max: { cpu: "100" },
        default: { cpu: "200m", memory: "1Gi" },
        defaultRequest: { cpu: "100m" },
      },
    ]);
    const pod = podOf([container({ requests: { cpu: "50m" } })], {
      initContainers: [{ name: "s", image: "i" }],
    });
    const { body } = await api().send("POST", `${home}/pods`, pod);
    expect(body.metadata).toMatchObject({
      annotations: {
        "kubernetes.io/limit-ranger":
          "LimitRanger plugin set: memory request for container c; cpu, memory limit for container c; " +
          "cpu, memory request for init container s; cpu, memory limit for init container s",
      },
    });
    expect(body.spec["containers"]).toMatchObject([
      { resources: { limits: { cpu: "200m", memory: "1Gi" }, requests: { cpu: "50m", memory: "1Gi" } } },
    ]);
  });

  test("claims, whenever they are written", async () => {
    const limit = { type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "2Gi" } };
    const home = await space([limit]);
    const path = `${home}/persistentvolumeclaims`;
    const small = await api().send("POST", path, claimOf("500Mi"));
    expect([small.status, small.body.message]).toEqual([
      403,
      'persistentvolumeclaims "c" is forbidden: minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 500Mi',
    ]);
    const large = await api().send("POST", path, claimOf("3Gi"));
    expect(large.body.message).toBe(
      'persistentvolumeclaims "c" is forbidden: maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi',
    );
    for (const size of ["1Gi", "2Gi"])
      expect((await api().send("POST", `${path}?dryRun=All`, claimOf(size))).status).toBe(201);
    expect((await api().send("POST", path, claimOf("1500Mi"))).status).toBe(201);
    await api().send("DELETE", `${home}/limitranges/l`);
    await api().send("POST", `${home}/limitranges`, {
      metadata: { name: "m" },
      spec: { limits: [{ ...limit, max: { storage: "1Gi" } }] },
    });
    await until("an update is refused", async () => {
      const labelled = await api().patch(`${path}/c`, "merge", { metadata: { labels: { a: "b" } } });
      return labelled.status === 403;
    });
  });
});

function claimOf(storage: string): object {
  const spec = {
    accessModes: ["ReadWriteOnce"],
    storageClassName: "x",
    resources: { requests: { storage } },
  };
  return { metadata: { name: "c" }, spec };
}
