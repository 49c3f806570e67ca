// The examples of `--demo` while the server runs: made at its start, and due work that loads, removes, or makes them anew.
import type { BackgroundWork } from '../kernel/http/protocol.ts';
import { isPlanned } from '../kernel/jobs/due-store.ts';
import type { Kernel } from '../kernel/kernel.ts';
import {
  DEMO_LOAD,
  DEMO_REMOVAL,
  DEMO_RESET,
  findDemo,
  updateLoadedAt,
  updateMadeAt,
  upsertDemo,
} from '../signalbox/demo/store.ts';
import { apis } from './apis.ts';
import { removeDemo, seedDemo, type DemoServer } from './demo.ts';

interface DemoWork extends Required<Pick<BackgroundWork, 'handlers'>> {
  /** Makes them at a start that is to have them, unless they were removed. */
  seed(): Promise<void>;
  /** Goes on, once the server listens, with what the start has left to do. */
  start(): void;
  stop(): Promise<void>;
}

/** A handler that is interrupted begins again: each step leaves out what is done. */
export function demoWork(server: DemoServer, kernel: Kernel): DemoWork {
  const { db, clock } = kernel;
  let rest: Awaited<ReturnType<typeof seedDemo>> | undefined;
  /** False where it was stopped. */
  const complete = async (signal?: AbortSignal): Promise<boolean> => {
    const stop = () => void rest?.stop();
    signal?.addEventListener('abort', stop);
    try {
      const isComplete = (await rest?.start()) ?? true;
      if (isComplete) await updateLoadedAt(db, clock.now());
      return isComplete;
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  };
  return {
    handlers: {
      [DEMO_LOAD]: async (_due, signal) => {
        await rest?.stop();
        rest = await seedDemo(server, kernel, apis);
        await updateMadeAt(db, clock.now());
        if (!(await complete(signal))) throw new Error('The examples are not complete.');
      },
      [DEMO_REMOVAL]: async () => {
        await rest?.stop();
        await removeDemo(server, kernel, apis);
        await upsertDemo(db, { state: 'removed' });
      },
      [DEMO_RESET]: async () => {
        await rest?.stop();
        await removeDemo(server, kernel, apis);
        rest = await seedDemo(server, kernel, apis);
        await upsertDemo(db, { state: 'present', madeAt: clock.now() });
        // Builds and runs take a while, and no command waits for them.
        void complete();
      },
    },
    async seed() {
      const record = await findDemo(db);
      if (record?.state === 'removed' || (await isPlanned(db, DEMO_RESET))) return;
      let hasParts = false;
      for (const api of apis) hasParts ||= ((await api.demoParts?.(kernel)) ?? []).length > 0;
      rest = await seedDemo(server, kernel, apis);
      // An earlier release did not write down when it made them: all of it may have been changed since.
      const { madeAt, loadedAt } = record ?? (hasParts ? { madeAt: 0, loadedAt: 0 } : {});
      await upsertDemo(db, { state: 'present', madeAt: madeAt ?? clock.now(), loadedAt });
    },
    start: () => void complete(),
    stop: async () => await rest?.stop(),
  };
}
