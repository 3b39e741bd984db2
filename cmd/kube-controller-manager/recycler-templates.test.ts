import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { resolveOptions } from "./options/resolve.ts";
import { recyclerTemplates } from "./recycler-templates.ts";

let directory = "";
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "kcm-recyclers-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const POD = `
apiVersion: v1
kind: Pod
metadata: { name: scrubber, namespace: tools }
spec:
  volumes: [{ name: disk }]
  containers: [{ name: scrub, image: "scrub:1" }]
`;

function file(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

const templatesOf = (...flags: readonly string[]) =>
  recyclerTemplates(resolveOptions(flags, () => "").options.persistentVolumeBinder);

test("there are none without a file", () => {
  expect(templatesOf()()).toEqual({ hostPath: undefined, nfs: undefined });
});

test.each([
  ["hostPath", "--pv-recycler-pod-template-filepath-hostpath"],
  ["nfs", "--pv-recycler-pod-template-filepath-nfs"],
])("%s has that of %s, as it is when it is asked for", (sort, flag) => {
  const path = file("late.yaml", "not yet");
  const templates = templatesOf(`${flag}=${path}`);
  file("late.yaml", POD);
  expect(templates()).toEqual({
    hostPath: undefined,
    nfs: undefined,
    [sort]: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "scrubber", namespace: "tools" },
      spec: { volumes: [{ name: "disk" }], containers: [{ name: "scrub", image: "scrub:1" }] },
    },
  });
});

test.each([
  ["nothing", "[]", /must hold one object/],
  ["another kind", "apiVersion: v1\nkind: Node\n", /there is no Pod in /],
  ["no volume", "apiVersion: v1\nkind: Pod\nspec: {}\n", /does not contain any volume\(s\)$/],
])("a file with %s is an error that names the flag", (_, text, message) => {
  const flag = "--pv-recycler-pod-template-filepath-nfs";
  const templates = templatesOf(`${flag}=${file("bad.yaml", text)}`);
  expect(templates).toThrow(message);
  expect(templates).toThrow(new RegExp(`^${flag}: `));
});
