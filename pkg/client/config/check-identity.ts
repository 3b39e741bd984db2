import { createPrivateKey, X509Certificate } from "node:crypto";
import { ConfigError, type IdentitySource, readSource } from "./identity-source.ts";

/**
 * Reads all files of an identity once and throws a ConfigError for what cannot work: at the start of a program that is
 * a mistake to be told of, not an outage to be waited for. Plugins are not run: what they ask may well be away.
 */
export async function checkIdentity({ ca, cert, key, token }: IdentitySource): Promise<void> {
  if (ca !== undefined) certificateOf("certificate authority", await readSource("certificate authority", ca));
  if (cert !== undefined && key !== undefined) {
    const certificate = certificateOf("client certificate", await readSource("client certificate", cert));
    const privateKey = privateKeyOf(await readSource("client key", key));
    if (!certificate.checkPrivateKey(privateKey)) {
      throw new ConfigError("the client certificate does not belong to the client key");
    }
  }
  if (token !== undefined && (await readSource("token", token)).toString("utf8").trim() === "") {
    throw new ConfigError("the token is empty");
  }
}

function certificateOf(what: string, pem: Buffer): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new ConfigError(`the ${what} is not a certificate in PEM form`, cause);
  }
}

function privateKeyOf(pem: Buffer): ReturnType<typeof createPrivateKey> {
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    throw new ConfigError("the client key is not a private key in PEM form", cause);
  }
}
