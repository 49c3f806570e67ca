// The thread that reads one upload, and hands out what it has read in batches; it may be terminated at any time.
import { gzipSync } from 'node:zlib';
import { serveTasks } from '../../../kernel/threads/serve-tasks.ts';
import { readSarif, type SarifSource } from './read-sarif.ts';
import type { ReadResult, SarifRunSummary } from './sarif-run.ts';
import type { ScanningRule } from './sarif-rule.ts';

/** The main thread asks for one after another, so that it never has more than one batch in memory. */
export type SarifRequest =
  | { verb: 'rules'; run: number; start: number }
  | { verb: 'results'; run: number; start: number }
  | { verb: 'document'; run: number };

export type SarifAnswer =
  | { verb: 'read'; runs: SarifRunSummary[] }
  | { verb: 'refused'; problems: string[] }
  | { verb: 'rules'; rules: [id: string, rule: ScanningRule][] }
  | { verb: 'results'; results: ReadResult[] }
  | { verb: 'document'; gzip: Uint8Array };

const RULES_AT_ONCE = 50;
const RESULTS_AT_ONCE = 200;

serveTasks<SarifSource, SarifAnswer, SarifRequest>((source, port) => {
  const reading = readSarif(source);
  if ('problems' in reading) return port.send({ verb: 'refused', problems: reading.problems });
  port.onMessage((request) => {
    const run = reading.runs[request.run]!;
    if (request.verb === 'rules')
      return port.send({
        verb: 'rules',
        rules: run.rules.slice(request.start, request.start + RULES_AT_ONCE),
      });
    if (request.verb === 'results') {
      const results = run.results.slice(request.start, request.start + RESULTS_AT_ONCE);
      return port.send({ verb: 'results', results });
    }
    const gzip = new Uint8Array(gzipSync([...run.texts()].join('\n')));
    return port.send({ verb: 'document', gzip }, [gzip.buffer]);
  });
  return port.send({
    verb: 'read',
    runs: reading.runs.map(({ rules: _rules, results: _results, texts: _texts, ...summary }) => summary),
  });
});
