import { afterEach, describe, expect, test, vi } from "vitest";
import { signerNames } from "../../pkg/api/certificate-requests.ts";
import type { SigningAuthority } from "../../pkg/pki/signing-authority.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { authorityPair, type SigningFiles, signingFiles } from "../../test/harness/signing-files.ts";
import { VirtualClock } from "../../pkg/testing/virtual-clock.ts";
import { authorityFiles, signerFiles } from "./authority-files.ts";
import { resolveOptions } from "./options/resolve.ts";

const clock = new VirtualClock();
const made: SigningFiles[] = [];
function files(livesMs = 1_000_000): SigningFiles {
  const pair = signingFiles(authorityPair({ nowMs: clock.nowMs(), livesMs }));
  made.push(pair);
  return pair;
}
afterEach(() => {
  for (const pair of made.splice(0)) pair.remove();
});

/** Each signer, and when the authority that its flags name expires. */
function signersOf(...flags: string[]): unknown {
  const signers = signerFiles(resolveOptions(flags, () => "").options.csrSigning);
  return signers.map((signer) => [signer.signerName, signer.files.load().notAfterMs - clock.nowMs()]);
}

describe("the files of signers", () => {
  test("are one pair for all of them", () => {
    const { certFile, keyFile } = files();
    const flags = [`--cluster-signing-cert-file=${certFile}`, `--cluster-signing-key-file=${keyFile}`];
    expect(signersOf(...flags)).toEqual([
      [signerNames.kubeletServing, 1_000_000],
      [signerNames.kubeletClient, 1_000_000],
      [signerNames.apiServerClient, 1_000_000],
      [signerNames.legacyUnknown, 1_000_000],
    ]);
    const [first, ...others] = signerFiles(resolveOptions(flags, () => "").options.csrSigning);
    expect(others.every((signer) => signer.files === first?.files)).toBe(true);
  });

  test.each([
    ["--cluster-signing-kube-apiserver-client", signerNames.apiServerClient],
    ["--cluster-signing-kubelet-client", signerNames.kubeletClient],
    ["--cluster-signing-kubelet-serving", signerNames.kubeletServing],
    ["--cluster-signing-legacy-unknown", signerNames.legacyUnknown],
  ])("are those of %s for this signer, and the others have none", (flag, signerName) => {
    const { certFile, keyFile } = files(2_000_000);
    expect(signersOf(`${flag}-cert-file=${certFile}`, `${flag}-key-file=${keyFile}`)).toEqual([
      [signerName, 2_000_000],
    ]);
  });

  test("are none without flags, of which these are the names", () => {
    // --cluster-signing-kube-apiserver-client-cert-file --cluster-signing-kube-apiserver-client-key-file
    // --cluster-signing-kubelet-client-cert-file --cluster-signing-kubelet-client-key-file
    // --cluster-signing-kubelet-serving-cert-file --cluster-signing-kubelet-serving-key-file
    // --cluster-signing-legacy-unknown-cert-file --cluster-signing-legacy-unknown-key-file
    expect(signersOf()).toEqual([]);
  });
});

describe("an authority", () => {
  test("that cannot be used is an error that names its files, and tells nothing of the key", () => {
    const pair = files();
    const other = authorityPair({ nowMs: clock.nowMs() });
    pair.write({ key: other.key });
    const { load } = authorityFiles(pair.certFile, pair.keyFile);
    expect(load).toThrow(pair.certFile);
    expect(load).toThrow("the private key is not that of the certificate");
    pair.write({ key: other.key.slice(0, 100) });
    try {
      load();
    } catch (error) {
      expect(String(error)).not.toContain(other.key.slice(40, 80));
    }
  });

  test("follows its files, and never one half of them", async () => {
    const pair = files();
    const { load, follow } = authorityFiles(pair.certFile, pair.keyFile);
    load();
    const applied: SigningAuthority[] = [];
    const stop = new AbortController();
    const following = follow(
      (authority) => applied.push(authority),
      { clock, log: silentLogger },
      stop.signal,
    );
    const next = authorityPair({ nowMs: clock.nowMs(), livesMs: 3_000_000 });
    pair.write({ cert: next.cert });
    await nextRound();
    pair.write({ key: next.key.slice(0, next.key.length / 2) });
    await nextRound();
    expect(applied).toEqual([]);
    pair.write({ key: next.key });
    await nextRound();
    expect(applied.map(({ notAfterMs }) => notAfterMs - clock.nowMs() + 30_000)).toEqual([3_000_000]);
    stop.abort();
    await following;
    expect(clock.pendingTimers).toBe(0);
  });

  test("is not missed when its files change between reading them and following them", async () => {
    const pair = files();
    const { load, follow } = authorityFiles(pair.certFile, pair.keyFile);
    load();
    pair.write(authorityPair({ nowMs: clock.nowMs() }));
    const applied: SigningAuthority[] = [];
    const stop = new AbortController();
    const following = follow(
      (authority) => applied.push(authority),
      { clock, log: silentLogger },
      stop.signal,
    );
    await nextRound();
    expect(applied).toHaveLength(1);
    stop.abort();
    await following;
  });
});

/** It ends when the timer of the next one is set, after real reads. */
async function nextRound(): Promise<void> {
  await clock.advanceBy(10_000);
  await vi.waitFor(() => expect(clock.pendingTimers).toBe(1), { timeout: 60_000 });
}
