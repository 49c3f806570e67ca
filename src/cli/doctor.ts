// The command `doctor`: checks what a server stands on, says what to do, and with --fix does what is safe.
import type { LoadedSettings } from '../config.ts';
import { checkBlobs } from './doctor-blobs.ts';
import { checkDatabase } from './doctor-database.ts';
import { checkMachine } from './doctor-machine.ts';
import { EXIT } from './failing.ts';
import { painter, tellJson, wantsJson, type Io } from './io.ts';

export interface Finding {
  name: string;
  state: 'ok' | 'warn' | 'fail';
  /** What was found, and where it is not well, what to do. */
  detail: string;
  /** Makes it well without a risk, and says what was done. */
  repair?: () => Promise<string> | string;
}

interface DoctorOptions {
  json?: boolean;
  fix?: boolean;
}

export async function runDoctor({ config }: LoadedSettings, options: DoctorOptions, io: Io): Promise<number> {
  const now = Date.now();
  const findings = [
    ...(await checkMachine(config, now)),
    ...(await checkDatabase(config, now)),
    ...(await checkBlobs(config, now)),
  ];
  const told = await Promise.all(findings.map((finding) => tell(finding, options.fix === true)));
  const hasFailed = told.some(({ state }) => state === 'fail');
  if (wantsJson(options, io)) tellJson(io, { ok: !hasFailed, checks: told });
  else io.out(describe(told, io));
  return hasFailed ? EXIT.failed : EXIT.good;
}

interface Told {
  name: string;
  state: Finding['state'];
  detail: string;
  /** Whether it can be, or was, repaired with --fix. */
  fix: 'possible' | 'done' | null;
}

async function tell({ name, state, detail, repair }: Finding, isFixing: boolean): Promise<Told> {
  if (repair === undefined) return { name, state, detail, fix: null };
  if (!isFixing) return { name, state, detail, fix: 'possible' };
  return { name, state: 'ok', detail: await repair(), fix: 'done' };
}

const COLORS = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

function describe(told: readonly Told[], io: Io): string {
  const paint = painter(io);
  const width = Math.max(...told.map(({ name }) => name.length));
  const lines = told.map(({ name, state, detail, fix }) => {
    const hint = fix === 'possible' ? ' (--fix does it)' : '';
    return `${paint(COLORS[state], state.padEnd(4))}  ${name.padEnd(width)}  ${detail}${hint}`;
  });
  return lines.join('\n');
}
