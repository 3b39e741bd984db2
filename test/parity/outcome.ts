import { X509Certificate } from "node:crypto";
import type { ApiObject } from "../../pkg/api/object.ts";
import type { Event, Pod, Service } from "../../pkg/api/types/core-v1.gen.ts";
import type { ActorWrite } from "./activity.ts";

/** What a scenario has led to, in a form that is equal for equal behaviour. */
export interface Outcome {
  /** By actor, then by "verb resource"; refused ones as "verb resource: 403". */
  readonly writes: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** "Normal ScalingReplicaSet Deployment/web: Scaled up …", sorted. */
  readonly events: readonly string[];
  /** By "Kind/name". */
  readonly objects: Readonly<Record<string, unknown>>;
}

const SUFFIX = "[bcdfghjklmnpqrstvwxz2456789]{5}";
const CLAIM_SUFFIX = new RegExp(`${SUFFIX}$`);
const UUID = /\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;
const MESSAGE = /"message":"(?:[^"\\]|\\.)*"/g;
/** Go has these in any order, and tells them in each. */
const AMBIGUOUS = "controlled by multiple HPAs: [";
const AUTOSCALERS = /(?<=controlled by multiple HPAs: \[)[^\]]*/g;
const MINUTE = /(?<=[a-z])-\d{8}\b/g;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
/** What has no meaning beyond its own cluster, or is bookkeeping of the server. */
const dropped: ReadonlySet<string> = new Set(["managedFields", "resourceVersion", "namespace"]);
/** Where a pod is, is the scheduler's choice, and that of a Service the server's, which also labels pods as their nodes. */
const places: ReadonlySet<string> = new Set([
  "nodeName",
  "hostIP",
  "hostIPs",
  "podIP",
  "clusterIP",
  "clusterIPs",
  "nodePort",
  "podIPs",
  "topology.kubernetes.io/region",
  "topology.kubernetes.io/zone",
]);
/** Lists of endpoints, whose order is chance, or follows from addresses; taints, which two workers set; names of claims. */
const unordered: ReadonlySet<string> = new Set([
  "endpoints",
  "subsets",
  "addresses",
  "notReadyAddresses",
  "taints",
  "resourceClaimStatuses",
]);
const eventSources: ReadonlySet<string> = new Set([
  "attachdetach-controller",
  "endpoint-controller",
  "endpoint-slice-controller",
  "endpoint-slice-mirroring-controller",
  "deployment-controller",
  "replicaset-controller",
  "replication-controller",
  "daemonset-controller",
  "statefulset-controller",
  "controllermanager",
  "garbage-collector-controller",
  "job-controller",
  "cronjob-controller",
  "cidrAllocator",
  "node-controller",
  "taint-eviction-controller",
  "ephemeral_volume",
  "volume_expand",
  "selinux_warning",
  "persistentvolume-controller",
  "resource_claim",
  "device-taint-eviction-controller",
  "horizontal-pod-autoscaler",
]);
/** Told as often as it is tried, although it is nothing to be warned of. */
const REPEATED: ReadonlySet<string> = new Set([
  "CIDRNotAvailable",
  "ExternalProvisioning",
  "FailedBinding",
  "WaitForFirstConsumer",
]);

export function outcomeOf(
  objects: readonly ApiObject[],
  events: readonly Event[],
  writes: readonly ActorWrite[],
): Outcome {
  const generators = [
    ...objects.filter(({ kind }) => kind !== "Pod").map(({ metadata }) => metadata.name ?? ""),
    ...events.map(({ involvedObject }) => involvedObject.name ?? ""),
  ];
  const names = new RegExp(`\\b(${[...new Set(generators)].join("|")})(-\\d+)?-${SUFFIX}\\b`, "g");
  const uids = new Map(
    objects.map(({ kind, metadata }) => [metadata.uid ?? "", `uid of ${kind}/${metadata.name}`]),
  );
  return withoutNames(
    {
      writes: countWrites(writes),
      events: linesOf(
        events.filter(({ source }) => eventSources.has(source?.component ?? "")),
        names,
      ),
      objects: Object.fromEntries(named(objects, new Scrubber(uids, addressesOf(objects)))),
    },
    names,
  );
}

