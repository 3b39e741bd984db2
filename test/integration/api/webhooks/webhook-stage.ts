import { until } from "../../../harness/until.ts";
import { type WebhookAnswer, WebhookServer } from "../../../harness/webhook-server.ts";
import type { ApiClient } from "../api-client.ts";

export type Json = Record<string, unknown>;

/** The request of an AdmissionReview. */
export interface AdmissionRequest extends Json {
  readonly uid: string;
  readonly operation: string;
  readonly name?: string;
  readonly object: Json | null;
  readonly oldObject: Json | null;
}

/** The response, without the uid of the request, or a whole answer. */
export type Decide = (
  request: AdmissionRequest,
) => { readonly response: Json } | { readonly raw: WebhookAnswer } | Promise<{ readonly response: Json }>;

export const allow: Decide = () => ({ response: { allowed: true } });

/** A JSON patch in the form in which webhooks answer it. */
export function patching(operations: unknown): { readonly response: Json } {
  const text = typeof operations === "string" ? operations : JSON.stringify(operations);
  return { response: { allowed: true, patchType: "JSONPatch", patch: Buffer.from(text).toString("base64") } };
}

export interface Configured {
  /** Of all webhooks of the configuration, in order. */
  readonly seen: readonly AdmissionRequest[];
  /** Whose turn it was: the names of the webhooks, without their domain. */
  readonly asked: readonly string[];
}

type Sort = "mutating" | "validating";
const base = "/apis/admissionregistration.k8s.io/v1";

export const configurations = (sort: Sort): string => `${base}/${sort}webhookconfigurations`;

export const rule = (
  resources: readonly string[],
  operations: readonly string[] = ["*"],
  more: Json = {},
): Json => ({
  operations,
  apiGroups: ["*"],
  apiVersions: ["*"],
  resources,
  ...more,
});

/** A webhook as cases write it: what goes without saying is filled in. */
export interface Hook extends Json {
  readonly decide?: Decide;
}

/** Configures webhooks on one server, and says what they were asked. */
export class WebhookStage {
  readonly server: WebhookServer;
  readonly namespace: string;
  readonly #api: ApiClient;
  #configurations = 0;

  private constructor(api: ApiClient, server: WebhookServer, namespace: string) {
    this.#api = api;
    this.server = server;
    this.namespace = namespace;
  }

  static async open(api: ApiClient): Promise<WebhookStage> {
    const server = await WebhookServer.start(["127.0.0.1", "localhost", "hook.shop.svc"]);
    server.on("/refuse", ({ body }) => ({
      body: { ...body, response: { uid: (body["request"] as AdmissionRequest).uid, allowed: false } },
    }));
    return new WebhookStage(api, server, await api.namespace());
  }

  get configMaps(): string {
    return `/api/v1/namespaces/${this.namespace}/configmaps`;
  }

  clientConfig(path: string): Json {
    return { url: this.server.url(path), caBundle: this.server.caBundle };
  }

  /** Does the work while these webhooks are called; only for this stage's namespace, unless they say otherwise. */
  async during(
    sort: Sort,
    hooks: readonly Hook[],
    work: (configured: Configured) => Promise<void>,
  ): Promise<void> {
    // Configurations are asked in the order of their names.
    const name = `hooks-${String(this.#configurations++).padStart(3, "0")}`;
    const seen: AdmissionRequest[] = [];
    const asked: string[] = [];
    const webhooks = hooks.map(({ decide = allow, ...given }, index) => {
      const path = `/${sort}/${name}/${index}`;
      const own = typeof given["name"] === "string" ? given["name"] : `w${index}`;
      this.server.on(path, async ({ body }) => {
        const request = body["request"] as AdmissionRequest;
        if (JSON.stringify(request.object).includes(MARKER)) return allowed(body);
        // A question that is asked again, as its answer was lost, is one.
        if (seen.every(({ uid }) => uid !== request.uid)) {
          seen.push(request);
          asked.push(own);
        }
        const decision = await decide(request);
        if ("raw" in decision) return decision.raw;
        const { response } = decision;
        return {
          body: {
            apiVersion: body["apiVersion"],
            kind: body["kind"],
            response: { uid: request.uid, ...response },
          },
        };
      });
      return { ...this.#common(path), ...given, name: `${own}.test.example` };
    });
    const marker = {
      ...this.#common("/refuse"),
      name: "marker.test.example",
      rules: [rule(["configmaps"], ["CREATE"])],
      objectSelector: { matchLabels: { [MARKER]: name } },
    };
    const body = { metadata: { name }, webhooks: [...webhooks, marker] };
    const made = await this.#api.send("POST", configurations(sort), body);
    if (made.status !== 201) throw new Error(made.body.message);
    try {
      await until("the webhooks are called", async () => this.#isMarked(name));
      await work({ seen, asked });
    } finally {
      await this.#api.send("DELETE", `${configurations(sort)}/${name}`);
      await until("the webhooks are no longer called", async () => !(await this.#isMarked(name)));
    }
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }

  #common(path: string): Json {
    return {
      admissionReviewVersions: ["v1"],
      sideEffects: "None",
      clientConfig: this.clientConfig(path),
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": this.namespace } },
    };
  }

  async #isMarked(name: string): Promise<boolean> {
    const metadata = { name: "marker", labels: { [MARKER]: name } };
    const { body } = await this.#api.send("POST", `${this.configMaps}?dryRun=All`, { metadata });
    return (body.message ?? "").includes("marker.test.example");
  }
}

const MARKER = "marker-of-the-stage";

function allowed(body: Json): WebhookAnswer {
  return { body: { ...body, response: { uid: (body["request"] as AdmissionRequest).uid, allowed: true } } };
}
