// Saves counters from memory in the background: rate limit usage, the last use of tokens and usage of old versions.
import type { Kernel } from '../kernel/kernel.ts';
import { SAVE_MS } from '../kernel/limits/window.ts';

const USE_MS = 10_000;
/** What a crash loses of the usage of old versions, at most. */
const VERSION_USAGE_MS = 15_000;

export function saveRegularly({ limits, identity, versionUsage, log }: Kernel): { stop(): Promise<void> } {
  let saving: Promise<void> = Promise.resolve();
  const save = (work: () => Promise<void>) => {
    saving = saving
      .then(work)
      .catch((error: unknown) => log.warn({ err: error }, 'could not save counters; will try again'));
    return saving;
  };
  const saveLimits = () => save(() => limits.sync());
  const saveUse = () => save(() => identity.saveLastUse());
  const saveVersionUsage = () => save(() => versionUsage.save());
  const timers = [
    setInterval(() => void saveLimits(), SAVE_MS).unref(),
    setInterval(() => void saveUse(), USE_MS).unref(),
    setInterval(() => void saveVersionUsage(), VERSION_USAGE_MS).unref(),
  ];
  return {
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await saveLimits();
      await saveUse();
      await saveVersionUsage();
    },
  };
}
