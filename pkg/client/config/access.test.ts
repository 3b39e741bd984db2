import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { KubeConfig } from "@kubernetes/client-node";
import { findAccess, type SearchOptions } from "./access.ts";
import { accessOfKubeConfig, kubeconfigText } from "./client-node.ts";
import type { Access } from "./identity-source.ts";
import { parseKubeconfig } from "./kubeconfig.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "kubeconfigs-"));
});
afterEach(async () => rm(home, { recursive: true }));

interface Parts {
  readonly current?: string;
  readonly clusters?: Readonly<Record<string, string>>;
  readonly users?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly contexts?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

async function write(
  path: string,
  { current, clusters = {}, users = {}, contexts = {} }: Parts,
): Promise<string> {
  const file = join(home, path);
  await mkdir(dirname(file), { recursive: true });
  const document = {
    ...(current === undefined ? {} : { "current-context": current }),
    clusters: Object.entries(clusters).map(([name, server]) => ({ name, cluster: { server } })),
    users: Object.entries(users).map(([name, user]) => ({ name, user })),
    contexts: Object.entries(contexts).map(([name, context]) => ({ name, context })),
  };
  await writeFile(file, JSON.stringify(document));
  return file;
}

const find = async (options: Partial<SearchOptions> = {}): Promise<Access> =>
  findAccess({ env: {}, home, ...options });

const token = ({ identity }: Access): string | undefined =>
  identity.token !== undefined && "data" in identity.token ? identity.token.data.toString() : undefined;

describe("where a cluster is looked for", () => {
  const one: Parts = {
    current: "one",
    clusters: { c: "https://one" },
    users: { u: { token: "1" } },
    contexts: { one: { cluster: "c", user: "u", namespace: "team" } },
  };

  test("~/.kube/config, with the namespace of its context", async () => {
    await write(".kube/config", one);
    const access = await find();
    expect([access.server.host, token(access), access.namespace]).toEqual(["one", "1", "team"]);
  });

  test("the files of $KUBECONFIG go before it; missing and empty ones are passed over", async () => {
    await write(".kube/config", { ...one, clusters: { c: "https://home" } });
    const file = await write("listed", one);
    await writeFile(join(home, "empty"), "");
    const list = [join(home, "gone"), "", join(home, "empty"), file].join(delimiter);
    expect((await find({ env: { KUBECONFIG: list } })).server.host).toBe("one");
  });

  test("of what two files name, the first one counts, and nothing of the second", async () => {
    const files = [
      await write("a/config", {
        clusters: { c: "https://first" },
        users: { u: { tokenFile: "token" } },
      }),
      await write("b/config", {
        current: "both",
        clusters: { c: "https://second", d: "https://other" },
        users: { u: { token: "2", as: "jane" }, v: { tokenFile: "own" } },
        contexts: { both: { cluster: "c", user: "u" } },
      }),
      await write("c/config", { current: "third", contexts: { both: { cluster: "d", user: "u" } } }),
    ];
    await writeFile(join(home, "a/token"), "t");
    const access = await find({ env: { KUBECONFIG: files.join(delimiter) } });
    expect(access.server.host).toBe("first");
    // Relative to the file that it stands in.
    expect(access.identity).toEqual({ token: { file: join(home, "a/token") } });
    await writeFile(join(home, "b/own"), "t");
    const own = await find({ env: { KUBECONFIG: files.join(delimiter) }, user: "v" });
    expect(own.identity).toEqual({ token: { file: join(home, "b/own") } });
  });

  test("a context, a cluster and a user can be named", async () => {
    await write(".kube/config", {
      ...one,
      clusters: { c: "https://one", d: "https://two" },
      users: { u: { token: "1" }, v: { token: "2" } },
      contexts: { one: { cluster: "c", user: "u" }, two: { cluster: "d", user: "v" } },
    });
    const seen = async (options: Partial<SearchOptions>): Promise<readonly unknown[]> => {
      const access = await find(options);
      return [access.server.host, token(access)];
    };
    expect(await seen({ context: "two" })).toEqual(["two", "2"]);
    expect(await seen({ cluster: "d" })).toEqual(["two", "1"]);
    expect(await seen({ user: "v" })).toEqual(["one", "2"]);
    expect(await seen({ master: "https://three" })).toEqual(["three", "1"]);
    await expect(find({ context: "three" })).rejects.toThrow("there is no context three");
  });

  test("a file that is asked for has to be there, and is the only one", async () => {
    await write(".kube/config", one);
    const file = await write("named", { ...one, clusters: { c: "https://named" } });
    expect((await find({ kubeconfig: file, env: { KUBECONFIG: "/nowhere" } })).server.host).toBe("named");
    await expect(find({ kubeconfig: join(home, "gone") })).rejects.toThrow("cannot be read: ENOENT");
  });

  test("without any, the cluster that the process runs in; and else it is said where was looked", async () => {
    await Promise.all(["token", "ca.crt"].map(async (name) => writeFile(join(home, name), "x")));
    await writeFile(join(home, "namespace"), "ours\n");
    const env = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };
    const access = await find({ env, serviceAccountDirectory: home });
    expect([access.server.href, access.namespace]).toEqual(["https://10.0.0.1/", "ours"]);
    await expect(find()).rejects.toThrow(`there is no kubeconfig (${join(home, ".kube", "config")})`);
  });

  test("a file that cannot be understood is an error, wherever it is", async () => {
    const good = await write("good", one);
    await writeFile(join(home, "bad"), "clusters: 7");
    const list = [good, join(home, "bad")].join(delimiter);
    await expect(find({ env: { KUBECONFIG: list } })).rejects.toThrow(/bad: clusters is no list/);
  });

  test("credentials that cannot be read are an error which names the file that names them", async () => {
    const path = await write("lost", {
      ...one,
      users: { u: { tokenFile: "/nonexistent/t" } },
    });
    await expect(find({ env: { KUBECONFIG: path } })).rejects.toThrow(/^kubeconfig .*lost: .*nonexistent/);
  });
});

