import { execFileSync } from "node:child_process";
import { cpus, loadavg, release, totalmem, type as systemName } from "node:os";
import { hasRealCluster, realProgram } from "../../../test/harness/real-programs.ts";
import { type Manager, versionOf } from "./managers.ts";
import type { Plan } from "./run.ts";

/** What was measured, and where: names of figures, in the order in which they are shown. */
export type Head = Readonly<Record<string, unknown>>;

export function headOf({ managers, controllers, scale, rounds }: Plan): Head {
  const changed = git("status", "--porcelain", "-uno") !== "";
  return {
    commit: git("rev-parse", "--short", "HEAD") + (changed ? " and changes" : ""),
    date: new Date().toISOString(),
    ...Object.fromEntries(managers.map((manager) => [manager.name, describe(manager)])),
    ...serverVersions(),
    node: process.version,
    machine: `${cpus().length} × ${cpus()[0]?.model.trim() ?? "unknown"}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    kernel: `${systemName()} ${release()}`,
    "load average before": loadavg()[0]?.toFixed(1),
    scale,
    rounds,
    controllers: controllers.join(" "),
  };
}

/** In Markdown. */
export function showHead(head: Head): string {
  return Object.entries(head)
    .map(([name, value]) => `- ${name}: ${String(value)}`)
    .join("\n");
}

function serverVersions(): Head {
  if (!hasRealCluster()) return { server: "the embedded API server" };
  const version = (program: "etcd" | "kube-apiserver"): string =>
    /\S+$/m.exec(execFileSync(realProgram(program), ["--version"], { encoding: "utf8" }))?.[0] ?? "";
  return { "kube-apiserver": version("kube-apiserver"), etcd: version("etcd") };
}

/** Its version, and its command without directories, which differ from machine to machine. */
function describe(manager: Manager): string {
  const command = manager.command.map((part) => part.replace(/(?<=^|=)\/.*\//, ""));
  return `${versionOf(manager)}, \`${command.join(" ")}\``;
}

function git(...args: readonly string[]): string {
  return execFileSync("git", args, { encoding: "utf8" }).trim();
}
