import { expect, test } from "vitest";
import { describeApi } from "./api-client.ts";

type Json = Record<string, unknown>;

const container = (more: Json = {}): Json => ({ name: "c", image: "i", ...more });
const pod = (spec: Json, annotations: Json = {}): Json => ({
  metadata: { annotations },
  spec: { containers: [container()], ...spec },
});
const term = { topologyKey: "zone" };
const files = (...paths: string[]): Json => ({ items: paths.map((path) => ({ key: "k", path })) });

/** What is said of a pod, by what is wrong with it; of a template, with where it is in front. */
const pods: readonly (readonly [string, Json, readonly string[]])[] = [
  [
    "labels of nodes that have other names",
    pod({ nodeSelector: { "beta.kubernetes.io/os": "linux" } }),
    ['spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead'],
  ],
  [
    "values that no node can have",
    pod({
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 1,
              preference: {
                matchExpressions: [{ key: "node-role.kubernetes.io/master", operator: "In", values: ["-"] }],
              },
            },
          ],
        },
      },
    }),
    [
      "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].key: " +
        'node-role.kubernetes.io/master is use "node-role.kubernetes.io/control-plane" instead',
      "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].values[0]: " +
        "- is invalid, a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must " +
        "start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation " +
        "is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    ],
  ],
  [
    "selectors that are missing",
    pod({
      affinity: {
        podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] },
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term }],
        },
      },
      topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "ScheduleAnyway" }],
    }),
    [
      "spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod",
      "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector: a null labelSelector results in matching no pod",
      "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.labelSelector: a null labelSelector results in matching no pod",
    ],
  ],
  [
    "old annotations",
    pod(
      {},
      {
        "scheduler.alpha.kubernetes.io/critical-pod": "",
        "seccomp.security.alpha.kubernetes.io/pod": "unconfined",
        "container.seccomp.security.alpha.kubernetes.io/c": "unconfined",
      },
    ),
    [
      'metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: non-functional in v1.16+; use the "priorityClassName" field instead',
      'metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: non-functional in v1.27+; use the "seccompProfile" field instead',
      'metadata.annotations[container.seccomp.security.alpha.kubernetes.io/c]: non-functional in v1.27+; use the "seccompProfile" field instead',
    ],
  ],
  [
    "volumes of old, and paths that meet",
    pod({
      volumes: [
        { name: "a", gitRepo: { repository: "r" } },
        { name: "b", configMap: { name: "m", ...files("x", "x/y") } },
        {
          name: "d",
          projected: {
            sources: [{ secret: { name: "s", ...files("p") } }, { configMap: { name: "m", ...files("p/") } }],
          },
        },
      ],
    }),
    [
      "spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+",
      'volume "b" (ConfigMap "m"): overlapping paths: "x/y" with "x"',
      'volume "d" (Projected): overlapping paths: "p" (ConfigMap "m") with "p" (Secret "s")',
    ],
  ],
  [
    "what is said twice",
    pod({
      hostAliases: [{ ip: "1.2.3.4" }, { ip: "1.2.3.4" }, { ip: "FE80::1" }],
      imagePullSecrets: [{ name: "a" }, { name: "a" }, {}],
      containers: [
        container({
          env: [
            { name: "A", value: "1" },
            { name: "A", value: "$(A)2" },
            { name: "A", value: "3" },
          ],
          ports: [
            { containerPort: 80, name: "web" },
            { containerPort: 80, hostPort: 8080 },
            { containerPort: 81, hostIP: "1.2.3.4" },
          ],
        }),
        container({ name: "d", ports: [{ containerPort: 80, name: "web" }] }),
      ],
    }),
    [
      'spec.hostAliases[1].ip: duplicate ip "1.2.3.4"',
      'spec.imagePullSecrets[1].name: duplicate name "a"',
      'spec.imagePullSecrets[2].name: invalid empty name ""',
      'spec.containers[0].env[2]: hides previous definition of "A", which may be dropped when using apply',
      "spec.containers[0].ports[1]: overlapping port definition with spec.containers[0].ports[0]",
      "spec.containers[0].ports[2]: hostIP set without hostPort: {Name: HostPort:0 ContainerPort:81 Protocol:TCP HostIP:1.2.3.4}",
      "spec.containers[1].ports[0]: duplicate port definition with spec.containers[0].ports[0]",
      "spec.containers[1].ports[0]: overlapping port definition with spec.containers[0].ports[1]",
      'spec.containers[1].ports[0]: duplicate port name "web" with spec.containers[0].ports[0], services and probes that select ports by name will use spec.containers[0].ports[0]',
      'spec.hostAliases[2].ip: IPv6 address "FE80::1" should be in RFC 5952 canonical format ("fe80::1")',
    ],
  ],
  [
    "parts of a byte",
    pod({
      containers: [container({ resources: { limits: { memory: "1500m" }, requests: { memory: "1m" } } })],
    }),
    [
      'spec.containers[0].resources.limits[memory]: fractional byte value "1500m" is invalid, must be an integer',
      'spec.containers[0].resources.requests[memory]: fractional byte value "1m" is invalid, must be an integer',
    ],
  ],
];

