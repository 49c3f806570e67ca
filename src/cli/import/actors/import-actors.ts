// The command `import actors`: copies what an account of another server has, over the public API of both.
import type { LoadedSettings } from '../../../app/read-settings.ts';
import { Failure } from '../../../kernel/failure.ts';
import { EXIT, messageOf } from '../../command-errors.ts';
import { printJson, wantsJson, type Io } from '../../io.ts';
import { askForBuilds, buildActors, copyActors, type RemoteActor } from './copy-actors.ts';
import { copySchedules } from './copy-schedules.ts';
import { copyWebhooks } from './copy-webhooks.ts';
import { copyTasks } from './copy-tasks.ts';
import { attempt, type ImportContext, type RemoteAccount, ImportState } from './import-context.ts';
import {
  IMPORT_KINDS,
  ImportReport,
  type ImportKind,
  describeSummary,
  summarizeImport,
} from '../import-report.ts';
import { Progress } from '../../progress.ts';
import { openTarget, type ImportTarget, type TargetOptions } from '../import-target.ts';
import { RemoteApi } from './remote-api.ts';
import { RemoteError } from './remote-error.ts';
import { parseServerUrl } from '../addresses.ts';
import { copyDataset } from './copy-dataset.ts';
import { copyQueue } from './copy-queue.ts';
import { nameOfSourceStore } from './copy-versions.ts';
import { copyStore } from './copy-store.ts';
import { eachListed } from './remote-lists.ts';
import type { RemoteStorage, StoragePath } from './storage-copy.ts';

interface ImportActorsOptions extends TargetOptions {
  fromUrl: string;
  token?: string;
  only?: string;
  dryRun?: boolean;
  overwrite?: boolean;
  enable?: boolean;
  build?: boolean;
  json?: boolean;
}

const STORAGES = ['key-value-stores', 'datasets', 'request-queues'] as const;
/** As a shell reports a program that Ctrl+C has ended. */
const INTERRUPTED = 130;

export async function runImportActors(
  { config }: LoadedSettings,
  options: ImportActorsOptions,
  io: Io,
): Promise<number> {
  const kinds = parseKinds(options.only);
  const fromUrl = parseServerUrl(options.fromUrl, '--from-url');
  const token = options.token ?? io.env['APIFY_TOKEN'];
  if (token === undefined || token === '')
    throw new Failure(
      'invalid',
      `A token for ${fromUrl} is missing: give it with --token or in APIFY_TOKEN.`,
    );
  const target = await openTarget(config, options, io);
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  // Only the first: a second Ctrl+C ends the program at once.
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  const progress = new Progress(io);
  const connect = (url: string, secret: string) =>
    new RemoteApi({ url, token: secret, signal: stop.signal, onWait: (words) => progress.update(words) });
  const [from, to] = [connect(fromUrl, token), connect(target.url, target.token)];
  try {
    const context = await openContext({ from, to, target, progress }, config.data, options);
    const stopped = await copyAll(context, kinds, options, stop.signal);
    printSummary(context, stopped, options, io);
    if (stop.signal.aborted) return INTERRUPTED;
    return stopped === undefined && !context.report.isIncomplete ? EXIT.good : EXIT.failed;
  } finally {
    process.removeListener('SIGINT', interrupt);
    process.removeListener('SIGTERM', interrupt);
    progress.end();
    from.close();
    to.close();
    await target.close().catch((error: unknown) => {
      io.err(
        `The token "import" was not deleted (${messageOf(error)}). It ends within a day; ${io.program} token revoke ends it now.`,
      );
    });
  }
}

function parseKinds(only: string | undefined): readonly ImportKind[] {
  if (only === undefined) return IMPORT_KINDS;
  const wanted = only.split(',').flatMap((word) => {
    const name = word.trim();
    if (name === 'storages') return STORAGES;
    const kind = IMPORT_KINDS.find((known) => known === name);
    if (kind !== undefined) return [kind];
    throw new Failure(
      'invalid',
      `--only has "${name}", which is none of: ${[...IMPORT_KINDS, 'storages'].join(', ')}.`,
    );
  });
  return IMPORT_KINDS.filter((kind) => wanted.includes(kind));
}

interface Ends {
  from: RemoteApi;
  to: RemoteApi;
  target: ImportTarget;
  progress: Progress;
}

