import { randomUUID } from "node:crypto";
import { hostname } from "node:os";

/** As candidates call themselves: people see the host, and chance makes it unique. */
export function newIdentity(): string {
  return `${hostname()}_${randomUUID()}`;
}
