import { describe, expect, test } from "vitest";
import { dumpPodTemplate } from "./go-dump.ts";
import { goJson } from "./go-json.ts";
import { computeHash, fnv32a, hashRevisionData } from "./hash.ts";
import type { PodTemplateSpec } from "./types/core-v1.gen.ts";

const defaultedContainer = {
  name: "web",
  image: "nginx:1.27",
  ports: [{ containerPort: 80, protocol: "TCP" }],
  resources: {},
  terminationMessagePath: "/dev/termination-log",
  terminationMessagePolicy: "File",
  imagePullPolicy: "IfNotPresent",
};

const web: PodTemplateSpec = {
  metadata: { creationTimestamp: null, labels: { app: "web" } },
  spec: {
    containers: [defaultedContainer],
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    securityContext: {},
    schedulerName: "default-scheduler",
  },
};

const store: PodTemplateSpec = {
  metadata: { labels: { tier: "db", app: "store" }, annotations: { note: "grüße 🙂", a: "1" } },
  spec: {
    volumes: [
      { name: "tmp", emptyDir: { sizeLimit: "1Gi" } },
      { name: "cfg", configMap: { name: "settings", defaultMode: 420 } },
      { name: "none", emptyDir: {} },
    ],
    initContainers: [{ name: "side", image: "busybox", restartPolicy: "Always", resources: {} }],
    containers: [
      {
        name: "db",
        image: "postgres:17",
        command: ["sh", "-c", "exec db"],
        env: [{ name: "PW", valueFrom: { secretKeyRef: { name: "db", key: "pw" } } }, { name: "EMPTY" }],
        resources: {
          limits: { cpu: "1500m", memory: "2Gi", "ephemeral-storage": "100Ti" },
          requests: { memory: "512Mi", cpu: "1" },
        },
        volumeMounts: [{ name: "tmp", mountPath: "/tmp" }],
        livenessProbe: {
          httpGet: { path: "/healthz", port: "http", scheme: "HTTP" },
          timeoutSeconds: 1,
          periodSeconds: 10,
        },
        readinessProbe: { tcpSocket: { port: 5432 } },
        securityContext: {
          runAsUser: 1000,
          allowPrivilegeEscalation: false,
          capabilities: { drop: ["ALL"] },
        },
      },
    ],
    nodeSelector: { disk: "ssd" },
    affinity: {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 100,
            podAffinityTerm: {
              labelSelector: { matchExpressions: [{ key: "app", operator: "In", values: ["store"] }] },
              topologyKey: "kubernetes.io/hostname",
            },
          },
        ],
      },
    },
    tolerations: [
      {
        key: "node.kubernetes.io/not-ready",
        operator: "Exists",
        effect: "NoExecute",
        tolerationSeconds: 300,
      },
    ],
    topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule" }],
  },
};

const quantities: PodTemplateSpec = {
  spec: {
    containers: [
      {
        name: "q",
        resources: {
          limits: {
            "a/a": "0",
            "b/b": "8Mi",
            "c/c": "5",
            "d/d": "-100m",
            "e/e": "12E",
            "f/f": "123456789012345678900n",
            "g/g": "1Pi",
            "h/h": "3k",
          },
        },
      },
    ],
    overhead: { cpu: "250m" },
  },
};

const longest: PodTemplateSpec = {
  spec: { containers: [{ name: "c", image: "i" }], terminationGracePeriodSeconds: 9223372036854775807n },
};

const exact: PodTemplateSpec = {
  spec: {
    containers: [{ name: "c", image: "i" }],
    terminationGracePeriodSeconds: 9007199254740993n,
    tolerations: [{ operator: "Exists", effect: "NoExecute", tolerationSeconds: -9007199254740993n }],
  },
};

// The hashes are those of the Go program.
describe("computeHash", () => {
  test.each<[string, PodTemplateSpec, number | undefined, string]>([
    ["nothing", {}, undefined, "85748b7f68"],
    ["a defaulted template", web, undefined, "596556dd5f"],
    ["its first collision", web, 1, "56d669c58"],
    ["a collision count of 0", web, 0, "5bf8ddd58c"],
    ["many kinds of fields", store, undefined, "6c64c8d7fc"],
    ["many kinds of quantities", quantities, undefined, "55977846fb"],
    ["the longest of all grace periods", longest, undefined, "666596d45"],
    ["numbers that doubles do not hold", exact, undefined, "56b8db88cd"],
  ])("%s", (_name, template, collisionCount, hash) => {
    expect(computeHash(template, collisionCount)).toBe(hash);
  });

  test("does not depend on the order of keys, nor on empty lists and unset fields", () => {
    const { metadata, spec } = web;
    const same: PodTemplateSpec = {
      spec: { ...spec, containers: [defaultedContainer], volumes: [], nodeSelector: {} },
      metadata: { annotations: {}, ...metadata },
    };
    expect(computeHash(same)).toBe(computeHash(web));
  });

  test("tells an empty object from none", () => {
    const spec = { containers: [] };
    expect(computeHash({ spec: { ...spec, securityContext: {} } })).not.toBe(computeHash({ spec }));
  });

  test("differs between collision counts", () => {
    const hashes = [undefined, 0, 1, 2, 2 ** 31 - 1].map((count) => computeHash({}, count));
    expect(new Set(hashes).size).toBe(hashes.length);
  });
});

test("the dump names Go's types and marks what is nil", () => {
  const text = dumpPodTemplate({
    spec: { containers: [{ name: "a", readinessProbe: { tcpSocket: { port: "p" } } }], hostNetwork: true },
  });
  expect(text).toMatch(
    /^\(v1\.PodTemplateSpec\)\{ObjectMeta:\(v1\.ObjectMeta\)\{Name:\(string\) GenerateName:/,
  );
  expect(text).toContain("TerminationGracePeriodSeconds:(*int64)<nil> ActiveDeadlineSeconds:");
  expect(text).toContain(
    "Containers:([]v1.Container)[{Name:(string)a Image:(string) Command:([]string)<nil>",
  );
  expect(text).toContain(
    "TCPSocket:(*v1.TCPSocketAction){Port:(intstr.IntOrString){Type:(intstr.Type)1 IntVal:",
  );
  expect(text).toContain("HostNetwork:(bool)true");
});

test.each([
  ["", 0x811c9dc5],
  ["a", 0xe40c292c],
  ["ab", 0x4d2505ca],
  ["abc", 0x1a47e90b],
])("FNV-1a of %j", (text, hash) => {
  expect(fnv32a(text)).toBe(hash);
});

test("a hash goes on from an earlier one", () => {
  expect(fnv32a("c", fnv32a("ab"))).toBe(fnv32a("abc"));
});

// The hashes are those of the Go program.
test("hashRevisionData", () => {
  const template = {
    metadata: { labels: { app: "x" } },
    spec: {
      containers: [
        {
          name: "a",
          image: "i",
          imagePullPolicy: "Always",
          resources: {},
          terminationMessagePath: "/dev/termination-log",
          terminationMessagePolicy: "File",
        },
      ],
      restartPolicy: "Always",
      terminationGracePeriodSeconds: 30,
      dnsPolicy: "ClusterFirst",
      securityContext: {},
      schedulerName: "default-scheduler",
    },
    $patch: "replace",
  };
  expect(hashRevisionData(goJson({ spec: { template } }), 0)).toBe("95b64df55");
  expect(hashRevisionData('{"spec":{"template":{"$patch":"replace"}}}', 3)).toBe("589f85db5f");
  expect(hashRevisionData("{}", 1)).toBe(hashRevisionData("{}1"));
});
