// Doctor's checks outside the database: Node, the data folder, the disk, the clock, left-over files, Actors, HTTPS.
import { X509Certificate } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findGit } from '../../host/git/process/git-environment.ts';
import { Git } from '../../host/git/git.ts';
import { findCgroupParents, readOwnCgroups } from '../../actors/runner/cgroup.ts';
import {
  describeIsolation,
  describeNetwork,
  enforcedLimits,
  explainGaps,
  explainRefusal,
  isolationFor,
  machineIsolation,
  type EnforcedLimits,
  type Isolation,
} from '../../actors/runner/isolation/isolation.ts';
import type { Config } from '../../app/config.ts';
import { executionSettingsOf } from '../../app/execution-settings.ts';
import { readReserve } from '../../kernel/storage/disk/disk-reserve.ts';
import { repositoriesFolderOf, blobFolderOf } from '../../app/data-places.ts';
import { diskFoldersOf, reserveFileOf } from '../../app/open-stores.ts';
import { isBucket } from '../../app/setting.ts';
import type { DoctorFinding } from './doctor.ts';
import { messageOf } from '../command-errors.ts';
import { fetchReadiness, isAlive, readRunFile, removeRunFile } from '../running-server.ts';

const NODE_MAJOR = 24;
const FIRST_YEAR = 2026;
const GB = 1e9;
const MB = 1e6;
const HOUR = 60 * 60 * 1000;
const WEEK = 7 * 24 * HOUR;

export async function checkMachine(config: Config, now: number): Promise<DoctorFinding[]> {
  return [
    checkNode(process.versions.node),
    checkClock(now),
    checkFolder(config.data),
    ...(existsSync(config.data) ? [checkMode(config.data)] : []),
    ...(await checkDisks(config)),
    ...(isBucket(config.blobs) ? [] : [checkTemporaries(config, now)]),
    await checkRun(config.data),
    ...(config.role === 'api' ? [] : [await checkActors(config)]),
    await checkGit(repositoriesFolderOf(config)),
    ...checkTls(config, now),
  ];
}

export function checkNode(version: string): DoctorFinding {
  const name = 'node';
  return Number.parseInt(version) >= NODE_MAJOR
    ? { name, state: 'ok', detail: version }
    : { name, state: 'fail', detail: `${version}: install Node ${NODE_MAJOR} or newer` };
}

export function checkClock(now: number): DoctorFinding {
  const name = 'clock';
  const time = new Date(now);
  return time.getUTCFullYear() >= FIRST_YEAR
    ? { name, state: 'ok', detail: time.toISOString() }
    : { name, state: 'fail', detail: `it says ${time.toISOString()}: set the time of this machine` };
}

function checkFolder(data: string): DoctorFinding {
  const name = 'data folder';
  if (!existsSync(data)) return { name, state: 'warn', detail: `${data} is not there: the server makes it` };
  try {
    accessSync(data, constants.R_OK | constants.W_OK | constants.X_OK);
    return { name, state: 'ok', detail: `${data} can be written to` };
  } catch {
    return {
      name,
      state: 'fail',
      detail: `${data} cannot be written to: give it to the user who runs the server`,
    };
  }
}

function checkMode(data: string): DoctorFinding {
  const name = 'permissions';
  const mode = statSync(data).mode & 0o777;
  const octal = mode.toString(8).padStart(3, '0');
  // Windows has no such permission bits.
  if ((mode & 0o077) === 0 || process.platform === 'win32') return { name, state: 'ok', detail: octal };
  return {
    name,
    state: 'warn',
    detail: `${octal}: others on this machine can look into ${data}; chmod 700 it`,
    repair: () => {
      chmodSync(data, 0o700);
      return 'changed to 700';
    },
  };
}

/** One line for each file system; the first is that of the data folder. */
async function checkDisks(config: Config): Promise<DoctorFinding[]> {
  const folders = diskFoldersOf(config, await executionSettingsOf(config));
  const byDevice = new Map<number, { names: string[]; folder: string }>();
  for (const [name, path] of Object.entries(folders)) {
    let folder = path;
    while (!existsSync(folder)) folder = dirname(folder);
    const { dev } = statSync(folder);
    const known = byDevice.get(dev);
    if (known === undefined) byDevice.set(dev, { names: [name], folder });
    else known.names.push(name);
  }
  return await Promise.all(
    [...byDevice.values()].map(async ({ names, folder }) => {
      const { bavail, bsize } = await statfs(folder);
      const finding = checkSpace(
        bavail * bsize,
        names.includes('data') ? 'disk' : `disk of ${names.join(', ')}`,
      );
      const isReserved = names.includes('data') && config.database === undefined && config.diskReserve > 0;
      return isReserved
        ? { ...finding, detail: `${finding.detail}; ${await describeReserve(config)}` }
        : finding;
    }),
  );
}

