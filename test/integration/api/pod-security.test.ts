import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { until } from "../../harness/until.ts";
import { type Answer, describeApi } from "./api-client.ts";

const prefix = "pod-security.kubernetes.io/";

interface Fixture {
  readonly pod: { readonly metadata: object; readonly spec: object };
  readonly messages: readonly {
    readonly level: string;
    readonly version: number;
    readonly message: string;
  }[];
}

const table = new URL(
  "../../../pkg/apiserver/admission/pod-security/testdata/fixtures.gen.json",
  import.meta.url,
);
const fixtures = JSON.parse(readFileSync(table, "utf8")) as readonly Fixture[];

const podOf = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: { automountServiceAccountToken: false, containers: [{ name: "c", image: "i" }], ...spec },
});
const template = (spec: object) => ({ metadata: { labels: { a: "b" } }, spec: podOf("", spec).spec });
const deployment = (spec: object) => ({
  metadata: { name: "d" },
  spec: { selector: { matchLabels: { a: "b" } }, template: template(spec) },
});

/** What a pod that says nothing lacks. */
const lacking = (capabilities: boolean) =>
  'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), ' +
  (capabilities
    ? 'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), '
    : "") +
  'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), ' +
  'seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")';

const warningsOf = ({ headers }: Answer): readonly string[] => {
  const { warning } = headers;
  return [...String(warning ?? "").matchAll(/299 - ("(?:[^"\\]|\\.)*")/g)].map(
    (match) => JSON.parse(match[1] ?? "") as string,
  );
};

