// The files of a repository for other APIs of the same server, with the permissions of an account, and which URLs lead to one.
import { networkInterfaces } from 'node:os';
import { Failure } from '../../kernel/failure.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import { can } from '../../kernel/identity/policy.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { openWholeTree } from '../git/archive.ts';
import { openRepository, type FoundRepository } from '../repositories/access.ts';

interface SourceRequest {
  /** `owner/name` */
  name: string;
  accountId: string;
  /** The id of what the token that wants it read allows at most. */
  boundary?: string | undefined;
  /** `Basic` with a token as password, as in a URL; then its permissions count instead of the account's. */
  authorization?: string;
}

interface SourceTree {
  /** A branch, a tag or a commit; absent for the default branch. */
  reference?: string;
  directory?: string;
}

export async function maySourceBeRead(kernel: Kernel, request: SourceRequest): Promise<boolean> {
  return (await findSource(kernel, request)) !== undefined;
}

/** @throws {Failure} with a sentence for the log of a build. */
export async function openSource(
  kernel: Kernel,
  request: SourceRequest & SourceTree,
  options: { temporary: string; signal: AbortSignal },
): Promise<{ commit: string; tar: AsyncIterable<Uint8Array> }> {
  const { name, reference, directory } = request;
  const found = await findSource(kernel, request);
  if (found === undefined)
    throw new Failure(
      'invalid',
      `This server has no repository ${name}, or the owner of the Actor may not read it${request.boundary === undefined ? '' : ' with the token that asked for the build'}.`,
    );
  const git = kernel.services.git.repository(found.repository.number);
  const commit = await git.resolveCommit(reference ?? `refs/heads/${found.repository.defaultBranch}`);
  if (commit === undefined)
    throw new Failure(
      'invalid',
      reference === undefined
        ? `The repository ${name} is empty.`
        : `The repository ${name} has no branch, tag or commit ${JSON.stringify(reference)}.`,
    );
  const entry = directory === undefined ? undefined : await git.findEntry(commit.oid, directory);
  if (directory !== undefined && entry?.kind !== 'tree')
    throw new Failure(
      'invalid',
      `The repository ${name} has no folder ${JSON.stringify(directory)} in commit ${commit.oid}.`,
    );
  return { commit: commit.oid, tar: await openWholeTree(git, entry?.oid ?? commit.oid, options) };
}

/** Undefined where the caller may not see it, too. A former name leads to the repository. */
async function findSource(kernel: Kernel, request: SourceRequest): Promise<FoundRepository | undefined> {
  const caller = await callerOf(kernel, request);
  if (caller === undefined) return undefined;
  const [owner, repo] = request.name.split('/');
  const open = (params: object) =>
    openRepository(
      kernel,
      {
        caller,
        can: (resource) => can(caller, 'viewRepository', resource),
        now: kernel.clock.now(),
        url: '',
        params,
      },
      'read',
    );
  try {
    return await open({ owner, repo });
  } catch (error) {
    const number =
      error instanceof Failure && error.kind === 'moved' && /\d+$/.exec(error.details.location ?? '');
    if (number) return await open({ repository_id: Number(number[0]) }).catch(() => undefined);
    if (error instanceof Failure && error.kind === 'not-found') return undefined;
    throw error;
  }
}

/** As the use of a token names it. */
const FETCH_SOURCE = { id: 'fetch-source' };

async function callerOf(
  { identity, tokenUses, db, clock }: Kernel,
  { accountId, boundary, authorization }: SourceRequest,
): Promise<KnownCaller | undefined> {
  if (authorization === undefined)
    return await identity.callerOfAccount(db, accountId, clock.now(), boundary);
  const [user = '', password = ''] = Buffer.from(authorization.replace(/^Basic /, ''), 'base64')
    .toString()
    .split(/:(.*)/s);
  try {
    const now = clock.now();
    const caller = await identity.identify({ kind: 'token', secret: password || user }, now);
    tokenUses.record(caller, { now, address: '', categories: [], shape: FETCH_SOURCE }, 'host');
    return caller;
  } catch {
    return undefined;
  }
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
const ANY = new Set(['0.0.0.0', '[::]']);

/** `owner/name`, where the URL begins with one of the server's own: the public one, or where it listens. */
export function repositoryNameIn(url: URL, own: readonly string[]): string | undefined {
  for (const base of own) {
    const rest = restBelow(url, new URL(base));
    const [, owner, name] = /^\/([^/]+)\/([^/]+?)(?:\.git)?\/?$/.exec(rest ?? '') ?? [];
    if (owner !== undefined && name !== undefined) return `${owner}/${name}`;
  }
  return undefined;
}

function restBelow(url: URL, base: URL): string | undefined {
  if (url.protocol !== base.protocol || url.port !== base.port) return undefined;
  if (url.hostname !== base.hostname && !isSameMachine(url.hostname, base.hostname)) return undefined;
  const prefix = base.pathname.replace(/\/$/, '');
  return url.pathname.startsWith(`${prefix}/`) ? url.pathname.slice(prefix.length) : undefined;
}

/** A server that listens on all addresses has each of the machine's. */
function isSameMachine(asked: string, listening: string): boolean {
  if (LOOPBACK.has(asked)) return LOOPBACK.has(listening) || ANY.has(listening);
  if (!ANY.has(listening)) return false;
  const addresses = Object.values(networkInterfaces()).flatMap((some) => some ?? []);
  return addresses.some(({ address, family }) => asked === (family === 'IPv6' ? `[${address}]` : address));
}