async function describeReserve(config: Config): Promise<string> {
  const bytes = await readReserve(reserveFileOf(config));
  return bytes === 0
    ? 'the reserve for deletions is not there: a running server writes it when there is room'
    : `${Math.round(bytes / MB)} MB are reserved for deletions`;
}

export function checkSpace(bytes: number, name = 'disk'): DoctorFinding {
  const left = `${(bytes / GB).toFixed(1)} GB free`;
  if (bytes < 100 * MB) return { name, state: 'fail', detail: `${left}: make room before writes fail` };
  if (bytes < GB) return { name, state: 'warn', detail: `${left}: make room soon` };
  return { name, state: 'ok', detail: left };
}

/** Temporary files of uploads that a crash interrupted; those of current uploads are younger. */
function checkTemporaries(config: Config, now: number): DoctorFinding {
  const name = 'temporary files';
  const folder = join(blobFolderOf(config), 'tmp');
  const files = existsSync(folder) ? readdirSync(folder).map((file) => join(folder, file)) : [];
  const stale = files.filter(
    (file) => (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now) < now - HOUR,
  );
  if (stale.length === 0) return { name, state: 'ok', detail: 'none left behind' };
  return {
    name,
    state: 'warn',
    detail: `${stale.length} left behind in ${folder}: delete them`,
    repair: () => {
      for (const file of stale) rmSync(file, { force: true });
      return `${stale.length} deleted`;
    },
  };
}

async function checkRun(data: string): Promise<DoctorFinding> {
  const name = 'server';
  const run = readRunFile(data);
  if (run === undefined) return { name, state: 'ok', detail: 'none is running here' };
  if ((await fetchReadiness(run.url)) !== undefined) {
    return { name, state: 'ok', detail: `${run.url}, process ${run.pid}` };
  }
  if (isAlive(run.pid)) {
    return {
      name,
      state: 'fail',
      detail: `process ${run.pid} does not answer on ${run.url}: look into its log`,
    };
  }
  return {
    name,
    state: 'warn',
    detail: `run.json is left over from process ${run.pid}, which ended without stopping: delete it`,
    repair: () => {
      removeRunFile(data, run.pid);
      return 'left-over run.json deleted';
    },
  };
}

/** Without it the rest of the server works. */
async function checkGit(folder: string): Promise<DoctorFinding> {
  const { isAvailable, message } = new Git({ folder, installed: await findGit() }).status();
  return { name: 'git', state: isAvailable ? 'ok' : 'warn', detail: message };
}

async function checkActors(config: Config): Promise<DoctorFinding> {
  const settings = await executionSettingsOf(config);
  const isolation = isolationFor(settings.work, await machineIsolation());
  const limits = enforcedLimits(isolation, Object.keys(findCgroupParents(readOwnCgroups())?.folders ?? {}));
  return reportActors(isolation, limits, settings, explainRefusal(isolation, settings));
}

export function reportActors(
  isolation: Isolation,
  limits: EnforcedLimits,
  settings: Parameters<typeof describeNetwork>[0],
  refusal?: string,
): DoctorFinding {
  const name = 'actors';
  if (refusal !== undefined) return { name, state: 'warn', detail: `none can run: ${refusal}` };
  const gaps = explainGaps(isolation, limits);
  const detail = [describeIsolation(isolation), describeNetwork(settings), ...gaps].join(' ');
  if (isolation.kind !== 'none') return { name, state: 'ok', detail };
  return { name, state: 'warn', detail: `${detail} Install bubblewrap.` };
}

function checkTls({ tlsCert, tlsKey }: Config, now: number): DoctorFinding[] {
  if (tlsCert === undefined || tlsKey === undefined) return [];
  const name = 'https';
  try {
    readFileSync(tlsKey);
    return [checkCertificate(new X509Certificate(readFileSync(tlsCert)).validTo, now)];
  } catch (error) {
    return [{ name, state: 'fail', detail: `${messageOf(error)}: correct --tls-cert and --tls-key` }];
  }
}

export function checkCertificate(validTo: string, now: number): DoctorFinding {
  const name = 'https';
  const left = Date.parse(validTo) - now;
  if (left <= 0) return { name, state: 'fail', detail: `the certificate ended on ${validTo}: renew it` };
  if (left < WEEK) return { name, state: 'warn', detail: `the certificate ends on ${validTo}: renew it` };
  return { name, state: 'ok', detail: `the certificate is good until ${validTo}` };
}
