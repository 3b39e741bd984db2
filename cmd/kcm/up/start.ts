import type { KeyObject } from "node:crypto";
import { createServer } from "node:net";
import { realClock, realRandom } from "../../../pkg/clock/real.ts";
import { ClusterServer, type ClusterServerOptions } from "../../../pkg/cluster/cluster-server.ts";
import { FileJournal } from "../../../pkg/apiserver/storage/file-journal.ts";
import { nodeJournalFiles } from "../../../pkg/apiserver/storage/node-journal-files.ts";
import { Store } from "../../../pkg/apiserver/storage/store.ts";
import type { Logger } from "../../../pkg/log/logger.ts";
import { tokenSigner } from "../../../pkg/tokens/token-signer.ts";
import { newIdentity } from "../../kube-controller-manager/identity.ts";
import { StartError } from "../../../pkg/manager/start-error.ts";
import type { AdminAccess } from "../kubeconfig/access.ts";
import { type Credentials, makeCredentials, serviceAccountKey } from "./credentials.ts";
import { DataDirectory } from "./data-directory.ts";
import { type Candidate, LatePrograms } from "./late-programs.ts";
import { ANY_PORT, DEFAULT_PORT, type UpOptions } from "./options.ts";

export interface Started {
  readonly base: ClusterServer;
  readonly access: AdminAccess;
  /** There was nothing in its storage. */
  readonly isNew: boolean;
  /** Sets all to work that is not the API. */
  begin(): LatePrograms;
  stop(): Promise<void>;
}

export interface StartParts {
  /** Which ones are to work, by name. */
  readonly controllers: readonly string[];
  /** One that is being made; used where none is stored. */
  readonly accountKey: Promise<KeyObject> | undefined;
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
      serviceAccountKey(directory, parts.accountKey),
      options.insecureAdmin ? undefined : makeCredentials(directory, realClock),
    ]);
    parts.step("keys and certificates");
    const store = openStore(directory, parts.log);
    if (directory !== undefined) parts.step("data directory");
    const isNew = store.revision === new Store({ clock: realClock }).revision;
    const port = options.port === ANY_PORT ? await usualPort() : options.port;
    const who = candidate(directory, parts);
    const base = await listen(port, {
      clock: realClock,
      random: realRandom,
      log: parts.log,
      store,
      controllers: parts.controllers.map((name) => ({ name })),
      nodes: options.nodes,
      kubernetesMinor: options.kubernetesMinor,
      insecure: options.insecureAdmin,
      serviceAccountKey: accountKey,
      listen: { host: HOST, port, ...tlsOf(credentials) },
    });
    const url = base.http?.url ?? "";
    const secrets = { rootCa: () => credentials?.ca ?? "", tokenSigner: () => tokenSigner(accountKey) };
    let programs: LatePrograms | undefined;
    return {
      base,
      access: credentials === undefined ? { url } : { url, ca: credentials.ca, admin: credentials.admin },
      isNew,
      begin: () => {
        const { controllers, log } = parts;
        const { nodes, kubernetesMinor } = options;
        return (programs = new LatePrograms(base, {
          controllers,
          secrets,
          candidate: who,
          log,
          nodes,
          kubernetesMinor,
        }));
      },
      stop: async () => {
        await programs?.stop();
        await base.close();
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
): Candidate {
  const identity = directory?.read(IDENTITY_FILE)?.trim() ?? newIdentity();
  directory?.write(IDENTITY_FILE, `${identity}\n`);
  return {
    identity,
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

function tlsOf(
  credentials: Credentials | undefined,
): Pick<NonNullable<ClusterServerOptions["listen"]>, "tls"> {
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

async function listen(port: number, options: ClusterServerOptions): Promise<ClusterServer> {
  try {
    return await ClusterServer.start(options);
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
