// The command `api impact`: which calls of a token, or of all, a version of the Host API would change; fails when some would.
import { Failure } from '../../kernel/failure.ts';
import type { LoadedSettings } from '../../app/read-settings.ts';
import { openRemote, type RemoteOptions, type RemoteServer } from '../remote/remote-server.ts';
import { send } from '../remote/send.ts';
import { printable } from '../terminal-text.ts';
import {
  errorMessageOf,
  isImpactReply,
  isVersionList,
  type CallEntry,
  type ImpactReply,
} from './impact-reply.ts';
import { painter, printJson, wantsJson, type Io, alignTable } from '../io.ts';

export interface ApiImpactOptions extends RemoteOptions {
  /** The version to move to; the newest by default. */
  to?: string;
  all?: boolean;
  since?: string;
  json?: boolean;
}

const EXIT_CODES = { nothingToDo: 0, wouldChange: 1, noReport: 2 } as const;
const PER_PAGE = 100;
const MAX_PAGES = 100;

/** Returns the exit code: 0 nothing would change, 1 calls would, 2 there is no report. */
export async function runApiImpact(
  { config }: LoadedSettings,
  options: ApiImpactOptions,
  io: Io,
): Promise<number> {
  let report: ImpactReply & { isCut: boolean };
  try {
    const server = await openRemote(config, options, io, options.all === true ? undefined : 'Whose calls?');
    try {
      report = await readReport(server, options);
    } finally {
      await server.close();
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    io.err(error.message);
    return EXIT_CODES.noReport;
  }
  if (wantsJson(options, io)) {
    const { isCut, ...reply } = report;
    printJson(io, isCut ? { ...reply, is_cut: true } : reply);
  } else io.out(describe(report, options, io));
  return report.calls.length === 0 ? EXIT_CODES.nothingToDo : EXIT_CODES.wouldChange;
}

async function readReport(
  server: RemoteServer,
  { to, all, since }: ApiImpactOptions,
): Promise<ImpactReply & { isCut: boolean }> {
  const version = to ?? (await newestVersion(server));
  const query = new URLSearchParams({
    per_page: String(PER_PAGE),
    ...(all === true && { all: 'true' }),
    ...(since !== undefined && { since: momentOf(since) }),
  });
  const calls: CallEntry[] = [];
  for (let page = 1; ; page += 1) {
    query.set('page', String(page));
    const path = `/versions/${encodeURIComponent(version)}/impact?${query.toString()}`;
    const { body, hasNext } = await fetchJson(server, path);
    if (!isImpactReply(body)) throw notTheHost(server);
    calls.push(...body.calls);
    if (!hasNext || page === MAX_PAGES) return { ...body, calls, isCut: hasNext };
  }
}

async function newestVersion(server: RemoteServer): Promise<string> {
  const { body } = await fetchJson(server, '/versions');
  if (!isVersionList(body)) throw notTheHost(server);
  return body.at(-1)!;
}

function notTheHost({ url }: RemoteServer): Failure {
  return new Failure('invalid', `${url} is not a server with the Host API. Check --url.`);
}

function momentOf(text: string): string {
  const at = Date.parse(text);
  if (Number.isNaN(at))
    throw new Failure(
      'invalid',
      `--since must be a time like 2026-11-01 or 2026-11-01T12:00:00Z, not "${text}".`,
    );
  return new Date(at).toISOString();
}

/** A page may have fewer entries than it could and still have a next one, which only the Link header tells. */
async function fetchJson(server: RemoteServer, path: string): Promise<{ body: unknown; hasNext: boolean }> {
  const { url } = server;
  const answer = await send(server, { path: `/api/v3${path}` });
  const text = await answer.text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw notTheHost(server);
  }
  if (answer.ok) return { body, hasNext: /;\s*rel="next"/.test(answer.headers.get('link') ?? '') };
  if (answer.status === 401) throw new Failure('unauthenticated', `${url} rejects the token: give another.`);
  if (answer.status === 404)
    throw new Failure(
      'not-found',
      `${url} has no report at ${path.split('?', 1)[0]!}: check --to and --url.`,
    );
  const message = printable(errorMessageOf(body) ?? 'without a reason');
  throw new Failure('invalid', `${url} answers ${answer.status}: ${message}`);
}

function describe(report: ImpactReply & { isCut: boolean }, { all }: ApiImpactOptions, io: Io): string {
  const { version, calls, unrecorded_calls: unrecorded } = report;
  const paint = painter(io);
  const lost =
    unrecorded === 0
      ? []
      : [
          '',
          paint(
            'yellow',
            `${unrecorded} calls on this server were not recorded for lack of memory: some may be missing here.`,
          ),
        ];
  if (calls.length === 0) {
    const whose = all === true ? 'No recorded call' : 'No recorded call of yours';
    return [
      `${paint('green', 'Nothing to do.')} ${whose} would change in version ${version}.`,
      `Next: ${nextStep(report)}.`,
      ...lost,
    ].join('\n');
  }
  const total = calls.reduce((sum, one) => sum + one.calls, 0);
  const rows = calls.map((one) => [
    String(one.calls),
    one.last_seen_at.slice(0, 16).replace('T', ' '),
    callerName(one.caller),
    one.variant === null ? one.version : `${one.version} (${printable(one.variant)})`,
    `${one.method} ${one.path}`,
  ]);
  const table = alignTable(['Calls', 'Last seen', 'Caller', 'Under', 'Call'], rows);
  return [
    `Version ${paint('bold', version)} would change ${total} recorded calls:`,
    '',
    table,
    '',
    'What to do:',
    ...adviceLines(calls),
    ...(report.isCut ? ['', `Only the first ${calls.length} entries are listed.`] : []),
    ...lost,
    '',
    `Then: ${nextStep(report)}. More: ${report.documentation_url}`,
  ].join('\n');
}

function nextStep({ state, header, version }: ImpactReply): string {
  if (state === 'ended') return `version ${version} has ended, so name a newer one with --to`;
  return `send the header ${header}${state === 'announced' ? ' as soon as the version is released' : ''}`;
}

/** Each change once, with the calls that it is about. */
function adviceLines(calls: readonly CallEntry[]): string[] {
  const changes = new Map<string, { advice: string; fields: Set<string>; places: Set<string> }>();
  for (const { method, path, changes: noticed } of calls) {
    for (const { title, advice, in: place, fields } of noticed) {
      const known = changes.get(title) ?? { advice, fields: new Set(), places: new Set() };
      changes.set(title, known);
      known.places.add(`${method} ${path}`);
      for (const { name, kind } of fields) known.fields.add(`${place}: ${name} ${kind}`);
    }
  }
  return [...changes].flatMap(([title, { advice, fields, places }]) => [
    `  ${title}`,
    `    Instead: ${advice}`,
    ...(fields.size === 0 ? [] : [`    Fields:  ${[...fields].join(', ')}`]),
    `    Calls:   ${[...places].join(', ')}`,
  ]);
}

function callerName({ type, id, name, login }: CallEntry['caller']): string {
  if (type === 'anonymous') return 'without a token';
  const own = name ?? (type === 'session' ? 'session' : (id ?? ''));
  return printable(login === null ? own : `${own} (${login})`);
}
