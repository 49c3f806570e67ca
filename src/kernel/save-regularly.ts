// Saves counters from memory in the background: rate limit usage and the last use of tokens.
import type { Kernel } from './kernel.ts';
import { SAVE_MS } from './limit-window.ts';

const USE_MS = 10_000;

export function saveRegularly({ limits, identity, log }: Kernel): { stop(): Promise<void> } {
  let saving: Promise<void> = Promise.resolve();
  const save = (work: () => Promise<void>) => {
    saving = saving
      .then(work)
      .catch((error: unknown) => log.warn({ err: error }, 'could not save counters; will try again'));
    return saving;
  };
  const saveLimits = () => save(() => limits.sync());
  const saveUse = () => save(() => identity.saveLastUse());
  const timers = [
    setInterval(() => void saveLimits(), SAVE_MS).unref(),
    setInterval(() => void saveUse(), USE_MS).unref(),
  ];
  return {
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await saveLimits();
      await saveUse();
    },
  };
}
