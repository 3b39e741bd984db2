import { createServer } from "node:net";
import { realClock, realRandom } from "../../../pkg/clock/real.ts";
import { type ClusterOptions, EmbeddedCluster } from "../../../pkg/cluster/cluster.ts";
import type { CandidateOptions } from "../../../pkg/cluster/manager.ts";
import { FileJournal } from "../../../pkg/apiserver/storage/file-journal.ts";
import { nodeJournalFiles } from "../../../pkg/apiserver/storage/node-journal-files.ts";
import { Store } from "../../../pkg/apiserver/storage/store.ts";
import type { Logger } from "../../../pkg/log/logger.ts";
import type { ControllerDescriptor } from "../../../pkg/controller/env.ts";
import { tokenSigner } from "../../../pkg/tokens/token-signer.ts";
import type { ClusterSecrets } from "../../kube-controller-manager/cluster-secrets.ts";
import { newIdentity } from "../../kube-controller-manager/election.ts";
import { StartError } from "../../../pkg/manager/start-error.ts";
import type { AdminAccess } from "../kubeconfig/access.ts";
import { daemonOptions } from "./choose-controllers.ts";
import { type Credentials, makeCredentials, serviceAccountKey } from "./credentials.ts";
import { DataDirectory } from "./data-directory.ts";
import { ANY_PORT, DEFAULT_PORT, type UpOptions } from "./options.ts";

export interface Started {
  readonly cluster: EmbeddedCluster;
  readonly access: AdminAccess;
  /** There was nothing in its storage. */
  readonly isNew: boolean;
  stop(): Promise<void>;
}

export interface StartParts {
  readonly controllersWith: (secrets: ClusterSecrets) => readonly ControllerDescriptor[];
  readonly log: Logger;
  /** Told of what has been done, a few words each. */
  readonly step: (what: string) => void;
  /** Told who leads among controller managers: the one here, or which other. */
  readonly onLeader: (leader: "this" | { readonly other: string }) => void;
}

const HOST = "127.0.0.1";
const IDENTITY_FILE = "identity";

/** Starts what the options ask for. Every error is one line for the user, and leaves nothing behind. */
export async function startCluster(options: UpOptions, parts: StartParts): Promise<Started> {
  const directory =
    options.dataDirectory === undefined ? undefined : new DataDirectory(options.dataDirectory);
  try {
    const [accountKey, credentials] = await Promise.all([
      serviceAccountKey(directory),
      options.insecureAdmin ? undefined : makeCredentials(directory, realClock),
    ]);
    parts.step("keys and certificates");
    const store = openStore(directory, parts.log);
    if (directory !== undefined) parts.step("data directory");
    const isNew = store.revision === new Store({ clock: realClock }).revision;
    const port = options.port === ANY_PORT ? await usualPort() : options.port;
    const cluster = await listen(port, {
      clock: realClock,
      random: realRandom,
      log: parts.log,
      store,
      controllers: parts.controllersWith({
        rootCa: () => credentials?.ca ?? "",
        tokenSigner: () => tokenSigner(accountKey),
      }),
      candidate: candidate(directory, parts),
      nodes: options.nodes,
      kubernetesMinor: options.kubernetesMinor,
      insecure: options.insecureAdmin,
      serviceAccountKey: accountKey,
      listen: { host: HOST, port, ...tlsOf(credentials) },
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

/**
 * What is in a data directory has one candidate at a time, whichever process that is: who holds the directory may go on
 * with the Lease of one that was killed there.
 */
function candidate(
  directory: DataDirectory | undefined,
  { onLeader }: Pick<StartParts, "onLeader">,
): CandidateOptions {
  const identity = directory?.read(IDENTITY_FILE)?.trim() ?? newIdentity();
  directory?.write(IDENTITY_FILE, `${identity}\n`);
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = daemonOptions().generic;
  return {
    identity,
    timing: { leaseDurationMs, renewDeadlineMs, retryPeriodMs },
    onNewLeader: (leader) => {
      if (leader !== "") onLeader(leader === identity ? "this" : { other: leader });
    },
  };
}

function openStore(directory: DataDirectory | undefined, log: Logger): Store {
  const journal =
    directory && new FileJournal({ files: nodeJournalFiles(directory.storage), clock: realClock, log });
  return new Store({ clock: realClock, unfrozen: true, ...(journal && { journal }) });
}

function tlsOf(credentials: Credentials | undefined): Pick<NonNullable<ClusterOptions["listen"]>, "tls"> {
  if (credentials === undefined) return {};
  const { ca, server } = credentials;
  return { tls: { cert: server.cert, key: server.key, clientCa: ca } };
}

/** 0, which is any, where the usual one is taken: by another cluster, most likely. */
async function usualPort(): Promise<number> {
  const probe = createServer();
  const isFree = await new Promise<boolean>((resolve) => {
    probe.once("error", () => resolve(false));
    probe.listen(DEFAULT_PORT, HOST, () => resolve(true));
  });
  if (!isFree) return 0;
  await new Promise((resolve) => probe.close(resolve));
  return DEFAULT_PORT;
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
