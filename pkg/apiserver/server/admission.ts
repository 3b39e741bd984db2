import type { ApiObject } from "../../api/object.ts";
import type { Resource } from "../../api/resource.ts";
import type { TurnOfSteps } from "../../clock/turns.ts";
import type { Draft } from "../kinds/kind.ts";
import type { UserInfo } from "./access.ts";
import type { ServedResource } from "./served-resource.ts";

export interface AdmissionAttributes {
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  readonly resource: Resource;
  readonly subresource: string;
  readonly namespace: string;
  /** "" when the name is still to be generated. */
  readonly name: string;
  /** What refusals call it: as it will be called, or how its name begins. */
  readonly refusedName: string;
  /** The name in the path: "" for a POST, whatever its object is called. */
  readonly pathName: string;
  /** The state before; undefined for a create and a connect. */
  readonly before: ApiObject | undefined;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** What the client asked for, as an object of its own kind: CreateOptions, DeleteOptions … Undefined for CONNECT. */
  options(): Readonly<Record<string, unknown>> | undefined;
  /** The resource in the version of the request. */
  readonly served: ServedResource;
  /** The same objects as other groups and versions serve them. */
  equivalents(): readonly ServedResource[];
  /** The resource that serves a kind now. */
  servedKind(apiVersion: string, kind: string): ServedResource | undefined;
  /** Work on large objects pauses here. */
  readonly turns: TurnOfSteps;
  /** Of what a subresource takes, where that is not the object itself. */
  readonly bodyKind: BodyKind | undefined;
  /** Adds a Warning header to the answer. */
  warn(message: string): void;
  /** The request as a whole, which all its attempts to write share. */
  readonly scope: RequestScope;
}

/** What is held for a request, by whoever has taken something for it. */
export class RequestScope {
  #releases: (() => void)[] | undefined;

  /** Calls back when the request has ended: what it asked for is stored by then, or never will be. */
  onEnd(release: () => void): void {
    if (this.#releases === undefined) this.#releases = [release];
    else this.#releases.push(release);
  }

  end(): void {
    const releases = this.#releases;
    this.#releases = undefined;
    for (const release of releases ?? []) release();
  }
}

export interface BodyKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/**
 * Plug-ins between authorization and storage. Both may throw a StatusError to refuse. They run again when a write
 * met another one and starts over, so they must not count on being called once.
 */
export interface Admission {
  /** May change the draft: after defaulting, before validation. There is no draft for DELETE. */
  mutate(attributes: AdmissionAttributes, draft: Draft | undefined): Promise<void>;
  /** Sees what is about to be stored. */
  validate(attributes: AdmissionAttributes, object: ApiObject | undefined): Promise<void>;
  /** Without those who are asked over the network: for what the server itself does on behalf of a request. */
  readonly within?: Admission;
  /** Only those: for bodies of subresources, which nobody else looks at. */
  readonly outside?: Admission;
}

export const admitEverything: Admission = {
  mutate: async () => undefined,
  validate: async () => undefined,
};
