// Reads a whole document: every problem that it has, or its runs.
import { Failure } from '../../../kernel/failure.ts';
import { parseUpload } from './inflate-sarif.ts';
import { MAX_PROBLEMS, MAX_RUNS } from './sarif-limits.ts';
import { readRun, type ReadRun } from './sarif-run.ts';
import { objectIn } from './sarif-values.ts';

export interface SarifSource {
  gzip: Uint8Array;
  checkoutUri?: string;
}

export type SarifReading = { runs: ReadRun[] } | { problems: string[] };

export function readSarif({ gzip, checkoutUri }: SarifSource): SarifReading {
  const problems: string[] = [];
  const refuse = (problem: string) => {
    if (problems.length < MAX_PROBLEMS) problems.push(`${problem}.`);
  };
  try {
    const { version, runs } = objectIn(parseUpload(gzip));
    if (version !== '2.1.0') refuse('The version of the document must be "2.1.0"');
    if (!Array.isArray(runs) || runs.length === 0) refuse('The document must have an array of runs');
    else if (runs.length > MAX_RUNS) refuse(`The document has ${runs.length} runs; the limit is ${MAX_RUNS}`);
    if (problems.length > 0) return { problems };
    const read = (runs as unknown[]).map((run, index) =>
      readRun(objectIn(run), checkoutUri, (problem) => refuse(`runs[${index}] ${problem}`)),
    );
    refuseTwice(read, refuse);
    return problems.length > 0 ? { problems } : { runs: read };
  } catch (error) {
    if (error instanceof Failure) return { problems: [error.message] };
    throw error;
  }
}

/** The second would replace the first. */
function refuseTwice(runs: readonly ReadRun[], refuse: (problem: string) => void): void {
  const seen = new Set<string>();
  for (const { toolName, category } of runs) {
    const key = JSON.stringify([toolName, category]);
    if (seen.has(key))
      refuse(
        `Two runs are of the tool ${toolName} and the category "${category}". Give each its own automationDetails.id`,
      );
    seen.add(key);
  }
}