const service = (spec: Json, annotations: Json = {}): Json => ({
  metadata: { annotations },
  spec: { ports: [{ port: 80 }], ...spec },
});

const others: readonly (readonly [string, string, Json, readonly string[]])[] = [
  [
    "services without addresses",
    "/api/v1/namespaces/NS/services",
    service({ clusterIP: "None", loadBalancerIP: "1.2.3.4", externalName: "a", externalIPs: ["1.2.3.4"] }),
    [
      "spec.loadBalancerIP is ignored for headless services",
      "spec.externalIPs is ignored for headless services",
      'spec.externalName is ignored when spec.type is not "ExternalName"',
    ],
  ],
  [
    "services with old fields",
    "/api/v1/namespaces/NS/services",
    service(
      { externalIPs: ["FE80:0::2:1"], trafficDistribution: "PreferClose" },
      { "service.kubernetes.io/topology-aware-hints": "auto" },
    ),
    [],
  ],
  [
    "claims of parts of a byte",
    "/api/v1/namespaces/NS/persistentvolumeclaims",
    {
      metadata: { annotations: { "volume.beta.kubernetes.io/storage-class": "a" } },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1500m" } } },
    },
    [
      'metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead',
      'spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
    ],
  ],
  [
    "secrets that no server can use",
    "/api/v1/namespaces/NS/secrets",
    { type: "kubernetes.io/tls", data: { "tls.crt": "", "tls.key": "" } },
    ["tls: failed to find any PEM data in certificate input"],
  ],
  [
    "service accounts with an old annotation",
    "/api/v1/namespaces/NS/serviceaccounts",
    { metadata: { annotations: { "kubernetes.io/enforce-mountable-secrets": "true" } } },
    [
      "metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets",
    ],
  ],
  [
    "ingresses with a class of old",
    "/apis/networking.k8s.io/v1/namespaces/NS/ingresses",
    {
      metadata: { annotations: { "kubernetes.io/ingress.class": "a" } },
      spec: { defaultBackend: { service: { name: "s", port: { number: 80 } } } },
    },
    ["annotation \"kubernetes.io/ingress.class\" is deprecated, please use 'spec.ingressClassName' instead"],
  ],
  [
    "quotas with requests above their limits",
    "/api/v1/namespaces/NS/resourcequotas",
    { spec: { hard: { cpu: "2", "limits.cpu": "1" } } },
    ["ResourceQuota cpu (2) should be less than limits.cpu (1)"],
  ],
  [
    "slices of names",
    "/apis/discovery.k8s.io/v1/namespaces/NS/endpointslices",
    { addressType: "FQDN", endpoints: [], ports: [] },
    ["spec.addressType: FQDN endpoints are deprecated"],
  ],
  [
    "revisions that are all kept",
    "/apis/apps/v1/namespaces/NS/statefulsets",
    {
      spec: {
        selector: { matchLabels: { a: "b" } },
        template: { ...pod({}), metadata: { labels: { a: "b" } } },
        revisionHistoryLimit: -1,
      },
    },
    [
      "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended",
    ],
  ],
];

