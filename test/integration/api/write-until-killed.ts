// Started by persistence.test.ts: writes to the directory given until somebody kills this process, and says after each
// write which revision the store has reached.
import { realClock } from "../../../pkg/clock/real.ts";
import { persistentStore } from "../../../pkg/apiserver/storage/persistent-store.ts";
import type { Unstored } from "../../../pkg/apiserver/storage/store.ts";

const store = persistentStore(process.argv[2] ?? "", realClock);
for (let index = 0; ; index++) {
  const key = `k${index % 100}`;
  store.put("things", key, store.get("things", key), { metadata: { name: key }, index } as Unstored);
  process.stdout.write(`${store.revision}\n`);
  if (index % 50 === 0) await realClock.turn();
}
