import type { Mutant } from "./mutant.ts";

const volumes = "controllers/pvprotection";
const classes = "controllers/vacprotection";
const volumeTests = [`${volumes}/sync.test.ts`];
const classTests = [`${classes}/sync.test.ts`];

/** What keeps volumes and classes of attributes while they are used. */
export const volumesClassesMutants: readonly Mutant[] = [...ofVolumes(), ...ofClasses()];

function ofVolumes(): readonly Mutant[] {
  const controller = `${volumes}/controller.ts`;
  const planted = (name: string, find: string, replace: string): Mutant => ({
    name: `pv-protection: ${name}`,
    file: controller,
    find,
    replace,
    tests: volumeTests,
  });
  return [
    planted(
      "bound volumes go",
      'owner.status?.phase === "Bound" ? {} : undefined',
      "owner === null ? {} : undefined",
    ),
    planted("volumes that were released stay", '=== "Bound"', '!== "Available"'),
    planted("volumes that were never bound stay", '=== "Bound"', '!== "Released"'),
    planted("bound volumes are looked at all the time", "? {} : undefined", "? { requeueAfterMs: 10 } : {}"),
    planted("the finalizer is another", '"kubernetes.io/pv-protection"', '"kubernetes.io/pvc-protection"'),
    planted("volumes wake nobody", "wakes: unprotected(FINALIZER),", "wakes: () => undefined,"),
    planted(
      "volumes are woken for another finalizer",
      "wakes: unprotected(FINALIZER),",
      'wakes: unprotected("other"),',
    ),
    planted("the sync takes off another finalizer", "finalizer: FINALIZER,", 'finalizer: "other",'),
    planted("another account works", ', clientName: "pv-protection-controller"', ""),
    planted("nobody works", "workers: 1,", "workers: 0,"),
    planted(
      "claims are written",
      "kit.writes(resources.persistentVolumes)",
      "kit.writes(resources.persistentVolumeClaims) as never",
    ),
    planted("a sync does nothing", "protect(sync, {", "void protect, ({}) as never, ({"),
  ];
}

function ofClasses(): readonly Mutant[] {
  const planted = (name: string, file: string, [find, replace]: readonly [string, string]): Mutant => ({
    name: `vac-protection: ${name}`,
    file: `${classes}/${file}.ts`,
    find,
    replace,
    tests: classTests,
  });
  return [
    planted("what claims ask for does not count", "class-use", [
      "    spec?.volumeAttributesClassName,\n    status",
      "    status",
    ]),
    planted("what claims have does not count", "class-use", [
      "    status?.currentVolumeAttributesClassName,\n",
      "",
    ]),
    planted("where claims are on their way to does not count", "class-use", [
      "    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,\n",
      "",
    ]),
    planted("what claims have is not read", "class-use", [
      '  "status.currentVolumeAttributesClassName",\n',
      "",
    ]),
    planted("where claims are on their way to is not read", "class-use", [
      '  "status.modifyVolumeStatus.targetVolumeAttributesClassName",\n',
      "",
    ]),
    planted("what volumes have is not read", "class-use", [
      'VOLUME_FIELDS = ["spec.volumeAttributesClassName"]',
      "VOLUME_FIELDS = [] ",
    ]),
    planted("what volumes have does not count", "class-use", [
      "return named([spec?.volumeAttributesClassName]);",
      "return named([spec === undefined ? undefined : '']);",
    ]),
    planted("claims that let go wake nobody", "controller", [
      "claims.wakes(queue, userRule(classesOfClaim, context));",
      "void [claims, classesOfClaim];",
    ]),
    planted("volumes that let go wake nobody", "controller", [
      "volumes.wakes(queue, userRule(classesOfVolume, context));",
      "void [volumes, classesOfVolume];",
    ]),
    planted("claims do not keep classes", "controller", [
      "return [volumes, claims].some",
      "return [volumes, claims].slice(0, 1).some",
    ]),
    planted("volumes do not keep classes", "controller", [
      "return [volumes, claims].some",
      "return [volumes, claims].slice(1).some",
    ]),
    planted("what is deleted lets nothing go", "handlers", [
      'classesOf(change.type === "updated" ? change.before : change.object)',
      'change.type === "updated" ? classesOf(change.before) : []',
    ]),
    planted("what changes lets nothing go", "handlers", [
      'const now = change.type === "updated" ? classesOf(change.object) : [];',
      'const now = change.type === "updated" ? classesOf(change.before) : [];',
    ]),
    planted("each claim that goes has its class looked at", "handlers", [
      "if (isLeaving && !now.includes(name)) wake(name);",
      "if (!now.includes(name)) wake(isLeaving ? name : name);",
    ]),
    planted("the finalizer is another", "controller", [
      '"kubernetes.io/vac-protection"',
      '"kubernetes.io/pv-protection"',
    ]),
    planted("the gate is forgotten", "controller", [', featureGates: ["VolumeAttributesClass"]', ""]),
    planted("claims are not indexed", "context", [
      "claims.addIndex(USERS_OF_CLASS, classesOfClaim);",
      "claims.addIndex(USERS_OF_CLASS, () => []);",
    ]),
    planted("volumes are not indexed", "context", [
      "volumes.addIndex(USERS_OF_CLASS, classesOfVolume);",
      "volumes.addIndex(USERS_OF_CLASS, () => []);",
    ]),
  ];
}
