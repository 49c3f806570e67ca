// The command that compares two OpenAPI documents and fails when the newer one breaks callers of the older one.
import { readFile } from 'node:fs/promises';
import { Failure } from '../../kernel/failure.ts';
import { diffContracts } from '../../../tools/contract/diff.ts';
import type { Difference } from '../../../tools/contract/diff.ts';

export interface ApiDiffOptions {
  /** Paths of two JSON files. */
  older: string;
  newer: string;
  json?: boolean;
  /** On by default; when off, breaking changes are only reported. */
  failOnBreaking?: boolean;
}

/** Each text is a block of lines without a line end of its own, as `console.log` takes it. */
export interface ApiDiffIo {
  out(text: string): void;
  err(text: string): void;
}

/** Returns the exit code: 0 nothing breaks, 1 something does, 2 a file cannot be read or compared. */
export async function runApiDiff(options: ApiDiffOptions, io: ApiDiffIo): Promise<0 | 1 | 2> {
  let differences: Difference[];
  try {
    differences = diffContracts(await readJson(options.older), await readJson(options.newer));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    io.err(error.message);
    return 2;
  }
  const breaking = differences.filter(({ severity }) => severity === 'breaking');
  const additive = differences.filter(({ severity }) => severity === 'additive');
  const counts = { breaking: breaking.length, additive: additive.length };
  if (options.json === true) io.out(JSON.stringify({ ...counts, differences }, undefined, 2));
  else if (differences.length === 0) io.out('no differences');
  else io.out(`${describeGroup('Breaking', breaking)}\n\n${describeGroup('Additive', additive)}`);
  return breaking.length > 0 && options.failOnBreaking !== false ? 1 : 0;
}

async function readJson(path: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new Failure('malformed', `Cannot read ${path} (${reason}).`, { cause: error });
  }
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new Failure('malformed', `${path} is not JSON: ${(error as Error).message}`, { cause: error });
  }
}

function describeGroup(title: string, differences: readonly Difference[]): string {
  const widest = Math.max(0, ...new Set(differences.map(({ kind }) => kind.length)));
  const indent = ' '.repeat(widest + 4);
  return [
    `${title}: ${differences.length}`,
    ...differences.flatMap(({ kind, where, message }) => [
      `  ${kind.padEnd(widest)}  ${where}`,
      `${indent}${message}`,
    ]),
  ].join('\n');
}