describe("@kubernetes/client-node", () => {
  test("what its KubeConfig holds can be used here, by its current context", () => {
    const config = new KubeConfig();
    config.loadFromOptions({
      clusters: [{ name: "c", server: "https://api:6443", skipTLSVerify: true }],
      users: [{ name: "u", token: "t" }],
      contexts: [{ name: "x", cluster: "c", user: "u", namespace: "team" }],
      currentContext: "x",
    });
    const access = accessOfKubeConfig(config);
    expect([access.server.host, token(access), access.namespace, access.identity.insecure]).toEqual([
      "api:6443",
      "t",
      "team",
      true,
    ]);
  });

  test("the token file of a KubeConfig that was loaded in a cluster is read here", async () => {
    const config = new KubeConfig();
    const authProvider = { name: "tokenFile", config: { tokenFile: "/run/token" } };
    config.loadFromOptions({
      clusters: [{ name: "c", server: "https://api" }],
      users: [{ name: "u", authProvider }],
      contexts: [{ name: "x", cluster: "c", user: "u" }],
      currentContext: "x",
    });
    expect(accessOfKubeConfig(config).identity).toEqual({ token: { file: "/run/token" } });
  });

  test.each<Readonly<Record<string, unknown>>>([
    { token: "t" },
    { tokenFile: "/run/token" },
    { "client-certificate": "/c", "client-key": "/k" },
    { username: "me", password: "pw" },
    { token: "t", as: "jane" },
    { token: "t", as: "jane", "as-groups": ["a", "b"], "as-uid": "7" },
    { token: "t", as: "jane", "as-user-extra": { scopes: ["a", "b"] } },
    {
      exec: {
        apiVersion: "client.authentication.k8s.io/v1",
        command: "login",
        args: ["-x"],
        env: [{ name: "A", value: "1" }],
        interactiveMode: "Never",
      },
    },
  ])("what was found here, with %j, goes into a KubeConfig and comes back", (user) => {
    const text = JSON.stringify({
      clusters: [
        {
          name: "c",
          cluster: {
            server: "https://api:6443/prefix",
            "certificate-authority-data": Buffer.from("CA").toString("base64"),
            "tls-server-name": "other",
            "proxy-url": "http://proxy:3128/",
          },
        },
      ],
      users: [{ name: "u", user }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u", namespace: "team" } }],
      "current-context": "x",
    });
    const access = parseKubeconfig(text, "/etc/config");
    expect(parseKubeconfig(kubeconfigText(access), "/elsewhere/config")).toEqual(access);
    const config = new KubeConfig();
    config.loadFromString(kubeconfigText(access));
    expect(config.getCurrentCluster()?.server).toBe("https://api:6443/prefix");
    const { impersonation: _, ...kept } = accessOfKubeConfig(config).identity;
    const { impersonation: _unknownThere, ...known } = access.identity;
    expect(kept).toEqual(known);
  });
});
