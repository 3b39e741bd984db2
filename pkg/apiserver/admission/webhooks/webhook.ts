import type { ApiObject } from "../../../api/object.ts";
import { resources } from "../../../api/resources.ts";
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from "../../../api/types/admissionregistration-v1.gen.ts";
import { bucketName } from "../../server/served-resource.ts";
import type { Store } from "../../storage/store.ts";

/** One webhook of a configuration. */
export interface Webhook {
  /** Names it among all: several of one configuration may share a name. */
  readonly id: string;
  readonly configuration: string;
  readonly spec: ValidatingWebhook & Pick<MutatingWebhook, "reinvocationPolicy">;
}

type Configuration = (MutatingWebhookConfiguration | ValidatingWebhookConfiguration) & ApiObject;

/** The webhooks of one sort, read off the storage: configurations in order of their names, each in its own order. */
export class WebhookSource {
  readonly #store: Store;
  readonly #bucket: string;
  readonly #known = new WeakMap<ApiObject, readonly Webhook[]>();

  constructor(store: Store, sort: "mutating" | "validating") {
    const { mutatingWebhookConfigurations: mutating, validatingWebhookConfigurations: validating } =
      resources;
    const { group, plural } = sort === "mutating" ? mutating : validating;
    this.#store = store;
    this.#bucket = bucketName(group, plural);
  }

  /** There are none, as in most clusters at most times: nothing else is to be looked at then. */
  get isEmpty(): boolean {
    return this.#store.count(this.#bucket) === 0;
  }

  all(): readonly Webhook[] {
    return this.#store.scan(this.#bucket, { prefix: "" }).items.flatMap((object) => this.#webhooksOf(object));
  }

  #webhooksOf(object: ApiObject): readonly Webhook[] {
    const known = this.#known.get(object);
    if (known !== undefined) return known;
    const { metadata, webhooks = [] } = object as Configuration;
    const configuration = metadata.name ?? "";
    const seen = new Map<string, number>();
    const read = webhooks.map((spec): Webhook => {
      const count = seen.get(spec.name) ?? 0;
      seen.set(spec.name, count + 1);
      return { id: `${configuration}/${spec.name}/${count}`, configuration, spec };
    });
    this.#known.set(object, read);
    return read;
  }
}
