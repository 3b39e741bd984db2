import type { Container } from "../../api/types/core-v1.gen.ts";
import type {
  AttachRequest,
  ContainerTarget,
  ExecRequest,
  LogRequest,
  PodProcesses,
  PortConnection,
  PortRequest,
  ProcessStreams,
} from "../../apiserver/server/pod-processes.ts";
import { StatusError } from "../../apiserver/server/status-error.ts";
import type { Clock } from "../../clock/clock.ts";
import { answerPort } from "./hollow-ports.ts";
import { containerIn, containerLogs, statusOf } from "./container-logs.ts";
import { runProcess, withReturns } from "./shell.ts";

/** Answers for containers without processes: what they would have written, and what simple commands would say in them. */
export class HollowProcesses implements PodProcesses {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async logs(request: LogRequest, signal: AbortSignal): Promise<AsyncIterable<string>> {
    return containerLogs(request, this.#clock, signal);
  }

  async exec(request: ExecRequest, streams: ProcessStreams, signal: AbortSignal): Promise<number> {
    const { pod, command, tty } = request;
    const container = runningContainer(request);
    return runProcess(command, { pod, container, clock: this.#clock, streams, signal }, tty);
  }

  /** What a shell would do, where the container runs one and takes input; else what it writes from now on. */
  async attach(request: AttachRequest, streams: ProcessStreams, signal: AbortSignal): Promise<number> {
    const { pod, tty } = request;
    const container = runningContainer(request);
    const [program = "", ...rest] = [...(container.command ?? []), ...(container.args ?? [])];
    if (container.stdin === true && rest.length === 0 && /^(\/bin\/)?(ba|da|a)?sh$/.test(program))
      return runProcess([program], { pod, container, clock: this.#clock, streams, signal }, tty);
    const log = {
      ...request,
      follow: true,
      previous: false,
      timestamps: false,
      sinceMs: undefined,
      tailLines: 0,
      limitBytes: undefined,
    };
    for await (const chunk of containerLogs(log, this.#clock, signal))
      await streams.stdout(tty ? withReturns(chunk) : chunk);
    return 0;
  }

  async forward(request: PortRequest, connection: PortConnection): Promise<void> {
    return answerPort(request, connection);
  }
}

function runningContainer({ pod, container: name }: ContainerTarget): Container {
  const container = containerIn(pod, name);
  if (container !== undefined && statusOf(pod, name)?.state?.running !== undefined) return container;
  const message = `unable to upgrade connection: container not found (${JSON.stringify(name)})`;
  throw new StatusError(500, "InternalError", `Internal error occurred: ${message}`);
}
