import { resources } from "../../api/resources.ts";
import type { PolicyRule, Subject, RoleRef } from "../../api/types/rbac-v1.gen.ts";
import type { ClusterReader } from "../admission/cluster-reader.ts";
import type { AccessDecision, AccessRequest, Authorizer, UserInfo } from "../server/access.ts";
import { type AccessAttributes, ruleAllows } from "./rbac-rules.ts";

const mastersGroup = "system:masters";

/** Roles and bindings as they are stored decide; nothing is denied explicitly. */
export class RbacAuthorizer implements Authorizer {
  readonly #reader: ClusterReader;

  constructor(reader: ClusterReader) {
    this.#reader = reader;
  }

  async authorize(request: AccessRequest): Promise<AccessDecision> {
    return this.isAllowed(request.user, attributesOf(request))
      ? { allowed: true }
      : { allowed: false, reason: "" };
  }

  isAllowed(user: UserInfo, wanted: AccessAttributes): boolean {
    if (user.groups.includes(mastersGroup)) return true;
    for (const rule of this.rulesFor(user, wanted.namespace)) if (ruleAllows(rule, wanted)) return true;
    return false;
  }

  /** Every rule that holds for the user in a namespace; with "", those that hold everywhere. */
  *rulesFor(user: UserInfo, namespace: string): Generator<PolicyRule> {
    for (const binding of this.#reader.list(resources.clusterRoleBindings)) {
      if (appliesTo(binding.subjects, user, "")) yield* this.#rulesOf(binding.roleRef, "");
    }
    if (namespace === "") return;
    for (const binding of this.#reader.list(resources.roleBindings, namespace)) {
      if (appliesTo(binding.subjects, user, namespace)) yield* this.#rulesOf(binding.roleRef, namespace);
    }
  }

  /** A binding to a role that does not exist grants nothing. */
  #rulesOf(ref: RoleRef, namespace: string): readonly PolicyRule[] {
    const role =
      ref.kind === "Role"
        ? this.#reader.get(resources.roles, namespace, ref.name)
        : this.#reader.get(resources.clusterRoles, "", ref.name);
    return role?.rules ?? [];
  }
}

function appliesTo(subjects: readonly Subject[] | undefined, user: UserInfo, namespace: string): boolean {
  return (subjects ?? []).some((subject) => {
    if (subject.kind === "User") return subject.name === user.username;
    if (subject.kind === "Group") return user.groups.includes(subject.name);
    const home = subject.namespace ?? namespace;
    return (
      subject.kind === "ServiceAccount" &&
      home !== "" &&
      user.username === `system:serviceaccount:${home}:${subject.name}`
    );
  });
}

export function attributesOf({ verb, path, resource }: AccessRequest): AccessAttributes {
  return {
    verb,
    path,
    group: resource?.group ?? "",
    resource: resource?.plural ?? "",
    subresource: resource?.subresource ?? "",
    name: resource?.name ?? "",
    namespace: resource?.namespace ?? "",
  };
}
