// Mixed load on two nodes for as long as you like, with faults in between, and a look after each round whether everything that was
// acknowledged is there.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { callerOn } from './caller.ts';
import { canMount } from '../small-disk.ts';
import { pushes, runs, streams } from './live-loads.ts';
import { flags, repositories, storages, tokens, type Load } from './loads.ts';
import { startNodes } from './nodes.ts';

const CLIENTS = 3;
const ROUND_MS = 60_000;
/** From one fault to the next. */
const CALM_MS = 8000;
const MAX_PROBLEMS = 20;

/** Sentences about what went wrong. */
export async function soak(minutes: number, say: (line: string) => void): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-soak-'));
  const problems: string[] = [];
  const nodes = await startNodes(folder, canMount);
  try {
    const caller = callerOn(nodes.urls, problems);
    const ofFlags = await flags(caller);
    const loads: Load[] = [
      tokens(caller),
      await storages(caller),
      ofFlags,
      await repositories(caller),
      await runs(caller),
      await streams(caller, nodes.urls),
      await pushes(caller, nodes.urls),
    ];
    const faults = Object.entries({
      ...nodes.faults,
      'receivers are slow': async () => ofFlags.setSlow(true),
    });
    const end = performance.now() + minutes * 60_000;
    for (let round = 1; performance.now() < end && problems.length < MAX_PROBLEMS; round += 1) {
      const until = Math.min(end, performance.now() + ROUND_MS);
      const happened: string[] = [];
      const isOver = () => performance.now() >= until;
      const working = loads.flatMap((load) =>
        Array.from({ length: CLIENTS }, async () => {
          while (!isOver()) await load.step();
        }),
      );
      while (performance.now() + CALM_MS < until) {
        await delay(CALM_MS * (0.5 + Math.random() / 2));
        const [name, fault] = faults[Math.floor(Math.random() * faults.length)]!;
        happened.push(name);
        await fault();
      }
      await Promise.all(working);
      nodes.heal();
      for (const load of loads) problems.push(...(await load.check()));
      const counts = loads.map((load) => `${load.name} ${load.count()}`).join(', ');
      say(`round ${round}: ${happened.join(', ') || 'no fault'}; ${counts}; ${problems.length} problems`);
    }
    for (const load of loads) await load.close?.();
  } finally {
    nodes.heal();
    await nodes.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  return problems;
}
