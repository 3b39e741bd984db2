import { expect, test } from "vitest";
import { sbomOfPackage } from "./sbom.ts";

test("a bill is of the package, with what npm installs and what its programs hold", () => {
  const self = { name: "rooms", purl: "pkg:npm/rooms@1.0.0" };
  const shared = { name: "pino", purl: "pkg:npm/pino@10.0.0" };
  const project = {
    bomFormat: "CycloneDX",
    metadata: { component: { name: "consumer" } },
    components: [self, shared],
  };
  const bundled = [
    { name: "pino", version: "10.0.0", license: "MIT" },
    { name: "@fastify/error", version: "4.0.0", license: "MIT" },
  ];
  const bill = sbomOfPackage(project, "rooms", bundled);
  expect(bill).toMatchObject({ bomFormat: "CycloneDX", metadata: { component: self } });
  expect(bill.components.map(({ purl }) => purl)).toEqual([
    "pkg:npm/pino@10.0.0",
    "pkg:npm/%40fastify/error@4.0.0",
  ]);
  expect(() => sbomOfPackage(project, "other", [])).toThrow("does not have other");
});
