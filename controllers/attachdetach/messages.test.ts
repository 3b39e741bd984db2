import { expect, test } from "vitest";
import { attachedMessage, conflictMessage, notAttachedMessage, timeoutMessage } from "./messages.ts";

// upstream: pkg/controller/volume/attachdetach/reconciler/reconciler_test.go#Test_ReportWaitingOnDetach
test.each<[string, readonly string[], string]>([
  [
    "no pods use the volume",
    [],
    "Volume is already exclusively attached to one node, waiting on detach before it can be attached to another node",
  ],
  ["pods in the same namespace", ["ns1/pod2"], "Volume is already used by pod(s) pod2"],
  ["pods in another namespace", ["ns2/pod2"], "Volume is already used by 1 pod(s) in different namespaces"],
  [
    "pods in both",
    ["ns2/pod2", "ns1/pod3", "ns1/pod4"],
    "Volume is already used by pod(s) pod3, pod4 and 1 pod(s) in different namespaces",
  ],
])("users are told who has their volume: %s", (_, users, expected) => {
  expect(conflictMessage("volume-name", "ns1", users)).toBe(
    `Waiting for detach for volume "volume-name" ${expected}`,
  );
});

// upstream: pkg/volume/util/operationexecutor/operation_executor.go#generateVolumeMsg
test("what has become of a volume is told in upstream's words", () => {
  expect(attachedMessage("pv")).toBe('AttachVolume.Attach succeeded for volume "pv" ');
  expect(notAttachedMessage('a"b', "no room")).toBe(
    'AttachVolume.Attach failed for volume "a\\"b" : no room',
  );
  expect(timeoutMessage("detach", "unknown", "h")).toBe(
    "timed out waiting for external-attacher of unknown CSI driver to detach volume h",
  );
});
