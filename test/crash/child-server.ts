// A server in a process of its own, to be killed.
import { startServer } from '../../src/cli/fixture.ts';

export const TOKEN = 'api-crash-administrator-token';

export interface ChildServer {
  url: string;
  /** Ends it as a power cut would: no handler runs, nothing is flushed. */
  kill(): Promise<void>;
}

export async function startChild(
  settings: Record<string, string> & { SIGNALBOX_DATA: string },
): Promise<ChildServer> {
  const { url, kill, ended } = await startServer(settings.SIGNALBOX_DATA, [], {
    PATH: process.env['PATH'],
    SIGNALBOX_ADMIN_TOKEN: TOKEN,
    SIGNALBOX_LIMITS: 'off',
    SIGNALBOX_LOG_LEVEL: 'warn',
    ...settings,
  });
  return {
    url,
    async kill() {
      kill('SIGKILL');
      await ended;
    },
  };
}
