import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import type { Deployment } from "../../pkg/api/types/apps-v1.gen.ts";
import type { ApiObject } from "../../pkg/api/object.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { TypedResource } from "../../pkg/api/resource.ts";
import { ApiError } from "../../pkg/client/errors.ts";
import { clientsOf } from "../harness/admin-client.ts";
import { until } from "../harness/until.ts";
import type { Consumer, Ran } from "./consumer.ts";

interface WebSite extends ApiObject {
  readonly spec: { readonly image: string; readonly replicas: number };
  readonly status?: {
    readonly conditions?: readonly { readonly reason: string; readonly message: string }[];
  };
}
const webSites: TypedResource<WebSite> = {
  group: "team.example",
  version: "v1",
  kind: "WebSite",
  plural: "websites",
  namespaced: true,
};

/** A project that `kcm new` has made beside what npm would have installed for it. */
export class NewProject {
  readonly directory: string;
  readonly #consumer: Consumer;

  private constructor(consumer: Consumer) {
    this.#consumer = consumer;
    this.directory = join(consumer.directory, "web-site");
  }

  static create(consumer: Consumer): NewProject {
    for (const name of ["typescript", "vitest"]) consumer.link(name);
    const program = join(consumer.installed, consumer.manifest.bin["kcm"] ?? "");
    const { status, stderr } = consumer.node(program, "new", "web-site", "--group", "team.example");
    if (status !== 0) throw new Error(stderr);
    return new NewProject(consumer);
  }

  /** Of all that was made. */
  get lines(): number {
    const files = globSync("**/*", { cwd: this.directory, withFileTypes: true }).filter((one) =>
      one.isFile(),
    );
    return files.reduce(
      (sum, { parentPath, name }) =>
        sum + readFileSync(join(parentPath, name), "utf8").split("\n").length - 1,
      0,
    );
  }

  /** As `npm run`. */
  run(script: string): Ran {
    const { scripts } = JSON.parse(readFileSync(join(this.directory, "package.json"), "utf8")) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    const [name = "", ...args] = (scripts[script] ?? "").split(" ");
    return this.#consumer.toolIn(this.directory, name, ...args);
  }

  /** As `npm run` of a script that goes on. */
  start(source: string, env: Readonly<Record<string, string>>): Running {
    const bin = join(this.#consumer.directory, "node_modules/.bin");
    const child = spawn(process.execPath, [source], {
      cwd: this.directory,
      env: { ...process.env, PATH: `${bin}:${process.env["PATH"]}`, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    return new Running(child);
  }
}

export class Running {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #said = "";

  constructor(child: ChildProcess) {
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => (this.#said += chunk.toString()));
    this.#ended = once(child, "close");
  }

  get said(): string {
    return this.#said;
  }

  /** Its exit code, when it has ended by itself. */
  async ended(): Promise<number | null> {
    await this.#ended;
    return this.#child.exitCode;
  }

  /** Its exit code. */
  async end(): Promise<number | null> {
    this.#child.kill("SIGTERM");
    await this.#ended;
    return this.#child.exitCode;
  }

  /** As Ctrl-C does in a terminal: all that belong to it are told, and not only the first. */
  async interrupt(): Promise<number | null> {
    process.kill(-(this.#child.pid ?? 0), "SIGINT");
    await this.#ended;
    return this.#child.exitCode;
  }

  /** Creates the example as soon as its kind is served, and waits for what the operator says of it. */
  async becomes(kubeconfig: string, example: string, reason: string): Promise<Deployment> {
    const builder = await clientsOf(kubeconfig);
    try {
      const client = builder.client("author");
      const object = load(readFileSync(example, "utf8")) as WebSite;
      const namespace = "default";
      await until(`it is created: ${this.#said}`, async () => {
        try {
          await client.clientFor(webSites).create({ ...object, metadata: { ...object.metadata, namespace } });
          return true;
        } catch (error) {
          if (error instanceof ApiError) return false;
          throw error;
        }
      });
      const ref = { namespace, name: object.metadata.name ?? "" };
      await until(`${reason}: ${this.#said}`, async () => {
        const { status } = await client.clientFor(webSites).get(ref);
        return status?.conditions?.some((condition) => condition.reason === reason) === true;
      });
      return await client.clientFor(resources.deployments).get(ref);
    } finally {
      await builder.close();
    }
  }
}
