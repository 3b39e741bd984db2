import type { ApiObject, ListMeta, WatchEventType } from "../../api/object.ts";
import type { UserInfo } from "./access.ts";
import type { PortConnection, ProcessStreams } from "./pod-processes.ts";

/** A request as it arrives, whatever carried it. */
export interface ApiRequest {
  readonly method: string;
  /** Absolute and still percent-encoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Lower-case names. Several values of one name are joined by ", ", and those of Impersonate-*, by line breaks. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: RequestBody;
  /** Who asks, when the carrier knows (a client certificate); otherwise the Authenticator looks at the headers. */
  readonly user?: UserInfo;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal?: AbortSignal;
}

/** `text`: bytes of the wire, not parsed yet. `value`: a JSON value that the caller may still hold on to. */
export type RequestBody =
  | { readonly text: string; readonly format?: "json" | "yaml" }
  | { readonly value: unknown };

export interface ApiResponse {
  readonly status: number;
  /** Lower-case names. A header that occurs several times (warning) has a list. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: ResponseBody;
}

/** Objects and lists are frozen and shared with the storage: whoever sends them over a wire serialises them. */
export type ResponseBody =
  /** A promise of an object is none. */
  | { readonly kind: "object"; readonly value: object & { readonly then?: never } }
  | { readonly kind: "list"; readonly list: ListBody }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | {
      readonly kind: "watch";
      readonly frames: AsyncIterable<WatchFrame>;
      /** Whether they can be written in protobuf. */
      readonly inProtobuf: boolean;
    }
  /** Text that comes as it is made. */
  | { readonly kind: "stream"; readonly chunks: AsyncIterable<string> }
  /** The connection becomes that of a process. */
  | { readonly kind: "session"; readonly session: Session }
  /** … or carries those to ports of a pod. */
  | { readonly kind: "ports"; readonly session: PortSession };

export interface PortSession {
  /** Those that were asked for in the beginning, where that is how it is done. */
  readonly ports: readonly number[];
  /** Resolves when the connection has ended. */
  open(port: number, connection: PortConnection, signal: AbortSignal): Promise<void>;
}

/** A process, and which of its streams the other side wants. */
export interface Session {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  /** Resolves to the exit code. */
  run(streams: ProcessStreams, signal: AbortSignal): Promise<number>;
}

export interface ListBody {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ListMeta;
  readonly items: readonly ApiObject[];
  /** Built-in lists name the kind once: their items go over the wire without kind and apiVersion. */
  readonly bareItems: boolean;
}

export interface WatchFrame {
  readonly type: WatchEventType | "ERROR";
  readonly object: object;
  /** The same frozen object goes to every watcher of the resource, so that its bytes can be shared. */
  readonly shared: boolean;
}
