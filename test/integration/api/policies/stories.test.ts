import { expect, test } from "vitest";
import { until } from "../../../harness/until.ts";
import { type ApiClient, describeApi } from "../api-client.ts";
import {
  applying,
  bindings,
  inNamespace,
  type Json,
  policies,
  PolicyStage,
  rule,
  told,
} from "./policy-stage.ts";

const fails = (expression = "false"): Json => ({ validations: [{ expression }] });
const configMap = (name: string, data: Json = {}): Json => ({ metadata: { name }, data });

/** Resolves when a ConfigMap of this name is refused, or taken. */
async function untilStatus(api: ApiClient, path: string, name: string, status: number): Promise<void> {
  await until(
    `${name} is answered with ${status}`,
    async () => {
      const answer = await api.send("POST", `${path}?dryRun=All`, configMap(name));
      return answer.status === status;
    },
    LIMIT_MS,
  );
}

/** The real server looks for new kinds twice a minute. */
const LIMIT_MS = 120_000;

/** upstream: test/integration/apiserver/cel/validatingadmissionpolicy_test.go */
describeApi("policies that change", (api) => {
  test("a policy counts while it is there and bound", async () => {
    const namespace = await api().namespace();
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const stage = new PolicyStage(api());
    await stage.create("validating", "comes", namespace, { spec: fails() });
    await untilStatus(api(), path, "a", 422);
    await api().send("DELETE", `${policies("validating")}/comes`);
    await untilStatus(api(), path, "a", 201);
    await api().send("POST", policies("validating"), {
      metadata: { name: "comes" },
      spec: { matchConstraints: { resourceRules: [rule(["configmaps"])] }, ...fails("1 == 2") },
    });
    await untilStatus(api(), path, "a", 422);
    const { body } = await api().send("POST", path, configMap("a"));
    expect(body.message).toContain("failed expression: 1 == 2");
    await api().send("DELETE", `${bindings("validating")}/comes-binding`);
    await untilStatus(api(), path, "a", 201);
    await stage.bind("validating", "comes-again", { policyName: "comes", ...inNamespace(namespace) });
    await untilStatus(api(), path, "a", 422);
  });

  test("params count as they are now", async () => {
    const namespace = await api().namespace();
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    await api().send("POST", path, configMap("limit", { prefix: "x" }));
    await new PolicyStage(api()).create("validating", "limited", namespace, {
      spec: {
        paramKind: { apiVersion: "v1", kind: "ConfigMap" },
        ...fails("object.metadata.name.startsWith(params.data.prefix)"),
      },
      binding: { paramRef: { name: "limit", parameterNotFoundAction: "Deny" } },
    });
    await untilStatus(api(), path, "a", 422);
    expect((await api().send("POST", `${path}?dryRun=All`, configMap("x"))).status).toBe(201);
    await api().patch(`${path}/limit`, "merge", { data: { prefix: "a" } });
    await untilStatus(api(), path, "a", 201);
    await api().send("DELETE", `${path}/limit`);
    await untilStatus(api(), path, "a", 422);
    expect(told(await api().send("POST", path, configMap("a")))["message"]).toContain(
      "no params found for policy binding with `Deny` parameterNotFoundAction",
    );
    await api().patch(`${bindings("validating")}/limited-binding`, "merge", {
      spec: { paramRef: { parameterNotFoundAction: "Allow" } },
    });
    await untilStatus(api(), path, "a", 201);
  });

  test("params and objects may be custom resources", async () => {
    const namespace = await api().namespace();
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const openAPIV3Schema = {
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: {
            prefix: { type: "string" },
            list: {
              type: "array",
              items: {
                type: "object",
                required: ["name"],
                properties: { name: { type: "string" }, size: { type: "integer" } },
              },
              "x-kubernetes-list-type": "map",
              "x-kubernetes-list-map-keys": ["name"],
            },
          },
        },
      },
    };
    await api().send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      metadata: { name: "limits.policies.example.com" },
      spec: {
        group: "policies.example.com",
        scope: "Namespaced",
        names: { plural: "limits", singular: "limit", kind: "Limit", listKind: "LimitList" },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }],
      },
    });
    const limits = `/apis/policies.example.com/v1/namespaces/${namespace}/limits`;
    const limit = {
      apiVersion: "policies.example.com/v1",
      kind: "Limit",
      metadata: { name: "l" },
      spec: { prefix: "x", list: [{ name: "a", size: 1 }] },
    };
    await until(
      "limits are served",
      async () => (await api().send("POST", limits, limit)).status === 201,
      LIMIT_MS,
    );
    const stage = new PolicyStage(api());
    await stage.create("validating", "custom", namespace, {
      spec: {
        paramKind: { apiVersion: "policies.example.com/v1", kind: "Limit" },
        validations: [
          {
            expression: "object.metadata.name.startsWith(params.spec.prefix)",
            messageExpression: "params.kind + ' wants ' + params.spec.prefix",
          },
        ],
      },
      binding: { paramRef: { name: "l", parameterNotFoundAction: "Deny" } },
    });
    await until(
      "the policy knows the kind",
      async () => {
        const answer = await api().send("POST", `${path}?dryRun=All`, configMap("a"));
        return answer.status >= 400 && answer.body.message.endsWith("denied request: Limit wants x");
      },
      LIMIT_MS,
    );
    await stage.create("mutating", "custom", namespace, {
      spec: {
        matchConstraints: { resourceRules: [rule(["limits"], ["CREATE", "UPDATE"])] },
        mutations: [
          applying(
            "Object{spec: Object.spec{list: [Object.spec.list{name: 'a', size: object.spec.list[0].size + 1}, Object.spec.list{name: 'b'}]}}",
          ),
        ],
      },
    });
    await until(
      "limits are changed",
      async () => {
        const answer = await api().patch(`${limits}/l?dryRun=All`, "merge", {
          metadata: { labels: { a: "b" } },
        });
        return JSON.stringify(answer.body.spec["list"]) === '[{"name":"a","size":2},{"name":"b"}]';
      },
      LIMIT_MS,
    );
    // Definitions may go while policies speak of them.
    await api().send("DELETE", `${policies("mutating")}/custom`);
    await api().send("DELETE", `${policies("validating")}/custom`);
  });

  test("updates, deletions, statuses and connections are requests, too", async () => {
    const namespace = await api().namespace();
    const path = `/api/v1/namespaces/${namespace}`;
    await api().send("POST", `${path}/configmaps`, configMap("kept"));
    await api().send("POST", `${path}/pods`, {
      metadata: { name: "p" },
      spec: { containers: [{ name: "c", image: "i" }] },
    });
    await new PolicyStage(api()).create("validating", "later", namespace, {
      spec: {
        matchConstraints: {
          resourceRules: [
            rule(["configmaps"], ["UPDATE", "DELETE"]),
            rule(["pods/status"], ["UPDATE"]),
            rule(["pods/exec"], ["CONNECT"]),
            rule(["pods/eviction", "serviceaccounts/token"], ["CREATE"]),
          ],
        },
        validations: [
          {
            expression: "false",
            messageExpression:
              "request.operation + ' ' + request.resource.resource + '/' + request.?subResource.orValue('') + ' ' + " +
              "request.kind.kind + ' ' + string(object == null) + ' ' + string(oldObject == null) + ' ' + request.?name.orValue('all')",
          },
        ],
      },
    });
    const why = async (method: string, rest: string, body?: unknown, type?: string): Promise<string> => {
      const headers = type === undefined ? {} : { "content-type": type };
      const answer = await api().send(method, `${path}/${rest}`, body, headers);
      return answer.body.message.replace(/^.*denied request: /, "");
    };
    await until(
      "the policy counts",
      async () => (await api().send("DELETE", `${path}/configmaps/kept?dryRun=All`)).status === 422,
    );
    expect([
      await why("PATCH", "configmaps/kept", { data: { a: "b" } }, "application/merge-patch+json"),
      await why("DELETE", "configmaps/kept"),
      await why("DELETE", "configmaps"),
      await why("PATCH", "pods/p/status", { status: { phase: "Failed" } }, "application/merge-patch+json"),
      await why("POST", "pods/p/exec?command=ls&stdout=true"),
      await why("POST", "pods/p/eviction", { metadata: { name: "p" } }),
      await why("POST", "serviceaccounts/default/token", { spec: {} }),
    ]).toEqual([
      "UPDATE configmaps/ ConfigMap false false kept",
      "DELETE configmaps/ ConfigMap true false kept",
      "DELETE configmaps/ ConfigMap true false all",
      "UPDATE pods/status Pod false false p",
      "CONNECT pods/exec PodExecOptions false true p",
      "CREATE pods/eviction Eviction false true p",
      "CREATE serviceaccounts/token TokenRequest false true default",
    ]);
  });

  test("policies are not about policies, nor about reviews", async () => {
    const stage = new PolicyStage(api());
    const who = {
      resourceRules: [
        rule(["validatingadmissionpolicies", "*reviews", "selfsubjectaccessreviews", "configmaps"]),
      ],
    };
    const namespace = await api().namespace();
    await api().send("POST", policies("validating"), {
      metadata: { name: "exempt" },
      spec: {
        matchConstraints: who,
        matchConditions: [{ name: "a", expression: `object.metadata.?name.orValue('') in ['exempted', '']` }],
        ...fails(),
      },
    });
    await stage.bind("validating", "exempt", { policyName: "exempt" });
    await untilStatus(api(), `/api/v1/namespaces/${namespace}/configmaps`, "exempted", 422);
    const review = await api().send("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
      spec: { resourceAttributes: { verb: "get", resource: "pods" } },
    });
    const policy = await api().send("POST", `${policies("validating")}?dryRun=All`, {
      metadata: { name: "exempted" },
      spec: { matchConstraints: who, ...fails() },
    });
    await api().send("DELETE", `${policies("validating")}/exempt`);
    expect([review.status, policy.status]).toEqual([201, 201]);
  });
});
