// The command `import repo`: copies a repository elsewhere into a new one of this server: branches and tags, issues and pull requests.
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../../app/config.ts';
import { findGit } from '../../../host/git/process/git-environment.ts';
import { GitProgram } from '../../../host/git/process/git-process.ts';
import { Failure } from '../../../kernel/failure.ts';
import { lockFolder } from '../../../kernel/storage/disk/folder-lock.ts';
import { guard } from '../../../kernel/network/guard.ts';
import type { LoadedSettings } from '../../../app/read-settings.ts';
import { EXIT, messageOf } from '../../command-errors.ts';
import { printJson, wantsJson, type Io } from '../../io.ts';
import {
  copyDefaultBranch,
  requireFreeName,
  fetchRepo,
  pushRepo,
  readCopyState,
  saveCopyState,
  type GitTransfer,
} from './copy-repo.ts';
import type { CopiedIssues } from './copy-issues.ts';
import { HostApi, type TargetRepository } from './host-api.ts';
import { sourceApiOf, openIssueImport, PausedImport, type SourceApi } from './import-issues.ts';
import { Progress } from '../../progress.ts';
import { openTarget, type ImportTarget, type TargetOptions } from '../import-target.ts';
import { parseRepoSource, readTokenVariable, type RepoSource } from '../addresses.ts';

export interface ImportRepoOptions extends TargetOptions {
  /** `owner/name`, or a name alone. */
  name?: string;
  private?: boolean;
  tokenEnv?: string;
  maxMegabytes?: string;
  allowPrivate?: boolean;
  /** False where they stay behind. */
  issues?: boolean;
  apiUrl?: string;
  json?: boolean;
}

const MEBIBYTE = 1024 ** 2;
const DEFAULT_MEGABYTES = 4096;
/** As a shell reports a program that Ctrl+C has ended. */
const INTERRUPTED = 130;

/** Where copies of repositories are on the way. */
export function copiesFolderOf({ data }: Pick<Config, 'data'>): string {
  return join(data, 'imports', 'repositories');
}

export async function runImportRepo(
  { config }: LoadedSettings,
  address: string,
  options: ImportRepoOptions,
  io: Io,
): Promise<number> {
  const source = parseRepoSource(address, readTokenVariable(options.tokenEnv, io.env));
  const maxBytes = parseMegabytes(options.maxMegabytes) * MEBIBYTE;
  const api = options.issues === false ? undefined : sourceApiOf(source, options.apiUrl);
  const program = await openGit();
  const target = await openTarget(config, options, io);
  const stop = new AbortController();
  const interrupt = () => stop.abort(new Error('Interrupted.'));
  // Only the first: a second Ctrl+C ends the program at once.
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  const progress = new Progress(io);
  try {
    const summary = await importRepo({
      source,
      api,
      target,
      options,
      guard: guard({ allowPrivate: options.allowPrivate === true || config.allowPrivateWebhooks }),
      maxBytes,
      place: copiesFolderOf(config),
      transfer: { program, folder: '', progress, signal: stop.signal },
    });
    progress.end();
    if (wantsJson(options, io)) printJson(io, summary);
    else io.out(describe(summary));
    return EXIT.good;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    const isPaused = error instanceof PausedImport;
    progress.line(`Interrupted. ${isPaused ? error.message : 'Nothing was kept.'}`);
    return INTERRUPTED;
  } finally {
    process.removeListener('SIGINT', interrupt);
    process.removeListener('SIGTERM', interrupt);
    progress.end();
    await program.close();
    await target.close().catch((error: unknown) => {
      io.err(
        `The token "import" was not deleted (${messageOf(error)}). It ends within a day; ${io.program} token revoke ends it now.`,
      );
    });
  }
}

interface RepoImport {
  source: RepoSource;
  /** Where issues come from; undefined where they stay behind. */
  api: SourceApi | undefined;
  target: ImportTarget;
  options: ImportRepoOptions;
  guard: ReturnType<typeof guard>;
  maxBytes: number;
  /** The folder for copies on the way. */
  place: string;
  transfer: GitTransfer;
}

interface RepoSummary {
  from: string;
  repository: string;
  url: string;
  defaultBranch: string;
  branches: number;
  tags: number;
  copied?: CopiedIssues;
  leftOut: string[];
}

/**
 * Without an error nothing is left on the way. With one, no repository either, until its branches and tags are there: from then on
 * it stays, and so it does where the import is killed. The same command goes on with it.
 */
