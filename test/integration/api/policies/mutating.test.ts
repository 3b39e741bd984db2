import { beforeAll, expect, test } from "vitest";
import { describeApi } from "../api-client.ts";
import { type MutatingCase, mutatingCases } from "./mutating-cases.ts";
import { PolicyStage, told } from "./policy-stage.ts";

const defaultObject = { metadata: { name: "m" } };

describeApi("mutating policies", (api) => {
  const namespaces = new Map<MutatingCase, string>();
  const nameOf = (one: MutatingCase, index: number): string => `case-${mutatingCases.indexOf(one)}-${index}`;
  let stage: PolicyStage;

  beforeAll(async () => {
    stage = new PolicyStage(api());
    for (const one of mutatingCases) {
      const namespace = await api().namespace();
      namespaces.set(one, namespace);
      for (const param of one.params ?? [])
        await api().send("POST", `/api/v1/namespaces/${namespace}/configmaps`, param);
      for (const [index, policy] of one.policies.entries())
        await stage.create("mutating", nameOf(one, index), namespace, policy);
    }
    await stage.settle();
  }, 120_000);

  test.each(mutatingCases.map((one) => [one.name, one] as const))("%s", async (_, one) => {
    const namespace = namespaces.get(one) ?? "";
    const { path = (of: string) => `/api/v1/namespaces/${of}/configmaps`, object = defaultObject } = one;
    const answer = await api().send("POST", path(namespace), object);
    const { refused, expected = {} } = one;
    if (refused === undefined) {
      expect(told(answer)).toEqual({ status: 201 });
      expect(answer.body).toMatchObject(expected);
      return;
    }
    const name = nameOf(one, 0);
    const by = `policy '${name}' with binding '${name}-binding' denied request`;
    const message = refused.message.replace(/^POLICY/, by);
    const { reason = "Invalid" } = refused;
    expect(told(answer)).toEqual({ status: reason === "InternalError" ? 500 : 403, reason, message });
  });
});
