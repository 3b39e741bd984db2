import { expect, test } from "vitest";
import type { ConfigMap } from "../../pkg/api/types/core-v1.gen.ts";
import { newConfigMap, repairedConfigMap } from "./config-map.ts";

const published = newConfigMap("default", "fake");
const DESCRIPTION = "kubernetes.io/description";

// upstream: pkg/controller/certificates/rootcacertpublisher/publisher_test.go#TestConfigMapUpdateNoHotLoop
test("a map without the description gets it", () => {
  const { annotations: _none, ...metadata } = published.metadata;
  expect(repairedConfigMap({ ...published, metadata }, "fake")).toEqual(published);
});

test.each<[string, string]>([
  ["of its own", published.metadata.annotations?.[DESCRIPTION] ?? ""],
  ["of somebody else's", "different"],
])("a map with the CA and a description %s stays", (_, description) => {
  const metadata = { ...published.metadata, annotations: { [DESCRIPTION]: description } };
  expect(repairedConfigMap({ ...published, metadata }, "fake")).toBeUndefined();
});

test.each<[string, ConfigMap["data"]]>([
  ["another CA", { "ca.crt": "forged" }],
  ["more than the CA", { "ca.crt": "fake", other: "x" }],
  ["nothing", undefined],
])("a map with %s is repaired", (_, data) => {
  const { data: _data, ...rest } = published;
  const map = { ...rest, ...(data && { data }), immutable: false };
  expect(repairedConfigMap(map, "fake")).toEqual({ ...published, immutable: false });
});
