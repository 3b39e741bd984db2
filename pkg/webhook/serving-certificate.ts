import type { Clock } from "../clock/clock.ts";
import type { CertificateAuthority, KeyPair } from "../pki/certificate-authority.ts";
import { isDue } from "./shared-authority.ts";

/** API servers hear of a new authority within that time. */
const NEWS_MS = 60_000;

/** What this replica shows of itself. */
export class ServingCertificate {
  readonly #clock: Clock;
  readonly #hosts: readonly string[];
  #pair: KeyPair | undefined;
  #authority = "";
  /** Since when there is another authority than that of the certificate. */
  #newsMs: number | undefined;

  constructor(clock: Clock, hosts: readonly string[]) {
    this.#clock = clock;
    this.#hosts = hosts;
  }

  get pair(): KeyPair | undefined {
    return this.#pair;
  }

  /**
   * The new certificate when it is time for one; undefined else. One of a former authority is trusted on, so that there
   * is time for everybody to hear of the new one.
   */
  async renewed(authority: CertificateAuthority): Promise<KeyPair | undefined> {
    const pair = this.#pair;
    if (pair !== undefined && this.#authority === authority.cert) {
      this.#newsMs = undefined;
      if (!isDue(pair.cert, this.#clock)) return undefined;
    } else if (pair !== undefined) {
      this.#newsMs ??= this.#clock.monotonicMs();
      if (this.#clock.monotonicMs() - this.#newsMs < NEWS_MS) return undefined;
    }
    this.#pair = await authority.issue({ commonName: "webhook", hosts: this.#hosts });
    this.#authority = authority.cert;
    this.#newsMs = undefined;
    return this.#pair;
  }
}
