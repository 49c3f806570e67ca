// The command `doctor`: checks the machine, the database, the blobs and, where asked, the repositories, says what to do, and with --fix repairs what is safe.
import type { LoadedSettings } from '../../app/read-settings.ts';
import { checkAddress } from './doctor-address.ts';
import { checkBlobs, checkDatabase } from './doctor-storage.ts';
import { checkRepositories } from './doctor-repositories.ts';
import { checkMachine } from './doctor-machine.ts';
import { EXIT } from '../command-errors.ts';
import { painter, printJson, wantsJson, type Io } from '../io.ts';

export interface DoctorFinding {
  name: string;
  state: 'ok' | 'warn' | 'fail';
  /** What was found, and for a problem what to do. */
  detail: string;
  /** Repairs it without risk, and returns what was done. */
  repair?: () => Promise<string> | string;
}

interface DoctorOptions {
  json?: boolean;
  fix?: boolean;
  /** Checks every object of every repository, which takes long. */
  repositories?: boolean;
}

export async function runDoctor({ config }: LoadedSettings, options: DoctorOptions, io: Io): Promise<number> {
  const now = Date.now();
  const findings = [
    ...(await checkMachine(config, now)),
    ...(await checkAddress(config)),
    ...(await checkDatabase(config, now)),
    ...(await checkBlobs(config, now)),
    ...(options.repositories === true ? await checkRepositories(config, now, io) : []),
  ];
  const reports = await Promise.all(findings.map((finding) => reportCheck(finding, options.fix === true)));
  const hasFailed = reports.some(({ state }) => state === 'fail');
  if (wantsJson(options, io)) printJson(io, { ok: !hasFailed, checks: reports });
  else io.out(describe(reports, io));
  return hasFailed ? EXIT.failed : EXIT.good;
}

interface CheckReport {
  name: string;
  state: DoctorFinding['state'];
  detail: string;
  /** Whether --fix can repair it, or has. */
  fix: 'possible' | 'done' | null;
}

async function reportCheck(
  { name, state, detail, repair }: DoctorFinding,
  isFixing: boolean,
): Promise<CheckReport> {
  if (repair === undefined) return { name, state, detail, fix: null };
  if (!isFixing) return { name, state, detail, fix: 'possible' };
  return { name, state: 'ok', detail: await repair(), fix: 'done' };
}

const COLORS = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

function describe(reports: readonly CheckReport[], io: Io): string {
  const paint = painter(io);
  const width = Math.max(...reports.map(({ name }) => name.length));
  const lines = reports.map(({ name, state, detail, fix }) => {
    const hint = fix === 'possible' ? ' (--fix does it)' : '';
    return `${paint(COLORS[state], state.padEnd(4))}  ${name.padEnd(width)}  ${detail}${hint}`;
  });
  return lines.join('\n');
}
