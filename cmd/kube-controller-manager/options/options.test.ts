import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { pairsType } from "./flag-types.ts";
import { readConfigFile, renderConfig } from "./config-file.ts";
import { splitList } from "./flag.ts";
import { helpText } from "./help.ts";
import { flagGroups } from "./options.ts";
import { allFlags, assembleOptions } from "./parse.ts";
import { resolveOptions } from "./resolve.ts";
import { UPSTREAM_FLAGS } from "./upstream-flags.test-data.ts";

const noFiles = (path: string): string => {
  throw new Error(`ENOENT: ${path}`);
};
const resolve = (...argv: string[]): ReturnType<typeof resolveOptions>["options"] =>
  resolveOptions(argv, noFiles).options;

describe("flags of v1.36", () => {
  const upstream = UPSTREAM_FLAGS.trim()
    .split("\n")
    .map((row) => row.split("|") as [group: string, name: string, type: string, shownDefault: string]);

  test("there are 148", () => {
    expect(upstream.length).toBe(148);
  });

  test.each(upstream)("%s: --%s %s", (group, name, type, shownDefault) => {
    const entry = allFlags.find(({ flag }) => flag.name === name);
    expect(entry?.flag.type.name).toBe(type);
    expect(entry && flagGroups[entry.group].title).toBe(group);
    expect(entry?.flag.type.format(entry.flag.default)).toBe(shownDefault);
  });

  test("every other flag is hidden or in the group of our own", () => {
    const known = new Set(upstream.map(([, name]) => name));
    const others = allFlags.filter(({ flag, group }) => !known.has(flag.name) && group !== "own");
    expect(others.map(({ flag }) => flag.name).sort()).toEqual(["allow-untagged-cloud", "node-sync-period"]);
    for (const { flag } of others) expect(flag.hidden).toBe(true);
  });

  test("--help lists each of them once", () => {
    const help = helpText({ all: ["deployment-controller"], disabledByDefault: [] });
    for (const [, name] of upstream)
      expect(help.split(new RegExp(`--${name}[ \\n[]`)).length - 1).toBeGreaterThan(0);
    expect(help).not.toContain("--allow-untagged-cloud");
    expect(help).toContain("(default 12h0m0s)");
  });
});

describe("reading arguments", () => {
  test("values, bare booleans, shorthands and underscores", () => {
    const options = resolve(
      "--concurrent_deployment-syncs=7",
      "--kube-api-qps",
      "50.5",
      "--leader-elect=false",
      "--allocate-node-cidrs",
      "--cluster-cidr=10.0.0.0/8,fd00::/48",
      "-v=4",
      "--min-resync-period=1h30m",
    );
    expect(options.deployment.concurrentSyncs).toBe(7);
    expect(options.generic.kubeApiQps).toBe(50.5);
    expect(options.generic.leaderElect).toBe(false);
    expect(options.generic.allocateNodeCidrs).toBe(true);
    expect(options.logs.level).toBe(4);
    expect(options.generic.minResyncPeriodMs).toBe(5_400_000);
  });

  test("the first use of a list replaces its default, later ones add", () => {
    const options = resolve("--controllers=*,-job", "--controllers=bootstrapsigner");
    expect(options.generic.controllers).toEqual(["*", "-job", "bootstrapsigner"]);
  });

  test("gates and pairs add up over repeated flags", () => {
    const options = resolve(
      "--feature-gates=HPAScaleToZero=true",
      "--feature-gates=kube:PodDeletionCost=false",
    );
    expect(options.generic.featureGates).toEqual({ HPAScaleToZero: true, PodDeletionCost: false });
  });

  // As Go's pflag reads and writes them.
  test.each<[readonly string[], Readonly<Record<string, string>>, string]>([
    [[], {}, "[]"],
    [["m,l=a"], { "m,l": "a" }, '["m,l=a"]'],
    [["m,l=a,b"], { "m,l": "a,b" }, '["m,l=a,b"]'],
    [['"m,l=a,b"'], { "m,l": "a,b" }, '["m,l=a,b"]'],
    [['"n,l=a,b","m,l=c"'], { "m,l": "c", "n,l": "a,b" }, '["m,l=c","n,l=a,b"]'],
    [["m,l=a", "m,l=b", "n,l="], { "m,l": "b", "n,l": "" }, '["m,l=b","n,l="]'],
  ])("pairs %j", (texts, pairs, shown) => {
    const options = resolve(...texts.map((text) => `--allow-metric-labels=${text}`));
    expect(options.metrics.allowLabels).toEqual(pairs);
    expect(pairsType.format(options.metrics.allowLabels)).toBe(shown);
  });

  test("SNI pairs with and without names", () => {
    expect(resolve("--tls-sni-cert-key=a.crt,a.key:x.test,*.y.test").secureServing.tlsSniCertKeys).toEqual([
      { certFile: "a.crt", keyFile: "a.key", names: ["x.test", "*.y.test"] },
    ]);
  });

  test("options are frozen", () => {
    const options = resolve();
    expect(Object.isFrozen(options)).toBe(true);
    expect(Object.isFrozen(options.generic)).toBe(true);
  });

  test("flags without effect are reported when they are given", () => {
    const { unusedFlags } = resolveOptions(
      ["--cloud-config=x", "--cluster-name=kubernetes", "--v=1"],
      noFiles,
    );
    expect(unusedFlags).toEqual(["cloud-config", "cluster-name"]);
  });

  test("help and version win over what else is wrong with the values", () => {
    expect(resolve("--help", "--leader-elect-lease-duration=1s").global.help).toBe(true);
    expect(resolve("--version").global.version).toBe("true");
    expect(resolve("--version=raw").global.version).toBe("raw");
  });

  test.each<[string, readonly string[]]>([
    ["", []],
    ["a,b", ["a", "b"]],
    ['"a,b",c', ["a,b", "c"]],
    ['"say ""x"""', ['say "x"']],
    ["a,", ["a", ""]],
  ])("the list %j", (text, values) => {
    expect(splitList(text)).toEqual(values);
  });
});

