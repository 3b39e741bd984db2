import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ExecMetrics } from "../../pkg/client/config/exec-metrics.ts";
import { ReloadingIdentity } from "../../pkg/client/config/reloading-identity.ts";
import { TransportMetrics } from "../../pkg/client/transport-metrics.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import type { Metrics } from "../../pkg/metrics/metrics.ts";
import { noMetrics } from "../../pkg/metrics/metrics.ts";
import { CertificateAuthority } from "../../pkg/pki/certificate-authority.ts";
import { VirtualClock } from "../../pkg/testing/virtual-clock.ts";

test("a certificate whose key has not been replaced yet is half a rotation: the old pair stays", async () => {
  const clock = new VirtualClock();
  const directory = await mkdtemp(join(tmpdir(), "kcm-pair-"));
  const [certFile, keyFile] = [join(directory, "tls.crt"), join(directory, "tls.key")];
  const authority = await CertificateAuthority.create("test", clock);
  const [old, next] = [
    await authority.issue({ commonName: "old" }),
    await authority.issue({ commonName: "new" }),
  ];
  try {
    await writeFile(certFile, old.cert);
    await writeFile(keyFile, old.key);
    const identity = new ReloadingIdentity({
      source: { cert: { file: certFile }, key: { file: keyFile } },
      plugin: undefined,
      clock,
      log: silentLogger,
      metrics: new TransportMetrics(noMetrics),
    });
    const first = await identity.credentials();
    await writeFile(certFile, next.cert);
    await clock.advanceBy(60_000);
    expect(await identity.credentials()).toBe(first);
    await writeFile(keyFile, next.key);
    await clock.advanceBy(60_000);
    expect((await identity.credentials()).tls).toEqual({
      cert: Buffer.from(next.cert),
      key: Buffer.from(next.key),
    });
  } finally {
    await rm(directory, { recursive: true });
  }
});

test("the plugin's certificate is followed: its time to live, and its age when it is replaced", async () => {
  const clock = new VirtualClock();
  const authority = await CertificateAuthority.create("test", clock);
  const values: number[] = [];
  const ages: number[] = [];
  let collect = (): unknown => undefined;
  const metrics: Metrics = {
    ...noMetrics,
    gauge: (options) => ({ ...noMetrics.gauge(options), set: (value) => void values.push(value) }),
    histogram: (options) => ({ ...noMetrics.histogram(options), observe: (age) => void ages.push(age) }),
    onCollect: (refresh) => (collect = refresh),
  };
  const exec = new ExecMetrics(metrics, clock);
  const first = Buffer.from((await authority.issue({ commonName: "plugin" })).cert);
  exec.issued(first);
  collect();
  await clock.advanceBy(3_600_000);
  collect();
  expect((values[0] ?? 0) - (values[1] ?? 0)).toBe(3_600);
  exec.issued(first);
  expect(ages).toEqual([]);
  exec.issued(Buffer.from((await authority.issue({ commonName: "plugin" })).cert));
  expect(ages).toHaveLength(1);
  expect(ages[0]).toBeGreaterThanOrEqual(3_600);
});
