import type { ApiServer } from "../apiserver/server/api-server.ts";
import type { HttpServer } from "../apiserver/http/http-server.ts";
import type { ClientSet } from "../client/client-set.ts";
import type { ControllerHealth } from "../controller/env.ts";
import { ClusterServer, type ClusterServerOptions } from "./cluster-server.ts";
import { ClusterPrograms, type ProgramsOptions } from "./programs.ts";

export interface ClusterOptions extends Omit<ClusterServerOptions, keyof ProgramsOptions>, ProgramsOptions {}

/** An API server, controllers, a scheduler and hollow nodes, all in this process. */
export class EmbeddedCluster {
  readonly server: ApiServer;
  readonly http: HttpServer | undefined;
  /** Resolves after `stop`; rejects when a controller fails, which ends the others. */
  readonly ended: Promise<void>;
  readonly #base: ClusterServer;
  readonly #programs: ClusterPrograms;

  private constructor(base: ClusterServer, programs: ClusterPrograms) {
    this.server = base.server;
    this.http = base.http;
    this.ended = programs.ended;
    this.#base = base;
    this.#programs = programs;
  }

  /** Resolves once the API is there with what every cluster has; rejects when it cannot listen. */
  static async start(options: ClusterOptions): Promise<EmbeddedCluster> {
    const base = await ClusterServer.start(options);
    return new EmbeddedCluster(base, new ClusterPrograms(base, options));
  }

  /** A client in this process: the administrator for "admin", or the component or controller of that name. */
  client(name: string): ClientSet {
    return this.#base.client(name);
  }

  /** Of every controller, the scheduler and the nodes included, by name. */
  health(): ReadonlyMap<string, ControllerHealth | undefined> {
    return this.#programs.health();
  }

  /** Ends the controllers first, then the API. Resolves when all is written and the port is free. */
  async stop(): Promise<void> {
    await this.#programs.stop();
    await this.#base.close();
  }
}
