// All flags for one context over HTTP: CPU time per call against bare node:http that sends the same bytes.
import { compareWithBare, type Effort } from './compare.ts';
import type { Work } from './load.ts';
import { MIXED_CONTEXT, MIXED_FLAGS } from './mixed-flags.ts';
import { storeMixedProject } from './mixed-project.ts';
import { Connection } from './raw-http.ts';
import { cpuRow, type Row } from './report.ts';
import { startOurs } from './servers.ts';

const MOST = 4;
const MOST_UNCHANGED = 2.5;

export async function benchPolling({ rounds, seconds, isQuick }: Effort): Promise<Row[]> {
  const effort = { rounds, seconds: isQuick ? seconds / 2 : seconds };
  const ours = await startOurs();
  try {
    const { clientId, sdkKey } = await storeMixedProject(ours.url);
    const pathFor = (context: object) =>
      `/sdk/evalx/${clientId}/contexts/${Buffer.from(JSON.stringify(context)).toString('base64url')}`;
    const path = pathFor(MIXED_CONTEXT);
    const { headers } = await fetch(ours.url + path);
    await warmUp(ours.url, () => pathFor(nextContext()));
    const row = async (what: string, work: Work, most: number) =>
      cpuRow(`${what} of ${MIXED_FLAGS.length} flags`, await compareWithBare(ours, work, effort), { most });
    return [
      await row(
        'evaluate for another context each time',
        { method: 'GET', path: () => pathFor(nextContext()) },
        MOST,
      ),
      await row(
        'poll with the ETag',
        { method: 'GET', path, headers: { 'if-none-match': headers.get('etag')! }, status: 304 },
        MOST_UNCHANGED,
      ),
      await row(
        'evaluate in bulk by OFREP, for another context each time',
        {
          method: 'POST',
          path: '/ofrep/v1/evaluate/flags',
          headers: { authorization: `Bearer ${sdkKey}` },
          body: () => JSON.stringify({ context: toOpenFeature(nextContext()) }),
        },
        MOST,
      ),
    ];
  } finally {
    await ours.stop();
  }
}

/** Counted and not timed, because on a busy machine little is done, and compiled, in a given time. */
const WARM_UP = 2000;

async function warmUp(url: string, nextPath: () => string): Promise<void> {
  const connection = new Connection(url);
  for (let count = 0; count < WARM_UP; count += 1) await connection.call('GET', nextPath());
  connection.close();
}

let contexts = 0;

function nextContext(): typeof MIXED_CONTEXT {
  contexts += 1;
  const { user, org } = MIXED_CONTEXT;
  const start = String(contexts).padStart(8, '0');
  return { kind: 'multi', user: { ...user, key: `${start}${user.key.slice(8)}` }, org };
}

function toOpenFeature({ kind, user, org }: typeof MIXED_CONTEXT) {
  const withTargetingKey = ({ key, ...rest }: { key: string }) => ({ targetingKey: key, ...rest });
  return { kind, user: withTargetingKey(user), org: withTargetingKey(org) };
}
