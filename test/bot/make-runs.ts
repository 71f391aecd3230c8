import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { afterAll } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
const folders: string[] = [];

afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Files by their paths below the runs folder. */
export type RunFiles = ReadonlyMap<string, Buffer>;

/** Runs the fixtures of a project with the real command line, and gives what it stored; report.json besides. */
export function makeRuns(files: Readonly<Record<string, string>>): {
  readonly runs: RunFiles;
  readonly report: Buffer;
} {
  const folder = mkdtempSync(join(tmpdir(), 'gg-bot-'));
  folders.push(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  symlinkSync(ROOT, join(folder, 'node_modules', 'grounding-gate'));
  const environment = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    DD_PRINCIPAL_ID: 'mailto:test@example.org',
    DD_PRINCIPAL_NAME: 'Test',
    DD_WRITE_CRATE: '0',
  };
  const command = [join(ROOT, 'build', 'cli.js'), 'run', '--format', 'json', '--output', 'report.json'];
  const done = spawnSync(process.execPath, command, { cwd: folder, env: environment, encoding: 'utf8' });
  if (done.status === 2 || done.status === null) throw new Error(`no runs were made: ${done.stderr}`);
  const stored = readdirSync(join(folder, 'runs'), { recursive: true, withFileTypes: true }).filter((one) =>
    one.isFile(),
  );
  const runs = stored.map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return [relative(join(folder, 'runs'), path).split(sep).join('/'), readFileSync(path)] as const;
  });
  const kept = runs.filter(([path]) => !path.startsWith('.') && !path.startsWith('schemas/'));
  return { runs: new Map(kept), report: readFileSync(join(folder, 'report.json')) };
}

/** The names of the run folders. */
export function namesOf(runs: RunFiles): readonly string[] {
  return [
    ...new Set([...runs.keys()].flatMap((path) => (path.includes('/') ? [path.split('/')[0] ?? ''] : []))),
  ].sort();
}

/** The files as a commit holds them. */
export function asTree(runs: RunFiles, folder = 'runs'): Record<string, string> {
  return Object.fromEntries([...runs].map(([path, bytes]) => [`${folder}/${path}`, bytes.toString('utf8')]));
}

/** One entry of an archive, with whatever a liar would write into its headers. */
export interface ZipLie {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** What the headers say the size is. */
  readonly size?: number;
  readonly crc?: number;
  /** The mode of the file, as Unix has it. */
  readonly mode?: number;
  readonly flags?: number;
  readonly method?: number;
}

/** Writes a zip archive, honest but for what its entries ask for; `count` is what its end says. */
export function zipOf(entries: readonly ZipLie[], count = entries.length): Buffer {
  const parts: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const { name, bytes, flags = 0x0800, method = 8, mode = 0o100644 } = entry;
    const data = method === 8 ? deflateRawSync(bytes) : Buffer.from(bytes);
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(flags, 2);
    facts.writeUInt16LE(method, 4);
    facts.writeUInt16LE(0x21, 8);
    facts.writeUInt32LE(entry.crc ?? crcOf(bytes), 10);
    facts.writeUInt32LE(data.length, 14);
    facts.writeUInt32LE(entry.size ?? bytes.length, 18);
    facts.writeUInt16LE(Buffer.byteLength(name), 22);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((mode << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    const header = Buffer.concat([Buffer.from('504b0304', 'hex'), facts, Buffer.from(name)]);
    central.push(Buffer.concat([Buffer.from('504b01021403', 'hex'), facts, rest, Buffer.from(name)]));
    parts.push(header, data);
    offset += header.length + data.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Math.min(count, 0xffff), 8);
  end.writeUInt16LE(Math.min(count, 0xffff), 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, directory, end]);
}

/** An artifact as the Action stores it. */
export function artifactOf(runs: RunFiles, report: Buffer | null): Buffer {
  const entries = [...runs].map(([path, bytes]) => ({ name: `runs/${path}`, bytes }));
  return zipOf(report === null ? entries : [{ name: 'report.json', bytes: report }, ...entries]);
}

const TABLE = Array.from({ length: 256 }, (_, value) => {
  let crc = value;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1;
  return crc >>> 0;
});

function crcOf(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}
