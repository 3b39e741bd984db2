import { mkdtemp, readdir, readlink, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ClientSet } from "../client-set.ts";
import { isConnectionError } from "../errors.ts";
import type { Transport } from "../transport.ts";
import { CopyError, copyFromPod, copyToPod, placeOf } from "./copy.ts";
import { clientsOver, FarEnd } from "./session.test-data.ts";
import { packTar, type TarInput } from "./tar.ts";

test.each([
  ["dir", "/here/place"],
  ["dir/", "/here/place"],
  ["dir/a/b", "/here/place/a/b"],
  ["./dir/a", "/here/place/a"],
  ["dir/..a", "/here/place/..a"],
])("%s of an archive goes to %s", (path, place) => {
  expect(placeOf("/here/place", "dir", path)).toBe(place);
});

test.each(["dir/../other", "../etc", "/etc/passwd", "other", "dir/a/../../../x", "dirt", "placebo"])(
  "%s leads out, and is refused",
  (path) => {
    expect(() => placeOf("/here/place", "dir", path)).toThrow(CopyError);
  },
);

const pod = { namespace: "n", name: "p" };
const STDOUT = 1;
const STDERR = 2;
const STATUS = 3;

const exitStatus = (code: number): string =>
  JSON.stringify({
    status: "Failure",
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: String(code) }] },
  });
const SUCCESS = '{"status":"Success"}';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "copy-"));
});
afterEach(async () => {
  await rm(directory, { recursive: true });
});

/** A container whose tar says this; and what becomes of the session. */
function telling(tell: (end: FarEnd) => void): { readonly clients: ClientSet; readonly ends: FarEnd[] } {
  const ends: FarEnd[] = [];
  const upgrade: Transport["upgrade"] = async (request) => {
    const end = new FarEnd(request);
    ends.push(end);
    tell(end);
    return end;
  };
  return { clients: clientsOver({ upgrade }), ends };
}

async function archiveOf(path: string, text: string): Promise<Buffer> {
  const content = Readable.from([Buffer.from(text)]);
  const entries = Readable.from([{ path, kind: "file", mode: 0o644, size: text.length, content }]);
  return Buffer.concat(await Array.fromAsync(packTar(entries as AsyncIterable<TarInput>)));
}

async function openFiles(): Promise<readonly string[]> {
  const links = (await readdir("/proc/self/fd")).map(async (fd) =>
    readlink(join("/proc/self/fd", fd)).catch(() => ""),
  );
  return (await Promise.all(links)).filter((target) => target.startsWith(directory));
}

test("tar's failure in the container is told, and no file stays open", async () => {
  const from = join(directory, "file");
  await writeFile(from, "x".repeat(100));
  const { clients } = telling((end) => {
    if (!end.path.includes("command=tar")) {
      end.say(STATUS, exitStatus(1));
      return;
    }
    end.send = async () => {
      end.say(STDERR, "no space left\n");
      end.say(STATUS, exitStatus(2));
      // The container reads nothing more.
      await new Promise(() => undefined);
    };
  });
  const copied = copyToPod(clients, pod, { from, to: "/place" });
  await expect(copied).rejects.toThrow("tar in the container has ended with 2: no space left");
  expect(await openFiles()).toEqual([]);
});

test("a file that cannot be read ends the copy with what is wrong, not the process", async () => {
  const from = join(directory, "file");
  await writeFile(from, "x");
  const { clients, ends } = telling((end) => {
    if (!end.path.includes("command=tar")) end.say(STATUS, exitStatus(1));
    // It goes while its header is sent.
    else end.send = async () => rm(from, { force: true });
  });
  await expect(copyToPod(clients, pod, { from, to: "/place" })).rejects.toMatchObject({ code: "ENOENT" });
  expect(ends.at(-1)?.isClosed).toBe(true);
});

test("a copy whose connection breaks is none", async () => {
  const archive = await archiveOf("file", "x".repeat(5_000));
  const { clients, ends } = telling((end) => end.say(STDOUT, archive.subarray(0, 2_000)));
  const to = join(directory, "copy");
  const copied = copyFromPod(clients, pod, { from: "/file", to }).catch((error: unknown) => error);
  await expect.poll(openFiles).toEqual([to]);
  ends[0]?.end();
  expect(isConnectionError(await copied)).toBe(true);
  await expect.poll(openFiles).toEqual([]);
});

test("an archive that leads out is refused, though tar has done its work", async () => {
  const archive = await archiveOf("../elsewhere", "x");
  const { clients } = telling((end) => {
    end.say(STDOUT, archive);
    end.say(STATUS, SUCCESS);
  });
  await expect(copyFromPod(clients, pod, { from: "/file", to: join(directory, "copy") })).rejects.toThrow(
    "../elsewhere in the archive leads out of file",
  );
  expect(await readdir(directory)).toEqual([]);
});

test("of a tar that fails it is told why, and not that its archive breaks off", async () => {
  const archive = await archiveOf("file", "x".repeat(5_000));
  const { clients } = telling((end) => {
    end.say(STDOUT, archive.subarray(0, 2_000));
    end.say(STDERR, "file changed");
    end.say(STATUS, exitStatus(1));
  });
  await expect(copyFromPod(clients, pod, { from: "/file", to: join(directory, "copy") })).rejects.toThrow(
    "tar in the container has ended with 1: file changed",
  );
});

test("an archive that breaks off is told of, though tar has ended well", async () => {
  const archive = await archiveOf("file", "x".repeat(5_000));
  const { clients } = telling((end) => {
    end.say(STDOUT, archive.subarray(0, 2_000));
    end.say(STATUS, SUCCESS);
  });
  await expect(
    copyFromPod(clients, pod, { from: "/file", to: join(directory, "copy") }),
  ).rejects.toMatchObject({ code: "BrokenArchive" });
});