async function openContext(
  { from, to, target, progress }: Ends,
  data: string,
  options: ImportActorsOptions,
): Promise<ImportContext> {
  const owner = {
    from: await readAccount(from, '--from-url', '--token'),
    to: await readAccount(to, '--to-url', '--to-token'),
  };
  if (owner.from.id === owner.to.id)
    throw new Failure('invalid', `Both sides are the account ${owner.to.username} of the same server.`);
  return {
    from,
    to,
    owner,
    publicUrl: target.publicUrl,
    hasOwnToken: target.isOwnToken,
    options: {
      isDryRun: options.dryRun === true,
      overwrites: options.overwrite === true,
      enables: options.enable === true,
    },
    report: new ImportReport(),
    state: ImportState.open(data, {
      from: { url: from.url, userId: owner.from.id },
      to: { url: to.url, userId: owner.to.id },
    }),
    progress,
    ids: { actors: new Map(), tasks: new Map(), stores: new Map() },
  };
}

/** The first call: it shows whether the URL and the token are right. */
async function readAccount(api: RemoteApi, urlFlag: string, tokenFlag: string): Promise<RemoteAccount> {
  try {
    const account = await api.getOnce<Partial<RemoteAccount> | undefined>('/users/me');
    if (typeof account?.id === 'string' && typeof account.username === 'string')
      return account as RemoteAccount;
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    if (error.status === 401 || error.status === 403)
      throw new Failure('unauthenticated', `${api.url} rejects the token: give another with ${tokenFlag}.`);
    if (error.status === 0) throw new Failure('unavailable', `${endless(error.message)}. Check ${urlFlag}.`);
    if (error.status === 429 || error.status >= 500)
      throw new Failure('unavailable', `${api.url} answers ${error.status} at the moment: try again later.`);
  }
  throw new Failure('invalid', `${api.url} is not a server with the Actors API. Check ${urlFlag}.`);
}

function endless(sentence: string): string {
  return sentence.replace(/[.]+$/, '');
}

/** Why it ended early, as a sentence; undefined at the end. */
async function copyAll(
  context: ImportContext,
  kinds: readonly ImportKind[],
  { build, dryRun }: ImportActorsOptions,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const actors: RemoteActor[] = [];
    // A token may not have access to everything: then the rest is copied.
    for (const kind of kinds)
      await attempt(context, { kind, name: '(all)' }, () => copyKind(context, kind, actors));
    if (build === true && dryRun !== true) await buildActors(context, actors);
    else await askForBuilds(context, actors);
    return undefined;
  } catch (error) {
    if (signal.aborted) return 'Interrupted. The same command goes on from here.';
    if (!(error instanceof RemoteError)) throw error;
    return `${endless(messageOf(error))}. The same command goes on from here.`;
  }
}

async function copyKind(context: ImportContext, kind: ImportKind, actors: RemoteActor[]): Promise<void> {
  if (kind === 'actors') actors.push(...(await copyActors(context)));
  else if (kind === 'tasks') await copyTasks(context);
  else if (kind === 'schedules') await copySchedules(context);
  else if (kind === 'webhooks') await copyWebhooks(context);
  else await copyStorages(context, kind);
}

async function copyStorages(context: ImportContext, kind: StoragePath): Promise<void> {
  for await (const { id, name } of eachListed<RemoteStorage>(context.from, `/${kind}`, {
    ownership: 'ownedByMe',
  })) {
    // Some servers list unnamed ones with their id as the name.
    if (name == null || name === id) continue;
    const wanted = { id, name: kind === 'key-value-stores' ? nameOnTarget(context, name) : name };
    await attempt(context, { kind, name: wanted.name }, async () => {
      if (kind === 'key-value-stores') await copyStore(context, wanted);
      else if (kind === 'datasets') await copyDataset(context, wanted);
      else await copyQueue(context, wanted);
    });
  }
}

function nameOnTarget({ ids }: ImportContext, name: string): string {
  const [, actorId] = /^actor-([A-Za-z0-9]{17})-source$/.exec(name) ?? [];
  const to = actorId === undefined ? undefined : ids.actors.get(actorId);
  return to === undefined ? name : nameOfSourceStore(name, { from: actorId!, to });
}

function printSummary(
  context: ImportContext,
  stopped: string | undefined,
  options: ImportActorsOptions,
  io: Io,
): void {
  const { from, to, owner, report, progress } = context;
  const end = {
    from: { url: from.url, username: owner.from.username },
    to: { url: to.url, username: owner.to.username },
    isDryRun: context.options.isDryRun,
    ...(stopped !== undefined && { stopped }),
  };
  progress.end();
  if (wantsJson(options, io)) printJson(io, summarizeImport(report, end));
  else io.out(describeSummary(report, end, io));
}
