import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { load } from "js-yaml";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import { clientsOf } from "../harness/admin-client.ts";
import { KcmProcess, withDirectory } from "./kcm-process.ts";

const READY = /ready after [\d.]+ s: (https?:\/\/127\.0\.0\.1:(\d+))/;
const EMPTY = ["--apiserver-only", "--port=0"];

let running: KcmProcess[] = [];

/** What is done with kcm in one directory that is home to nobody else. */
async function atHome(use: (home: Home) => Promise<void>): Promise<void> {
  await withDirectory(async (directory) => use(new Home(directory)));
}

class Home {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  kubeconfig(name: string): string {
    return join(this.directory, ".kcm", name, "kubeconfig");
  }

  /** Resolves when the cluster is ready and has said what to type next. */
  async up(...args: readonly string[]): Promise<{ process: KcmProcess; url: string }> {
    const process = this.start("up", ...args);
    const [, url = ""] = await process.says(READY);
    await process.says(/ {2}kcm down/);
    return { process, url };
  }

  start(...args: readonly string[]): KcmProcess {
    const process = new KcmProcess(args, this.directory);
    running.push(process);
    return process;
  }

  /** Of a command that ends by itself: what it said, or what it said was wrong, and its exit code. */
  async run(...args: readonly string[]): Promise<{ code: number | null; said: string }> {
    const process = this.start(...args);
    const { exitCode } = await process.ended;
    return { code: exitCode, said: exitCode === 0 ? process.stdout : process.stderr };
  }

  /** The names of the clusters that are listed, with their states. */
  async list(): Promise<readonly string[]> {
    const { said } = await this.run("list");
    const [, ...rows] = said.trimEnd().split("\n");
    return rows.map((row) => row.split(/ {2,}/).slice(0, 2).join(" "));
  }
}

async function namespacesOf(kubeconfig: string): Promise<number> {
  const clients = await clientsOf(kubeconfig);
  try {
    return (await clients.client("test").clientFor(resources.namespaces).list()).items.length;
  } finally {
    await clients.close();
  }
}

beforeEach(() => {
  running = [];
});
afterEach(async () => Promise.all(running.map(async (process) => process.end("SIGKILL"))));

describe("several clusters", () => {
  test("run side by side, each with its own administrator, and are ended by name", async () => {
    await atHome(async (home) => {
      const first = await home.up(...EMPTY);
      const before = await readFile(home.kubeconfig("default"), "utf8");
      const second = await home.up("--name=second", ...EMPTY);
      expect(second.url).not.toBe(first.url);
      expect(await readFile(home.kubeconfig("default"), "utf8")).toBe(before);
      for (const name of ["default", "second"]) expect(await namespacesOf(home.kubeconfig(name))).toBe(4);
      expect(await home.list()).toEqual(["default Running", "second Running"]);

      expect(await home.run("down", "second")).toEqual({ code: 0, said: "cluster second ended\n" });
      expect(await second.process.ended).toEqual({ exitCode: 0, signal: null });
      expect(await home.list()).toEqual(["default Running"]);
      expect(await namespacesOf(home.kubeconfig("default"))).toBe(4);
      expect(await home.run("down")).toEqual({ code: 0, said: "cluster default ended\n" });
      expect((await home.run("list")).said).toBe("No cluster runs; kcm up starts one.\n");
    });
  });

  test("of one name are refused, with a word about the one that runs", async () => {
    await atHome(async (home) => {
      const { process, url } = await home.up(...EMPTY);
      const before = await readFile(home.kubeconfig("default"), "utf8");
      expect(await home.run("up", ...EMPTY)).toEqual({
        code: 1,
        said: `Error: cluster default runs already, as process ${process.child.pid} at ${url}; kcm down default ends it, and --name NAME starts another one beside it\n`,
      });
      expect(await readFile(home.kubeconfig("default"), "utf8")).toBe(before);
      expect(await namespacesOf(home.kubeconfig("default"))).toBe(4);
    });
  });

  test("do not write to one kubeconfig", async () => {
    await atHome(async (home) => {
      const { process } = await home.up("--kubeconfig=k", ...EMPTY);
      const before = await readFile(join(home.directory, "k"), "utf8");
      const { code, said } = await home.run("up", "--name=second", "--kubeconfig=k", ...EMPTY);
      expect(code).toBe(1);
      expect(said).toBe(
        `Error: ${join(home.directory, "k")} is that of cluster default, which runs as process ${process.child.pid}; name another file with --kubeconfig\n`,
      );
      expect(await readFile(join(home.directory, "k"), "utf8")).toBe(before);
    });
  });

  test("share the usual port without a word: the second takes another one", async () => {
    await atHome(async (home) => {
      const first = await home.up("--apiserver-only");
      const second = await home.up("--apiserver-only", "--name=second");
      expect(second.url).not.toBe(first.url);
    });
  });
});

