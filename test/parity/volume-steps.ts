import type { Stored } from "../../pkg/api/object.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { PersistentVolumeClaim } from "../../pkg/api/types/core-v1.gen.ts";
import type { VolumeAttachment } from "../../pkg/api/types/storage-v1.gen.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import type { Place } from "./place.ts";
import type { VolumeStep } from "./volume-step.ts";

const CLASS = "";

export class VolumeSteps {
  /** Names of the scenario's VolumeAttachments that were there at some time. */
  readonly seen = new Set<string>();
  readonly #client: ClientSet;
  readonly #place: Place;

  constructor(client: ClientSet, place: Place) {
    this.#client = client;
    this.#place = place;
  }

  async createVolume(step: Extract<VolumeStep, { do: "create volume" }>): Promise<void> {
    const { name, source, accessModes, unbound, ofPod } = step;
    const { namespace } = this.#place;
    const ownerReferences =
      ofPod && (await this.#place.references([{ target: `pods/${ofPod}`, controller: true }]));
    const claim = await this.#claims().create({
      metadata: { name, namespace, ...(ownerReferences && { ownerReferences }) },
      spec: { accessModes, storageClassName: CLASS, resources: { requests: { storage: "1Gi" } } },
    });
    const { uid } = claim.metadata;
    const volume = {
      metadata: { name: this.#volumeName(name) },
      spec: {
        ...source,
        accessModes,
        capacity: { storage: "1Gi" },
        claimRef: { kind: "PersistentVolumeClaim", namespace, name, uid },
      },
    };
    await this.#client.clientFor(resources.persistentVolumes).create(volume);
    if (unbound !== true) await this.bind(name);
  }

  async bind(name: string): Promise<void> {
    const ref = { namespace: this.#place.namespace, name };
    const patch = (body: object) => ({ type: "merge", body }) as const;
    await this.#claims().patch(ref, patch({ spec: { volumeName: this.#volumeName(name) } }));
    await this.#claims().patch(ref, patch({ status: { phase: "Bound" } }), { subresource: "status" });
  }

  async attachmentsOf(node: string): Promise<readonly Stored<VolumeAttachment>[]> {
    const [, { name }] = this.#place.refOf(`nodes/${node}`);
    const { items } = await this.#client.clientFor(resources.volumeAttachments).list();
    const own = items.filter(({ spec }) => spec.nodeName === name);
    for (const { metadata } of own) this.seen.add(metadata.name);
    return own;
  }

  async patchAttachments({
    node,
    body,
    subresource,
  }: Extract<VolumeStep, { do: "patch attachments" }>): Promise<void> {
    const client = this.#client.clientFor(resources.volumeAttachments);
    for (const { metadata } of await this.attachmentsOf(node))
      await client.patch(
        { name: metadata.name },
        { type: "merge", body },
        subresource === undefined ? {} : { subresource },
      );
  }

  #claims() {
    return this.#client.clientFor<PersistentVolumeClaim>(resources.persistentVolumeClaims);
  }

  #volumeName(name: string): string {
    return `${this.#place.namespace}.${name}`;
  }
}
