import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { loadAll } from "js-yaml";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resolveOptions } from "../../cmd/kube-controller-manager/options/resolve.ts";
import { realClock, realRandom } from "../../pkg/clock/real.ts";
import { EmbeddedCluster } from "../../pkg/cluster/cluster.ts";
import { Daemon, ourProgram } from "../harness/daemon.ts";
import { freePorts, hasRealCluster, type RealCluster, startRealCluster } from "../harness/real-cluster.ts";
import { describeWhere } from "../harness/where.ts";

const deploy = fileURLToPath(new URL("../../deploy", import.meta.url));
const staticPod = join(deploy, "static-pod", "kube-controller-manager.yaml");
const dashboard = join(deploy, "components", "monitoring", "dashboard.json");
const run = promisify(execFile);

interface Container {
  readonly command: readonly string[];
  readonly args?: readonly string[];
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: {
    readonly containers?: readonly Container[];
    readonly template?: { readonly spec: { readonly containers: readonly Container[] } };
    readonly groups?: readonly {
      readonly rules: readonly { readonly alert: string; readonly expr: string }[];
    }[];
  };
}

async function kubectl(args: readonly string[]): Promise<string> {
  const { stdout } = await run("kubectl", args, { maxBuffer: 16 << 20 });
  return stdout;
}

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "deploy-"));
});

afterAll(async () => rm(directory, { recursive: true }));

/** A user's own kustomization: the base and whatever is added to it. */
async function overlay(...components: string[]): Promise<string> {
  const path = await mkdtemp(join(directory, "overlay-"));
  const to = (name: string): string => relative(path, join(deploy, name));
  const kustomization = {
    apiVersion: "kustomize.config.k8s.io/v1beta1",
    kind: "Kustomization",
    resources: [to("base")],
    components: components.map((name) => to(`components/${name}`)),
    images: [{ name: "kube-controller-manager", newName: "somewhere/kcm", newTag: "v2" }],
  };
  await writeFile(join(path, "kustomization.yaml"), JSON.stringify(kustomization));
  return path;
}

async function render(...components: string[]): Promise<readonly Manifest[]> {
  return loadAll(await kubectl(["kustomize", await overlay(...components)])) as Manifest[];
}

function containerOf(manifests: readonly Manifest[]): Container {
  const found = manifests.flatMap(
    ({ kind, spec }) => (kind === "Deployment" ? spec?.template?.spec.containers : spec?.containers) ?? [],
  );
  if (found[0] === undefined) throw new Error("there is no container");
  return found[0];
}

function flagsOf({ command, args = [] }: Container): readonly string[] {
  expect(command[0]).toBe("kube-controller-manager");
  return [...command.slice(1), ...args];
}

describe("kustomize", () => {
  test("makes everything in kube-system, with flags of this program and the image that was asked for", async () => {
    const manifests = await render("signing", "monitoring");
    const kinds = manifests.map(({ kind }) => kind).toSorted();
    expect(kinds).toEqual([
      "ClusterRoleBinding",
      "ConfigMap",
      "Deployment",
      "PodDisruptionBudget",
      "PrometheusRule",
      "RoleBinding",
      "Service",
      "ServiceAccount",
      "ServiceMonitor",
    ]);
    for (const { kind, metadata } of manifests) {
      expect(metadata.namespace, kind).toBe(kind === "ClusterRoleBinding" ? undefined : "kube-system");
    }
    expect(containerOf(manifests)).toMatchObject({ image: "somewhere/kcm:v2" });
    const { options } = resolveOptions(flagsOf(containerOf(manifests)), () => "");
    expect(options.serviceAccount.privateKeyFile).toBe("/etc/kubernetes/pki/sa.key");
    expect(options.csrSigning.certFile).toBe("/etc/kubernetes/pki/ca.crt");
    expect(options.csrSigning.keyFile).toBe("/etc/kubernetes/pki/ca.key");
    expect(JSON.stringify(manifests)).toContain('{"key":"ca.key","path":"ca.key"}');
  });
});

