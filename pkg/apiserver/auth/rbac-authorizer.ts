import { resources } from "../../api/resources.ts";
import type {
  ClusterRoleBinding,
  PolicyRule,
  RoleBinding,
  RoleRef,
  Subject,
} from "../../api/types/rbac-v1.gen.ts";
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
    return this.decide(request.user, attributesOf(request));
  }

  isAllowed(user: UserInfo, wanted: AccessAttributes): boolean {
    return this.decide(user, wanted).allowed;
  }

  /** With the binding that allows it as the reason. */
  decide(user: UserInfo, wanted: AccessAttributes): Decision {
    if (user.groups.includes(mastersGroup)) return { allowed: true, reason: "" };
    for (const grant of this.#grantsFor(user, wanted.namespace)) {
      if (grant.rules.some((rule) => ruleAllows(rule, wanted))) {
        return { allowed: true, reason: `RBAC: allowed by ${grant.source}` };
      }
    }
    return { allowed: false, reason: "" };
  }

  /** Every rule that holds for the user in a namespace; with "", those that hold everywhere. */
  rulesFor(user: UserInfo, namespace: string): readonly PolicyRule[] {
    return [...this.#grantsFor(user, namespace)].flatMap(({ rules }) => rules);
  }

  /** Names of the roles that are bound to the user and do not exist. */
  danglingFor(user: UserInfo, namespace: string): readonly string[] {
    return [...this.#grantsFor(user, namespace)].flatMap(({ dangling }) => dangling ?? []);
  }

  /** The rules of the role that a binding refers to; undefined: there is no such role. */
  rulesOf({ kind, name }: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    const role =
      kind === "Role"
        ? this.#reader.get(resources.roles, namespace, name)
        : this.#reader.get(resources.clusterRoles, "", name);
    return role && (role.rules ?? []);
  }

  *#grantsFor(user: UserInfo, namespace: string): Generator<Grant> {
    for (const binding of this.#reader.list(resources.clusterRoleBindings)) {
      yield* this.#grantsOf(`ClusterRoleBinding "${binding.metadata.name}"`, binding, user, "");
    }
    if (namespace === "") return;
    for (const binding of this.#reader.list(resources.roleBindings, namespace)) {
      const name = `RoleBinding "${binding.metadata.name}/${namespace}"`;
      yield* this.#grantsOf(name, binding, user, namespace);
    }
  }

  /** A binding to a role that does not exist grants nothing. */
  *#grantsOf(
    bindingName: string,
    binding: RoleBinding | ClusterRoleBinding,
    user: UserInfo,
    namespace: string,
  ): Generator<Grant> {
    const subject = binding.subjects?.find((one) => appliesTo(one, user, namespace));
    if (subject === undefined) return;
    const { kind, name } = binding.roleRef;
    const rules = this.rulesOf(binding.roleRef, namespace);
    const holder =
      subject.kind === "ServiceAccount" ? `${subject.name}/${subject.namespace ?? namespace}` : subject.name;
    const source = `${bindingName} of ${kind} "${name}" to ${subject.kind} "${holder}"`;
    yield rules === undefined ? { rules: [], source, dangling: name } : { rules, source };
  }
}

interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}

interface Grant {
  readonly rules: readonly PolicyRule[];
  readonly source: string;
  /** Name of the role, when there is none. */
  readonly dangling?: string;
}

function appliesTo(subject: Subject, user: UserInfo, namespace: string): boolean {
  if (subject.kind === "User") return subject.name === user.username;
  if (subject.kind === "Group") return user.groups.includes(subject.name);
  const home = subject.namespace ?? namespace;
  return (
    subject.kind === "ServiceAccount" &&
    home !== "" &&
    user.username === `system:serviceaccount:${home}:${subject.name}`
  );
}

function attributesOf({ verb, path, resource }: AccessRequest): AccessAttributes {
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
