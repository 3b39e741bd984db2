import { type ClientSet, clientSet } from "../client/client-set.ts";
import type { WriteGate } from "./fence.ts";
import { fencedTransport } from "./fenced-transport.ts";

declare const fenced: unique symbol;

/** A client that cannot write while its gate is closed, whatever it connects as. There is no other way to have one. */
export interface FencedClientSet extends ClientSet {
  readonly [fenced]: true;
}

/** The same client behind a gate. */
export function fencedClient({ rest }: ClientSet, gate: WriteGate): FencedClientSet {
  // The mark is for the compiler alone.
  return clientSet(rest.through((transport) => fencedTransport(transport, gate))) as FencedClientSet;
}
