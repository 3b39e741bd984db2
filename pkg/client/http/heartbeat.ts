import type { Clock, Timer } from "../../clock/clock.ts";

/** How long a peer may be silent. */
export interface PeerPatience {
  /** After so long without a byte the peer is asked for a sign of life; 0: never. */
  readonly idleMs: number;
  /** How long it then has to give one. */
  readonly pingMs: number;
}

/** upstream: apimachinery/pkg/util/net/http.go#configureHTTP2Transport */
export const DEFAULT_PATIENCE: PeerPatience = { idleMs: 30_000, pingMs: 15_000 };

/** The other end of one connection. */
export interface Peer {
  /** Of all that has come from it. */
  bytesRead(): number;
  /** Asks it for a sign of life; `onAnswer` is called when there is one, unless that is seen in the bytes. */
  ping(onAnswer: () => void): void;
  onSilence(): void;
}

/** Looks in the time in which a peer may be silent without being asked. */
const LOOKS = 6;

/**
 * Watches the bytes that come in on one connection. A peer that runs at all answers when it is asked, so silence then
 * means that it is dead, frozen, or cut off, which TCP by itself notices after minutes or never.
 * It looks only while started (the connection has requests in flight).
 */
export class Heartbeat {
  readonly #clock: Clock;
  readonly #patience: PeerPatience;
  readonly #peer: Peer;
  #timer: Timer | undefined;
  #lastBytes = 0;
  #heardMs = 0;
  #askedMs: number | undefined;

  constructor(clock: Clock, patience: PeerPatience, peer: Peer) {
    this.#clock = clock;
    this.#patience = patience;
    this.#peer = peer;
  }

  start(): void {
    if (this.#timer !== undefined || this.#patience.idleMs <= 0) return;
    this.#lastBytes = this.#peer.bytesRead();
    this.#heard();
    this.#schedule(this.#patience.idleMs / LOOKS);
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #heard(): void {
    this.#heardMs = this.#clock.monotonicMs();
    this.#askedMs = undefined;
  }

  #schedule(delayMs: number): void {
    const dueMs = this.#clock.monotonicMs() + delayMs;
    this.#timer = this.#clock.setTimer(delayMs, () => this.#look(dueMs));
  }

  #look(dueMs: number): void {
    const { idleMs, pingMs } = this.#patience;
    const nowMs = this.#clock.monotonicMs();
    const stepMs = idleMs / LOOKS;
    const bytes = this.#peer.bytesRead();
    // A late look means that this process was busy or stopped: its own deafness proves nothing about the peer.
    if (bytes !== this.#lastBytes || nowMs - dueMs > stepMs / 2) this.#heard();
    this.#lastBytes = bytes;
    if (this.#askedMs === undefined) {
      if (nowMs - this.#heardMs < idleMs) {
        this.#schedule(stepMs);
        return;
      }
      this.#ask(nowMs);
      this.#schedule(pingMs);
      return;
    }
    this.#timer = undefined;
    this.#peer.onSilence();
  }

  #ask(nowMs: number): void {
    this.#askedMs = nowMs;
    this.#peer.ping(() => {
      // An answer to an earlier question is no answer to this one.
      if (this.#askedMs === nowMs) this.#heard();
    });
  }
}
