// Prints rows as a table and keeps them under bench/results, with what they were measured on.
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';

export interface Row {
  what: string;
  value: string;
  /** The part of the baseline's rate that was reached. */
  ratio?: number;
  against: string;
  /** The least ratio that is good enough. */
  target?: number;
  isMet?: boolean;
}

export function report(name: string, rows: Row[], { isQuick, now }: { isQuick: boolean; now: Date }): void {
  const lines = [
    '| What | Measured | Ratio | Against | Target | |',
    '|---|---|---|---|---|---|',
    ...rows.map(({ what, value, ratio, against, target, isMet }) => {
      const isGood = isMet ?? (ratio !== undefined && target !== undefined && ratio >= target);
      return `| ${what} | ${value} | ${ratio?.toFixed(2) ?? ''} | ${against} | ${target === undefined ? '' : `≥ ${target}`} | ${isGood ? 'met' : 'missed'} |`;
    }),
  ];
  const machine = `${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown'}, Node ${process.versions.node}`;
  const command = `npm run bench ${name}${isQuick ? ' -- --quick' : ''}`;
  const text = `# ${name}\n\nMeasured ${now.toISOString().slice(0, 10)} on ${machine}, by \`${command}\`.\n\n${lines.join('\n')}\n`;
  console.log(text);
  const folder = new URL('./results/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL(`${name}.md`, folder), text);
}