function linesOf(events: readonly Event[], names: RegExp): readonly string[] {
  const lines = events.map((event) =>
    lineOf(event)
      .replaceAll(names, "$1$2-*")
      .replaceAll(UUID, "(a uid)")
      .replaceAll(AUTOSCALERS, (keys) => keys.split(" ").toSorted().join(" ")),
  );
  return lines.filter((line, index) => !line.includes(AMBIGUOUS) || lines.indexOf(line) === index).sort();
}

/** The addresses that pods and Services were given, by whose they are. */
function addressesOf(objects: readonly ApiObject[]): ReadonlyMap<string, string> {
  return new Map(
    objects.flatMap((object): [string, string][] => {
      const { kind, metadata } = object;
      const { spec, status } = object as Pick<Service, "spec"> & Pick<Pod, "status">;
      const given = [...(status?.podIPs ?? []).map(({ ip }) => ip), ...(spec?.clusterIPs ?? [])];
      return given
        .filter((address) => address !== "None")
        .map((address) => [address, `address of ${kind}/${metadata.name}`]);
    }),
  );
}

/** Jobs of CronJobs are called after the minute that they are for: these are numbered. Pods are named in messages. */
function withoutNames(outcome: Outcome, names: RegExp): Outcome {
  const text = JSON.stringify(outcome).replaceAll(MESSAGE, (message) => message.replaceAll(names, "$1$2-*"));
  const minutes = [...new Set(text.match(MINUTE))].toSorted();
  return JSON.parse(text.replaceAll(MINUTE, (minute) => `-m${minutes.indexOf(minute) + 1}`)) as Outcome;
}

function countWrites(writes: readonly ActorWrite[]): Outcome["writes"] {
  const counts: Record<string, Record<string, number>> = {};
  for (const { actor, verb, resource, status } of writes) {
    const what = status < 400 ? `${verb} ${resource}` : `${verb} ${resource}: ${status}`;
    const ofActor = (counts[actor] ??= {});
    ofActor[what] = (ofActor[what] ?? 0) + 1;
  }
  return Object.fromEntries(
    Object.entries(counts)
      .toSorted(byKey)
      .map(([actor, ofActor]) => [actor, Object.fromEntries(Object.entries(ofActor).toSorted(byKey))]),
  );
}

/** How often something has failed depends on how long it was tried. */
function lineOf({ type, reason, message, involvedObject, count = 1, source }: Event): string {
  const { kind, name } = involvedObject;
  const isRetried = type === "Warning" || REPEATED.has(reason ?? "");
  const times = isRetried || count === 1 ? "" : ` (${count} times)`;
  return `${source?.component}: ${type} ${reason} ${kind}/${name}: ${message}${times}`;
}

const generated: ReadonlySet<string> = new Set(["Pod", "EndpointSlice", "ResourceClaim"]);

/** Pods and slices have names that nobody chose: they are numbered, in the order of what else is said of them. */
function named(objects: readonly ApiObject[], scrubber: Scrubber): readonly (readonly [string, unknown])[] {
  const numbers = new Map<string, number>();
  return objects
    .map((object) => {
      const { kind, metadata } = object;
      const isNamed = !generated.has(kind ?? "") || metadata.generateName === undefined;
      const base = isNamed ? `${kind}/${metadata.name}` : `${kind}/${metadata.generateName}`;
      const { uid: _, generation, ...others } = metadata;
      // How many changes of pods went into one write of a slice is chance.
      const kept =
        kind === "EndpointSlice" ? others : { ...others, ...(generation !== undefined && { generation }) };
      // Lists name the kind of their items once, above them all.
      const { apiVersion: __, ...rest } = object;
      const plain = { ...withoutAsker(rest), metadata: isNamed ? kept : { ...kept, name: "*" } };
      return { base, isNamed, value: scrubber.scrub(plain) };
    })
    .map((entry) => ({ ...entry, text: JSON.stringify(entry.value) }))
    .toSorted((a, b) => (`${a.base} ${a.text}` < `${b.base} ${b.text}` ? -1 : 1))
    .map(({ base, isNamed, value }) => {
      if (isNamed) return [base, value];
      const number = (numbers.get(base) ?? 0) + 1;
      numbers.set(base, number);
      return [`${base}#${number}`, value];
    });
}

