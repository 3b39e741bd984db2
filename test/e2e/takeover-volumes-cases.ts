import { isAnnotated, isBound, STORAGE_PROVISIONER } from "../../pkg/api/volumes/claim-facts.ts";
import { referenceTo } from "../../pkg/api/volumes/bound-volume.ts";
import { attachmentName, csiUniqueName } from "../../pkg/api/volumes/csi-names.ts";
import { resources } from "../../pkg/api/resources.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { StorageClass, VolumeAttachment } from "../../pkg/api/types/storage-v1.gen.ts";
import { isNotFound } from "../../pkg/client/errors.ts";
import { realClock } from "../../pkg/clock/real.ts";
import type { Kubelets } from "../harness/kubelets.ts";
import type { TestSpace } from "../harness/test-space.ts";
import { until } from "../harness/until.ts";

const { nodes, persistentVolumeClaims, persistentVolumes, pods, storageClasses, volumeAttachments } =
  resources;
const DRIVER = "disks.example.com";
const MADE = "made";
const HELD = "example.com/detaches-first";
/** So many that a manager is stopped among them. */
const CROWD = 60;

/**
 * Volumes of one round: some that are settled, and some of which one manager leaves the work half done. What a driver does,
 * the test does.
 */
export class VolumeWork {
  readonly node: string;
  readonly crowd: readonly string[];
  readonly #space: TestSpace;
  readonly #kubelets: Kubelets;
  readonly #round: string;

  constructor(space: TestSpace, kubelets: Kubelets, round: string) {
    this.#space = space;
    this.#kubelets = kubelets;
    this.#round = round;
    this.node = `disks-${round}`;
    this.crowd = Array.from({ length: CROWD }, (_, index) => `crowd-${index}`);
  }

  /** The name of the volume for a claim: those have no namespace. */
  volumeOf(claim: string): string {
    return `${claim}-${this.#round}`;
  }

  attachmentOf(claim: string): string {
    return attachmentName({ driver: DRIVER, volumeHandle: this.volumeOf(claim) }, this.node);
  }

  /** A pair that is bound, whose volume a pod uses, and one that is asked for of a provisioner. */
  async settle(): Promise<void> {
    await this.#addNode();
    await this.#addClass();
    for (const claim of ["used", "leaving"]) {
      await this.#addVolume(claim);
      await this.#addClaim(claim, this.#shelf);
      await this.untilBound([claim]);
      await this.#addPod(claim);
      await this.#attached(claim);
    }
    await this.untilReported(["used", "leaving"]);
    await this.#say({ volumesInUse: ["used", "leaving"].map((claim) => this.#uniqueName(claim)) });
    await this.#addClaim("asked", `${MADE}-${this.#round}`);
    await until("a provisioner is asked", async () =>
      isAnnotated(await this.claim("asked"), STORAGE_PROVISIONER),
    );
  }

  /** A volume is attached and one detached, neither of which the driver has done when this is over. */
  async beginAttaching(): Promise<void> {
    await this.#addVolume("coming");
    await this.#addClaim("coming", this.#shelf);
    await this.untilBound(["coming"]);
    await this.#addPod("coming");
    await until("it is to be attached", async () => (await this.attachment("coming")) !== undefined);
    await this.#space.delete(pods, "leaving", 0);
    await this.#say({ volumesInUse: [this.#uniqueName("used")] });
    await until("it is to be detached", async () => {
      return (await this.attachment("leaving"))?.metadata.deletionTimestamp !== undefined;
    });
  }

