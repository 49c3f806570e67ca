// Evaluating flags over HTTP: how long the worst evaluations delay other calls.
import { Connection } from './raw-http.ts';
import type { Row } from './report.ts';
import { startOurs, TOKEN } from './servers.ts';
import { prepareWorstEvaluations, type WorstCall } from './worst-evaluation.ts';

const MAX_WAIT_MS = 50;

export async function benchEvaluation({ rounds }: { rounds: number; seconds: number }): Promise<Row[]> {
  const ours = await startOurs();
  try {
    const calls = await prepareWorstEvaluations(ours.url, TOKEN);
    const rows: Row[] = [];
    for (const call of calls) rows.push(await benchWorst(ours.url, call, rounds));
    return rows;
  } finally {
    await ours.stop();
  }
}

/** The longest delay of another call that takes a few microseconds. */
async function benchWorst(url: string, call: WorstCall, rounds: number): Promise<Row> {
  const worst = new Connection(url, call.headers);
  const other = new Connection(url);
  const waits: number[] = [];
  // The first call after a change also compiles the flags, which counts.
  for (let round = 0; round < rounds * 3; round += 1) {
    let isDone = false;
    const answered = worst.call(call.method, call.path, call.body).finally(() => {
      isDone = true;
    });
    while (!isDone) {
      const begun = performance.now();
      await other.call('GET', '/healthz');
      waits.push(performance.now() - begun);
    }
    const { status, body } = await answered;
    if (status !== 200) throw new Error(`${call.path} was answered with ${status}: ${body.slice(0, 200)}`);
  }
  worst.close();
  other.close();
  const longest = Math.max(...waits);
  return {
    what: `longest wait beside the worst evaluation: ${call.what}`,
    value: `${longest.toFixed(1)} ms`,
    against: '',
    target: `≤ ${MAX_WAIT_MS} ms`,
    isMet: longest <= MAX_WAIT_MS,
  };
}
