import { expect, test } from "vitest";
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
    expect([status, body]).toEqual([200, ""]);
  });

  test.each<[string, string, number, string]>([
    ["a pod that is not there", "q/log", 404, 'pods "q" not found'],
    ["a container that is not there", "p/log?container=x", 400, "container x is not valid for pod p"],
    [
      "one of several that is not named",
      "two/log",
      400,
      "a container name must be specified for pod two, choose one of: [a b] or one of the init containers: [i]",
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

  test.each<[string, string, number, string]>([
    ["without a stream", "p/exec?command=true", 400, "you must specify at least 1 of stdin, stdout, stderr"],
    ["without a command", "p/exec?stdout=true", 400, "you must specify at least 1 command for the container"],
    [
      "in a pod without a node",
      "p/exec?stdout=true&command=true",
      400,
      "pod p does not have a host assigned",
    ],
    ["to a pod without a node", "p/attach?stdout=true", 400, "pod p does not have a host assigned"],
  ])("a session %s is refused", async (_name, path, status, message) => {
    const answer = await api().send("POST", `${await place()}/${path}`);
    expect([answer.status, answer.body.message]).toEqual([status, message]);
  });
});