describe("a cluster that was killed", () => {
  test("is listed as stale, and down takes away what it had left", async () => {
    await atHome(async (home) => {
      const { process } = await home.up(...EMPTY);
      await process.end("SIGKILL");
      expect(await home.list()).toEqual(["default Stale"]);
      const { code, said } = await home.run("down");
      expect({ code, said }).toEqual({
        code: 0,
        said: `cluster default had ended without cleaning up (process ${process.child.pid}); what it had left is removed\n`,
      });
      expect(await home.list()).toEqual([]);
      await expect(readFile(home.kubeconfig("default"))).rejects.toThrow("ENOENT");
    });
  });

  test("is in nobody's way", async () => {
    await atHome(async (home) => {
      const { process } = await home.up("--data-dir=data", ...EMPTY);
      await process.end("SIGKILL");
      await home.up("--data-dir=data", ...EMPTY);
      expect(await home.list()).toEqual(["default Running"]);
    });
  });
});

describe("~/.kube/config", () => {
  interface Kubeconfig {
    readonly "current-context"?: string;
    readonly contexts: readonly { readonly name: string }[];
  }
  const theirs = [
    "apiVersion: v1",
    "kind: Config",
    "current-context: work",
    "clusters: [{name: work, cluster: {server: https://example.com}}]",
    "contexts: [{name: work, context: {cluster: work, user: me}}]",
    "users: [{name: me, user: {token: '0123'}}]",
    "preferences: {colors: true}",
  ].join("\n");

  async function withTheirs(use: (home: Home, path: string) => Promise<void>): Promise<void> {
    await atHome(async (home) => {
      const path = join(home.directory, ".kube", "config");
      await mkdir(join(home.directory, ".kube"));
      await writeFile(path, theirs, { mode: 0o644 });
      await use(home, path);
    });
  }
  const read = async (path: string): Promise<Kubeconfig> => load(await readFile(path, "utf8")) as Kubeconfig;
  const contexts = async (path: string): Promise<readonly string[]> =>
    (await read(path)).contexts.map(({ name }) => name);

  test("is left alone unless that is asked for", async () => {
    await withTheirs(async (home, path) => {
      const { process } = await home.up(...EMPTY);
      expect(await readFile(path, "utf8")).toBe(theirs);
      await process.end("SIGTERM");
      expect(await readFile(path, "utf8")).toBe(theirs);
    });
  });

  test("gets the contexts of clusters, loses nothing, and is rid of them in the end", async () => {
    await withTheirs(async (home, path) => {
      await Promise.all([
        home.up("--merge-kubeconfig", ...EMPTY),
        home.up("--merge-kubeconfig", "--name=second", ...EMPTY),
      ]);
      expect((await contexts(path)).toSorted()).toEqual(["kcm-default", "kcm-second", "work"]);
      expect((await read(path))["current-context"]).toBe("work");
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      await Promise.all([home.run("down"), home.run("down", "second")]);
      expect(await read(path)).toEqual(load(theirs));
    });
  });

  test("is what the administrator's kubectl uses", async () => {
    await atHome(async (home) => {
      await home.up("--merge-kubeconfig", ...EMPTY);
      expect(await namespacesOf(join(home.directory, ".kube", "config"))).toBe(4);
    });
  });

  test("is cleaned of a cluster that was killed, by down or by the next of its name", async () => {
    await withTheirs(async (home, path) => {
      for (const next of [["down"], ["up", ...EMPTY]]) {
        const { process } = await home.up("--merge-kubeconfig", ...EMPTY);
        await process.end("SIGKILL");
        expect(await contexts(path)).toEqual(["work", "kcm-default"]);
        if (next[0] === "down") await home.run("down");
        else await home.up(...EMPTY);
        expect(await read(path)).toEqual(load(theirs));
      }
    });
  });

  test("that cannot be read, or has another's context of that name, is refused before anything starts", async () => {
    await withTheirs(async (home, path) => {
      const refused = async (text: string, name: string, line: string): Promise<void> => {
        await writeFile(path, text);
        const { code, said } = await home.run("up", "--merge-kubeconfig", `--name=${name}`, ...EMPTY);
        expect({ code, said }).toEqual({ code: 1, said: expect.stringContaining(line) as string });
        expect(await readFile(path, "utf8")).toBe(text);
      };
      await refused("contexts: {", "default", `kubeconfig ${path} is left as it is: it is not YAML`);
      await refused(
        theirs.replaceAll("work", "kcm-x"),
        "x",
        "kcm-x in its clusters is not from kcm; --name NAME",
      );
      expect(await home.list()).toEqual([]);
    });
  });
});
