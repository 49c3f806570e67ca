// Stops a server: gracefully on the first signal, at once on the second, and by force after a timeout.
import { constants } from 'node:os';
import type { Logger } from '../kernel/observability/log.ts';
import { EXIT } from './command-errors.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const TIMEOUT_MS = 15_000;

/** Resolves to the exit code when it is time to stop. From then on another signal ends the process with its usual code. */
export function waitForStop(log: Logger): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  let isStopping = false;
  const stop = (code: number) => {
    if (!isStopping) watchStop();
    isStopping = true;
    resolve(code);
  };
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (isStopping) process.exit(128 + constants.signals[signal]);
      log.info({ signal }, 'stopping; another signal stops at once');
      stop(EXIT.good);
    });
  }
  const fail = (error: unknown) => {
    log.fatal({ err: error }, 'stopping after an error that nobody caught');
    stop(EXIT.failed);
  };
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  return promise;
}

/**
 * Kills the process when stopping takes too long. By SIGKILL, because `process.exit` waits for the thread pool, for ever when
 * one of its threads hangs in a system call. The timer does not keep the process alive.
 */
export function watchStop(timeoutMs: number = TIMEOUT_MS): void {
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), timeoutMs).unref();
}
