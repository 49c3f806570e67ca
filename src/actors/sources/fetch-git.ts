// Fetches one commit of a git repository: through the egress proxy, or from this server itself.
import type { ChildProcess } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { spawn } from '../../kernel/network/streams.ts';
import { openEgressProxy, type EgressProxy } from '../../kernel/egress/egress-proxy.ts';
import { gitEgressEnvironment } from '../../kernel/egress/git-egress.ts';
import { fetchFailed, splitCredentials, type FetchContext } from './fetched-sources.ts';
import { unpackTar } from './unpack.ts';

const MAX_TRANSFER = 1024 ** 3;
const MAX_ERROR_BYTES = 8 * 1024;

export interface GitSource {
  url: URL;
  authorization?: string;
  /** A branch, a tag or a commit; absent for the default branch. */
  reference?: string;
  /** The folder inside the repository. */
  directory?: string;
}

/** `URL#BRANCH-OR-TAG:FOLDER`, where both parts after the `#` may be missing. */
export function parseGitUrl(text: string): GitSource {
  const [address = '', ...rest] = text.trim().split('#');
  if (!/^https?:\/\//i.test(address))
    throw fetchFailed(
      'A git repository must be given by an https:// or http:// URL; others are not supported.',
    );
  const fragment = rest.join('#');
  const colon = fragment.indexOf(':');
  const reference = colon === -1 ? fragment : fragment.slice(0, colon);
  const directory = colon === -1 ? '' : fragment.slice(colon + 1).replaceAll(/^\/+|\/+$/g, '');
  // oxlint-disable-next-line no-control-regex
  if (/^-|[\s~^:?*[\\\0-\x1f\x7f]|\.\.|@\{/.test(reference))
    throw fetchFailed(`${JSON.stringify(reference)} is not the name of a branch or tag.`);
  // oxlint-disable-next-line no-control-regex
  if (/[\\\0-\x1f\x7f]/.test(directory) || directory.split('/').includes('..'))
    throw fetchFailed(`${JSON.stringify(directory)} is not a folder inside the repository.`);
  return {
    ...splitCredentials(address),
    ...(reference !== '' && { reference }),
    ...(directory !== '' && directory !== '.' && { directory }),
  };
}

/** A gist is a repository, at its own address. */
export function gistToGitUrl(text: string): string {
  const [address = '', ...rest] = text.trim().split('#');
  const url = address.replace(/\/+$/, '');
  return [url.endsWith('.git') ? url : `${url}.git`, ...rest].join('#');
}

/** Returns the id of the commit. */
export async function fetchGit(source: GitSource, context: FetchContext): Promise<string> {
  const { kernel, temporary, signal, folder, log } = context;
  const { url, reference = 'HEAD', directory } = source;
  kernel.guard.checkUrl(url);
  const proxy = await openEgressProxy({ guard: kernel.guard, url, maxBytes: MAX_TRANSFER });
  try {
    const repository = join(temporary, 'repository');
    await mkdir(repository, { recursive: true });
    const env = environmentOf(source, proxy, temporary);
    const git = (...args: string[]) => runGit(args, { env, folder: repository, signal, proxy });
    await git('init', '--quiet', '--bare', '--template=', '.');
    // Neither `export-ignore` nor `export-subst`: what is committed is what is built.
    await mkdir(join(repository, 'info'), { recursive: true });
    await writeFile(join(repository, 'info', 'attributes'), '* !export-ignore !export-subst\n');
    await git(
      'fetch',
      '--quiet',
      '--depth=1',
      '--no-tags',
      '--no-recurse-submodules',
      '--',
      url.href,
      reference,
    );
    const commit = (await git('rev-parse', '--verify', 'FETCH_HEAD^{commit}')).trim();
    log(`ACTOR: Commit ${commit}`);
    await unpackTree(directory === undefined ? commit : `${commit}:${directory}`, {
      env,
      folder: repository,
      signal,
      into: folder,
      onLink: (name) => log(`ACTOR: Left out the link ${JSON.stringify(name)}`),
    });
    return commit;
  } finally {
    await proxy.close();
  }
}

/** The whole environment: nothing of the server's own but the way to git and to certificates. */
function environmentOf({ url, authorization }: GitSource, proxy: EgressProxy, home: string) {
  const { PATH = '/usr/bin:/bin' } = process.env;
  return {
    PATH,
    HOME: home,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    SSH_ASKPASS: '/bin/false',
    GIT_ATTR_NOSYSTEM: '1',
    ...gitEgressEnvironment({
      url,
      authorization,
      proxy,
      config: {
        'credential.helper': '',
        'core.hooksPath': '/dev/null',
        'core.fsmonitor': 'false',
        'core.symlinks': 'false',
        'fetch.recurseSubmodules': 'false',
        'submodule.recurse': 'false',
        'gc.auto': '0',
        'maintenance.auto': 'false',
      },
    }),
  };
}

interface GitCall {
  env: Record<string, string>;
  folder: string;
  signal: AbortSignal;
}

async function runGit(args: string[], { proxy, ...call }: GitCall & { proxy: EgressProxy }): Promise<string> {
  const child = startGit(args, call);
  const [output, errors] = await Promise.all([collect(child.stdout!), collect(child.stderr!), exitOf(child)]);
  call.signal.throwIfAborted();
  if (child.exitCode === 0) return output;
  const words = proxy.refusal() ?? errors.replaceAll(proxy.password, '…').trim();
  throw fetchFailed(`The git repository cannot be fetched: ${words === '' ? 'git failed.' : words}`);
}

async function unpackTree(
  tree: string,
  { into, onLink, ...call }: GitCall & { into: string; onLink: (name: string) => void },
): Promise<void> {
  const child = startGit(['archive', '--format=tar', tree], call);
  const exited = exitOf(child);
  exited.catch(() => undefined); // awaited below, when all is unpacked
  const errors = collect(child.stderr!);
  try {
    await unpackTar(child.stdout! as AsyncIterable<Uint8Array>, into, { signal: call.signal, onLink });
  } catch (error) {
    killGroup(child);
    await exited;
    const said = (await errors).trim();
    // An empty archive is one of a folder that does not exist.
    if (said !== '' && child.exitCode !== null && child.exitCode !== 0)
      throw fetchFailed(`The git repository cannot be unpacked: ${said}`, error);
    throw error;
  }
  await exited;
  call.signal.throwIfAborted();
  if (child.exitCode !== 0)
    throw fetchFailed(`The git repository cannot be unpacked: ${(await errors).trim()}`);
}

/** In a process group of its own, as git starts helpers, and all of them must die with it. */
function startGit(args: string[], { env, folder, signal }: GitCall): ChildProcess {
  signal.throwIfAborted();
  const child = spawn('git', args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const kill = () => killGroup(child);
  signal.addEventListener('abort', kill, { once: true });
  child.on('close', () => signal.removeEventListener('abort', kill));
  return child;
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It is dead already.
  }
}

function exitOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.on('close', () => resolve());
    child.on('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'ENOENT' ? fetchFailed('This server has no git program.') : error),
    );
  });
}

