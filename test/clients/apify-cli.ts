// Runs the real `apify-cli` as a program, with a home of its own.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { PATIENCE_MS } from '../eventually.ts';
import { APIFY } from './apify-program.ts';

const WRITES = pathToFileURL(join(import.meta.dirname, 'apify-cli-writes.ts')).href;

export interface CliOutput {
  stdout: string;
  stderr: string;
}

/** Fails on a wrong exit code, with everything that was printed. */
export async function runApifyCli(
  args: string[],
  { url, home, cwd = home, program = APIFY }: { url: string; home: string; cwd?: string; program?: string },
): Promise<CliOutput> {
  const running = promisify(execFile)(process.execPath, ['--import', WRITES, program, ...args], {
    cwd,
    timeout: PATIENCE_MS,
    killSignal: 'SIGKILL',
    maxBuffer: 16 * 1024 * 1024,
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      APIFY_CLIENT_BASE_URL: url,
      APIFY_CLI_DISABLE_TELEMETRY: '1',
      APIFY_CLI_SKIP_UPDATE_CHECK: '1',
      APIFY_CLI_SKIP_RENTAL_SUNSET_NOTICE: '1',
      APIFY_DISABLE_KEYRING: '1',
      NO_COLOR: '1',
      // Most of its time goes into compiling itself.
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(home, 'compiled'),
    },
  });
  running.child.stdin?.end();
  try {
    return await running;
  } catch (error) {
    const { message, stdout, stderr } = error as Error & CliOutput;
    throw new Error(`${message}\napify ${args.join(' ')}\n${stdout}\n${stderr}`, { cause: error });
  }
}
