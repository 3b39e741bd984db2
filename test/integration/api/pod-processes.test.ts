import { expect, test, vi } from "vitest";
import { describeApi } from "./api-client.ts";

const pod = {
  metadata: { name: "p" },
  spec: { containers: [{ name: "c", image: "i" }], automountServiceAccountToken: false },
};
const container = (name: string): object => ({ name, image: "i" });
const two = {
  metadata: { name: "two" },
  spec: { ...pod.spec, containers: [container("a"), container("b")], initContainers: [container("i")] },
};

/** What an API server says before it asks a kubelet. */
describeApi("logs and processes of pods", (api) => {
  const place = async (): Promise<string> => {
    const path = `/api/v1/namespaces/${await api().namespace()}/pods`;
    for (const object of [pod, two]) expect((await api().send("POST", path, object)).status).toBe(201);
    return path;
  };

  test("a pod without a node has an empty log", async () => {
    const { status, body } = await api().get(`${await place()}/p/log`);
    expect([status, body]).toEqual([204, ""]);
  });

  test.each<[string, string, number, string]>([
    ["a pod that is not there", "q/log", 404, 'pods "q" not found'],
    ["a container that is not there", "p/log?container=x", 400, "container x is not valid for pod p"],
    [
      "one of several that is not named",
      "two/log",
      400,
      "a container name must be specified for pod two, choose one of: [i a b]",
    ],
    [
      "times that cannot be",
      "p/log?sinceSeconds=-1",
      422,
      'PodLogOptions "p" is invalid: sinceSeconds: Invalid value: -1: must be greater than 0',
    ],
    [
      "lines that cannot be",
      "p/log?tailLines=-1",
      422,
      'PodLogOptions "p" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      "bytes that cannot be",
      "p/log?limitBytes=0",
      422,
      'PodLogOptions "p" is invalid: limitBytes: Invalid value: 0: must be greater than 0',
    ],
  ])("the log of %s is refused", async (_name, path, status, message) => {
    const answer = await api().get(`${await place()}/${path}`);
    expect([answer.status, answer.body.message]).toEqual([status, message]);
  });

  test.each([
    ["without a stream", "exec?command=true"],
    ["without a command", "exec?stdout=true"],
    ["with a command", "exec?stdout=true&command=true"],
    ["with what it runs", "attach?stdout=true"],
  ])("a session %s in a pod without a node is refused", async (_name, path) => {
    const answer = await api().send("POST", `${await place()}/p/${path}`);
    expect([answer.status, answer.body.message]).toEqual([400, "pod p does not have a host assigned"]);
  });

  test("who may only look may not open a session, as WebSockets do by GET", async () => {
    const path = await place();
    const namespace = path.split("/")[4] ?? "";
    const access = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
    const rules = [{ apiGroups: [""], resources: ["pods/exec"], verbs: ["get"] }];
    await api().send("POST", `${access}/roles`, { metadata: { name: "looks" }, rules });
    const subjects = [{ kind: "User", name: "jane", apiGroup: "rbac.authorization.k8s.io" }];
    const roleRef = { kind: "Role", name: "looks", apiGroup: "rbac.authorization.k8s.io" };
    await api().send("POST", `${access}/rolebindings`, { metadata: { name: "looks" }, subjects, roleRef });
    // Roles take a moment to be known on the real server.
    const answer = await vi.waitUntil(async () => {
      const got = await api().get(`${path}/p/exec?stdout=true&command=true`, { "impersonate-user": "jane" });
      return got.body.message.includes("cannot get") ? false : got;
    }, 30_000);
    expect([answer.status, answer.body.message]).toEqual([403, 'pods "p" is forbidden: ']);
  });
});
