import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadAccess } from "./access.ts";
import { identityHeaders } from "./headers.ts";
import type { Access } from "./identity-source.ts";
import { ConfigError } from "./identity-source.ts";
import { parseKubeconfig } from "./kubeconfig.ts";

type Fields = Readonly<Record<string, unknown>>;
const base64 = (text: string): string => Buffer.from(text).toString("base64");

function kubeconfig(cluster: Fields, user: Fields = {}): string {
  return JSON.stringify({
    clusters: [{ name: "c", cluster: { server: "https://api:6443", ...cluster } }],
    users: [{ name: "u", user }],
    contexts: [
      { name: "ctx", context: { cluster: "c", user: "u" } },
      { name: "anonymous", context: { cluster: "c" } },
      { name: "dangling", context: { cluster: "gone", user: "u" } },
    ],
    "current-context": "ctx",
  });
}

const parse = (cluster: Fields, user: Fields = {}, master?: string): Access =>
  parseKubeconfig(kubeconfig(cluster, user), "/etc/kcm/config", master === undefined ? {} : { master });

describe("a kubeconfig", () => {
  test.each<[string, Fields, Fields, Fields]>([
    ["nothing special", {}, {}, {}],
    [
      "data in it",
      { "certificate-authority-data": base64("CA") },
      { "client-certificate-data": base64("CERT"), "client-key-data": base64("KEY") },
      {
        ca: { data: Buffer.from("CA") },
        cert: { data: Buffer.from("CERT") },
        key: { data: Buffer.from("KEY") },
      },
    ],
    [
      "files beside it",
      { "certificate-authority": "ca.crt" },
      { "client-certificate": "/abs/tls.crt", "client-key": "tls.key" },
      { ca: { file: "/etc/kcm/ca.crt" }, cert: { file: "/abs/tls.crt" }, key: { file: "/etc/kcm/tls.key" } },
    ],
    ["a token", {}, { token: "t" }, { token: { data: Buffer.from("t") } }],
    [
      "a token file, which goes before a token",
      {},
      { token: "t", tokenFile: "t" },
      { token: { file: "/etc/kcm/t" } },
    ],
    ["basic auth", {}, { username: "me", password: "pw" }, { basic: { username: "me", password: "pw" } }],
    ["a server name", { "tls-server-name": "other" }, {}, { serverName: "other" }],
    ["no verification", { "insecure-skip-tls-verify": true }, {}, { insecure: true }],
    [
      "impersonation",
      {},
      { as: "bob", "as-uid": "7", "as-groups": ["a", "b"], "as-user-extra": { scopes: ["x", "y"] } },
      { impersonation: { user: "bob", uid: "7", groups: ["a", "b"], extra: { scopes: ["x", "y"] } } },
    ],
    [
      "an exec plugin",
      { "certificate-authority-data": base64("CA") },
      {
        exec: {
          apiVersion: "client.authentication.k8s.io/v1",
          command: "./bin/login",
          args: ["-x"],
          env: [{ name: "A", value: "1" }],
          installHint: "get it",
          interactiveMode: "Never",
          provideClusterInfo: true,
        },
      },
      {
        ca: { data: Buffer.from("CA") },
        exec: {
          apiVersion: "client.authentication.k8s.io/v1",
          command: "/etc/kcm/bin/login",
          args: ["-x"],
          env: { A: "1" },
          installHint: "get it",
          cluster: { server: "https://api:6443", config: null },
          ca: { data: Buffer.from("CA") },
        },
      },
    ],
    [
      "an exec plugin that is told all there is of the cluster",
      {
        "certificate-authority": "ca.crt",
        "tls-server-name": "other",
        "proxy-url": "http://proxy:3128",
        "disable-compression": true,
        extensions: [
          { name: "else", extension: { audience: "not this" } },
          { name: "client.authentication.k8s.io/exec", extension: { audience: "06e3fbd18de8", deep: [1] } },
        ],
      },
      {
        exec: {
          apiVersion: "client.authentication.k8s.io/v1beta1",
          command: "login",
          provideClusterInfo: true,
        },
      },
      {
        ca: { file: "/etc/kcm/ca.crt" },
        serverName: "other",
        exec: {
          apiVersion: "client.authentication.k8s.io/v1beta1",
          command: "login",
          args: [],
          env: {},
          cluster: {
            server: "https://api:6443",
            "tls-server-name": "other",
            "proxy-url": "http://proxy:3128",
            "disable-compression": true,
            config: { audience: "06e3fbd18de8", deep: [1] },
          },
          ca: { file: "/etc/kcm/ca.crt" },
        },
      },
    ],
    [
      "an exec plugin that wants to know nothing",
      { "certificate-authority": "ca.crt" },
      { exec: { apiVersion: "client.authentication.k8s.io/v1", command: "login" } },
      {
        ca: { file: "/etc/kcm/ca.crt" },
        exec: { apiVersion: "client.authentication.k8s.io/v1", command: "login", args: [], env: {} },
      },
    ],
  ])("with %s", async (_, cluster, user, identity) => {
    const access = parse(cluster, user);
    expect(access.server.href).toBe("https://api:6443/");
    expect(access.identity).toEqual(identity);
  });

  test("its proxy and the --master override are URLs", () => {
    const access = parse({ "proxy-url": "http://proxy:3128" }, {}, "10.0.0.1:8080");
    expect(access.proxy?.href).toBe("http://proxy:3128/");
    expect(access.server.href).toBe("http://10.0.0.1:8080/");
  });

  test("an exec plugin is told of the address that --master gives", () => {
    const exec = {
      apiVersion: "client.authentication.k8s.io/v1",
      command: "login",
      provideClusterInfo: true,
    };
    expect(parse({}, { exec }, "https://other:1").identity.exec?.cluster).toEqual({
      server: "https://other:1",
      config: null,
    });
  });

  test("another context may be chosen, one without a user too", () => {
    const text = kubeconfig({}, { token: "t" });
    expect(parseKubeconfig(text, "/c", { context: "anonymous" }).identity).toEqual({});
    expect(() => parseKubeconfig(text, "/c", { context: "dangling" })).toThrow("there is no cluster gone");
    expect(() => parseKubeconfig(text, "/c", { context: "x" })).toThrow("there is no context x");
  });

  test.each<[string, string, RegExp]>([
    ["text that is no YAML", "a: [hush", /kubeconfig \/c: /],
    ["no context", "clusters: []", /there is no current-context/],
    ["an empty file", "", /expected a document/],
    ["a list", "[]", /the file holds no object/],
    ["a list where an object is due", "clusters: {}", /clusters is no list/],
    [
      "both a CA and no verification",
      kubeconfig({ "certificate-authority": "x", "insecure-skip-tls-verify": true }),
      /both a certificate authority and insecure-skip-tls-verify/,
    ],
    [
      "a URL with a bad scheme",
      kubeconfig({ server: "ftp://x" }),
      /the scheme of ftp:\/\/x is not supported/,
    ],
    [
      "a proxy with a bad scheme",
      kubeconfig({ "proxy-url": "ftp://x" }),
      /proxy-url: the scheme of ftp:\/\/x is not supported/,
    ],
    [
      "a certificate without key",
      kubeconfig({}, { "client-certificate": "x" }),
      /only one of client certificate and key/,
    ],
    ["bytes that are no base64", kubeconfig({ "certificate-authority-data": "%hush%" }), /not base64/],
    [
      "an auth provider",
      kubeconfig({}, { "auth-provider": { name: "gcp" } }),
      /auth-provider is not supported/,
    ],
    [
      "exec without command",
      kubeconfig({}, { exec: { apiVersion: "client.authentication.k8s.io/v1" } }),
      /command is missing/,
    ],
    [
      "exec of an old version",
      kubeconfig({}, { exec: { apiVersion: "client.authentication.k8s.io/v1alpha1", command: "x" } }),
      /is not supported/,
    ],
    [
      "a token that is a number",
      "users: [{name: u, user: {token: 12345}}]",
      /users\[0\]\.user\.token is no string/,
    ],
    ["a password that is a number", kubeconfig({}, { password: 12345 }), /user\.password is no string/],
    [
      "a yes in quotes",
      kubeconfig({ "insecure-skip-tls-verify": "true" }),
      /clusters\[0\]\.cluster\.insecure-skip-tls-verify is no boolean/,
    ],
    [
      "a number among the arguments",
      kubeconfig({}, { exec: { command: "x", args: ["a", 7] } }),
      /users\[0\]\.user\.exec\.args\[1\] is no string/,
    ],
    [
      "extra values that are no lists",
      kubeconfig({}, { as: "bob", "as-user-extra": { scopes: "hush" } }),
      /as-user-extra\.scopes is no list/,
    ],
    ["an empty entry", "clusters: [~]", /clusters\[0\] is empty/],
    [
      "a name for two users",
      "users: [{name: u, user: {token: hush}}, {name: v, user: {}}, {name: u, user: {token: hush}}]",
      /users has "u" twice/,
    ],
    ["a name for two clusters", "clusters: [{name: c}, {name: c}]", /clusters has "c" twice/],
    ["a name for two contexts", "contexts: [{name: c}, {name: c}]", /contexts has "c" twice/],
    ["groups without a user to be", kubeconfig({}, { "as-groups": ["a"] }), /need `as`/],
  ])("that has %s is refused in one line", (_, text, message) => {
    let error: unknown;
    try {
      parseKubeconfig(text, "/c");
    } catch (failure) {
      error = failure;
    }
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as Error).message).toMatch(message);
    expect((error as Error).message).not.toMatch(/\n|hush/);
  });
});

