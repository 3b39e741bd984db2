import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface ForeignCluster extends AsyncDisposable {
  readonly kubeconfig: string;
}

const program = fileURLToPath(new URL("../../cmd/kcm/main.ts", import.meta.url));

/** `kcm up` with hollow nodes, as its users start it; all its files are in `home`. */
export async function startCluster(home: string): Promise<ForeignCluster> {
  const kubeconfig = join(home, "kubeconfig");
  const args = [
    program,
    "up",
    "--name",
    "foreign",
    "--port",
    "0",
    "--nodes",
    "2",
    "--kubeconfig",
    kubeconfig,
  ];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, KCM_HOME: home },
    stdio: ["ignore", "pipe", "inherit"],
  });
  await ready(child);
  return {
    kubeconfig,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null) return;
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

async function ready({ stdout }: ChildProcess): Promise<void> {
  if (stdout === null) throw new Error("the cluster's output is not read");
  // The rest is read as well, so that the cluster can write it.
  const lines = createInterface({ input: stdout });
  await new Promise<void>((resolve, reject) => {
    lines.on("line", (line) => {
      if (line.includes("ready after")) resolve();
    });
    lines.once("close", () => reject(new Error("kcm up ended before it was ready")));
  });
}
