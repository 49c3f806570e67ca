// The command `status`: whether a server runs on this data folder, its URLs, and its database.
import { migrations } from '../app/apis.ts';
import type { Config } from '../app/config.ts';
import type { LoadedSettings } from '../app/read-settings.ts';
import { findPause } from '../kernel/backup/backup-store.ts';
import { requireAdmin } from '../kernel/identity/first-start.ts';
import { searchMembers } from '../kernel/identity/store-members.ts';
import { insertLoginLink } from '../kernel/identity/sessions/store-login-links.ts';
import { listTokens } from '../kernel/identity/store-tokens.ts';
import { urlOf } from '../kernel/http/server/listen.ts';
import type { Engine } from '../kernel/storage/engine.ts';
import { migrationStatus } from '../kernel/storage/migrate.ts';
import { RELEASE } from '../app/release.ts';
import { apiUrls } from './banner.ts';
import { EXIT } from './command-errors.ts';
import { painter, printJson, wantsJson, type Io } from './io.ts';
import { findServer } from './running-server.ts';
import {
  describeDatabase,
  hasDatabase,
  loginUrl,
  refuseHalf,
  withDatabase,
  withMigratedDatabase,
} from './open-database.ts';

interface StatusOptions {
  json?: boolean;
  env?: boolean;
  url?: boolean;
  login?: boolean;
}

/** The exit code is 0 even when the server is down. */
export async function runStatus({ config }: LoadedSettings, options: StatusOptions, io: Io): Promise<number> {
  const server = await findServer(config.data);
  const url = server?.publicUrl ?? config.publicUrl ?? urlOf(config, config.port);
  if (options.url) {
    io.out(url);
    return EXIT.good;
  }
  if (options.env) {
    io.out(describeEnvironment(url));
    return EXIT.good;
  }
  const status = {
    running: server !== undefined,
    state: server?.state ?? 'down',
    version: server?.version ?? RELEASE,
    pid: server?.pid ?? null,
    startedAt: server?.startedAt ?? null,
    url,
    apis: apiUrls(url).map(({ name, title, url: base }) => ({ name, title, url: base })),
    data: config.data,
    database: { place: describeDatabase(config), ...(await readDatabase(config)) },
    // The link logs the administrator in, so it is created only on request.
    ...(options.login === true && { loginLink: await createLoginUrl(config, url) }),
  };
  if (wantsJson(options, io)) printJson(io, status);
  else io.out(describe(status, io));
  return EXIT.good;
}

interface Database {
  kind: Engine['kind'];
  state: 'absent' | 'current' | 'behind' | 'newer than this program';
  /** The newest one that has upgraded it, and the one that the program would bring it to. */
  release: string | null;
  programRelease: string;
  pending: string[];
  unknown: string[];
  members: number | null;
  tokens: number | null;
  /** Since when it waits for `resume` after a restore. */
  pausedSince: string | null;
}

async function readDatabase(config: Config): Promise<Database> {
  const nothing = {
    release: null,
    programRelease: RELEASE,
    pending: [],
    unknown: [],
    members: null,
    tokens: null,
    pausedSince: null,
  };
  refuseHalf(config);
  if (!hasDatabase(config)) return { kind: 'sqlite', state: 'absent', ...nothing };
  return withDatabase(config, async (engine) => {
    const { kind, db } = engine;
    const status = await migrationStatus(engine, migrations);
    const { pending, refusal } = status;
    const unknown = status.unknown.map(({ name }) => name);
    const known = { ...nothing, kind, release: status.release ?? null, pending, unknown };
    if (refusal !== undefined) return { ...known, state: 'newer than this program' };
    if (pending.length > 0) return { ...known, state: 'behind' };
    const [members, tokens, pause] = await Promise.all([
      searchMembers(db, '', { offset: 0, limit: 1 }),
      listTokens(db, {}, { offset: 0, limit: 1 }),
      findPause(db),
    ]);
    return {
      ...known,
      state: 'current',
      members: members.total,
      tokens: tokens.total,
      pausedSince: pause === undefined ? null : new Date(pause.since).toISOString(),
    };
  });
}

function createLoginUrl(config: Config, url: string): Promise<string> {
  return withMigratedDatabase(config, async (engine) => {
    const secret = await insertLoginLink(engine.db, await requireAdmin(engine), Date.now());
    return loginUrl(url, secret);
  });
}

interface Status {
  state: string;
  version: string;
  pid: number | null;
  startedAt: string | null;
  url: string;
  apis: { title: string; url: string }[];
  data: string;
  database: Database & { place: string };
  loginLink?: string;
}

function describe(status: Status, io: Io): string {
  const { state, version, pid, startedAt, url, apis, data, database, loginLink } = status;
  const paint = painter(io);
  const line = (name: string, text: string) => `  ${paint('dim', name.padEnd(15))}${text}`;
  const isUp = state === 'ready';
  return [
    `${paint('bold', `Signalbox ${version}`)} is ${paint(isUp ? 'green' : 'yellow', state)}`,
    '',
    line('URL', paint('cyan', url)),
    ...(pid === null ? [] : [line('Process', `${pid}, since ${startedAt}`)]),
    ...apis.map((api) => line(api.title, paint('cyan', api.url))),
    line('Data', data),
    line('Database', `${database.place} (${database.state})`),
    ...(database.release === null ? [] : [line('Its release', describeRelease(database))]),
    ...(database.pausedSince === null
      ? []
      : [line('Paused', `after a restore, since ${database.pausedSince}: ${io.program} resume`)]),
    ...(database.state === 'current'
      ? [
          line('Members', String(database.members)),
          line('Tokens', String(database.tokens)),
          line(
            'Log in',
            loginLink === undefined
              ? `${io.program} status --login`
              : `${paint('cyan', loginLink)} (works once, for 15 minutes)`,
          ),
        ]
      : []),
  ].join('\n');
}

function describeRelease({ state, release, programRelease, pending }: Database): string {
  if (state === 'behind')
    return `${release}; the next start upgrades it to ${programRelease} (${pending.length} migrations)`;
  if (state === 'current') return release!;
  return `${release}, and this program is ${programRelease}: update the program`;
}

/** Shell lines with the variables that clients read. Tokens are missing, because only their hashes are stored. */
export function describeEnvironment(url: string): string {
  const { protocol, host } = new URL(url);
  const variables: [string, string][] = [
    ['SIGNALBOX_URL', url],
    // ldcli, and Terraform's provider.
    ['LD_BASE_URI', url],
    ['LAUNCHDARKLY_API_HOST', url],
    // apify-cli; the Apify SDK, which also makes links for people with the second. All append /v2.
    ['APIFY_CLIENT_BASE_URL', url],
    ['APIFY_API_BASE_URL', url],
    ['APIFY_API_PUBLIC_BASE_URL', url],
    // Octokit in its form for workflows, and most scripts.
    ['GITHUB_API_URL', url],
    ['GITHUB_GRAPHQL_URL', `${url}/graphql`],
    // gh, which requires HTTPS for such a host.
    ...(protocol === 'https:' ? [['GH_HOST', host] satisfies [string, string]] : []),
  ];
  return variables.map(([name, value]) => `export ${name}=${quote(value)}`).join('\n');
}

/** Quotes anything unusual: a crafted URL must not run as a shell command. */
function quote(value: string): string {
  return /^[\w:/.@-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}