/** The first bytes as text; the rest is read and forgotten. */
async function collect(stream: NodeJS.ReadableStream): Promise<string> {
  const kept: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      if (size < MAX_ERROR_BYTES) kept.push(chunk);
      size += chunk.length;
    }
  } catch {
    // Of a killed process.
  }
  return Buffer.concat(kept).subarray(0, MAX_ERROR_BYTES).toString('utf8');
}

declare module '../../kernel/kernel.ts' {
  interface Services {
    ownRepositories: OwnRepositories;
  }
}

/** A repository by its name, as an account sees it. */
export interface OwnRepository {
  /** `owner/name` */
  name: string;
  accountId: string;
  /** What the token that wants it read allows at most. */
  boundary?: string | undefined;
  /** The credentials of the URL, which count instead of the account's permissions. */
  authorization?: string;
}

/** The port to the repositories of the same server, which the composition root connects to the host. */
interface OwnRepositories {
  /** The name of the repository, where the URL is one of this server. */
  nameIn(url: URL): string | undefined;
  mayRead(repository: OwnRepository): Promise<boolean>;
  /** The files of one commit as a tar. Throws a sentence for the log of the build where there is no such thing. */
  open(
    repository: OwnRepository & Pick<GitSource, 'reference' | 'directory'>,
    options: { temporary: string; signal: AbortSignal },
  ): Promise<{ commit: string; tar: AsyncIterable<Uint8Array> }>;
}

/**
 * Returns the id of the commit; undefined for a repository elsewhere. Neither HTTP nor the guard is involved, and the owner of the
 * Actor needs no token.
 */
export async function copyOwnRepository(
  { url, ...source }: GitSource,
  { kernel, userId, boundary, folder, temporary, signal, log }: FetchContext,
): Promise<string | undefined> {
  const { ownRepositories } = kernel.services;
  const name = ownRepositories.nameIn(url);
  if (name === undefined) return undefined;
  log(`ACTOR: Reading the repository ${name} of this server.`);
  const place = join(temporary, 'repository');
  await mkdir(place);
  const asked = { ...source, name, accountId: userId, boundary };
  const { commit, tar } = await ownRepositories.open(asked, { temporary: place, signal });
  log(`ACTOR: Commit ${commit}`);
  await unpackTar(tar, folder, {
    signal,
    onLink: (link) => log(`ACTOR: Left out the link ${JSON.stringify(link)}`),
  });
  return commit;
}