/** What the Prometheus operator installs, as far as kubectl needs it. */
const monitoringKinds = ["ServiceMonitor", "PrometheusRule"].map((kind) => {
  const plural = `${kind.toLowerCase()}s`;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.monitoring.coreos.com` },
    spec: {
      group: "monitoring.coreos.com",
      scope: "Namespaced",
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        },
      ],
    },
  };
});

interface Server {
  /** Flags by which kubectl finds it. */
  readonly flags: readonly string[];
  stop(): Promise<void>;
}

async function startEmbedded(): Promise<Server> {
  const cluster = await EmbeddedCluster.start({
    clock: realClock,
    random: realRandom,
    insecure: true,
    listen: { host: "127.0.0.1", port: 0 },
  });
  return { flags: [`--server=${cluster.http?.url ?? ""}`], stop: async () => cluster.stop() };
}

async function startReal(): Promise<Server> {
  const cluster = await startRealCluster({ apiServerFlags: ["--disable-admission-plugins=ServiceAccount"] });
  return { flags: [`--kubeconfig=${cluster.kubeconfig}`], stop: cluster.stop };
}

const servers = [
  { name: "embedded", start: startEmbedded },
  ...(hasRealCluster() ? [{ name: "real", start: startReal }] : []),
];

describe.each(servers)("manifests against the $name API server", ({ start }) => {
  let server: Server;

  beforeAll(async () => {
    server = await start();
  });

  afterAll(async () => server?.stop());

  async function dryRun(...what: string[]): Promise<string> {
    return kubectl([...server.flags, "apply", "--server-side", "--dry-run=server", ...what]);
  }

  test("the base is accepted", async () => {
    const said = await dryRun("-k", join(deploy, "base"));
    expect(said.trimEnd().split("\n")).toHaveLength(6);
  });

  test("the base with its components is accepted, once the operator's kinds are there", async () => {
    const crds = join(directory, "crds.json");
    await writeFile(crds, JSON.stringify({ apiVersion: "v1", kind: "List", items: monitoringKinds }));
    await kubectl([...server.flags, "apply", "--server-side", "--validate=false", "-f", crds]);
    const names = monitoringKinds.map(({ metadata }) => `crd/${metadata.name}`);
    await kubectl([...server.flags, "wait", "--for=condition=Established", ...names, "--timeout=30s"]);
    const said = await dryRun("-k", await overlay("signing", "monitoring"));
    expect(said.trimEnd().split("\n")).toHaveLength(9);
  });

  test("the static Pod is accepted", async () => {
    expect(await dryRun("-f", staticPod)).toContain("serverside-applied");
  });
});

describeWhere(hasRealCluster())("dashboard and alerts", () => {
  let cluster: RealCluster;
  let daemon: Daemon;

  beforeAll(async () => {
    cluster = await startRealCluster();
  });

  afterAll(async () => {
    await daemon?.end();
    await cluster?.stop();
  });

  async function scrape(port: number, path: string): Promise<string> {
    const { cert, key } = cluster.admin;
    const options = { host: "127.0.0.1", port, path, cert, key, rejectUnauthorized: false };
    return new Promise((resolve, reject) => {
      let text = "";
      const call = request(options, (response) => {
        response.on("data", (chunk: Buffer) => (text += chunk.toString()));
        response.on("end", () => resolve(text));
      });
      call.on("error", reject);
      call.end();
    });
  }

  /** Every selector here is written with braces. */
  function namesIn(expression: string): readonly string[] {
    return [...expression.matchAll(/([a-z_:][a-z0-9_:]*)\{/gi)].map(([, name = ""]) => name);
  }

  async function expressions(): Promise<readonly string[]> {
    const { panels } = JSON.parse(await readFile(dashboard, "utf8")) as {
      panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
    };
    const rules = (await render("monitoring")).flatMap(({ spec }) =>
      (spec?.groups ?? []).flatMap((group) => group.rules),
    );
    expect(rules.map(({ alert }) => alert)).toContain("KubeControllerManagerDown");
    return [
      ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
      ...rules.map(({ expr }) => expr),
    ];
  }

  test("every metric that they ask for is there", async () => {
    const [port = 0] = await freePorts(1);
    const ca = join(cluster.directory, "ca.crt");
    const flags = [`--kubeconfig=${cluster.kubeconfig}`, `--client-ca-file=${ca}`, `--secure-port=${port}`];
    daemon = new Daemon(ourProgram, [...flags, "--bind-address=127.0.0.1"]);
    await daemon.says("Controller starting");
    // What was found when it was last asked for, as by a probe, is what there is to tell.
    await scrape(port, "/readyz");
    // What the service monitor asks for.
    const text = `${await scrape(port, "/metrics")}\n${await scrape(port, "/metrics/slis")}`;
    const types = new Map(
      [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", type = ""]) => [name, type]),
    );
    const asked = [...new Set((await expressions()).flatMap(namesIn))].filter((name) => name !== "up");
    expect(asked.length).toBeGreaterThan(20);
    const isKnown = (name: string): boolean => {
      const [, histogram] = /^(.*)_(?:bucket|sum|count)$/.exec(name) ?? [];
      return histogram === undefined ? types.has(name) : types.get(histogram) === "histogram";
    };
    expect(asked.filter((name) => !isKnown(name))).toEqual([]);
  });
});
