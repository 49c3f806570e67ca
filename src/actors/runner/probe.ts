// Tries programs of this machine, again where a failure may pass, and says why one does not work.
import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

/** All probes of a start share them, so that a machine on which nothing works does not start slowly. */
const PAUSES_MS = [50, 150, 400];
const LIMIT_MS = 20_000;
/** What a kernel or a program says that does not allow or know it: it will say the same the next time. */
const LASTING = /not permitted|permission|unknown option|unrecognized option|not supported|no such file/i;

/** Rejects with the last line that it wrote to its error output, as the reason. */
export async function runProbe(words: readonly string[]): Promise<void> {
  const [tool = '', ...rest] = words;
  const options = { env: {}, cwd: '/', timeout: LIMIT_MS, killSignal: 'SIGKILL' } as const;
  await promisify(execFile)(tool, rest, options).catch(
    (error: Error & { stderr?: string; signal?: string; code?: unknown }) => {
      const said = error.stderr?.trim().split('\n').at(-1);
      if (said) throw new Error(said);
      if (error.signal) throw new Error(`it was ended by ${error.signal}`);
      // The message would be the whole command line.
      throw typeof error.code === 'number' ? new Error(`it ended with exit code ${error.code}`) : error;
    },
  );
}

export type ProbeAttempt = (probe: () => Promise<void>) => Promise<string | undefined>;

/**
 * Returns a function that runs a probe and says why it failed, or undefined where it works. In a crowded moment, without
 * processes or memory to spare, a failure means nothing, so it is tried again.
 */
export function openAttempts(wait: (ms: number) => Promise<unknown> = delay): ProbeAttempt {
  const pauses = [...PAUSES_MS];
  return async (probe) => {
    for (;;) {
      try {
        await probe();
        return undefined;
      } catch (error) {
        const reason = (error as Error).message;
        const pause = LASTING.test(reason) ? undefined : pauses.shift();
        if (pause === undefined) return reason;
        await wait(pause);
      }
    }
  };
}
