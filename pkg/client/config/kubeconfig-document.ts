/** The parts of a kubeconfig that are used here, as they stand in the file. */
export interface KubeconfigDocument {
  readonly "current-context"?: string | null;
  readonly clusters?: readonly { readonly name?: string; readonly cluster?: Cluster }[] | null;
  readonly contexts?: readonly { readonly name?: string; readonly context?: Context }[] | null;
  readonly users?: readonly { readonly name?: string; readonly user?: User }[] | null;
}

export interface Context {
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
}

export interface Cluster {
  readonly server?: string;
  readonly "certificate-authority"?: string;
  readonly "certificate-authority-data"?: string;
  readonly "insecure-skip-tls-verify"?: boolean;
  readonly "tls-server-name"?: string;
  readonly "proxy-url"?: string;
  readonly "disable-compression"?: boolean;
  readonly extensions?: readonly { readonly name?: string; readonly extension?: unknown }[] | null;
}

export interface User {
  readonly "client-certificate"?: string;
  readonly "client-certificate-data"?: string;
  readonly "client-key"?: string;
  readonly "client-key-data"?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly exec?: Exec;
  readonly "auth-provider"?: unknown;
  readonly as?: string;
  readonly "as-uid"?: string;
  readonly "as-groups"?: readonly string[];
  readonly "as-user-extra"?: Readonly<Record<string, readonly string[]>>;
}

export interface Exec {
  readonly apiVersion?: string;
  readonly command?: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  readonly installHint?: string;
  readonly interactiveMode?: string;
  readonly provideClusterInfo?: boolean;
}

type Shape =
  | "string"
  | "boolean"
  | "anything"
  | { readonly list: Shape }
  | { readonly values: Shape }
  | { readonly fields: Readonly<Record<string, Shape>> };

/** So that no field of the type is forgotten. */
type ShapesOf<T> = { readonly [Field in keyof T]-?: Shape };

const fields = <T>(shapes: ShapesOf<T>): Shape => ({ fields: shapes });
const STRINGS: Shape = { list: "string" };

const EXEC = fields<Exec>({
  apiVersion: "string",
  command: "string",
  args: STRINGS,
  env: { list: { fields: { name: "string", value: "string" } } },
  installHint: "string",
  interactiveMode: "string",
  provideClusterInfo: "boolean",
});

const CLUSTER = fields<Cluster>({
  server: "string",
  "certificate-authority": "string",
  "certificate-authority-data": "string",
  "insecure-skip-tls-verify": "boolean",
  "tls-server-name": "string",
  "proxy-url": "string",
  "disable-compression": "boolean",
  extensions: { list: { fields: { name: "string", extension: "anything" } } },
});

const USER = fields<User>({
  "client-certificate": "string",
  "client-certificate-data": "string",
  "client-key": "string",
  "client-key-data": "string",
  token: "string",
  tokenFile: "string",
  username: "string",
  password: "string",
  exec: EXEC,
  "auth-provider": "anything",
  as: "string",
  "as-uid": "string",
  "as-groups": STRINGS,
  "as-user-extra": { values: STRINGS },
});

const CONTEXT = fields<Context>({ cluster: "string", user: "string", namespace: "string" });

const DOCUMENT = fields<KubeconfigDocument>({
  "current-context": "string",
  clusters: { list: { fields: { name: "string", cluster: CLUSTER } } },
  contexts: { list: { fields: { name: "string", context: CONTEXT } } },
  users: { list: { fields: { name: "string", user: USER } } },
});

/**
 * What a YAML file of a kubeconfig holds, once it is known to have the types that it must have: `token: 12345` is a
 * number, and becomes no token by being turned into text. Unknown fields are let through, as upstream does. Values stay
 * out of messages: they may be secrets.
 */
export function checkDocument(document: unknown, fail: (message: string) => never): KubeconfigDocument {
  check(document, DOCUMENT, "", fail);
  const checked = document as KubeconfigDocument;
  for (const list of ["clusters", "contexts", "users"] as const) {
    const names = checked[list]?.map(({ name = "" }) => name) ?? [];
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) fail(`${list} has ${JSON.stringify(twice)} twice`);
  }
  return checked;
}

function check(value: unknown, shape: Shape, path: string, fail: (message: string) => never): void {
  if (shape === "anything" || value === undefined || value === null) return;
  if (typeof shape === "string") {
    if (typeof value !== shape) fail(`${path} is no ${shape}`);
    return;
  }
  if ("list" in shape) {
    if (!Array.isArray(value)) fail(`${path} is no list`);
    for (const [index, entry] of (value as readonly unknown[]).entries()) {
      if (entry === undefined || entry === null) fail(`${path}[${index}] is empty`);
      check(entry, shape.list, `${path}[${index}]`, fail);
    }
    return;
  }
  if (typeof value !== "object" || Array.isArray(value))
    fail(`${path === "" ? "the file" : path} holds no object`);
  const entries = value as Readonly<Record<string, unknown>>;
  const shapes =
    "values" in shape
      ? Object.fromEntries(Object.keys(entries).map((key) => [key, shape.values]))
      : shape.fields;
  for (const [key, each] of Object.entries(shapes)) {
    check(entries[key], each, path === "" ? key : `${path}.${key}`, fail);
  }
}
