import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { NEWEST_MINOR } from "../../pkg/apiserver/discovery/release.ts";

/** What `make real` builds from test/real. */
const BUILT = fileURLToPath(new URL("../../.cache/real", import.meta.url));
const INSTALLED = "/usr/local/kubebuilder/bin";

/** KUBEBUILDER_ASSETS if that is set; else where such programs are installed, or what `make real` has built. */
const servers = process.env["KUBEBUILDER_ASSETS"] ?? [INSTALLED, BUILT].find(hasServers) ?? INSTALLED;

/** Whether this machine has the real programs. */
export function hasRealCluster(): boolean {
  return hasServers(servers);
}

/** Which v1.N the API server is: what is newer than that can only be seen to be missing. */
export function serverMinor(server: "embedded" | "real"): number {
  if (server === "embedded") return NEWEST_MINOR;
  realMinor ??= minorOf(execFileSync(realProgram("kube-apiserver"), ["--version"], { encoding: "utf8" }));
  return realMinor;
}

let realMinor: number | undefined;

function minorOf(version: string): number {
  const [, minor] = /^Kubernetes v1\.(\d+)\./.exec(version) ?? [];
  if (minor === undefined) throw new Error(`kube-apiserver says that it is ${version.trim()}`);
  return Number(minor);
}

export function realProgram(name: "etcd" | "kube-apiserver"): string {
  return join(servers, name);
}

function hasServers(directory: string): boolean {
  return existsSync(join(directory, "etcd")) && existsSync(join(directory, "kube-apiserver"));
}

/** Upstream's controller manager: the one that GO_KCM names, or what `make real` has built. GO_KCM= is none. */
export function goManager(): string | undefined {
  const named = process.env["GO_KCM"];
  if (named !== undefined) return named === "" ? undefined : named;
  const built = join(BUILT, "kube-controller-manager");
  return existsSync(built) ? built : undefined;
}

/** Upstream's scheduler, where `make real` has built it. */
export function goScheduler(): string | undefined {
  const built = join(BUILT, "kube-scheduler");
  return existsSync(built) ? built : undefined;
}
