import { featureGates } from "../../../pkg/api/feature-gates.ts";
import { realClock, realRandom } from "../../../pkg/clock/real.ts";
import { type ClusterOptions, EmbeddedCluster } from "../../../pkg/cluster/cluster.ts";
import { FileJournal } from "../../../pkg/apiserver/storage/file-journal.ts";
import { nodeJournalFiles } from "../../../pkg/apiserver/storage/node-journal-files.ts";
import { Store } from "../../../pkg/apiserver/storage/store.ts";
import type { Logger } from "../../../pkg/log/logger.ts";
import type { ControllerDescriptor } from "../../../pkg/controller/env.ts";
import { tokenSigner } from "../../../pkg/tokens/token-signer.ts";
import type { ClusterSecrets } from "../../kube-controller-manager/cluster-secrets.ts";
import { knownControllers } from "../../kube-controller-manager/known-controllers.ts";
import { resolveOptions } from "../../kube-controller-manager/options/resolve.ts";
import { registry } from "../../kube-controller-manager/registry.ts";
import { selectControllers } from "../../kube-controller-manager/select-controllers.ts";
import { StartError } from "../../kube-controller-manager/start-error.ts";
import { type Credentials, makeCredentials, serviceAccountKey } from "./credentials.ts";
import { DataDirectory } from "./data-directory.ts";
import type { AdminAccess } from "./kubeconfig.ts";
import type { UpOptions } from "./options.ts";

export interface Started {
  readonly cluster: EmbeddedCluster;
  readonly access: AdminAccess;
  /** There was nothing in its storage. */
  readonly isNew: boolean;
  stop(): Promise<void>;
}

const HOST = "127.0.0.1";

/** Starts what the options ask for. Every error is one line for the user, and leaves nothing behind. */
export async function startCluster(options: UpOptions, log: Logger): Promise<Started> {
  // Wrong names are told of before anything is made.
  const controllersWith = options.apiServerOnly ? () => [] : chooseControllers(options.controllers);
  const directory =
    options.dataDirectory === undefined ? undefined : new DataDirectory(options.dataDirectory);
  try {
    const [accountKey, credentials] = await Promise.all([
      serviceAccountKey(directory),
      options.insecureAdmin ? undefined : makeCredentials(directory, realClock),
    ]);
    const store = openStore(directory, log);
    const isNew = store.revision === new Store({ clock: realClock }).revision;
    const cluster = await listen(options.port, {
      clock: realClock,
      random: realRandom,
      log,
      store,
      controllers: controllersWith({
        rootCa: () => credentials?.ca ?? "",
        tokenSigner: () => tokenSigner(accountKey),
      }),
      nodes: options.apiServerOnly ? 0 : options.nodes,
      insecure: options.insecureAdmin,
      serviceAccountKey: accountKey,
      listen: { host: HOST, port: options.port, ...tlsOf(credentials) },
    });
    const url = cluster.http?.url ?? "";
    return {
      cluster,
      access: credentials === undefined ? { url } : { url, ca: credentials.ca, admin: credentials.admin },
      isNew,
      stop: async () => {
        await cluster.stop();
        directory?.release();
      },
    };
  } catch (error) {
    directory?.release();
    throw error;
  }
}

/** Throws a FlagError for names that are not those of controllers. */
function chooseControllers(
  items: readonly string[],
): (secrets: ClusterSecrets) => readonly ControllerDescriptor[] {
  const { options } = resolveOptions([], () => "");
  const built = (secrets: ClusterSecrets): ReadonlyMap<string, ControllerDescriptor> =>
    new Map(registry(options, secrets).map((descriptor) => [descriptor.name, descriptor]));
  const names = built({ rootCa: notYet, tokenSigner: notYet });
  const { run } = selectControllers(items, knownControllers, (name) => names.has(name), featureGates());
  return (secrets) => run.flatMap((name) => built(secrets).get(name) ?? []);
}

function notYet(): never {
  throw new Error("a controller is built before its secrets are there");
}

function openStore(directory: DataDirectory | undefined, log: Logger): Store {
  if (directory === undefined) return new Store({ clock: realClock });
  const files = nodeJournalFiles(directory.storage);
  return new Store({ clock: realClock, journal: new FileJournal({ files, clock: realClock, log }) });
}

function tlsOf(credentials: Credentials | undefined): Pick<NonNullable<ClusterOptions["listen"]>, "tls"> {
  if (credentials === undefined) return {};
  const { ca, server } = credentials;
  return { tls: { cert: server.cert, key: server.key, clientCa: ca } };
}

async function listen(port: number, options: ClusterOptions): Promise<EmbeddedCluster> {
  try {
    return await EmbeddedCluster.start(options);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") {
      throw new StartError(
        `port ${port} of ${HOST} is taken; choose another one with --port, or any free one with --port 0`,
        error,
        "all",
      );
    }
    if (code === "EACCES") throw new StartError(`port ${port} may not be used by this user`, error, "all");
    throw error;
  }
}
