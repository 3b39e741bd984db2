import { connect, type Socket } from "node:net";

/** A plain TCP connection. */
export async function dial(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  const socket = connect({ host, port });
  await ready(socket, "connect", signal);
  return socket;
}

/** Waits for the socket's event; destroys it when that does not come. */
export async function ready(socket: Socket, event: string, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const settle = (finish: () => void): void => {
      signal.removeEventListener("abort", onAbort);
      socket.off("error", onError);
      socket.off("close", onClose);
      socket.off(event, onReady);
      finish();
    };
    const fail = (error: Error): void =>
      settle(() => {
        // Errors of a socket that nobody waits for any more must not end the process.
        socket.on("error", () => undefined);
        socket.destroy();
        reject(error);
      });
    const onReady = (): void => settle(resolve);
    const onError = (error: Error): void => fail(error);
    const onClose = (): void => fail(new Error("the connection was closed"));
    const onAbort = (): void => fail(signal.reason as Error);
    socket.once(event, onReady);
    socket.once("error", onError);
    socket.once("close", onClose);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}