describe("what cannot be used is refused in one line", () => {
  test.each<[readonly string[], string]>([
    [["--no-such-flag"], "unknown flag: --no-such-flag"],
    [["--leader-elects"], "unknown flag: --leader-elects (is it --leader-elect?)"],
    [["-x"], "unknown shorthand flag: -x"],
    [["start"], 'unexpected argument "start": this command takes flags only'],
    [["--kubeconfig"], "flag needs an argument: --kubeconfig"],
    [
      ["--concurrent-gc-syncs=many"],
      'invalid argument "many" for --concurrent-gc-syncs: must be a whole number',
    ],
    [
      ["--concurrent-gc-syncs=4294967296"],
      'invalid argument "4294967296" for --concurrent-gc-syncs: is out of range',
    ],
    [["--leader-elect=perhaps"], 'invalid argument "perhaps" for --leader-elect: must be true or false'],
    [["--bind-address=here"], 'invalid argument "here" for --bind-address: must be an IP address'],
    [["--min-resync-period=12"], 'invalid argument "12" for --min-resync-period'],
    [["--feature-gates=Nope=true"], "unrecognized feature gate: Nope"],
    [["--tls-sni-cert-key=only.crt"], "must name a certificate and a key file"],
    [["--max-endpoints-per-slice=1001"], "--max-endpoints-per-slice must be from 1 to 1000, but is 1001"],
    [["--concurrent-resourceclaim-syncs=0"], "--concurrent-resourceclaim-syncs must be at least 1"],
    [["--cloud-provider=aws"], '--cloud-provider must be external, but is "aws"'],
    [
      ["--cidr-allocator-type=CloudAllocator"],
      "--cidr-allocator-type: built-in cloud providers are disabled. The ipam CloudAllocator is not available",
    ],
    [["--leader-elect-resource-lock=configmaps"], "--leader-elect-resource-lock must be leases"],
    [["--leader-elect-lease-duration=5s"], "must be greater than --leader-elect-renew-deadline"],
    [["--leader-elect-retry-period=9s"], "must be greater than 1.2 times --leader-elect-retry-period"],
    [
      ["--cluster-signing-cert-file=a.crt"],
      "cert-file and --cluster-signing-key-file must be given together",
    ],
    [
      [
        "--cluster-signing-cert-file=a",
        "--cluster-signing-key-file=b",
        "--cluster-signing-kubelet-serving-cert-file=c",
        "--cluster-signing-kubelet-serving-key-file=d",
      ],
      "cannot be used with the files of one signer",
    ],
    [["--tls-cert-file=a.crt"], "--tls-cert-file and --tls-private-key-file must be given together"],
    [["--tls-min-version=1.2"], "--tls-min-version must be one of VersionTLS10"],
    [
      ["--service-cluster-ip-range=a,b,c"],
      "--service-cluster-ip-range can not contain more than two entries",
    ],
    [["--secure-port=70000"], "--secure-port must be from 0 to 65535"],
    [["--logging-format=xml"], "--logging-format must be text, json"],
    [["--vmodule=a"], "a must be formatted as pattern=N"],
    [["--config=missing.yaml"], "--config missing.yaml: ENOENT"],
    [["--emulated-version=kube=1.20"], "--emulated-version must be kube=1.33 to kube=1.36"],
    [["--show-hidden-metrics-for-version=1.30"], "must be omitted or have the value '1.35'"],
    [["--legacy-service-account-token-clean-up-period=0s"], "must be greater than 0"],
  ])("%j", (argv, message) => {
    let thrown: unknown;
    try {
      resolve(...argv);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: "BadFlag" });
    expect(String(thrown)).toContain(message);
    expect(String(thrown)).not.toContain("\n");
  });
});

