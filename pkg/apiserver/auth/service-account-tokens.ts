import { createPublicKey, type KeyObject } from "node:crypto";
import * as joseErrors from "jose/errors";
import { SignJWT } from "jose/jwt/sign";
import { jwtVerify } from "jose/jwt/verify";
import type { JWTPayload } from "jose";
import type { ApiObject } from "../../api/object.ts";
import { resources } from "../../api/resources.ts";
import type { Secret } from "../../api/types/core-v1.gen.ts";
import type { Clock } from "../../clock/clock.ts";
import { randomUuid, type Random } from "../../clock/random.ts";
import type { ClusterReader } from "../admission/cluster-reader.ts";
import type { UserInfo } from "../server/access.ts";
import { SECRET_TOKEN_ISSUER, secretTokenHolder } from "./secret-tokens.ts";

interface Reference {
  readonly name: string;
  readonly uid: string;
}

/** What a token says of its holder besides the standard claims. */
interface KubernetesClaims {
  readonly namespace: string;
  readonly serviceaccount: Reference;
  readonly pod?: Reference;
  readonly secret?: Reference;
  readonly node?: Reference;
}

export interface TokenGrant {
  readonly account: ApiObject;
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  /** The token dies with these. */
  readonly pod?: ApiObject;
  readonly secret?: ApiObject;
  readonly node?: ApiObject;
}

export interface TokenOptions {
  /** An RSA key. */
  readonly key: KeyObject;
  readonly issuer: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly reader: ClusterReader;
  /** Hears of every Secret whose token was shown. */
  readonly onSecretUse?: (secret: Secret) => void;
}

const referenceOf = ({ metadata }: ApiObject): Reference => ({
  name: metadata.name ?? "",
  uid: metadata.uid ?? "",
});

/** Issues tokens of service accounts, and knows them again. */
export class ServiceAccountTokens {
  readonly #options: TokenOptions;
  readonly #publicKey: KeyObject;

  constructor(options: TokenOptions) {
    this.#options = options;
    this.#publicKey = createPublicKey(options.key);
  }

  get issuer(): string {
    return this.#options.issuer;
  }

  async issue(grant: TokenGrant): Promise<string> {
    const { clock, random, issuer, key } = this.#options;
    const nowSeconds = Math.floor(clock.nowMs() / 1000);
    const { namespace = "", name = "" } = grant.account.metadata;
    const claims: KubernetesClaims = {
      namespace,
      serviceaccount: referenceOf(grant.account),
      ...(grant.pod === undefined ? {} : { pod: referenceOf(grant.pod) }),
      ...(grant.secret === undefined ? {} : { secret: referenceOf(grant.secret) }),
      ...(grant.node === undefined ? {} : { node: referenceOf(grant.node) }),
    };
    return new SignJWT({ "kubernetes.io": claims })
      .setProtectedHeader({ alg: "RS256" })
      .setIssuer(issuer)
      .setSubject(`system:serviceaccount:${namespace}:${name}`)
      .setAudience([...grant.audiences])
      .setIssuedAt(nowSeconds)
      .setNotBefore(nowSeconds)
      .setExpirationTime(nowSeconds + grant.expirationSeconds)
      .setJti(randomUuid(random))
      .sign(key);
  }

  /** Undefined: not a token of ours, or not any more. */
  async verify(token: string, audiences: readonly string[]): Promise<VerifiedToken | undefined> {
    const payload = await this.#payload(token);
    if (payload?.iss === SECRET_TOKEN_ISSUER) {
      const { reader, onSecretUse = () => undefined } = this.#options;
      const holder = secretTokenHolder(reader, token, payload, onSecretUse);
      const meant = audiences.filter((audience) => audience === this.issuer);
      return holder && meant.length > 0 ? { user: userOf(holder, undefined), audiences: meant } : undefined;
    }
    const claims = payload?.["kubernetes.io"] as KubernetesClaims | undefined;
    if (payload === undefined || claims === undefined) return undefined;
    const granted = [payload.aud ?? []].flat().filter((audience) => audiences.includes(audience));
    if (granted.length === 0 || !this.#stillValid(claims)) return undefined;
    return { user: userOf(claims, payload.jti), audiences: granted };
  }

  async #payload(token: string): Promise<JWTPayload | undefined> {
    const { clock } = this.#options;
    const issuer = [this.issuer, SECRET_TOKEN_ISSUER];
    try {
      const currentDate = new Date(clock.nowMs());
      return (await jwtVerify(token, this.#publicKey, { issuer, currentDate, algorithms: ["RS256"] }))
        .payload;
    } catch (error) {
      if (error instanceof joseErrors.JOSEError) return undefined;
      throw error;
    }
  }

  /** The account and whatever the token is bound to must still be the same objects. */
  #stillValid(claims: KubernetesClaims): boolean {
    const { reader } = this.#options;
    const { namespace, serviceaccount, pod, secret, node } = claims;
    const same = (object: ApiObject | undefined, reference: Reference): boolean =>
      object?.metadata.uid === reference.uid;
    if (!same(reader.get(resources.serviceAccounts, namespace, serviceaccount.name), serviceaccount))
      return false;
    if (pod !== undefined && !same(reader.get(resources.pods, namespace, pod.name), pod)) return false;
    if (secret !== undefined && !same(reader.get(resources.secrets, namespace, secret.name), secret))
      return false;
    // The node of a pod-bound token is a note, not a bond.
    if (node === undefined || pod !== undefined) return true;
    return same(reader.get(resources.nodes, "", node.name), node);
  }
}

export interface VerifiedToken {
  readonly user: UserInfo;
  readonly audiences: readonly string[];
}

function userOf(
  { namespace, serviceaccount, pod, node }: KubernetesClaims,
  id: string | undefined,
): UserInfo {
  const extra: Record<string, readonly string[]> = {};
  if (id !== undefined) extra["authentication.kubernetes.io/credential-id"] = [`JTI=${id}`];
  if (pod !== undefined) {
    extra["authentication.kubernetes.io/pod-name"] = [pod.name];
    extra["authentication.kubernetes.io/pod-uid"] = [pod.uid];
  }
  if (node !== undefined) {
    extra["authentication.kubernetes.io/node-name"] = [node.name];
    extra["authentication.kubernetes.io/node-uid"] = [node.uid];
  }
  return {
    username: `system:serviceaccount:${namespace}:${serviceaccount.name}`,
    uid: serviceaccount.uid,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
    extra,
  };
}
