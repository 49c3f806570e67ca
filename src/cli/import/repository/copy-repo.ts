// Copies the branches and tags of a repository: into a folder of this machine, and from there into a new repository.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openEgressProxy } from '../../../kernel/egress/egress-proxy.ts';
import { Failure } from '../../../kernel/failure.ts';
import { gitEgressEnvironment } from '../../../kernel/egress/git-egress.ts';
import { PRIVATE_FILE } from '../../../kernel/storage/disk/private-files.ts';
import type { Guard } from '../../../kernel/network/guard.ts';
import { GitError, type GitProgram } from '../../../host/git/process/git-process.ts';
import type { HostApi, TargetRepository } from './host-api.ts';
import type { RepoSource } from '../addresses.ts';
import type { Progress } from '../../progress.ts';

const REFS = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'];
/** Where hosts keep the commits of pull requests; and where they are pushed to, until the server has their rows. */
const PULLS = '+refs/pull/*/head:refs/pull/*/head';
const PUSHED_PULLS = '+refs/pull/*/head:refs/import/pull/*';
/** A push may change 5,000 references. */
const MAX_PUSHED = 4000;
const FETCH_CONFIG = {
  // Packs stay packs: what is small on the way stays small on the disk.
  'fetch.unpackLimit': '1',
  // Old commits of many projects have these mistakes, which harm nobody, and pushes accept them too.
  'fetch.fsck.badTimezone': 'ignore',
  'fetch.fsck.missingSpaceBeforeDate': 'ignore',
  'fetch.fsck.zeroPaddedFilemode': 'ignore',
  'core.bigFileThreshold': '16m',
  // A server that counts objects for long sends a few bytes from time to time.
  'http.lowSpeedLimit': '1',
  'http.lowSpeedTime': '300',
};
/** The server checks a large push for long, and ends it by itself. */
const PUSH_CONFIG = { 'http.lowSpeedLimit': '0' };
/** Of one object in memory: a small pack can hold a huge one. */
const MAX_ALLOCATION = 1024 ** 3;

interface RemoteRefs {
  branches: string[];
  tags: number;
  /** The one that the source checks out; undefined where it has no such branch. */
  defaultBranch: string | undefined;
}

/** Notes beside the copy, by which the same command goes on after it was killed. */
interface RepoCopyState {
  /** The copy holds all that the source had. */
  isFetched?: boolean;
  /** The repository that this import has created. */
  createdId?: number;
}

export function readCopyState(folder: string): RepoCopyState {
  try {
    return JSON.parse(readFileSync(join(folder, 'import.json'), 'utf8')) as RepoCopyState;
  } catch {
    return {};
  }
}

export function saveCopyState(folder: string, state: RepoCopyState): void {
  writeFileSync(join(folder, 'import.json'), JSON.stringify(state), { mode: PRIVATE_FILE, flush: true });
}

interface RepoFetch {
  guard: Guard;
  maxBytes: number;
  /** The folder holds a part already. */
  isBegun: boolean;
  /** The commits of pull requests come along. */
  hasPulls: boolean;
}

/** Git connects to the host of the URL alone, and only where the guard permits it. */
export async function fetchRepo(
  transfer: GitTransfer,
  { url, authorization }: RepoSource,
  { guard, maxBytes, isBegun, hasPulls }: RepoFetch,
): Promise<RemoteRefs> {
  guard.checkUrl(url);
  const proxy = await openEgressProxy({ guard, url, maxBytes });
  try {
    const call = {
      env: {
        ...gitEgressEnvironment({ url, authorization, proxy, config: FETCH_CONFIG }),
        GIT_ALLOC_LIMIT: String(MAX_ALLOCATION),
      },
      failure: `${url.href} cannot be copied`,
      reason: () => proxy.refusal(),
      secrets: [proxy.password],
    };
    if (!isBegun) rmSync(transfer.folder, { recursive: true, force: true });
    await transferGit(transfer, { ...call, args: ['init', '--quiet', '--bare', '--template='] });
    const listed = await transferGit(transfer, {
      ...call,
      args: ['ls-remote', '--symref', '--', url.href, 'HEAD', 'refs/heads/*', 'refs/tags/*'],
    });
    const refs = parseRemoteRefs(listed);
    if (refs.branches.length + refs.tags > 0)
      await transferGit(transfer, {
        ...call,
        args: [
          'fetch',
          '--progress',
          '--prune',
          '--no-tags',
          '--no-write-fetch-head',
          '--',
          url.href,
          ...REFS,
          ...(hasPulls ? [PULLS] : []),
        ],
      });
    return refs;
  } finally {
    await proxy.close();
  }
}

/** The server that it is pushed to is the operator's own, and is called directly. */
export async function pushRepo(
  transfer: GitTransfer,
  target: { url: string; token: string },
  { full_name: fullName }: TargetRepository,
  { defaultBranch, hasPulls }: { defaultBranch: string | undefined; hasPulls: boolean },
): Promise<void> {
  const url = new URL(`${target.url}/${fullName}.git`);
  const credentials = Buffer.from(`x-access-token:${target.token}`).toString('base64');
  const call = {
    env: gitEgressEnvironment({ url, authorization: `Basic ${credentials}`, config: PUSH_CONFIG }),
    failure: `${fullName} cannot be filled`,
    secrets: [credentials, target.token],
  };
  const listed = await transferGit(transfer, {
    ...call,
    args: [
      'for-each-ref',
      '--format=%(refname)',
      'refs/heads/',
      'refs/tags/',
      ...(hasPulls ? ['refs/pull/'] : []),
    ],
  });
  for (const refs of pushesOf(listed.split('\n').filter(Boolean), defaultBranch))
    await transferGit(transfer, { ...call, args: ['push', '--progress', '--', url.href, ...refs] });
}

