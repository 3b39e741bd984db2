import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const dockerfile = read("Dockerfile");

test("the image is built from the Node.js that the tests run on", () => {
  const { devDependencies } = JSON.parse(read("package.json")) as { devDependencies: Record<string, string> };
  expect(dockerfile).toContain(`\nARG NODE_IMAGE=node:${devDependencies["node"]}\n`);
  expect(process.versions.node).toBe(devDependencies["node"]);
});

test("the image has the packages of the lock file, as they have been installed here", () => {
  expect(dockerfile).toContain("\nRUN make setup\n");
  expect(read("Makefile")).toMatch(/npm install .*--no-save\n\tnode hack\/check-installed\.ts\n/);
  const check = join(root, "hack", "check-installed.ts");
  expect(() => execFileSync(process.execPath, [check], { stdio: "pipe" })).not.toThrow();
});

test("the image's user is root, as whom kubeadm's files can be read", () => {
  const users = [...dockerfile.matchAll(/^USER (\S+)$/gm)].map(([, user]) => user);
  expect(users.at(-1)).toBe("0:0");
  const { spec } = load(read("deploy/base/deployment.yaml")) as {
    spec: { template: { spec: { securityContext: unknown } } };
  };
  expect(spec.template.spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 65_532 });
});

test("no inspector can be opened from outside", () => {
  const [, flags = ""] = /echo '#!\/usr\/local\/bin\/node ([^']*)'/.exec(dockerfile) ?? [];
  expect(flags.split(" ")).toContain("--disable-sigusr1");
  expect(() => execFileSync(process.execPath, [...flags.split(" "), "--eval", ""])).not.toThrow();
});

test("the key of the cluster's CA is mounted for who signs with it, and for nobody else", () => {
  expect(read("deploy/components/signing/kustomization.yaml")).toMatch(/cluster-signing-key-file=.*ca\.key/);
  expect(read("deploy/base/deployment.yaml")).not.toMatch(/ca\.key|cluster-signing/);
});