test("impersonation and basic auth become headers; a token goes before basic auth", () => {
  const impersonation = {
    user: "bob",
    uid: "7",
    groups: ["a", "b"],
    extra: { "Example.com/Scope": ["x", "y"] },
  };
  expect(identityHeaders({ impersonation, basic: { username: "me", password: "p:w" } }, undefined)).toEqual({
    authorization: `Basic ${base64("me:p:w")}`,
    "impersonate-user": "bob",
    "impersonate-uid": "7",
    "impersonate-group": ["a", "b"],
    "impersonate-extra-example.com%2Fscope": ["x", "y"],
  });
  expect(identityHeaders({ basic: { username: "me", password: "pw" } }, "t")).toEqual({
    authorization: "Bearer t",
  });
});

describe("without a kubeconfig", () => {
  test("the cluster around the Pod is used, IPv6 included", async () => {
    const directory = await mkdtemp(join(tmpdir(), "kcm-sa-"));
    try {
      const env = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" };
      const load = async (): Promise<Access> => loadAccess({ env, serviceAccountDirectory: directory });
      await expect(load()).rejects.toThrow("is not mounted");
      await Promise.all(["token", "ca.crt"].map(async (name) => writeFile(join(directory, name), "x")));
      const access = await load();
      expect(access.server.href).toBe("https://[fd00::1]/");
      expect(access.identity).toEqual({
        token: { file: join(directory, "token") },
        ca: { file: join(directory, "ca.crt") },
      });
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  test("--master alone is enough; nothing at all is an error", async () => {
    expect((await loadAccess({ master: "https://m:1", env: {} })).server.href).toBe("https://m:1/");
    await expect(loadAccess({ env: {} })).rejects.toThrow("neither --kubeconfig nor --master");
    await expect(loadAccess({ kubeconfig: "/nonexistent/x", env: {} })).rejects.toThrow("cannot be read");
    const wrong = "--master: the scheme of ftp://m is not supported";
    await expect(loadAccess({ master: "ftp://m", env: {} })).rejects.toThrow(wrong);
  });
});