describeApi("warnings", (api) => {
  const told = async (path: string, body: Json): Promise<readonly [number, readonly string[]]> => {
    const text = { ...body, metadata: { ...(body["metadata"] as Json | undefined), name: "w" } };
    const { status, headers } = await api().send("POST", `${path}?dryRun=All`, text);
    const lines = String(headers["warning"] ?? "").match(/299 - "(?:[^"\\]|\\.)*"/g) ?? [];
    return [status, lines.map((line) => JSON.parse(line.slice("299 - ".length)) as string)];
  };

  test.each(pods)("of pods, and of templates: %s", async (_, body, expected) => {
    const namespace = await api().namespace();
    expect(await told(`/api/v1/namespaces/${namespace}/pods`, body)).toEqual([201, expected]);
    const { metadata, spec } = body as { readonly metadata: Json; readonly spec: Json };
    const template = { metadata: { ...metadata, labels: { a: "b" } }, spec };
    const deployment = { spec: { selector: { matchLabels: { a: "b" } }, template } };
    const inTemplate = expected.map((line) =>
      line.replaceAll(/(?<=^|with |use )(?=spec\.|metadata\.)/g, "spec.template."),
    );
    expect(await told(`/apis/apps/v1/namespaces/${namespace}/deployments`, deployment)).toEqual([
      201,
      inTemplate,
    ]);
  });

  test.each(others)("of %s", async (_, path, body, expected) => {
    const [, lines] = await told(path.replace("NS", await api().namespace()), body);
    expect(lines).toEqual(expected);
  });

  test("of templates that leave no time", async () => {
    const template = { ...pod({ terminationGracePeriodSeconds: -1 }), metadata: { labels: { a: "b" } } };
    const path = `/api/v1/namespaces/${await api().namespace()}/podtemplates`;
    const why = "must be >= 0; negative values are invalid and will be treated as 1";
    expect(await told(path, { template })).toEqual([
      201,
      [`template.spec.terminationGracePeriodSeconds: ${why}`],
    ]);
  });

  test("of templates of pods that nobody makes, when they change", async () => {
    const path = `/api/v1/namespaces/${await api().namespace()}/podtemplates`;
    const template = { ...pod({}), metadata: { labels: { a: "b" } } };
    await api().send("POST", path, { metadata: { name: "w" }, template });
    const doubled = { template: { spec: { hostAliases: [{ ip: "1.1.1.1" }, { ip: "1.1.1.1" }] } } };
    const { headers } = await api().patch(`${path}/w`, "merge", doubled);
    expect(headers["warning"]).toBe('299 - "template.spec.hostAliases[1].ip: duplicate ip \\"1.1.1.1\\""');
    const same = await api().patch(`${path}/w`, "merge", { metadata: { labels: { c: "d" } } });
    expect([same.status, same.headers["warning"]]).toEqual([200, undefined]);
  });

  test("of templates that are updated, when they change", async () => {
    const path = `/apis/apps/v1/namespaces/${await api().namespace()}/deployments`;
    const template = {
      ...pod({ hostAliases: [{ ip: "1.1.1.1" }, { ip: "1.1.1.1" }] }),
      metadata: { labels: { a: "b" } },
    };
    await api().send("POST", path, {
      metadata: { name: "w" },
      spec: { selector: { matchLabels: { a: "b" } }, template },
    });
    const same = await api().patch(`${path}/w`, "merge", { metadata: { labels: { c: "d" } } });
    expect([same.status, same.headers["warning"]]).toEqual([200, undefined]);
    const { headers } = await api().patch(`${path}/w`, "merge", { spec: { replicas: 2 } });
    expect(headers["warning"]).toBe(
      '299 - "spec.template.spec.hostAliases[1].ip: duplicate ip \\"1.1.1.1\\""',
    );
  });
});