function withoutAsker<T extends object>(object: T): T {
  const { kind, spec } = object as { readonly kind?: string; readonly spec?: object };
  if (kind !== "CertificateSigningRequest" || spec === undefined) return object;
  return { ...object, spec: Object.fromEntries(Object.entries(spec).filter(([name]) => !askers.has(name))) };
}

const CERTIFICATE = "-----BEGIN CERTIFICATE-----";
const REQUEST = "-----BEGIN CERTIFICATE REQUEST-----";
/** Who has made a request for a certificate: each cluster has users of its own. */
const askers: ReadonlySet<string> = new Set(["username", "groups", "uid", "extra"]);

/** What is certified; by whom and when, and the numbers in it, are each cluster's own. */
function factsOf(pem: string): unknown {
  const certificate = new X509Certificate(pem);
  const { subject, subjectAltName = "", keyUsage: purposes, ca, validFromDate, validToDate } = certificate;
  const livesSeconds = (validToDate.getTime() - validFromDate.getTime()) / 1_000;
  return { subject, subjectAltName, purposes, ca, livesSeconds };
}

function isBase64Of(text: string, beginnings: readonly string[]): boolean {
  return beginnings.some((beginning) => text.startsWith(Buffer.from(beginning).toString("base64")));
}

class Scrubber {
  readonly #uids: ReadonlyMap<string, string>;
  readonly #addresses: ReadonlyMap<string, string>;

  constructor(uids: ReadonlyMap<string, string>, addresses: ReadonlyMap<string, string>) {
    this.#uids = uids;
    this.#addresses = addresses;
  }

  /** With sorted keys. */
  scrub(value: unknown, key = ""): unknown {
    if (places.has(key)) return "(a place)";
    if (isUid(key) && typeof value === "string") return this.#uids.get(value) ?? "uid of something else";
    if (key === "certificate" && typeof value === "string")
      return factsOf(Buffer.from(value, "base64").toString());
    if (key === "resourceClaimName" && typeof value === "string") return value.replace(CLAIM_SUFFIX, "*");
    if (typeof value === "string") return this.#scrubText(value);
    if (Array.isArray(value)) {
      const elements = value.map((element) => this.scrub(element));
      return unordered.has(key) ? elements.toSorted(byText) : elements;
    }
    if (typeof value !== "object" || value === null) return value;
    const kept = Object.entries(value).filter(([name]) => !dropped.has(name));
    return Object.fromEntries(
      kept.toSorted(byKey).map(([name, element]) => [name, this.scrub(element, name)]),
    );
  }

  /** Of tokens the claims are compared; keys and certificates are each cluster's own. */
  #scrubText(text: string): unknown {
    if (TIME.test(text)) return "(a time)";
    const address = this.#addresses.get(text);
    if (address !== undefined) return address;
    if (isBase64Of(text, [REQUEST.slice(0, 24)])) return "(a request)";
    const decoded = isBase64Of(text, ["eyJ", CERTIFICATE]) ? Buffer.from(text, "base64").toString() : text;
    if (decoded.startsWith(CERTIFICATE)) return "(a certificate)";
    const [, claims, signature] = decoded.split(".");
    if (!decoded.startsWith("eyJ") || claims === undefined || signature === undefined) return text;
    return this.scrub(JSON.parse(Buffer.from(claims, "base64url").toString()));
  }
}

function byText(one: unknown, other: unknown): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}

/** As a field, an annotation and a claim. */
function isUid(key: string): boolean {
  return key === "uid" || key.endsWith("service-account.uid") || key.endsWith("controller-uid");
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