  /** Gives as soon as some of many claims are bound, and the others not. */
  async beginBinding(): Promise<void> {
    for (const claim of this.crowd) await this.#addVolume(claim);
    await Promise.all(this.crowd.map(async (claim) => this.#addClaim(claim, this.#shelf)));
    await until("some are bound", async () => (await this.bound()).size > 0);
  }

  /** Claims that are bound, with their volumes. */
  async bound(): Promise<ReadonlyMap<string, string>> {
    const claims = await this.#space.list<PersistentVolumeClaim>(persistentVolumeClaims);
    const bound = claims.filter((claim) => isBound(claim) && claim.status?.phase === "Bound");
    return new Map(bound.map(({ metadata, spec }) => [metadata.name ?? "", spec?.volumeName ?? ""]));
  }

  async untilBound(claims: readonly string[]): Promise<void> {
    await until("claims are bound", async () => {
      const bound = await this.bound();
      return claims.every((claim) => bound.has(claim));
    });
  }

  /** The node is told that it has these, and no others. */
  async untilReported(claims: readonly string[]): Promise<void> {
    const wanted = claims.map((claim) => this.#uniqueName(claim)).toSorted();
    await until(`the node has ${claims.join()}`, async () => {
      const { status } = await this.#client.clientFor<Node>(nodes).get({ name: this.node });
      const said = (status?.volumesAttached ?? []).map(({ name }) => name).toSorted();
      return said.join() === wanted.join();
    });
  }

  /** What the driver was asked for. */
  async finish(): Promise<void> {
    await this.#attached("coming");
    const body = { metadata: { finalizers: null } };
    const name = this.attachmentOf("leaving");
    await this.#client.clientFor(volumeAttachments).patch({ name }, { type: "merge", body });
    const claim = await this.claim("asked");
    await this.#addVolume("asked", {
      claimRef: referenceTo(claim),
      storageClassName: claim.spec?.storageClassName ?? "",
    });
  }

  /** Each claim has a volume of its own that says so, too. */
  async pairs(): Promise<readonly string[]> {
    const claims = await this.#space.list<PersistentVolumeClaim>(persistentVolumeClaims);
    const { items: volumes } = await this.#client.clientFor<PersistentVolume>(persistentVolumes).list();
    return claims.flatMap(({ metadata, spec }) => {
      const own = volumes.filter((volume) => volume.spec?.claimRef?.uid === metadata.uid);
      const [volume] = own;
      const isPair = own.length === 1 && volume?.metadata.name === spec?.volumeName;
      return isPair && volume?.status?.phase === "Bound" ? [] : `${metadata.name}: ${own.length} volumes`;
    });
  }

  async claim(name: string): Promise<PersistentVolumeClaim> {
    return this.#space.get<PersistentVolumeClaim>(persistentVolumeClaims, name);
  }

  async attachment(claim: string): Promise<VolumeAttachment | undefined> {
    try {
      const attachments = this.#client.clientFor<VolumeAttachment>(volumeAttachments);
      return await attachments.get({ name: this.attachmentOf(claim) });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  get #client() {
    return this.#space.client;
  }

  /** A class that nobody has made: its volumes are brought. */
  get #shelf(): string {
    return `shelf-${this.#round}`;
  }

  #uniqueName(claim: string): string {
    return csiUniqueName({ driver: DRIVER, volumeHandle: this.volumeOf(claim) });
  }

  async #addNode(): Promise<void> {
    const now = formatTime(realClock.nowMs());
    const ready = { type: "Ready", status: "True", lastHeartbeatTime: now, lastTransitionTime: now };
    const annotations = { "volumes.kubernetes.io/controller-managed-attach-detach": "true" };
    await this.#kubelets.add({ metadata: { name: this.node, annotations }, status: { conditions: [ready] } });
    await this.#client.clientFor(resources.csiNodes).create({
      metadata: { name: this.node },
      spec: { drivers: [{ name: DRIVER, nodeID: this.node, topologyKeys: [] }] },
    });
  }

  async #addClass(): Promise<void> {
    await this.#client.clientFor<StorageClass>(storageClasses).create({
      metadata: { name: `${MADE}-${this.#round}` },
      provisioner: DRIVER,
      reclaimPolicy: "Retain",
      volumeBindingMode: "Immediate",
    });
  }

  async #addVolume(claim: string, more: PersistentVolume["spec"] = {}): Promise<void> {
    await this.#client.clientFor<PersistentVolume>(persistentVolumes).create({
      metadata: { name: this.volumeOf(claim) },
      spec: {
        accessModes: ["ReadWriteOnce"],
        capacity: { storage: "1Gi" },
        csi: { driver: DRIVER, volumeHandle: this.volumeOf(claim) },
        persistentVolumeReclaimPolicy: "Retain",
        storageClassName: this.#shelf,
        // So that each claim has one that it could have.
        ...(claim.startsWith("crowd") || more.claimRef !== undefined
          ? {}
          : { claimRef: { namespace: this.#space.namespace, name: claim } }),
        ...more,
      },
    });
  }

  async #addClaim(name: string, storageClassName: string): Promise<void> {
    await this.#space.create<PersistentVolumeClaim>(persistentVolumeClaims, {
      metadata: { name },
      spec: {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "1Gi" } },
        storageClassName,
      },
    });
  }

  async #addPod(claim: string): Promise<void> {
    const containers = [{ name: "main", image: "main" }];
    const volumes = [{ name: "data", persistentVolumeClaim: { claimName: claim } }];
    await until("pods can be made", async () => {
      return (await this.#space.find(resources.serviceAccounts, "default")) !== undefined;
    });
    await this.#space.create<Pod>(pods, {
      metadata: { name: claim },
      spec: { nodeName: this.node, containers, volumes },
    });
  }

  /** The driver attaches what it is asked for; to detach takes it its time. */
  async #attached(claim: string): Promise<void> {
    await until(`${claim} is to be attached`, async () => (await this.attachment(claim)) !== undefined);
    const name = this.attachmentOf(claim);
    const attachments = this.#client.clientFor<VolumeAttachment>(volumeAttachments);
    const held = { metadata: { finalizers: [HELD] } };
    await attachments.patch({ name }, { type: "merge", body: held });
    const body = { status: { attached: true } };
    await attachments.patch({ name }, { type: "merge", body }, { subresource: "status" });
  }

  async #say(status: NonNullable<Node["status"]>): Promise<void> {
    const patch = { type: "strategic", body: { status } } as const;
    await this.#client.clientFor(nodes).patch({ name: this.node }, patch, { subresource: "status" });
  }
}
