// A server whose answers come later than it gives them: node slow-link.ts PORT TARGET-PORT DELAY-MS
import { connect, createServer } from "node:net";

const [port = 0, target = 0, delayMs = 0] = process.argv.slice(2).map(Number);

createServer((asking) => {
  const answering = connect(target, "127.0.0.1");
  asking.setNoDelay().pipe(answering.setNoDelay());
  const later = (what: () => void): void => void setTimeout(what, delayMs);
  answering.on("data", (chunk) => later(() => asking.write(chunk)));
  answering.on("close", () => later(() => asking.destroy()));
  // What broke on one side is closed on the other.
  asking.on("error", () => answering.destroy());
  answering.on("error", () => asking.destroy());
}).listen(port, "127.0.0.1");