/** What each push sends. With many references, the default branch comes first, and most objects with it. */
export function pushesOf(names: readonly string[], defaultBranch: string | undefined): string[][] {
  if (names.length <= MAX_PUSHED)
    return [names.some((name) => name.startsWith('refs/pull/')) ? [...REFS, PUSHED_PULLS] : REFS];
  const specs = names
    .toSorted(
      (a, b) => Number(b === `refs/heads/${defaultBranch}`) - Number(a === `refs/heads/${defaultBranch}`),
    )
    .map((name) => `+${name}:${name.replace(/^refs\/pull\/(.*)\/head$/, 'refs/import/pull/$1')}`);
  return Array.from({ length: Math.ceil(specs.length / MAX_PUSHED) }, (_, at) =>
    specs.slice(at * MAX_PUSHED, (at + 1) * MAX_PUSHED),
  );
}

/** What a clone of the new repository checks out. */
export async function copyDefaultBranch(
  api: HostApi,
  created: TargetRepository,
  { branches, defaultBranch }: RemoteRefs,
): Promise<string> {
  const wanted = defaultBranch ?? branches.find((name) => name === created.default_branch) ?? branches[0];
  if (wanted === undefined) return created.default_branch;
  if (wanted !== created.default_branch) await api.setDefaultBranch(created, wanted);
  return wanted;
}

/** Lines `ref: <branch>\tHEAD` and `<id>\t<name>`; the targets of tags stand below them with `^{}`. */
export function parseRemoteRefs(listed: string): RemoteRefs {
  const branches: string[] = [];
  let tags = 0;
  let head: string | undefined;
  for (const line of listed.split('\n')) {
    const [value = '', name = ''] = line.split('\t');
    if (name === 'HEAD' && value.startsWith('ref: refs/heads/'))
      head = value.slice('ref: refs/heads/'.length);
    else if (name.startsWith('refs/heads/')) branches.push(name.slice('refs/heads/'.length));
    else if (name.startsWith('refs/tags/') && !name.endsWith('^{}')) tags += 1;
  }
  return { branches, tags, defaultBranch: head !== undefined && branches.includes(head) ? head : undefined };
}

export function requireFreeName(found: TargetRepository | undefined, state: RepoCopyState): void {
  if (found === undefined || found.id === state.createdId) return;
  throw new Failure(
    'conflict',
    `${found.full_name} exists already: an import makes a new repository. Give another name with --name.`,
  );
}

/** Git itself gives up on connections that are too slow. */
const GIT_TIMEOUT_MS = 7 * 24 * 3600 * 1000;
const MAX_OUTPUT = 64 * 1024 ** 2;
/** The end of what git says, where the reason of an error is. */
const MAX_LINES = 10;
const MAX_LINE = 500;
const PROGRESS = /: +\d+% \(\d+\/\d+\)|: \d+(?:, done\.)?$/;

export interface GitTransfer {
  program: GitProgram;
  /** The folder of the copy. */
  folder: string;
  progress: Progress;
  signal: AbortSignal;
}

interface TransferCall {
  args: readonly string[];
  env: Record<string, string>;
  /** What failed, as the beginning of a sentence. */
  failure: string;
  /** The reason, where it is known better than git knows it. */
  reason?(): string | undefined;
  /** What must not be shown. */
  secrets?: readonly string[];
}

/** Runs git: its progress goes to the progress of the command, its complaints into the error. */
async function transferGit(
  { program, folder, progress, signal }: GitTransfer,
  { args, env, failure, reason, secrets = [] }: TransferCall,
): Promise<string> {
  const said: string[] = [];
  let rest = '';
  const onStderr = (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split(/[\r\n]/);
    rest = lines.pop()!.slice(-MAX_LINE);
    for (const line of lines) {
      const text = shownLine(line);
      if (PROGRESS.test(text)) progress.update(text);
      else if (text !== '') said.push(text);
    }
    said.splice(0, said.length - MAX_LINES);
  };
  try {
    const options = { folder, env, signal, onStderr, timeoutMs: GIT_TIMEOUT_MS, maxOutput: MAX_OUTPUT };
    const { stdout } = await program.run(args, { work: 'transfer', ...options });
    return stdout.toString();
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    const words = reason?.() ?? [...said, shownLine(rest)].filter(Boolean).join(' ');
    const safe = secrets.reduce((text, secret) => text.replaceAll(secret, '…'), words);
    throw new Failure('unavailable', `${failure}: ${safe === '' ? 'git failed' : safe}`, { cause: error });
  }
}

/** The other side may send anything, such as codes that a terminal would obey. */
function shownLine(line: string): string {
  // oxlint-disable-next-line no-control-regex
  const plain = line.replaceAll(/[\0-\x1f\x7f-\x9f]/g, '');
  return plain.trim().slice(0, MAX_LINE);
}
