import { X509Certificate } from "node:crypto";
import { open, readFile, rename } from "node:fs/promises";
import type { RealCluster } from "./real-cluster.ts";

/** A request as kube-apiserver recorded it. */
export interface AuditEvent {
  readonly stage: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly userAgent?: string;
  readonly user: {
    readonly username: string;
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number; readonly message?: string };
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

const writeVerbs: ReadonlySet<string> = new Set(["create", "update", "patch", "delete", "deletecollection"]);
/** Created, but never stored. */
const answers: ReadonlySet<string> = new Set([
  "subjectaccessreviews",
  "selfsubjectaccessreviews",
  "tokenreviews",
  "serviceaccounts/token",
]);

/** Whether this request changed something, or tried to. */
function isWrite(event: AuditEvent): boolean {
  return writeVerbs.has(event.verb) && !answers.has(resourceOf(event));
}

function resourceOf({ objectRef: { resource = "", subresource } = {} }: AuditEvent): string {
  return subresource === undefined ? resource : `${resource}/${subresource}`;
}

/** The Lease of an election and the events about it: not fenced, since they are how leading begins and ends. */
export function isElection({ objectRef }: AuditEvent): boolean {
  return objectRef?.resource === "leases" || objectRef?.resource === "events";
}

/** "update deployments/status default/web", for messages. */
export function describeEvent(event: AuditEvent): string {
  const { verb, objectRef: { namespace = "", name = "" } = {}, responseStatus, user } = event;
  const what = `${verb} ${resourceOf(event)} ${namespace}/${name}`;
  return `${what} by ${user.username}: ${responseStatus?.code ?? "?"}`;
}

/** Refused for who asked. Admission says 403 too, to whoever it may be: in a namespace that ends, for example. */
export function isUnauthorized({ annotations, responseStatus }: AuditEvent): boolean {
  return responseStatus?.code === 401 || annotations?.["authorization.k8s.io/decision"] === "forbid";
}

const CREDENTIAL = "authentication.kubernetes.io/credential-id";
const ISSUED = "authentication.kubernetes.io/issued-credential-id";

/**
 * The requests that a cluster's API server has answered, each with the process that sent it. Processes share user names
 * and user agents, but not credentials: each has a client certificate of its own, and the service account tokens that it
 * uses were issued to that certificate.
 */
export class AuditLog {
  readonly events: AuditEvent[] = [];
  readonly #path: string;
  readonly #actors = new Map<string, string>();
  #offset = 0;
  #rest = "";

  constructor(path: string) {
    this.#path = path;
  }

  /** Reads what was written since the last call, and returns that. */
  async read(): Promise<readonly AuditEvent[]> {
    const file = await open(this.#path);
    try {
      const { size } = await file.stat();
      const buffer = Buffer.alloc(size - this.#offset);
      const { bytesRead } = await file.read(buffer, 0, buffer.length, this.#offset);
      this.#offset += bytesRead;
      const lines = (this.#rest + buffer.subarray(0, bytesRead).toString("latin1")).split("\n");
      this.#rest = lines.pop() ?? "";
      const fresh = lines.map((line) => JSON.parse(line) as AuditEvent);
      for (const event of fresh) this.#learn(event);
      this.events.push(...fresh);
      return fresh;
    } finally {
      await file.close();
    }
  }

  /** Name of the process behind a request, or its user where there is no such process. */
  actor(event: AuditEvent): string {
    const credential = event.user.extra?.[CREDENTIAL]?.[0] ?? "";
    return this.#actors.get(credential) ?? event.user.username;
  }

  /** Completed writes of this process, in the order of their arrival at the server. */
  writesOf(actor: string): readonly AuditEvent[] {
    return this.events.filter(
      (event) => event.stage === "ResponseComplete" && isWrite(event) && this.actor(event) === actor,
    );
  }

  /** A kubeconfig of this user with a certificate of its own, whose requests are those of `actor`. */
  async identify(actor: string, cluster: RealCluster, user: string): Promise<string> {
    const shared = await cluster.kubeconfigFor(user);
    const path = `${shared}.${actor}`;
    await rename(shared, path);
    const config = JSON.parse(await readFile(path, "utf8")) as {
      users: [{ user: { "client-certificate-data": string } }];
    };
    const pem = Buffer.from(config.users[0].user["client-certificate-data"], "base64");
    const hash = new X509Certificate(pem).fingerprint256.replaceAll(":", "").toLowerCase();
    this.#actors.set(`X509SHA256=${hash}`, actor);
    return path;
  }

  #learn(event: AuditEvent): void {
    const issued = event.annotations?.[ISSUED];
    if (issued !== undefined) this.#actors.set(issued, this.actor(event));
  }
}
