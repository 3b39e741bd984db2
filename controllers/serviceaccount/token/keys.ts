import type { StoredObject } from "../../../pkg/api/object.ts";
import { accountNamedBy } from "./token-secret.ts";

/** What is to be known of an account that may be gone by the time that it is looked at. */
export class AccountKey {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;

  constructor({ metadata: { namespace = "", name, uid } }: StoredObject) {
    this.namespace = namespace;
    this.name = name;
    this.uid = uid;
  }

  toString(): string {
    return `${this.namespace}/${this.name}/${this.uid}`;
  }
}

/** The same of a Secret, with the account that it named; that one's uid may be "". */
export class SecretKey {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly account: { readonly name: string; readonly uid: string };

  constructor(secret: StoredObject & Parameters<typeof accountNamedBy>[0]) {
    const { namespace = "", name, uid } = secret.metadata;
    this.namespace = namespace;
    this.name = name;
    this.uid = uid;
    this.account = accountNamedBy(secret);
  }

  toString(): string {
    return `${this.namespace}/${this.name}/${this.uid} of ${this.account.name}/${this.account.uid}`;
  }
}
