import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { startRealCluster } from "../harness/real-cluster.ts";

const run = promisify(execFile);

describe("the harness's real cluster", () => {
  test("answers kubectl, keeps its data over a restart of the API server, and knows its users", async () => {
    const cluster = await startRealCluster();
    try {
      const kubectl = async (...args: string[]): Promise<string> =>
        (await run("kubectl", ["--kubeconfig", cluster.kubeconfig, ...args])).stdout;
      await kubectl("create", "configmap", "kept", "--from-literal=a=b", "-n", "default");
      await cluster.restartApiServer();
      expect(await kubectl("get", "configmap", "kept", "-n", "default", "-o", "jsonpath={.data.a}")).toBe(
        "b",
      );
      const nobody = await cluster.kubeconfigFor("nobody", ["nothing"]);
      await expect(run("kubectl", ["--kubeconfig", nobody, "get", "secrets"])).rejects.toThrow("Forbidden");
    } finally {
      await cluster.stop();
    }
  });
});
