import type { Pod } from "../../api/types/core-v1.gen.ts";

/** What a kubelet answers about the processes of pods. A cluster that simulates them provides this. */
export interface PodProcesses {
  /** Throws a StatusError when there can be no log; ends when the log does, or with the signal. */
  logs(request: LogRequest, signal: AbortSignal): Promise<AsyncIterable<string>>;
  /** Resolves to the exit code when the command has ended. Throws a StatusError before it begins, or an Error. */
  exec(request: ExecRequest, streams: ProcessStreams, signal: AbortSignal): Promise<number>;
  /** As exec, for what the container runs itself. */
  attach(request: AttachRequest, streams: ProcessStreams, signal: AbortSignal): Promise<number>;
  /** Answers one connection to a port, and resolves when it has ended. Throws an Error that says why there is none. */
  forward?(request: PortRequest, connection: PortConnection, signal: AbortSignal): Promise<void>;
}

/** A port of a pod that has a node. */
export interface PortRequest extends PodTarget {
  readonly port: number;
}

/** What the other side sends, until it has sent all, and what it is to be sent. */
export interface PortConnection {
  readonly incoming: AsyncIterable<Uint8Array>;
  send(data: Uint8Array): Promise<void>;
}

/** A container of a pod that has a node. */
export interface ContainerTarget extends PodTarget {
  readonly container: string;
}

interface PodTarget {
  readonly pod: Pod;
  /** The pod as it is now; undefined once this very one is gone. */
  readonly podNow: () => Pod | undefined;
}

export interface LogRequest extends ContainerTarget {
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly sinceMs: number | undefined;
  readonly tailLines: number | undefined;
  readonly limitBytes: number | undefined;
}

export interface AttachRequest extends ContainerTarget {
  readonly tty: boolean;
}

export interface ExecRequest extends AttachRequest {
  readonly command: readonly string[];
}

/** Of one process. What nobody asked for is dropped. */
export interface ProcessStreams {
  /** Ends when the other side has sent all; empty where there is no input. */
  readonly stdin: AsyncIterable<Uint8Array>;
  stdout(text: string | Uint8Array): Promise<void>;
  stderr(text: string): Promise<void>;
}
