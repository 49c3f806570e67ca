// A child process that claims due work. Arguments: location, owner, lease in ms, and `finish`, or `hang` to keep the lease.
import { claim, finish } from '../src/kernel/jobs/due-store.ts';
import { openEngine } from './engines.ts';

const [location = '', owner = '', leaseMs = '', end = ''] = process.argv.slice(2);
const engine = await openEngine(location);
process.send?.('ready');
process.once('message', (now: number) => void claimAll(now));
process.once('disconnect', () => process.exit());

/** Sends each claimed id to its parent. */
async function claimAll(now: number): Promise<void> {
  for (;;) {
    const claimed = await claim(engine, { kinds: ['test'], owner, leaseMs: Number(leaseMs), limit: 7 }, now);
    process.send?.(claimed.map(({ id }) => id));
    if (end === 'hang') return;
    if (claimed.length === 0) break;
    for (const due of claimed) if (!(await finish(engine.db, due))) throw new Error(`lost ${due.id}`);
  }
  await engine.close();
  process.disconnect();
}