async function importRepo(work: RepoImport): Promise<RepoSummary> {
  const { source, target, options, transfer } = work;
  const api = new HostApi(target.url, target.token);
  const login = await api.readLogin();
  const { owner, name } = parseName(options.name ?? source.name, login);
  const fullName = `${owner}/${name}`;
  const folder = join(work.place, hashOf(source.url.href, target.url, fullName.toLowerCase()));
  const lock = await lockFolder(folder, { waitMs: 0 }).catch((error: unknown) => {
    throw new Failure('conflict', `Another import of ${source.url.href} as ${fullName} is running.`, {
      cause: error,
    });
  });
  const state = readCopyState(folder);
  let created: TargetRepository | undefined;
  let isPaused = false;
  try {
    const existing = await api.find(fullName);
    requireFreeName(existing, state);
    created = existing;
    const { progress } = transfer;
    const copying = { ...transfer, folder: join(folder, 'repository') };
    progress.line(`Fetching ${source.url.href}`);
    const issues = await openIssueImport(work, fullName);
    const hasPulls = issues.copy !== undefined;
    const refs = await fetchRepo(copying, source, { ...work, isBegun: state.isFetched === true, hasPulls });
    saveCopyState(folder, { ...state, isFetched: true });
    created ??= await api.create(owner === login ? undefined : owner, name, options.private === true);
    saveCopyState(folder, { isFetched: true, createdId: created.id });
    const imported = await issues.begin();
    progress.line(`Writing ${created.full_name}`);
    if (refs.branches.length + refs.tags > 0)
      await pushRepo(copying, target, created, { ...refs, hasPulls: imported !== undefined });
    const defaultBranch = await copyDefaultBranch(api, created, refs);
    isPaused = true;
    const { copied, leftOut } = await issues.run(imported);
    isPaused = false;
    return {
      from: source.url.href,
      repository: created.full_name,
      url: created.html_url,
      defaultBranch,
      branches: refs.branches.length,
      tags: refs.tags,
      ...(copied && { copied }),
      leftOut,
    };
  } catch (error) {
    if (isPaused) throw new PausedImport(fullName, error);
    if (created !== undefined) await removeCreated(api, created, error);
    throw error;
  } finally {
    // Before the lock is released: another import of the same may begin then.
    if (!isPaused) rmSync(folder, { recursive: true, force: true });
    lock.release();
  }
}

async function removeCreated(api: HostApi, created: TargetRepository, cause: unknown): Promise<void> {
  await api.remove(created).catch((error: unknown) => {
    throw new Failure(
      'unavailable',
      `${messageOf(cause)} The unfinished repository ${created.full_name} could not be deleted (${messageOf(error)}): delete it.`,
      { cause },
    );
  });
}

async function openGit(): Promise<GitProgram> {
  const found = await findGit();
  if (found?.isSupported === true) return new GitProgram(found.path);
  throw new Failure('unavailable', 'This needs the program git, 2.38 or newer, on this machine.');
}

/** A name alone is one of the caller's own. */
function parseName(text: string, login: string): { owner: string; name: string } {
  const [, owner = login, name = ''] = /^(?:([A-Za-z0-9_-]+)\/)?([A-Za-z0-9._-]+)$/.exec(text) ?? [];
  if (name === '')
    throw new Failure('invalid', `"${text.slice(0, 200)}" cannot be the name here: give one with --name.`);
  return { owner: owner.toLowerCase() === login.toLowerCase() ? login : owner, name };
}

function parseMegabytes(text: string | undefined): number {
  if (text === undefined) return DEFAULT_MEGABYTES;
  if (/^[1-9]\d{0,7}$/.test(text)) return Number(text);
  throw new Failure('invalid', `--max-megabytes must be a number from 1, not "${text.slice(0, 50)}".`);
}

function hashOf(...words: string[]): string {
  return createHash('sha256').update(words.join('\n')).digest('hex').slice(0, 24);
}

function describe(summary: RepoSummary): string {
  const { from, repository, url, defaultBranch, branches, tags, copied, leftOut } = summary;
  const amount = (count: number, one: string, more: string) =>
    `${count.toLocaleString('en')} ${count === 1 ? one : more}`;
  return [
    `${repository} holds ${from}: ${amount(branches, 'branch', 'branches')} and ${amount(tags, 'tag', 'tags')}, ${defaultBranch} by default.`,
    ...(copied === undefined
      ? []
      : [
          `New here: ${[
            amount(copied.issues, 'issue', 'issues'),
            amount(copied.pullRequests, 'pull request', 'pull requests'),
            amount(copied.comments, 'comment', 'comments'),
            amount(copied.reviews, 'review', 'reviews'),
            amount(copied.reviewComments, 'comment on lines', 'comments on lines'),
            amount(copied.labels, 'label', 'labels'),
            amount(copied.milestones, 'milestone', 'milestones'),
          ].join(', ')}.`,
        ]),
    ...leftOut,
    url,
  ].join('\n');
}
