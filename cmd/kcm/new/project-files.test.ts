import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { projectFiles, VERSIONS } from "./project-files.ts";

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const own = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as Manifest;
const manifestOf = (source?: string): Manifest =>
  JSON.parse(
    projectFiles({ name: "web", group: "example.com", kind: "Web", source })["package.json"] ?? "",
  ) as Manifest;

test("a new project has the versions that this package was tested with", () => {
  const { "kube-controller-manager": version, ...tools } = VERSIONS;
  expect(version).toBe(own.version);
  expect(own.devDependencies).toMatchObject(tools);
  expect(manifestOf().dependencies).toEqual({ "kube-controller-manager": `^${own.version}` });
});

test("where the package comes from can be said", () => {
  const source = "file:../kube-controller-manager-0.36.0.tgz";
  expect(manifestOf(source).dependencies).toEqual({ "kube-controller-manager": source });
});
