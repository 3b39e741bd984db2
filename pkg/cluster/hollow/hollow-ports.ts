import type { Pod } from "../../api/types/core-v1.gen.ts";
import type { PortConnection, PortRequest } from "../../apiserver/server/pod-processes.ts";
import { statusOf } from "./container-logs.ts";

/** Nobody's request is longer. */
const MOST_BYTES = 64 * 1024;

/**
 * What a container would answer at a port that it declares: one line over HTTP, of who has been asked for what. The
 * connection ends then. Throws what a kubelet says of other ports.
 */
export async function answerPort(
  { pod, podNow, port }: PortRequest,
  connection: PortConnection,
): Promise<void> {
  const now = podNow() ?? pod;
  const container = listenerAt(now, port);
  if (container === undefined) {
    const { name = "", namespace = "" } = pod.metadata;
    throw new Error(
      `error forwarding port ${port} to pod ${namespace}/${name}: dial tcp 127.0.0.1:${port}: connect: connection refused`,
    );
  }
  const asked = await requestLine(connection.incoming);
  if (asked === undefined) return;
  const body = `${pod.metadata.name ?? ""}: ${asked.method} ${asked.path} (container ${container}, port ${port})\n`;
  const head = [
    "HTTP/1.1 200 OK",
    "content-type: text/plain; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  const text = `${head.join("\r\n")}\r\n\r\n${asked.method === "HEAD" ? "" : body}`;
  await connection.send(Buffer.from(text));
}

/** The running container that declares the port. */
function listenerAt(pod: Pod, port: number): string | undefined {
  const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
  return containers.find(
    ({ name, ports = [] }) =>
      ports.some(({ containerPort, protocol = "TCP" }) => containerPort === port && protocol === "TCP") &&
      statusOf(pod, name)?.state?.running !== undefined,
  )?.name;
}

/** Undefined where it is no HTTP, or ends before. */
async function requestLine(
  incoming: AsyncIterable<Uint8Array>,
): Promise<{ readonly method: string; readonly path: string } | undefined> {
  let text = "";
  for await (const chunk of incoming) {
    text += Buffer.from(chunk).toString("latin1");
    if (!text.includes("\r\n\r\n") && text.length <= MOST_BYTES) continue;
    const found = /^(?<method>[A-Z]+) (?<path>\S+) HTTP\/1\.[01]\r\n/.exec(text)?.groups;
    return found && { method: found["method"] ?? "", path: found["path"] ?? "" };
  }
  return undefined;
}
