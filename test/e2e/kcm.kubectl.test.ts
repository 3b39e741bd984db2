import { writeFile } from "node:fs/promises";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { kubectls } from "./kcm-process.ts";
import { KubectlStage } from "./kubectl-stage.ts";

const manifest = (value: string): string =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "conf" }, data: { a: value } });

/** What somebody does who has heard of Kubernetes and tries it out, in that order. */
describe.each(kubectls())("%s at work on a cluster of kcm up", (path) => {
  const stage = KubectlStage.use(path);
  const { kubectl, output } = stage;

  const refusal = async (...args: string[]): Promise<string> => {
    const { exitCode, stderr } = await kubectl(...args);
    expect(exitCode).toBe(1);
    return stderr;
  };
  /** The columns of a table's head, and its rows by their first column. */
  const table = async (...args: string[]): Promise<{ head: string; rows: string[][] }> => {
    const [head = "", ...lines] = (await output(...args)).trimEnd().split("\n");
    return {
      head: head.trim().replaceAll(/ {2,}/g, "|"),
      rows: lines.map((line) => line.trim().split(/ {2,}/)),
    };
  };

  test("version and cluster-info know the server", async () => {
    expect(await output("version")).toMatch(/Server Version: v1\.36/);
    expect(await output("cluster-info")).toMatch(/control plane.* is running at .*https:\/\/127\.0\.0\.1/);
    expect(await output("get", "--raw", "/readyz")).toBe("ok");
  });

  test("get nodes, namespaces and the workload that was there from the start", async () => {
    const nodes = await table("get", "nodes");
    expect(nodes.head).toBe("NAME|STATUS|ROLES|AGE|VERSION");
    expect(nodes.rows.map(([name, status]) => `${name} ${status}`)).toEqual([
      "node-0 Ready",
      "node-1 Ready",
      "node-2 Ready",
    ]);
    expect((await table("get", "namespaces")).rows.map(([name]) => name)).toEqual([
      "default",
      "kube-node-lease",
      "kube-public",
      "kube-system",
    ]);
    const web = await table("get", "deployment", "web");
    expect(web.rows).toEqual([["web", "3/3", "3", "3", expect.stringMatching(/^\d+s$/)]]);
  });

  test("create deployment and rollout status", async () => {
    expect(await output("create", "deployment", "shop", "--image=nginx:1.27", "--replicas=2")).toBe(
      "deployment.apps/shop created\n",
    );
    expect(await output("rollout", "status", "deployment/shop", "--timeout=60s")).toContain(
      'deployment "shop" successfully rolled out',
    );
    expect(await refusal("create", "deployment", "shop", "--image=x")).toBe(
      'error: failed to create deployment: deployments.apps "shop" already exists\n',
    );
  });

  test("get shows the columns that people know", async () => {
    expect((await table("get", "deployments")).head).toBe("NAME|READY|UP-TO-DATE|AVAILABLE|AGE");
    expect((await table("get", "deployments", "-o", "wide")).head).toBe(
      "NAME|READY|UP-TO-DATE|AVAILABLE|AGE|CONTAINERS|IMAGES|SELECTOR",
    );
    expect((await table("get", "replicasets", "-o", "wide")).head).toBe(
      "NAME|DESIRED|CURRENT|READY|AGE|CONTAINERS|IMAGES|SELECTOR",
    );
    expect((await table("get", "pods", "-o", "wide")).head).toBe(
      "NAME|READY|STATUS|RESTARTS|AGE|IP|NODE|NOMINATED NODE|READINESS GATES",
    );
    const pods = await table("get", "pods", "-l", "app=shop");
    expect(pods.rows).toHaveLength(2);
    for (const [name, ready, status, restarts] of pods.rows) {
      expect(name).toMatch(/^shop-[a-z0-9]+-[a-z0-9]{5}$/);
      expect([ready, status, restarts]).toEqual(["1/1", "Running", "0"]);
    }
    expect((await table("get", "services")).head).toBe("NAME|TYPE|CLUSTER-IP|EXTERNAL-IP|PORT(S)|AGE");
    expect((await table("get", "events")).head).toBe("LAST SEEN|TYPE|REASON|OBJECT|MESSAGE");
    expect((await table("get", "pods", "-A")).head).toBe("NAMESPACE|NAME|READY|STATUS|RESTARTS|AGE");
    expect(await output("get", "pods", "--field-selector", "status.phase=Failed", "-o", "name")).toBe("");
  });

  test("scale and wait", async () => {
    expect(await output("scale", "deployment/shop", "--replicas=4")).toBe("deployment.apps/shop scaled\n");
    const ready = "--for=jsonpath={.status.readyReplicas}=4";
    expect(await output("wait", ready, "deployment/shop", "--timeout=60s")).toBe(
      "deployment.apps/shop condition met\n",
    );
    expect(await output("wait", "--for=condition=Available", "deployment/shop", "--timeout=60s")).toBe(
      "deployment.apps/shop condition met\n",
    );
    expect(await refusal("wait", "--for=condition=Never", "deployment/shop", "--timeout=1s")).toContain(
      "timed out waiting for the condition on deployments/shop",
    );
  });

  test("set image, rollout history and undo", async () => {
    const image = async (): Promise<string> =>
      output("get", "deployment", "shop", "-o", "jsonpath={.spec.template.spec.containers[0].image}");
    await output("set", "image", "deployment/shop", "nginx=nginx:1.28");
    await output("rollout", "status", "deployment/shop", "--timeout=60s");
    expect(await image()).toBe("nginx:1.28");
    expect(await output("rollout", "history", "deployment/shop")).toMatch(
      /REVISION {2}CHANGE-CAUSE\n1 +<none>\n2 +<none>\n/,
    );
    expect(await output("rollout", "history", "deployment/shop", "--revision=2")).toMatch(
      /Image:\s+nginx:1\.28/,
    );
    expect(await output("rollout", "undo", "deployment/shop")).toBe("deployment.apps/shop rolled back\n");
    await output("rollout", "status", "deployment/shop", "--timeout=60s");
    expect(await image()).toBe("nginx:1.27");
    expect(await output("rollout", "history", "deployment/shop")).toMatch(/\n2 +<none>\n3 +<none>\n/);
  });

  test("expose", async () => {
    await output("expose", "deployment", "shop", "--port=80", "--target-port=8080");
    const service = await table("get", "service", "shop");
    expect(service.rows[0]?.slice(0, 2)).toEqual(["shop", "ClusterIP"]);
    expect(service.rows[0]?.[2]).toMatch(/^10\.96\.\d+\.\d+$/);
    expect(service.rows[0]?.[4]).toBe("80/TCP");
  });

  test("explain", async () => {
    const strategy = await output("explain", "deployment.spec.strategy");
    expect(strategy).toMatch(/GROUP: +apps\nKIND: +Deployment\nVERSION: +v1/);
    expect(strategy).toMatch(/rollingUpdate\s+<RollingUpdateDeployment>/);
    expect(await output("explain", "pod.spec.containers", "--recursive")).toMatch(
      /readinessProbe\s+<Probe>\s+exec\s+<ExecAction>/,
    );
    expect(await refusal("explain", "pod.spec.nonsense")).toContain('field "nonsense" does not exist');
  });

  test("describe", async () => {
    const deployment = await output("describe", "deployment", "shop");
    expect(deployment).toMatch(
      /Replicas: +4 desired \| 4 updated \| 4 total \| 4 available \| 0 unavailable/,
    );
    expect(deployment).toMatch(/Available +True +MinimumReplicasAvailable/);
    expect(deployment).toMatch(/Normal +ScalingReplicaSet .* deployment-controller +Scaled up replica set/);
    const [pod = ""] = (await output("get", "pods", "-l", "app=shop", "-o", "name")).split("\n");
    expect(await output("describe", pod)).toMatch(/Controlled By: +ReplicaSet\/shop-/);
    // Events are written behind the work that they tell of.
    await expect
      .poll(async () => output("describe", pod))
      .toMatch(/Normal +Scheduled .* default-scheduler +Successfully assigned default\/shop-/);
    expect(await output("describe", "node", "node-0")).toMatch(/Ready +True .* KubeletReady/);
    expect(await output("describe", "service", "shop")).toMatch(/TargetPort: +8080\/TCP/);
  });

  test("apply --server-side, diff, and the conflict of a second applier", async () => {
    const file = join(stage.directory, "conf.json");
    await writeFile(file, manifest("1"));
    expect(await output("apply", "--server-side", "-f", file)).toBe("configmap/conf serverside-applied\n");
    expect(await output("diff", "--server-side", "-f", file)).toBe("");
    await writeFile(file, manifest("2"));
    const difference = await kubectl("diff", "--server-side", "-f", file);
    expect(difference.exitCode).toBe(1);
    expect(difference.stdout).toMatch(/-\s+a: "1"\n\+\s+a: "2"/);
    expect(await refusal("apply", "--server-side", "--field-manager=other", "-f", file)).toContain(
      'Apply failed with 1 conflict: conflict with "kubectl": .data.a',
    );
    await output("apply", "--server-side", "--field-manager=other", "--force-conflicts", "-f", file);
    expect(await output("get", "configmap", "conf", "-o", "jsonpath={.data.a}")).toBe("2");
    const managers = await output(
      "get",
      "configmap",
      "conf",
      "--show-managed-fields",
      "-o",
      "jsonpath={.metadata.managedFields[*].manager}",
    );
    expect(managers).toBe("other");
  });

  test("apply, edit by patch, label and replace", async () => {
    const file = join(stage.directory, "plain.json");
    await writeFile(file, manifest("1").replace("conf", "plain"));
    expect(await output("apply", "-f", file)).toBe("configmap/plain created\n");
    expect(await output("apply", "-f", file)).toBe("configmap/plain unchanged\n");
    await writeFile(file, manifest("2").replace("conf", "plain"));
    expect((await kubectl("diff", "-f", file)).stdout).toMatch(/\+\s+a: "2"/);
    expect(await output("apply", "-f", file)).toBe("configmap/plain configured\n");
    expect(await output("patch", "configmap", "plain", "-p", '{"data":{"b":"3"}}')).toContain("patched");
    expect(await output("label", "configmap", "plain", "team=x")).toContain("labeled");
    expect(await output("get", "configmap", "-l", "team=x", "-o", "jsonpath={.items[0].data}")).toBe(
      '{"a":"2","b":"3"}',
    );
    expect(await output("replace", "-f", file)).toBe("configmap/plain replaced\n");
    await writeFile(file, manifest("2").replace('"data"', '"dat"'));
    expect(await refusal("create", "-f", file)).toMatch(/unknown field "dat"/);
  });

  test("events", async () => {
    const events = await output("events", "--for", "deployment/shop");
    expect(events).toMatch(/^LAST SEEN +TYPE +REASON +OBJECT +MESSAGE\n/);
    expect(events).toMatch(/Normal +ScalingReplicaSet +Deployment\/shop +Scaled up replica set/);
  });

  test("get -w follows pods from one life to the next", async () => {
    const env = { ...process.env, ...stage.env };
    const watch = spawn(path, ["get", "pods", "-l", "app=shop", "-w"], { env });
    const closed = once(watch, "close");
    let seen = "";
    watch.stdout.on("data", (chunk: Buffer) => (seen += chunk.toString()));
    await expect.poll(() => seen.match(/1\/1 +Running/g)?.length).toBe(4);
    const [victim = ""] = (await output("get", "pods", "-l", "app=shop", "-o", "name")).split("\n");
    expect(await output("delete", victim)).toContain(`pod "${victim.slice(4)}" deleted`);
    const isBorn = (): boolean =>
      /0\/1 +Pending[^]*1\/1 +Running/.test(seen.slice(seen.indexOf("Terminating")));
    await expect.poll(() => seen.includes("Terminating") && isBorn()).toBe(true);
    watch.kill();
    await closed;
  });

  test("auth can-i, also in the name of others", async () => {
    expect(await output("auth", "can-i", "create", "deployments")).toBe("yes\n");
    expect((await kubectl("auth", "can-i", "create", "deployments", "--as=bob")).stdout).toBe("no\n");
    expect(await output("auth", "whoami", "-o", "jsonpath={.status.userInfo.username}")).toBe(
      "kubernetes-admin",
    );
    await output("create", "role", "reader", "--verb=get,list", "--resource=pods");
    await output("create", "rolebinding", "bob", "--role=reader", "--user=bob");
    expect(await output("auth", "can-i", "list", "pods", "--as=bob")).toBe("yes\n");
    await output("get", "pods", "--as=bob");
    expect(await refusal("get", "secrets", "--as=bob")).toBe(
      'Error from server (Forbidden): secrets is forbidden: User "bob" cannot list resource "secrets" in API group "" in the namespace "default"\n',
    );
  });

  test("create token: a service account may do what its role says", async () => {
    await output("create", "serviceaccount", "robot");
    await output("create", "rolebinding", "robot", "--role=reader", "--serviceaccount=default:robot");
    const token = (await output("create", "token", "robot")).trim();
    const url = (await output("config", "view", "-o", "jsonpath={.clusters[0].cluster.server}")).trim();
    const asRobot = [
      `--server=${url}`,
      `--token=${token}`,
      "--insecure-skip-tls-verify",
      "--kubeconfig=/dev/null",
    ];
    expect(await output(...asRobot, "get", "pods", "-o", "name")).toMatch(/^pod\/shop-/m);
    expect(await refusal(...asRobot, "get", "nodes")).toContain(
      'User "system:serviceaccount:default:robot" cannot list resource "nodes"',
    );
  });

  test("create job and cronjob", async () => {
    expect(await output("create", "job", "pi", "--image=perl", "--", "sleep", "1")).toBe(
      "job.batch/pi created\n",
    );
    await output("create", "cronjob", "hourly", "--image=busybox", "--schedule=0 * * * *", "--", "date");
    await output("create", "job", "once", "--from=cronjob/hourly");
    const jobs = await table("get", "jobs");
    expect(jobs.head).toBe("NAME|STATUS|COMPLETIONS|DURATION|AGE");
    expect(jobs.rows.map(([name]) => name)).toEqual(["once", "pi"]);
    const cronJobs = await table("get", "cronjobs");
    expect(cronJobs.head).toBe("NAME|SCHEDULE|TIMEZONE|SUSPEND|ACTIVE|LAST SCHEDULE|AGE");
    expect(cronJobs.rows[0]?.slice(0, 4)).toEqual(["hourly", "0 * * * *", "<none>", "False"]);
    expect(await output("describe", "job", "pi")).toMatch(/Completion Mode: +NonIndexed/);
  });

  test("a job runs to its end", async () => {
    await output("wait", "--for=condition=Complete", "job/pi", "--timeout=60s");
    expect((await table("get", "job", "pi")).rows[0]?.slice(0, 3)).toEqual(["pi", "Complete", "1/1"]);
  });

  test("cordon, drain and uncordon a node", async () => {
    const podsOn = async (node: string): Promise<string[]> =>
      (await output("get", "pods", "-A", "--field-selector", `spec.nodeName=${node}`, "-o", "name"))
        .split("\n")
        .filter((line) => /\/(shop|web)-/.test(line));
    const before = await podsOn("node-1");
    expect(before.length).toBeGreaterThan(0);
    expect(await output("cordon", "node-1")).toBe("node/node-1 cordoned\n");
    expect((await table("get", "node", "node-1")).rows[0]?.[1]).toBe("Ready,SchedulingDisabled");
    const drained = await output("drain", "node-1", "--ignore-daemonsets", "--force", "--timeout=60s");
    for (const pod of before) expect(drained).toContain(`${pod} evicted`);
    expect(drained).toContain("node/node-1 drained");
    await output("rollout", "status", "deployment/shop", "--timeout=60s");
    expect(await podsOn("node-1")).toEqual([]);
    expect(await output("uncordon", "node-1")).toBe("node/node-1 uncordoned\n");
  });

  test("a drain waits for a disruption budget", async () => {
    await output("create", "poddisruptionbudget", "shop", "--selector=app=shop", "--min-available=100%");
    // As the disruption controller writes it.
    const status = {
      observedGeneration: 1,
      currentHealthy: 4,
      desiredHealthy: 4,
      expectedPods: 4,
      disruptionsAllowed: 0,
    };
    const patch = ["--subresource=status", "--type=merge", "-p", JSON.stringify({ status })];
    await output("patch", "poddisruptionbudget", "shop", ...patch);
    const path = "jsonpath={.items[*].spec.nodeName}";
    const nodes = await output("get", "pods", "-l", "app=shop", "-o", path);
    const [node = ""] = nodes.split(" ");
    const { exitCode, stderr } = await kubectl("drain", node, "--force", "--timeout=2s");
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/Cannot evict pod as it would violate the pod's disruption budget/);
    await output("uncordon", node);
    await output("delete", "poddisruptionbudget", "shop");
  });

  test("exec answers for a Deployment, and says so when it does not know a command", async () => {
    expect(await output("exec", "deployment/shop", "--", "echo", "hello")).toBe("hello\n");
    const { exitCode, stderr } = await kubectl("exec", "deployment/shop", "--", "no-such-program");
    expect([exitCode, stderr]).toEqual([127, expect.stringContaining("no-such-program")]);
  });

  test("custom resources are served at once", async () => {
    const file = join(stage.directory, "crd.json");
    const schema = {
      openAPIV3Schema: {
        type: "object",
        properties: { spec: { type: "object", properties: { size: { type: "integer", maximum: 9 } } } },
      },
    };
    const definition = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "boxes.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "boxes", singular: "box", kind: "Box", shortNames: ["bx"] },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema,
            additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
          },
        ],
      },
    };
    await writeFile(file, JSON.stringify(definition));
    await output("apply", "-f", file);
    await output("wait", "--for=condition=Established", "crd/boxes.example.com", "--timeout=30s");
    const box = { apiVersion: "example.com/v1", kind: "Box", metadata: { name: "b" }, spec: { size: 3 } };
    await writeFile(file, JSON.stringify(box));
    await output("apply", "-f", file);
    expect((await table("get", "bx")).rows).toEqual([["b", "3"]]);
    await writeFile(file, JSON.stringify({ ...box, spec: { size: 30 } }));
    expect(await refusal("apply", "-f", file)).toMatch(/spec\.size: Invalid value: 30/);
    expect(await output("explain", "box.spec")).toMatch(/size\s+<integer>/);
  });

  test("delete", async () => {
    expect(await output("delete", "service,configmap", "shop", "conf", "--ignore-not-found")).toContain(
      'configmap "conf" deleted',
    );
    expect(await output("delete", "deployment", "shop", "--timeout=60s")).toMatch(
      /^deployment\.apps "shop" deleted/,
    );
    expect(await refusal("get", "deployment", "shop")).toBe(
      'Error from server (NotFound): deployments.apps "shop" not found\n',
    );
  });

  test("what belonged to the deployment goes too", async () => {
    const left = async (): Promise<string> =>
      output("get", "replicasets,pods", "-l", "app=shop", "-o", "name");
    await expect.poll(left).toBe("");
  });
});