describe("the configuration file", () => {
  const header =
    "apiVersion: kubecontrollermanager.config.k8s.io/v1alpha1\nkind: KubeControllerManagerConfiguration\n";
  const withFile = (text: string, ...argv: string[]): ReturnType<typeof resolveOptions>["options"] =>
    resolveOptions(["--config=f", ...argv], () => text).options;

  test("sets what flags leave out, and flags go before it", () => {
    const text = `${header}Generic: {Controllers: ["*", "-job"], LeaderElection: {leaseDuration: 30s}}\nDeploymentController: {ConcurrentDeploymentSyncs: 9}\n`;
    const options = withFile(text, "--concurrent-deployment-syncs=3");
    expect(options.generic.controllers).toEqual(["*", "-job"]);
    expect(options.generic.leaseDurationMs).toBe(30_000);
    expect(options.deployment.concurrentSyncs).toBe(3);
  });

  // Recorded from v1.36.4 with --kubeconfig alone.
  test("/configz shows every field as upstream does", () => {
    const recorded: unknown = JSON.parse(
      readFileSync(new URL("upstream-config.test-data.json", import.meta.url), "utf8"),
    );
    const facts = { controllers: ["*"], leaderMigration: undefined };
    expect(renderConfig(resolve(), facts)).toEqual(recorded);
  });

  test("what /configz shows can be read back", () => {
    const options = resolve(
      "--concurrent-gc-syncs=3",
      "--kube-api-qps=0.5",
      "--node-monitor-grace-period=1m",
      "--service-cluster-ip-range=10.96.0.0/12,fd00::/108",
    );
    const facts = { controllers: ["*"], leaderMigration: undefined };
    const file = readConfigFile(JSON.stringify(renderConfig(options, facts)));
    expect(assembleOptions(file.values)).toEqual(options);
    expect(file.leaderMigration).toBeUndefined();
  });

  test("may hold the leader migration, which a file of its own goes before", () => {
    const migration = { leaderName: "from-here", controllerLeaders: [{ name: "a", component: "*" }] };
    const options = resolve("--enable-leader-migration");
    const shown = renderConfig(options, { controllers: ["*"], leaderMigration: migration });
    const files: Readonly<Record<string, string>> = {
      config: JSON.stringify(shown),
      own: "apiVersion: controllermanager.config.k8s.io/v1\nkind: LeaderMigrationConfiguration\nleaderName: own",
    };
    const read = (path: string): string => files[path] ?? "";
    expect(resolveOptions(["--config=config"], read).leaderMigration).toEqual(migration);
    const flags = ["--config=config", "--leader-migration-config=own"];
    expect(resolveOptions(flags, read).leaderMigration?.leaderName).toBe("own");
  });

  test.each<[string, string]>([
    ["[]", "must hold one object"],
    ["a: [", "is neither YAML nor JSON"],
    ["kind: Pod", "must be of apiVersion kubecontrollermanager.config.k8s.io/v1alpha1"],
    [`${header}Generic: {Controllerz: []}`, "unknown field Generic.Controllerz"],
    [`${header}Generic: 5`, "Generic must be an object"],
    [
      `${header}JobController: {ConcurrentJobSyncs: many}`,
      "JobController.ConcurrentJobSyncs must be a number",
    ],
    [
      `${header}JobController: {ConcurrentJobSyncs: 1.5}`,
      "JobController.ConcurrentJobSyncs must be a whole number",
    ],
    [`${header}Generic: {MinResyncPeriod: 12x}`, "Generic.MinResyncPeriod"],
    [`${header}Generic: {Controllers: "*"}`, "Generic.Controllers must be a list of strings"],
    [`${header}Generic: {Port: 1}`, "Generic.Port cannot be set: it is always 0"],
    [`${header}NodeIPAMController: {ServiceCIDR: 1}`, "NodeIPAMController.ServiceCIDR must be a string"],
    [`${header}Generic: {LeaderMigration: 1}`, "Generic.LeaderMigration must be an object"],
    [
      `${header}Generic: {LeaderMigrationEnabled: true, LeaderMigration: {leaderName: a, resourceLock: endpoints}}`,
      "--config: Generic.LeaderMigration: resourceLock endpoints does not exist any more",
    ],
    [
      `${header}Generic: {LeaderMigrationEnabled: true, LeaderMigration: {resourceLock: leases}}`,
      "--config: Generic.LeaderMigration: leaderName must be set",
    ],
    [`${header}Generic: {}\nGeneric: {}`, "is neither YAML nor JSON"],
    [
      `${header}EndpointSliceController: {MaxEndpointsPerSlice: 0}`,
      "--max-endpoints-per-slice must be from 1",
    ],
  ])("%j is refused", (text, message) => {
    expect(() => withFile(text)).toThrow(message);
  });
});
