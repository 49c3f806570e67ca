// In a clone a child process bundles the sources after the start, and the next start runs the bundle. ADR 0189.
import { existsSync } from 'node:fs';
import { setPriority } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn } from '../kernel/network/streams.ts';
import type { Logger } from '../kernel/observability/log.ts';

/** Only a clone has it, and what runs from a bundle needs none. */
const BUILDER = new URL('../../scripts/start-bundle.ts', import.meta.url);
/** A server that lives shorter is one of tests, or one that is being worked on. */
const AFTER_MS = 60_000;
const LOW_PRIORITY = 15;

export function bundleLater(log: Logger): void {
  const script = fileURLToPath(BUILDER);
  if (!import.meta.url.endsWith('.ts') || process.env['SIGNALBOX_STARTED_AS'] === undefined) return;
  if (!existsSync(script)) return;
  setTimeout(() => {
    const child = spawn(process.execPath, [script], { cwd: dirname(dirname(script)), stdio: 'ignore' });
    if (child.pid !== undefined) lowerPriority(child.pid);
    child.on('close', (code) => {
      if (code !== 0) log.debug({ code }, 'the bundle for the next start could not be made');
    });
    process.once('exit', () => child.kill());
  }, AFTER_MS).unref();
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, LOW_PRIORITY);
  } catch {
    // It is over already, or the system does not allow it.
  }
}
