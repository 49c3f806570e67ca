// Prints rows as a table and writes them to bench/results, with the machine they were measured on.
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import type { Measured } from './compare.ts';

export interface Row {
  what: string;
  value: string;
  /** The measured value in multiples of the baseline's. */
  ratio?: number;
  against: string;
  target: string;
  isMet: boolean;
}

/** A row for a call's CPU time against that of bare node:http with the same bytes. */
export function cpuRow(
  what: string,
  { bare, ours }: { bare: Measured; ours: Measured },
  { most }: { most: number },
): Row {
  return {
    what,
    value: `${Math.round(ours.cpu)} µs of CPU, ${Math.round(ours.rate)}/s`,
    ratio: ours.times,
    against: `bare node:http with the same bytes, ${Math.round(bare.cpu)} µs, ${Math.round(bare.rate)}/s`,
    target: `≤ ${most}`,
    isMet: ours.times <= most,
  };
}

export function report(name: string, rows: Row[], { isQuick, now }: { isQuick: boolean; now: Date }): void {
  const lines = [
    '| What | Measured | Ratio | Against | Target | |',
    '|---|---|---|---|---|---|',
    ...rows.map(
      ({ what, value, ratio, against, target, isMet }) =>
        `| ${what} | ${value} | ${ratio?.toFixed(2) ?? ''} | ${against} | ${target} | ${isMet ? 'met' : 'missed'} |`,
    ),
  ];
  const machine = `${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown'}, ${process.arch}, Node ${process.versions.node}`;
  const command = `npm run bench ${name}${isQuick ? ' -- --quick' : ''}`;
  const text = `# ${name}\n\nMeasured ${now.toISOString().slice(0, 10)} on ${machine}, by \`${command}\`.\n\n${lines.join('\n')}\n`;
  console.log(text);
  const folder = new URL('./results/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL(`${name}.md`, folder), text);
}