describeApi("pod security", (api) => {
  /** A namespace with these labels, which its server has taken notice of. */
  async function space(labels: Readonly<Record<string, string>>): Promise<string> {
    const name = await api().namespace();
    const home = `/api/v1/namespaces/${name}`;
    const entries = Object.entries(labels).map(([key, value]): [string, string] => [prefix + key, value]);
    await api().patch(home, "merge", { metadata: { labels: Object.fromEntries(entries) } });
    const isStrict = ["baseline", "restricted"].includes(labels["enforce"] ?? "");
    const probe = podOf("probe", { hostNetwork: true });
    await until(`${name} is looked after`, async () => {
      const { status } = await api().send("POST", `${home}/pods?dryRun=All`, probe);
      return (status === 403) === isStrict;
    });
    return name;
  }

  test("labels that say nothing sensible are refused, all of them", async () => {
    const labels = { enforce: "x", "enforce-version": "1.2", warn: "", "audit-version": "v1.01" };
    const metadata = {
      name: "bad",
      labels: Object.fromEntries(Object.entries(labels).map(([key, value]) => [prefix + key, value])),
    };
    const refused = await api().send("POST", "/api/v1/namespaces", { metadata });
    const levels = "must be one of privileged, baseline, restricted";
    const version = 'must be "latest" or "v1.x"';
    const expected = [
      [`enforce`, `Invalid value: "x": ${levels}`],
      [`enforce-version`, `Invalid value: "1.2": ${version}`],
      [`audit-version`, `Invalid value: "v1.01": ${version}`],
      [`warn`, `Invalid value: "": ${levels}`],
    ].map(([key, message]) => ({
      reason: "FieldValueInvalid",
      message,
      field: `metadata.labels[${prefix}${key}]`,
    }));
    expect([refused.status, refused.body.reason]).toEqual([422, "Invalid"]);
    expect(refused.body.details).toEqual({ name: "bad", kind: "Namespace", causes: expected });
  });

  let mixed = "";
  beforeAll(async () => {
    mixed = await space({ enforce: "baseline", warn: "restricted", "warn-version": "v1.20" });
  });

  test("a pod that is good enough is admitted, with a warning of what it lacks for more", async () => {
    const made = await api().send("POST", `/api/v1/namespaces/${mixed}/pods`, podOf("p"));
    expect(made.status).toBe(201);
    expect(warningsOf(made)).toEqual([`would violate PodSecurity "restricted:v1.20": ${lacking(false)}`]);
  });

  test.each(["", "?dryRun=All"])("a pod that is not is refused%s", async (query) => {
    const pod = podOf("q", { hostNetwork: true, hostPID: true });
    const refused = await api().send("POST", `/api/v1/namespaces/${mixed}/pods${query}`, pod);
    expect([refused.status, refused.body.reason, refused.body.message]).toEqual([
      403,
      "Forbidden",
      'pods "q" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true, hostPID=true)',
    ]);
    expect(refused.body.details).toEqual({ kind: "pods", name: "q" });
    expect(warningsOf(refused)).toEqual([]);
  });

  test("of templates there are warnings, also when something else is changed, and none for their scale", async () => {
    const path = `/apis/apps/v1/namespaces/${mixed}/deployments`;
    const warning = `would violate PodSecurity "restricted:v1.20": host namespaces (hostNetwork=true), ${lacking(false)}`;
    const made = await api().send("POST", path, deployment({ hostNetwork: true }));
    expect([made.status, warningsOf(made)]).toEqual([201, [warning]]);
    const labelled = await api().patch(`${path}/d`, "merge", { metadata: { labels: { x: "y" } } });
    expect(warningsOf(labelled)).toEqual([warning]);
    const scaled = await api().patch(`${path}/d/scale`, "merge", { spec: { replicas: 2 } });
    expect([scaled.status, warningsOf(scaled)]).toEqual([200, []]);
  });

  const kinds: readonly (readonly [string, string, object])[] = [
    ["replicasets", "apis/apps/v1", deployment({}).spec],
    ["daemonsets", "apis/apps/v1", deployment({}).spec],
    ["statefulsets", "apis/apps/v1", { ...deployment({}).spec, serviceName: "s" }],
    ["replicationcontrollers", "api/v1", { selector: { a: "b" }, template: template({}) }],
    ["jobs", "apis/batch/v1", { template: template({ restartPolicy: "Never" }) }],
    [
      "cronjobs",
      "apis/batch/v1",
      { schedule: "* * * * *", jobTemplate: { spec: { template: template({ restartPolicy: "Never" }) } } },
    ],
  ];
  test.each(kinds)("the template of %s", async (plural, version, spec) => {
    const body = { metadata: { name: "t" }, spec };
    const made = await api().send("POST", `/${version}/namespaces/${mixed}/${plural}`, body);
    expect(made.status).toBe(201);
    expect(warningsOf(made)).toEqual([`would violate PodSecurity "restricted:v1.20": ${lacking(false)}`]);
  });

  test("a bare template of pods", async () => {
    const body = { metadata: { name: "t" }, template: template({}) };
    const made = await api().send("POST", `/api/v1/namespaces/${mixed}/podtemplates`, body);
    expect(warningsOf(made)).toEqual([`would violate PodSecurity "restricted:v1.20": ${lacking(false)}`]);
  });

  test("whoever enforces a level is warned of templates that violate it", async () => {
    const name = await space({ enforce: "restricted" });
    const made = await api().send("POST", `/apis/apps/v1/namespaces/${name}/deployments`, deployment({}));
    expect(warningsOf(made)).toEqual([`would violate PodSecurity "restricted:latest": ${lacking(true)}`]);
  });

  test("a stricter namespace tells of the pods that it has, and minds only those that change", async () => {
    const name = await api().namespace();
    const home = `/api/v1/namespaces/${name}`;
    const specs = [
      { hostNetwork: true },
      { hostNetwork: true },
      { hostNetwork: true },
      { hostPorts: true },
      { hostIPC: true },
      {},
    ];
    for (const [index, { hostPorts, ...spec }] of specs.entries()) {
      const ports = { containers: [{ name: "c", image: "i", ports: [{ containerPort: 1, hostPort: 1 }] }] };
      const pod = podOf(`p${index}`, { ...spec, ...(hostPorts === true ? ports : {}) });
      expect((await api().send("POST", `${home}/pods`, pod)).status).toBe(201);
    }
    const labels = { [`${prefix}enforce`]: "baseline", [`${prefix}enforce-version`]: "v1.30" };
    const change = { metadata: { labels } };
    // Of one reason they are told together, whichever namespace of the host it is.
    const told = [
      `existing pods in namespace "${name}" violate the new PodSecurity enforce level "baseline:v1.30"`,
      "p0 (and 3 other pods): host namespaces",
      "p3: hostPort",
    ];
    await until("the server has seen the pods", async () => {
      const dry = await api().patch(`${home}?dryRun=All`, "merge", change);
      return warningsOf(dry).length === told.length && warningsOf(dry)[1] === told[1];
    });
    expect(warningsOf(await api().patch(home, "merge", change))).toEqual(told);
    const laxer = await api().patch(home, "merge", { metadata: { labels: { a: "b" } } });
    expect([laxer.status, warningsOf(laxer)]).toEqual([200, []]);
    await until("it is enforced", async () => {
      const { status } = await api().send("POST", `${home}/pods?dryRun=All`, podOf("x", { hostPID: true }));
      return status === 403;
    });
    const pod = `${home}/pods/p0`;
    expect((await api().patch(pod, "merge", { metadata: { labels: { x: "y" } } })).status).toBe(200);
    expect((await api().patch(`${pod}/status`, "merge", { status: { phase: "Running" } })).status).toBe(200);
    const changed = await api().patch(pod, "strategic", {
      spec: { containers: [{ name: "c", image: "j" }] },
    });
    expect([changed.status, changed.body.message]).toEqual([
      403,
      'pods "p0" is forbidden: violates PodSecurity "baseline:v1.30": host namespaces (hostNetwork=true)',
    ]);
    const ephemeral = [{ name: "e", image: "j", securityContext: { privileged: true } }];
    const debugged = await api().patch(`${home}/pods/p5/ephemeralcontainers`, "strategic", {
      spec: { ephemeralContainers: ephemeral },
    });
    expect([debugged.status, debugged.body.message]).toEqual([
      403,
      'pods "p5" is forbidden: violates PodSecurity "baseline:v1.30": privileged (container "e" must not set securityContext.privileged=true)',
    ]);
  });

  test("upstream's fixtures are refused as they once were", async () => {
    const spaces = new Map<string, string>();
    let refusals = 0;
    for (const { pod, messages } of fixtures) {
      for (const { level, version, message } of messages) {
        const key = `${level} ${version}`;
        const name = spaces.get(key) ?? (await space({ enforce: level, "enforce-version": `v1.${version}` }));
        spaces.set(key, name);
        const body = { ...pod, metadata: { ...pod.metadata, name: "p" } };
        const refused = await api().send("POST", `/api/v1/namespaces/${name}/pods?dryRun=All`, body);
        expect([refused.status, refused.body.message]).toEqual([403, message]);
        refusals++;
      }
    }
    expect(refusals).toBeGreaterThan(250);
  });
});
