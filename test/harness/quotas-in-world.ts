import { resourceQuotaController } from "../../controllers/resourcequota/controller.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Pod, ResourceQuota } from "../../pkg/api/types/core-v1.gen.ts";
import { type ControllerWorld, lineOf, NAMESPACE } from "./controller-world.ts";

export const FULL_COUNT_MS = 300_000;

/** A quota in a world, what is counted there, and who counts. */
export class QuotasInWorld {
  readonly #world: ControllerWorld;

  constructor(world: ControllerWorld) {
    this.#world = world;
  }

  async start(): Promise<void> {
    await this.#world.start(resourceQuotaController({ workers: 2, syncPeriodMs: FULL_COUNT_MS }));
    await this.#world.run();
  }

  async createQuota(hard: Readonly<Record<string, string>>): Promise<void> {
    const metadata = { name: "quota" };
    await this.#world.create<ResourceQuota>(resources.resourceQuotas, { metadata, spec: { hard } });
  }

  async createPods(...names: readonly string[]): Promise<void> {
    for (const name of names) {
      await this.#world.create<Pod>(resources.pods, {
        metadata: { name },
        spec: { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "100m" } } }] },
      });
    }
  }

  /** As admission does, which this world has not. */
  async charge(pods: string): Promise<void> {
    const quota = await this.#world.get<ResourceQuota>(resources.resourceQuotas, "quota");
    await this.#world.client
      .clientFor<ResourceQuota>(resources.resourceQuotas)
      .updateStatus({ ...quota, status: { ...quota.status, used: { pods } } });
  }

  async deletePod(name: string): Promise<void> {
    await this.#world.client
      .clientFor(resources.pods)
      .delete({ namespace: NAMESPACE, name }, { gracePeriodSeconds: 0 });
  }

  async usedOf(name: string): Promise<Readonly<Record<string, string>>> {
    return (await this.#world.get<ResourceQuota>(resources.resourceQuotas, name)).status?.used ?? {};
  }

  linesTaken(): readonly string[] {
    return this.#world.takeWrites().map(lineOf);
  }
}
