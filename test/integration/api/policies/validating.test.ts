import { beforeAll, expect, test } from "vitest";
import { describeApi } from "../api-client.ts";
import { PolicyStage, told } from "./policy-stage.ts";
import { type ValidatingCase, validatingCases } from "./validating-cases.ts";

const defaultObject = { metadata: { name: "test-foobar" } };

describeApi("validating policies", (api) => {
  const namespaces = new Map<ValidatingCase, string>();
  const nameOf = (one: ValidatingCase): string => `case-${validatingCases.indexOf(one)}`;

  beforeAll(async () => {
    const stage = new PolicyStage(api());
    for (const one of validatingCases) {
      const namespace = await api().namespace();
      namespaces.set(one, namespace);
      for (const param of one.params ?? [])
        await api().send("POST", `/api/v1/namespaces/${namespace}/configmaps`, param);
      await stage.create("validating", nameOf(one), namespace, one.policy);
    }
    await stage.settle();
  }, 120_000);

  test.each(validatingCases.map((one) => [one.name, one] as const))("%s", async (_, one) => {
    const namespace = namespaces.get(one) ?? "";
    const { path = (of: string) => `/api/v1/namespaces/${of}/configmaps`, object = defaultObject } = one;
    const answer = await api().send("POST", path(namespace), object);
    const { message, reason = "Invalid", status = 422, warnings } = one;
    const name = nameOf(one);
    const by = `ValidatingAdmissionPolicy '${name}'`;
    const why = message
      ?.replace(/^WHO/, `${by} with binding '${name}-binding' denied request`)
      .replace(/^POLICY/, `${by} denied request`);
    const what =
      one.path === undefined ? 'configmaps "test-foobar"' : 'horizontalpodautoscalers.autoscaling "h"';
    const given = warnings?.map((warning) => `299 - "${warning.replaceAll("NAME", name)}"`);
    expect(told(answer)).toEqual({
      status: why === undefined ? 201 : status,
      ...(why === undefined ? {} : { reason, message: `${what} is forbidden: ${why}` }),
      ...(given === undefined ? {} : { warnings: [given.join(", ")] }),
    });
    if (why !== undefined) expect(answer.body.details["causes"]).toEqual([{ message: why }]);
  });
});
