import { resources } from "../../pkg/api/resources.ts";
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  PersistentVolumeSpec,
  Pod,
} from "../../pkg/api/types/core-v1.gen.ts";
import type { StorageClass } from "../../pkg/api/types/storage-v1.gen.ts";
import { type ControllerWorld, newWorld, type WorldOptions } from "../../test/harness/controller-world.ts";
import { volumeBinder } from "../../test/harness/volume-binder.ts";
import type { PersistentVolumeSettings } from "./context.ts";

const { persistentVolumes, persistentVolumeClaims, pods, storageClasses } = resources;

/** Claims and volumes in a world, and what is looked at of them. */
export class VolumesInWorld {
  readonly world: ControllerWorld;
  /** Directories that there are. */
  readonly directories = new Set<string>();
  /** What removing directories fails with, once for each. */
  readonly failures: string[] = [];

  constructor(world: ControllerWorld) {
    this.world = world;
  }

  static async create(options: WorldOptions = {}): Promise<VolumesInWorld> {
    return new VolumesInWorld(await newWorld(options));
  }

  async start(settings: Partial<PersistentVolumeSettings> = {}): ReturnType<ControllerWorld["start"]> {
    const hostPaths = {
      make: async (path: string) => void this.directories.add(path),
      remove: async (path: string) => {
        const failure = this.failures.shift();
        if (failure !== undefined) throw new Error(failure);
        this.directories.delete(path);
      },
    };
    return this.world.start(volumeBinder({ hostPaths, ...settings }));
  }

  async class(name: string, more: Partial<StorageClass> = {}): Promise<void> {
    const metadata = { name, ...more.metadata };
    await this.world.create<StorageClass>(storageClasses, {
      provisioner: "example.com/disks",
      ...more,
      metadata,
    });
  }

  /** Of no class, 1Gi, a directory. */
  async volume(
    name: string,
    spec: PersistentVolumeSpec = {},
    annotations?: Record<string, string>,
  ): Promise<void> {
    await this.world.create<PersistentVolume>(persistentVolumes, {
      metadata: { name, ...(annotations && { annotations }) },
      spec: {
        accessModes: ["ReadWriteOnce"],
        capacity: { storage: "1Gi" },
        ...(spec.nfs === undefined && spec.csi === undefined && { hostPath: { path: `/tmp/${name}` } }),
        ...spec,
      },
    });
  }

  /** Of the empty class, 1Gi. */
  async claim(name: string, spec: PersistentVolumeClaimSpec = {}): Promise<PersistentVolumeClaim> {
    return this.world.create<PersistentVolumeClaim>(persistentVolumeClaims, {
      metadata: { name },
      spec: {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "1Gi" } },
        storageClassName: "",
        ...spec,
      },
    });
  }

  async pod(name: string, claimName: string, nodeName?: string): Promise<void> {
    await this.world.create<Pod>(pods, {
      metadata: { name },
      spec: {
        containers: [{ name: "main", image: "main" }],
        volumes: [{ name: "data", persistentVolumeClaim: { claimName } }],
        ...(nodeName !== undefined && { nodeName }),
      },
    });
  }

  async setPodStatus(name: string, status: Pod["status"] & object): Promise<void> {
    const patch = { type: "merge", body: { status } } as const;
    const ref = { namespace: "default", name };
    await this.world.client.clientFor<Pod>(pods).patch(ref, patch, { subresource: "status" });
  }

  async getClaim(name: string): Promise<PersistentVolumeClaim> {
    return this.world.get(persistentVolumeClaims, name);
  }

  async getVolume(name: string): Promise<PersistentVolume> {
    return this.world.get(persistentVolumes, name);
  }

  /** "data Bound one", in order. */
  async claims(): Promise<readonly string[]> {
    const all = await this.world.list<PersistentVolumeClaim>(persistentVolumeClaims);
    return all.map(({ metadata, spec, status }) =>
      [metadata.name, status?.phase, spec?.volumeName].join(" ").trim(),
    );
  }

  /** "one Bound data", in order. */
  async volumes(): Promise<readonly string[]> {
    const all = await this.world.list<PersistentVolume>(persistentVolumes);
    return all.map(({ metadata, spec, status }) =>
      [metadata.name, status?.phase, spec?.claimRef?.name].join(" ").trim(),
    );
  }

  /** "update persistentvolumes one 200", in order, since the last look. */
  takeWrites(): readonly string[] {
    return this.world
      .takeWrites()
      .map(({ verb, resource, name, status }) => `${verb} ${resource} ${name} ${status}`);
  }
}
