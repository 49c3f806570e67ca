// The waiting work of the product, by kind, and the loop that does it.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { schedule, startWorker, type Handler, type Worker } from './kernel/due.ts';
import { sweepIdentity } from './kernel/identity/sessions.ts';
import type { Kernel } from './kernel/kernel.ts';

const HOUR = 60 * 60 * 1000;
const SWEEP = 'identity.sweep';

export async function startWork({ engine, db, clock, log }: Kernel): Promise<Worker> {
  const scheduleSweep = (dueAt: number, earlier: 'keep' | 'move') =>
    schedule(db, { id: SWEEP, kind: SWEEP, payload: '', dueAt }, clock.now(), earlier);
  const handlers: Record<string, Handler> = {
    async [SWEEP]() {
      await sweepIdentity(db, clock.now());
      await scheduleSweep(clock.now() + HOUR, 'move');
    },
  };
  await scheduleSweep(clock.now() + HOUR, 'keep');
  return startWorker({
    engine,
    clock,
    random: Math.random,
    log,
    handlers,
    owner: `${hostname()}:${process.pid}:${randomUUID()}`,
  });
}
