import { appendFile, readdir, readFile, truncate, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { ConfigMap, Node, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { ClientBuilder } from "../../pkg/client/client-builder.ts";
import { loadAccess } from "../../pkg/client/config/access.ts";
import { httpClients } from "../../pkg/client/http-clients.ts";
import type { ResourceClient } from "../../pkg/client/resource-client.ts";
import { realClock } from "../../pkg/clock/real.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { noMetrics } from "../../pkg/metrics/metrics.ts";
import { KcmProcess, withDirectory } from "./kcm-process.ts";

const READY = /ready after [\d.]+ s: (https?:\/\/127\.0\.0\.1:(\d+))/;
const running: KcmProcess[] = [];
const builders: ClientBuilder[] = [];

function kcm(args: readonly string[], cwd: string): KcmProcess {
  const started = new KcmProcess(args, cwd);
  running.push(started);
  return started;
}

async function configMapsOf(kubeconfig: string): Promise<ResourceClient<ConfigMap>> {
  const builder = httpClients({
    access: await loadAccess({ kubeconfig, env: {} }),
    env: {},
    clock: realClock,
    log: silentLogger,
    metrics: noMetrics,
    userAgent: "test",
    qps: -1,
    burst: 1,
  });
  builders.push(builder);
  return builder.client("test").clientFor<ConfigMap>(resources.configMaps);
}

afterEach(async () => {
  await Promise.all(builders.splice(0).map(async (builder) => builder.close()));
  await Promise.all(running.splice(0).map(async (process) => process.end("SIGKILL")));
});

describe("what the user got wrong is one line and exit code 1", () => {
  const port = ["--port", "0"];
  test.each([
    { what: "no command", args: [], line: /name a command: up, list, down/ },
    { what: "an unknown command", args: ["dwn"], line: /"dwn" is not a command \(is it down\?\)/ },
    { what: "an unknown flag", args: ["up", "--bogus"], line: /unknown flag: --bogus/ },
    {
      what: "a flag without its value",
      args: ["up", "--port"],
      line: /flag needs an argument: --port/,
    },
    {
      what: "a port that is no number",
      args: ["up", "--port", "x"],
      line: /"x" for --port: must be a whole number from 0/,
    },
    {
      what: "a port beyond all ports",
      args: ["up", "--port=65536"],
      line: /for --port: must be .* to 65535/,
    },
    {
      what: "fewer nodes than none",
      args: ["up", "--nodes=-1"],
      line: /for --nodes: must be a whole number/,
    },
    {
      what: "an unknown controller",
      args: ["up", "--controllers=*,-nonsense"],
      line: /--controllers: "nonsense" is not a controller \(see --help\)/,
    },
    {
      what: "a controller that is nearly known",
      args: ["up", "--controllers=deploymnt"],
      line: /"deploymnt" is not a controller \(is it deployment-controller\?\)/,
    },
    {
      what: "a flag that is neither on nor off",
      args: ["up", "--insecure-admin=maybe"],
      line: /"maybe" for --insecure-admin: must be true or false/,
    },
    {
      what: "another flag of that kind",
      args: ["up", "--apiserver-only", "--merge-kubeconfig=1.0"],
      line: /"1\.0" for --merge-kubeconfig: must be true or false/,
    },
    {
      what: "a release that cannot be stood in for",
      args: ["up", "--kubernetes-minor=32"],
      line: /"32" for --kubernetes-minor: must be a whole number from 33 to 36/,
    },
    {
      what: "a release with its major version",
      args: ["up", "--kubernetes-minor", "1.36"],
      line: /"1\.36" for --kubernetes-minor: must be a whole number/,
    },
    {
      what: "a name that is none",
      args: ["up", "--name", "../b"],
      line: /"\.\.\/b" for --name: must be a name of at most 40/,
    },
    { what: "a word too many", args: ["up", "now"], line: /unexpected argument "now"/ },
    { what: "the end of no cluster", args: ["down"], line: /there is no cluster default/ },
    { what: "the end of two at once", args: ["down", "a", "b"], line: /unexpected argument "b"/ },
    { what: "a list of something", args: ["list", "all"], line: /unexpected argument "all"/ },
    {
      what: "a data directory below a file",
      args: ["up", ...port, "--kubeconfig=k", "--data-dir", "file/data"],
      line: /data directory .*file\/data cannot be used/,
    },
    {
      what: "a data directory where none can be made",
      args: ["up", ...port, "--kubeconfig=k", "--data-dir", "/dev/null/data"],
      line: /data directory \/dev\/null\/data cannot be used/,
    },
    {
      what: "a kubeconfig where none can be written",
      args: ["up", ...port, "--kubeconfig", "file/kubeconfig"],
      line: /kubeconfig .*file\/kubeconfig cannot be written/,
    },
    {
      what: "a kubeconfig that is somebody else's",
      args: ["up", ...port, "--kubeconfig", "file"],
      line: /file exists and is not from kcm; name another file with --kubeconfig/,
    },
  ])("$what", async ({ args, line }) => {
    await withDirectory(async (directory) => {
      await writeFile(join(directory, "file"), "mine");
      const { stderr, ended } = await result(kcm(args, directory));
      expect(ended).toEqual({ exitCode: 1, signal: null });
      expect(stderr).toMatch(line);
      expect(stderr).toMatch(/^Error: .*\n$/);
      expect(await readFile(join(directory, "file"), "utf8")).toBe("mine");
    });
  });

  test("a port that is taken", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    await withDirectory(async (directory) => {
      const { stderr, ended } = await result(kcm(["up", `--port=${port}`], directory));
      expect(ended.exitCode).toBe(1);
      expect(stderr).toBe(
        `Error: port ${port} of 127.0.0.1 is taken; choose another one with --port, or any free one with --port 0\n`,
      );
    });
    await new Promise((resolve) => other.close(resolve));
  });
});

async function result(process: KcmProcess): Promise<{ stderr: string; ended: Awaited<KcmProcess["ended"]> }> {
  const ended = await process.ended;
  return { stderr: process.stderr, ended };
}

describe("a signal", () => {
  test.each(["SIGINT", "SIGTERM"] as const)(
    "%s ends everything in order, with exit code 0",
    async (signal) => {
      await withDirectory(async (directory) => {
        const process = kcm(["up", "--port=0"], directory);
        const [, url = ""] = await process.says(READY);
        await process.says(/3 of 3 pods available/);
        expect(await process.end(signal)).toEqual({ exitCode: 0, signal: null });
        expect(process.stdout).toMatch(/ended\n$/);
        await expect(fetch(url)).rejects.toThrow(/fetch failed/);
      });
    },
  );

  test("that comes twice ends it at once", async () => {
    await withDirectory(async (directory) => {
      const process = kcm(["up", "--port=0"], directory);
      await process.says(READY);
      process.child.kill("SIGTERM");
      const { exitCode } = await process.end("SIGTERM");
      // Both may arrive in one turn, or the first may have done its work before the second.
      expect([0, 143]).toContain(exitCode);
    });
  });
});

test("prints where the cluster is and what to try, and needs no arguments to show a workload at work", async () => {
  await withDirectory(async (directory) => {
    const process = kcm(["up", "--port=0"], directory);
    await process.says(/deployment\/web: 3 of 3 pods available\n/);
    await process.says(/kubectl rollout status/);
    const kubeconfig = join(directory, ".kcm", "default", "kubeconfig");
    expect(process.stdout).toContain(`export KUBECONFIG=${kubeconfig}\n`);
    const configMaps = await configMapsOf(kubeconfig);
    await configMaps.create({ metadata: { name: "a", namespace: "default" } });
    expect((await configMaps.get({ namespace: "default", name: "a" })).metadata.name).toBe("a");
  });
});

test("is quiet: nothing but what it did and what to type next", async () => {
  await withDirectory(async (directory) => {
    const process = kcm(["up", "--port=0"], directory);
    await process.says(/controllers work\n/);
    await process.says(/kcm down\n/);
    await process.end("SIGTERM");
    expect(process.stderr).toBe("");
    expect(
      process.stdout
        .replaceAll(/[\d.]+ s\b/g, "N s")
        .replace(/:\d+\n/, ":P\n")
        .split("\n"),
    ).toEqual(
      expect.arrayContaining([
        "starting cluster default",
        expect.stringMatching(/^ +N s {2}keys and certificates$/),
        "ready after N s: https://127.0.0.1:P",
        expect.stringMatching(/^ +N s {2}controllers work$/),
        "deployment/web: 3 of 3 pods available",
        "  kubectl get deployments,pods -o wide",
        "  kcm down",
      ]),
    );
    expect(process.stdout.split("\n").length).toBeLessThan(19);
  });
});

test("--v shows what the controllers log", async () => {
  await withDirectory(async (directory) => {
    const process = kcm(["up", "--port=0", "-v1", "--controllers=deployment,-*"], directory);
    await process.says(READY);
    await expect
      .poll(() => process.stderr)
      .toMatch(/"Controller starting" controller="deployment-controller"/);
    expect(process.stderr).not.toContain("job-controller");
  });
});

test("--kubernetes-minor is what /version and the nodes say", async () => {
  await withDirectory(async (directory) => {
    const process = kcm(
      ["up", "--port=0", "--nodes=1", "--insecure-admin", "--kubernetes-minor=34"],
      directory,
    );
    const [, url = ""] = await process.says(READY);
    expect(await (await fetch(`${url}/version`)).json()).toMatchObject({
      minor: "34",
      gitVersion: "v1.34.0+emulated",
    });
    const kubelet = async (): Promise<string | undefined> => {
      const answer = await fetch(`${url}/api/v1/nodes/node-0`);
      const { status } = (await answer.json()) as { status?: { nodeInfo?: { kubeletVersion: string } } };
      return status?.nodeInfo?.kubeletVersion;
    };
    await expect.poll(kubelet).toBe("v1.34.0+emulated");
  });
});

test("goes on when nobody reads its output any more", async () => {
  await withDirectory(async (directory) => {
    const process = kcm(["up", "--port=0", "--insecure-admin"], directory);
    const [, url = ""] = await process.says(READY);
    process.child.stdout?.destroy();
    const available = async (): Promise<unknown> => {
      const answer = await fetch(`${url}/apis/apps/v1/namespaces/default/deployments/web`);
      return ((await answer.json()) as { status?: { availableReplicas?: number } }).status?.availableReplicas;
    };
    await expect.poll(available).toBe(3);
    expect(await process.end("SIGTERM")).toEqual({ exitCode: 0, signal: null });
  });
});

test("replaces a kubeconfig of its own", async () => {
  await withDirectory(async (directory) => {
    for (let round = 0; round < 2; round++) {
      const process = kcm(["up", "--port=0", "--apiserver-only", "--kubeconfig=k"], directory);
      const [, url = ""] = await process.says(READY);
      await process.says(/kubectl get namespaces/);
      expect(await readFile(join(directory, "k"), "utf8")).toContain(url);
      await process.end("SIGTERM");
    }
  });
});

test("--apiserver-only --insecure-admin is a bare API that asks for no credentials", async () => {
  await withDirectory(async (directory) => {
    const process = kcm(["up", "--port=0", "--apiserver-only", "--insecure-admin"], directory);
    const [, url = ""] = await process.says(READY);
    expect(url).toMatch(/^http:/);
    const nodes = (await (await fetch(`${url}/api/v1/nodes`)).json()) as { items: unknown[] };
    expect(nodes.items).toEqual([]);
    expect((await fetch(`${url}/apis/apps/v1/namespaces/default/deployments/web`)).status).toBe(404);
  });
});

test("nodes get their ranges from the controller for that, and pods addresses of their node's range", async () => {
  await withDirectory(async (directory) => {
    const process = kcm(["up", "--port=0", "--nodes=3", "--insecure-admin"], directory);
    const [, url = ""] = await process.says(READY);
    await process.says(/3 of 3 pods available/);
    const list = async <T>(what: string): Promise<readonly T[]> =>
      ((await (await fetch(`${url}/api/v1/${what}`)).json()) as { items: T[] }).items;
    const nodes = await list<Node>("nodes");
    const ranges = new Map(nodes.map(({ metadata, spec }) => [metadata.name, spec?.podCIDR]));
    expect(new Set(ranges.values())).toEqual(new Set(["10.0.0.0/24", "10.0.1.0/24", "10.0.2.0/24"]));
    for (const { metadata } of nodes) {
      const writer = metadata.managedFields?.find(({ fieldsV1 }) =>
        JSON.stringify(fieldsV1).includes("f:podCIDRs"),
      );
      expect(writer?.manager).toBe("kube-controller-manager");
    }
    for (const { spec, status } of await list<Pod>("pods"))
      expect(`${status?.podIP?.replace(/\.\d+$/, "")}.0/24`).toBe(ranges.get(spec?.nodeName));
  });
});

test("--nodes 0 leaves pods waiting for a node", async () => {
  await withDirectory(async (directory) => {
    const process = kcm(["up", "--port=0", "--nodes=0", "--insecure-admin"], directory);
    const [, url = ""] = await process.says(READY);
    // Nothing is waited for that cannot come.
    await process.says(/ {2}kcm down\n/);
    expect(process.stdout).not.toContain("pods available");
    const pods = async (): Promise<{ spec: { nodeName?: string } }[]> =>
      ((await (await fetch(`${url}/api/v1/pods`)).json()) as { items: { spec: { nodeName?: string } }[] })
        .items;
    await expect.poll(async () => (await pods()).length).toBe(3);
    expect((await pods()).map(({ spec }) => spec.nodeName)).toEqual([undefined, undefined, undefined]);
  });
});

describe("--data-dir", () => {
  const up = (directory: string): KcmProcess => kcm(["up", "--port=0", "--data-dir", "data"], directory);

  test("keeps every acknowledged write, and the credentials, through kill -9", async () => {
    await withDirectory(async (directory) => {
      const kubeconfig = join(directory, "data", "kubeconfig");
      const acknowledged: string[] = [];
      for (let round = 0; round < 3; round++) {
        const process = up(directory);
        await process.says(/kubectl rollout status/);
        const configMaps = await configMapsOf(kubeconfig);
        const found = (await configMaps.list({ namespace: "default", labelSelector: "test=yes" })).items;
        const names = new Set(found.map(({ metadata }) => metadata.name ?? ""));
        expect(acknowledged.filter((name) => !names.has(name))).toEqual([]);
        const writing = writeUntilItFails(configMaps, round, acknowledged);
        await expect.poll(() => acknowledged.length).toBeGreaterThan(50 * (round + 1));
        expect(await process.end("SIGKILL")).toMatchObject({ signal: "SIGKILL" });
        await writing;
      }
    });
  });

  test("is for one process at a time", async () => {
    await withDirectory(async (directory) => {
      const first = up(directory);
      await first.says(READY);
      const second = kcm(["up", "--name=second", "--port=0", "--data-dir=data", "--kubeconfig=k"], directory);
      const { stderr, ended } = await result(second);
      expect(ended.exitCode).toBe(1);
      expect(stderr).toBe(
        `Error: data directory ${join(directory, "data")} is in use by process ${first.child.pid}\n`,
      );
    });
  });

  test("that is corrupt is refused, and left as it is", async () => {
    await withDirectory(async (directory) => {
      const process = up(directory);
      await process.says(/3 of 3 pods available/);
      await process.end("SIGTERM");
      const storage = join(directory, "data", "storage");
      const [name = ""] = await readdir(storage);
      const before = await readFile(join(storage, name));
      const damaged = Buffer.from(before);
      damaged.fill("#", before.length >> 1, (before.length >> 1) + 64);
      await truncate(join(storage, name), 0);
      await appendFile(join(storage, name), damaged);
      const { stderr, ended } = await result(up(directory));
      expect(ended.exitCode).toBe(1);
      expect(stderr).toMatch(/^Error: data directory .* is corrupt .*start with an empty directory\n$/);
      expect(await readFile(join(storage, name))).toEqual(damaged);
    });
  });
});

async function writeUntilItFails(
  configMaps: ResourceClient<ConfigMap>,
  round: number,
  acknowledged: string[],
): Promise<void> {
  for (let index = 0; ; index++) {
    const name = `c-${round}-${index}`;
    try {
      await configMaps.create({ metadata: { name, namespace: "default", labels: { test: "yes" } } });
    } catch {
      // The server was killed: only what it had answered before counts.
      return;
    }
    acknowledged.push(name);
  }
}
