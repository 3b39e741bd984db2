// Stands where envtest expects kube-apiserver: the embedded API server with the certificates and the port that it is
// told, roles and no controllers.
import { generateKeyPair } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { realClock, realRandom } from "../../pkg/clock/real.ts";
import { EmbeddedCluster } from "../../pkg/cluster/cluster.ts";
import { askedToEnd } from "./asked-to-end.ts";
import { readFlags } from "./flags.ts";

/** These say what this server does anyway, or what it has no use for. */
const withoutEffect = [
  "allow-privileged",
  "authorization-mode",
  "disable-admission-plugins",
  "etcd-servers",
  "service-account-issuer",
  // Keys of elliptic curves, which nobody but this server would have to know: it makes an RSA key instead.
  "service-account-key-file",
  "service-account-signing-key-file",
  "service-cluster-ip-range",
];

const flags = readFlags(process.argv.slice(2), [
  "bind-address",
  "cert-dir",
  "client-ca-file",
  "secure-port",
  ...withoutEffect,
]);
if (flags !== undefined) {
  const stopped = askedToEnd();
  const directory = flags.one("cert-dir");
  const { privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: 2048 });
  const cluster = await EmbeddedCluster.start({
    clock: realClock,
    random: realRandom,
    serviceAccountKey: privateKey,
    listen: {
      host: flags.one("bind-address"),
      port: Number(flags.one("secure-port")),
      tls: {
        cert: readFileSync(join(directory, "apiserver.crt"), "utf8"),
        key: readFileSync(join(directory, "apiserver.key"), "utf8"),
        clientCa: readFileSync(flags.one("client-ca-file"), "utf8"),
      },
    },
  });
  await stopped;
  await cluster.stop();
}
