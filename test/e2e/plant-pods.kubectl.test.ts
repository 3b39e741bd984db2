import { spawn } from "node:child_process";
import { once } from "node:events";
import { beforeAll, describe, expect, test } from "vitest";
import { until } from "../harness/until.ts";
import { type CommandResult, kubectls } from "./kcm-process.ts";
import { KubectlStage } from "./kubectl-stage.ts";

const HELLO = "while true; do echo hello; sleep 1; done";

/** What somebody asks about a pod that does not do what it should. */
describe.each(kubectls())("%s and pods of a cluster of kcm up", (path) => {
  const stage = KubectlStage.use(path);
  const { kubectl, output } = stage;
  const typed = async (input: string, ...args: string[]): Promise<CommandResult> => {
    const child = spawn(path, args, { env: { ...process.env, ...stage.env } });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    child.stdin.end(input);
    const [exitCode] = (await once(child, "close")) as [number];
    return { exitCode, stdout, stderr };
  };

  beforeAll(async () => {
    await output("run", "hello", "--image=busybox", "--command", "--", "sh", "-c", HELLO);
    await output("run", "bad", "--image=example.com/does-not-exist:1");
    await output("run", "crash", "--image=busybox", "--command", "--", "sh", "-c", "echo ouch; exit 3");
    await output("wait", "--for=condition=Ready", "pod/hello", "--timeout=60s");
  });

  test("describe tells how a pod has started", async () => {
    await until("the events are there", async () =>
      (await output("describe", "pod", "hello")).includes("Started"),
    );
    const events = (await output("describe", "pod", "hello")).replace(/[^]*\nEvents:/, "");
    const lines = events.split("\n").map((line) => line.trim().replaceAll(/ {2,}/g, "|"));
    expect(lines.slice(3, -1).map((line) => line.replace(/\|\d+s\|/, "|"))).toEqual([
      expect.stringMatching(
        /^Normal\|Scheduled\|default-scheduler\|Successfully assigned default\/hello to node-\d$/,
      ),
      'Normal|Pulling|kubelet|Pulling image "busybox"',
      expect.stringMatching(/^Normal\|Pulled\|kubelet\|.*Successfully pulled image "busybox" in /),
      "Normal|Created|kubelet|Container created",
      "Normal|Started|kubelet|Container started",
    ]);
  });

  test("and why one does not start, or ends again and again", async () => {
    await until("it is put off", async () => /BackOff .*x\d/.test(await output("describe", "pod", "bad")));
    const bad = await output("describe", "pod", "bad");
    expect(bad).toMatch(/Reason: +(ErrImagePull|ImagePullBackOff)/);
    expect(bad).toMatch(/Warning +Failed .*Failed to pull image "example.com\/does-not-exist:1": rpc error/);
    expect(bad).toMatch(/Normal +BackOff .*Back-off pulling image "example.com\/does-not-exist:1"/);
    expect((await output("get", "pod", "bad")).trimEnd().split("\n")[1]).toMatch(
      /^bad +0\/1 +(ErrImagePull|ImagePullBackOff) +0 /,
    );
    const crash = await output("describe", "pod", "crash");
    expect(crash).toMatch(
      /Warning +BackOff .*Back-off restarting failed container crash in pod crash_default/,
    );
    expect(crash).toMatch(/Last State: +Terminated\n +Reason: +Error\n +Exit Code: +3/);
  });

  test("logs: all, the last, with times, as they come, of the run before", async () => {
    await until("it has said something", async () => (await output("logs", "hello")).split("\n").length > 3);
    expect(await output("logs", "hello", "--tail=2")).toBe("hello\nhello\n");
    expect(await output("logs", "hello", "--tail=1", "--timestamps")).toMatch(
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z hello\n$/,
    );
    expect((await output("logs", "hello", "--since=2s")).split("\n").length).toBeLessThanOrEqual(4);
    expect(await output("logs", "hello", "--limit-bytes=8")).toBe("hello\nhe");
    expect(await output("logs", "crash", "-p")).toBe("ouch\n");
    expect((await kubectl("logs", "bad")).stderr).toMatch(
      /^Error from server \(BadRequest\): container "bad" in pod "bad" is waiting to start: (image can't be pulled|trying and failing to pull image)\n$/,
    );
    expect((await kubectl("logs", "hello", "-c", "no")).stderr).toBe(
      "error: container no is not valid for pod hello\n",
    );
    const child = spawn(path, ["logs", "-f", "--tail=0", "hello"], { env: { ...process.env, ...stage.env } });
    let followed = "";
    child.stdout.on("data", (chunk: Buffer) => (followed += chunk.toString()));
    await until("it goes on", () => followed.split("\n").length > 3);
    child.kill("SIGKILL");
    await once(child, "close");
    expect(followed).toMatch(/^(hello\n)+$/);
  });

  test("a log follows its container to the end", async () => {
    const script = "echo one; sleep 2; echo two";
    const args = ["--image=busybox", "--restart=Never", "--command", "--", "sh", "-c", script];
    await output("run", "short", ...args);
    await output("wait", "--for=condition=Ready", "pod/short", "--timeout=60s");
    expect(await output("logs", "-f", "short")).toBe("one\ntwo\n");
  });

  test("exec runs simple commands, and ends as they do", async () => {
    expect(await output("exec", "hello", "--", "echo", "it", "works")).toBe("it works\n");
    expect(await output("exec", "hello", "--", "hostname")).toBe("hello\n");
    expect(
      await output("exec", "hello", "--", "sh", "-c", 'false || echo "I am $HOSTNAME"; true && pwd'),
    ).toBe("I am hello\n/\n");
    expect(await typed("a\nb\n", "exec", "-i", "hello", "--", "cat")).toEqual({
      exitCode: 0,
      stdout: "a\nb\n",
      stderr: "",
    });
    expect((await typed("echo typed\nexit 4\n", "exec", "-i", "hello", "--", "sh")).stdout).toBe("typed\n");
    expect(await kubectl("exec", "hello", "--", "sh", "-c", "exit 7")).toMatchObject({
      exitCode: 7,
      stderr: "command terminated with exit code 7\n",
    });
    const missing = await kubectl("exec", "hello", "--", "psql");
    expect(missing.exitCode).toBe(127);
    expect(missing.stderr).toContain("sh: psql: not found");
    const bad = await kubectl("exec", "bad", "--", "true");
    expect(bad).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('container not found ("bad")') as string,
    });
  });

  test("attach shows what is written", async () => {
    const child = spawn(path, ["attach", "hello"], { env: { ...process.env, ...stage.env } });
    let shown = "";
    child.stdout.on("data", (chunk: Buffer) => (shown += chunk.toString()));
    await until("it is shown", () => shown.includes("hello\nhello\n"));
    child.kill("SIGKILL");
    await once(child, "close");
  });

  test("who may only look may not run commands", async () => {
    await output("create", "role", "looks", "--verb=get", "--resource=pods,pods/log,pods/exec");
    await output("create", "rolebinding", "looks", "--role=looks", "--user=jane");
    expect(await output("logs", "hello", "--tail=1", "--as=jane")).toBe("hello\n");
    const { exitCode, stderr } = await kubectl("exec", "hello", "--as=jane", "--", "true");
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('pods "hello" is forbidden')]);
  });

  test("top shows what is used, of nodes, pods and containers", async () => {
    await output("annotate", "pod", "hello", "kcm.dev/cpu=250m", "kcm.dev/memory=64Mi");
    await output("label", "pod", "hello", "app=hello");
    expect(await output("top", "pod", "-l", "app=hello", "--no-headers")).toMatch(/^hello +250m +64Mi *\n$/);
    expect(await output("top", "pod", "hello", "--containers", "--no-headers")).toMatch(
      /^hello +hello +250m +64Mi/,
    );
    const nodes = (await output("top", "nodes")).trimEnd().split("\n");
    expect(nodes[0]).toMatch(/^NAME +CPU\(cores\) +CPU\(%\) +MEMORY\(bytes\) +MEMORY\(%\)/);
    expect(
      nodes
        .slice(1)
        .map((line) => line.replace(/ .*/, ""))
        .toSorted(),
    ).toEqual(["node-0", "node-1", "node-2"]);
    expect(await output("get", "apiservice", "v1beta1.metrics.k8s.io", "--no-headers")).toMatch(
      /^v1beta1\.metrics\.k8s\.io +kube-system\/metrics-server +True /,
    );
    expect(await output("api-resources", "--api-group=metrics.k8s.io", "--no-headers")).toMatch(
      /^nodes +metrics\.k8s\.io\/v1beta1 +false +NodeMetrics\npods +metrics\.k8s\.io\/v1beta1 +true +PodMetrics/,
    );
    await output("create", "rolebinding", "sees", "--clusterrole=view", "--user=joe");
    await until(
      "joe may see it",
      async () => (await kubectl("top", "pod", "hello", "--as=joe")).exitCode === 0,
    );
  });
});
