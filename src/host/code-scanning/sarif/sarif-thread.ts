// The thread that reads one upload, and hands out what it has read in batches; it may be terminated at any time.
import { parentPort, workerData } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { readSarif, type SarifSource } from './read-sarif.ts';
import { RESULTS_AT_ONCE, RULES_AT_ONCE, type SarifAnswer, type SarifRequest } from './sarif-protocol.ts';

const reading = readSarif(workerData as SarifSource);

if ('problems' in reading) send({ verb: 'refused', problems: reading.problems });
else {
  send({
    verb: 'read',
    runs: reading.runs.map(({ rules: _rules, results: _results, texts: _texts, ...summary }) => summary),
  });
  parentPort!.on('message', (request: SarifRequest) => {
    const run = reading.runs[request.run]!;
    if (request.verb === 'rules')
      send({ verb: 'rules', rules: run.rules.slice(request.start, request.start + RULES_AT_ONCE) });
    else if (request.verb === 'results')
      send({ verb: 'results', results: run.results.slice(request.start, request.start + RESULTS_AT_ONCE) });
    else send({ verb: 'document', gzip: new Uint8Array(gzipSync([...run.texts()].join('\n'))) });
  });
}

function send(answer: SarifAnswer): void {
  parentPort!.postMessage(answer, answer.verb === 'document' ? [answer.gzip.buffer as ArrayBuffer] : []);
}
