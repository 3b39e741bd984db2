import { expect, test } from "vitest";
import type { Stored } from "../../../pkg/api/object.ts";
import type { V1beta1ClusterTrustBundle } from "../../../pkg/api/types/certificates-v1beta1.gen.ts";
import { stored } from "../../../test/harness/stored.ts";
import { bundleName, planBundles } from "./bundle-plan.ts";

const SIGNER = "test.test/testSigner";
const NAME = bundleName(SIGNER, "0123456789abcdef0123456789abcdef");
const wanted = { name: NAME, signerName: SIGNER, trustBundle: "the CA" };
const bundle = (name: string, trustBundle: string, signerName = SIGNER): Stored<V1beta1ClusterTrustBundle> =>
  stored<V1beta1ClusterTrustBundle>({
    metadata: { name, uid: name },
    spec: { ...(signerName !== "" && { signerName }), trustBundle },
  });

test("a bundle is named after its signer and what is in it", () => {
  expect(NAME).toBe("test.test:testSigner:0123456789abcdef01234567");
});

// upstream: pkg/controller/certificates/clustertrustbundlepublisher/publisher_test.go#TestCTBPublisherSync
test.each<[string, readonly ReturnType<typeof bundle>[], string]>([
  ["no bundles exist", [], "create"],
  ["none for the signer exist", [bundle("nosigner", "x", ""), bundle("signer:one", "y", "signer")], "create"],
  ["one of other contents exists", [bundle(NAME, "old")], "update"],
  ["there are several", [bundle(NAME, "the CA"), bundle("name2", "the CA")], "remove name2"],
  [
    "there are several, and the right one is wrong",
    [bundle(NAME, "old"), bundle("name2", "the CA")],
    "update, remove name2",
  ],
  ["one of another name exists", [bundle("preexisting", "the CA")], "create, remove preexisting"],
  [
    "all is as it should be",
    [bundle("nosigner", "x", ""), bundle("signer:one", "y", "signer"), bundle(NAME, "the CA")],
    "",
  ],
])("%s", (_, bundles, expected) => {
  const { create, update, remove } = planBundles(bundles, wanted);
  const steps = [
    ...(create === undefined ? [] : ["create"]),
    ...(update === undefined ? [] : ["update"]),
    ...remove.map(({ metadata }) => `remove ${metadata.name}`),
  ];
  expect(steps.join(", ")).toBe(expected);
  expect(create ?? update ?? bundle(NAME, "the CA")).toMatchObject({
    metadata: { name: NAME },
    spec: { signerName: SIGNER, trustBundle: "the CA" },
  });
});

test("what else others have set in a bundle stays", () => {
  const found = { ...bundle(NAME, "old"), metadata: { ...bundle(NAME, "old").metadata, labels: { a: "b" } } };
  expect(planBundles([found], wanted).update?.metadata).toEqual(found.metadata);
});
