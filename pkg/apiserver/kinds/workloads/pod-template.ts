import { resources } from "../../../api/resources.ts";
import { defineKind } from "../define-kind.ts";
import { child } from "../../../api/json.ts";
import { setTemplateDefaults } from "../../../api/defaults/pod-template.ts";
import { templateLabels, validatePodTemplate } from "../pod/pod-template.ts";
import { column, formatLabels, nameColumn, templateColumns } from "../table.ts";
import { templateWarnings } from "../warnings/template.ts";

export const podTemplateKinds = [
  defineKind(resources.podTemplates, {
    setDefaults: setTemplateDefaults,
    validate: (draft, errors) => validatePodTemplate(child(draft, "template") ?? {}, "template", errors),
    warnings: templateWarnings("template", (object) => child(object, "template") ?? {}),
    columns: [
      nameColumn,
      ...templateColumns((object) => child(object, "template")).map((one) => ({ ...one, priority: 0 })),
      column("Pod Labels", (object) => formatLabels(templateLabels(child(object, "template")))),
    ],
  }),
];
