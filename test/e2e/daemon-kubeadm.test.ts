import { chmod, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { load } from "js-yaml";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { resolveOptions } from "../../cmd/kube-controller-manager/options/resolve.ts";
import { Daemon, ourProgram } from "../harness/daemon.ts";
import { ask } from "../harness/https-client.ts";
import {
  EXTERNAL_CA_FLAGS,
  kubeadmFlags,
  MANAGER_USER,
  POD_NETWORK_FLAGS,
} from "../harness/kubeadm-flags.ts";
import { freePorts, hasRealCluster, type RealCluster, startRealCluster } from "../harness/real-cluster.ts";
import { until } from "../harness/until.ts";
import { describeWhere } from "../harness/where.ts";

const staticPod = fileURLToPath(
  new URL("../../deploy/static-pod/kube-controller-manager.yaml", import.meta.url),
);

interface Pod {
  readonly spec: { readonly containers: readonly { readonly command: readonly string[] }[] };
}

/** Flags without the directories of their files. */
function plain(flags: readonly string[]): readonly string[] {
  const changed = /^--(kubeconfig|authentication-kubeconfig|authorization-kubeconfig|secure-port)=/;
  const files: Readonly<Record<string, string>> = { "sa.key": "service-account.key" };
  return flags
    .filter((flag) => !changed.test(flag))
    .map((flag) => flag.replace(/=\/.*\/([^/]+)$/, (_, file: string) => `=${files[file] ?? file}`))
    .toSorted();
}

test("the static Pod has exactly the flags that kubeadm gives", async () => {
  const { spec } = load(await readFile(staticPod, "utf8")) as Pod;
  const [program, ...flags] = spec.containers[0]?.command ?? [];
  expect(program).toBe("kube-controller-manager");
  expect(plain(flags)).toEqual(plain(kubeadmFlags({ directory: "/pki" }, "/conf", 0)));
});

test("the static Pod's flags are flags of this program", async () => {
  const { spec } = load(await readFile(staticPod, "utf8")) as Pod;
  const [, ...flags] = spec.containers[0]?.command ?? [];
  const { options } = resolveOptions(flags, () => "");
  expect(options.generic.useServiceAccountCredentials).toBe(true);
  expect(options.misc.kubeconfig).toBe("/etc/kubernetes/controller-manager.conf");
});

/** Who is the image's user is this process only where it is root, as whom kubeadm writes its files. */
async function userOfImage(): Promise<{ readonly uid?: number; readonly gid?: number }> {
  if (process.getuid?.() !== 0) return {};
  const lines = await readFile(new URL("../../Dockerfile", import.meta.url), "utf8");
  const [uid, gid] =
    /^USER (\d+):(\d+)$/m
      .exec(lines.slice(lines.lastIndexOf("\nUSER ")))
      ?.slice(1)
      .map(Number) ?? [];
  if (uid === undefined || gid === undefined) throw new Error("the image has no user");
  return { uid, gid };
}

// upstream: cmd/kubeadm/app/phases/controlplane/manifests.go#getControllerManagerCommand
describeWhere(hasRealCluster())("with the flags that kubeadm gives", () => {
  let cluster: RealCluster;
  let kubeconfig: string;
  let user: { readonly uid?: number; readonly gid?: number } = {};
  let daemon: Daemon | undefined;

  beforeAll(async () => {
    cluster = await startRealCluster();
    kubeconfig = await cluster.kubeconfigFor(MANAGER_USER);
    user = await userOfImage();
    // As kubeadm leaves them: keys and kubeconfigs are for their owner alone.
    await chmod(kubeconfig, 0o600);
    for (const name of await readdir(cluster.directory)) {
      if (/\.(key|crt)$/.test(name))
        await chmod(join(cluster.directory, name), name.endsWith(".key") ? 0o600 : 0o644);
    }
  });
  afterEach(async () => {
    await daemon?.end();
    daemon = undefined;
  });
  afterAll(async () => cluster?.stop());

  test.each([
    ["", []],
    [" for a network of pods", POD_NETWORK_FLAGS],
    [" without the key of the CA", EXTERNAL_CA_FLAGS],
  ])("it leads, and every check of its health passes%s", async (_, more) => {
    const [port = 0] = await freePorts(1);
    daemon = new Daemon(ourProgram, [...kubeadmFlags(cluster, kubeconfig, port), ...more], process.env, user);
    await daemon.says("uccessfully acquired lease");
    let verbose = "";
    await until("the controllers that are off by default are healthy as well", async () => {
      const answer = await ask({ port, path: "/healthz?verbose", client: cluster.admin });
      verbose = answer.body;
      return answer.status === 200 && verbose.includes("[+]token-cleaner-controller ok");
    });
    expect(verbose).toContain("[+]bootstrap-signer-controller ok");
    expect(verbose).toContain("[+]leaderElection ok");
    expect(verbose).not.toContain("[-]");
    // As the kubelet asks: without credentials.
    expect(await ask({ port, path: "/healthz" })).toMatchObject({ status: 200, body: "ok" });
    expect(await daemon.end("SIGTERM")).toEqual({ code: 0, signal: null });
  });
});
