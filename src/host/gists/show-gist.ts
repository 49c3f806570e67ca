// Reads what the replies about gists show beside their rows: owners, contents within limits, and for older versions revisions and forks.
import type { Static } from '../../kernel/schema/schema.ts';
import { accountOf, type Caller } from '../../kernel/identity/caller.ts';
import { listAccounts } from '../../kernel/identity/store-accounts.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { toSimpleUser, type RepositoryOwner } from '../owners/model.ts';
import { listOwners } from '../owners/store.ts';
import { readUser } from '../users/store.ts';
import { toPublicUser } from '../users/model.ts';
import type { GitRepository } from '../git/repository.ts';
import { ownsGist, type FoundGist } from './access.ts';
import { type Gist, type GistFile, type GistRevision, MAX_GIST_FILES, MAX_SHOWN_BYTES } from './gist.ts';
import {
  GIST_PAST,
  toBaseGist,
  toGistCommit,
  toGistFork,
  toGistSimple,
  type BaseGist,
  type GistCommit,
  type GistPast,
  type GistSimple,
  type WithGistPast,
  type FileContent,
} from './model.ts';
import { findGistByNumber } from './store.ts';
import { listForksOfGist } from './store-lists.ts';
import { listNewestRevisions, listGistRevisions } from './store-revisions.ts';

/** The first version without revisions and forks in gists. */
const WITHOUT_PAST = '2026-03-10';
/** Of the revisions and forks in a gist; `/commits` and `/forks` have all. */
const MAX_PAST = 30;
const MAX_PAST_IN_LIST = 10;

export interface GistViewer {
  caller: Caller;
  version: string;
  base: string;
}

/** For lists, in the order of the gists. Those whose owner is gone are left out. */
export async function showBaseGists(
  { db }: Kernel,
  viewer: GistViewer,
  gists: readonly Gist[],
): Promise<(Static<typeof BaseGist> & WithGistPast)[]> {
  const found = await withOwners(db, gists);
  const shown = found.map((one) => toBaseGist(one, viewer.base));
  return await withPasts(db, viewer, found, shown, 'list');
}

/** The same for the forks of one gist. Whoever is shown a fork of a secret gist owns the fork, and may know its parent. */
export async function showForksOfGist(
  { db }: Kernel,
  viewer: GistViewer,
  parent: FoundGist,
  forks: readonly Gist[],
): Promise<(Static<typeof GistSimple> & WithGistPast)[]> {
  const found = await withOwners(db, forks);
  const shown = found.map((one) =>
    toGistSimple(one, { files: one.gist.files, contents: undefined }, parent, viewer.base),
  );
  return await withPasts(db, viewer, found, shown, 'whole');
}

/** `shown` is in the order of `found`. */
async function withPasts<Shown extends WithGistPast>(
  db: Db,
  viewer: GistViewer,
  found: readonly FoundGist[],
  shown: Shown[],
  kind: 'list' | 'whole',
): Promise<Shown[]> {
  if (viewer.version >= WITHOUT_PAST) return shown;
  const gists = found.map(({ gist }) => gist);
  const pasts = await readPasts(db, viewer, gists, kind);
  return shown.map((one, index) => ({ ...one, [GIST_PAST]: pasts.get(gists[index]!.number)! }));
}

/** A revision that is not the newest has its own files, and its position. */
export interface ShownRevision {
  files: readonly GistFile[];
  position: number;
}

interface ShownParts {
  revision?: ShownRevision;
  isBase64?: boolean;
}

/** With the contents of its files. */
export async function showGist(
  kernel: Kernel,
  viewer: GistViewer,
  found: FoundGist,
  { revision, isBase64 }: ShownParts = {},
): Promise<Static<typeof GistSimple> & WithGistPast> {
  const { db, services } = kernel;
  const { gist } = found;
  const files = revision?.files ?? gist.files;
  const git = services.gistGit.repository(gist.number);
  const contents = await readContents(git, files, isBase64);
  const parent = await findShownParent(db, viewer, found);
  const shown = toGistSimple(found, { files, contents }, parent, viewer.base);
  if (viewer.version >= WITHOUT_PAST) return shown;
  const past = (await readPasts(db, viewer, [gist], 'whole')).get(gist.number)!;
  if (revision === undefined || revision.position === gist.revisionCount)
    return { ...shown, [GIST_PAST]: past };
  const revisions = await listGistRevisions(db, gist.number, { to: revision.position, limit: MAX_PAST });
  const history = await showRevisions(db, viewer.base, gist, revisions);
  return { ...shown, [GIST_PAST]: { ...past, history } };
}

export async function showRevisions(
  db: Db,
  base: string,
  { id }: Gist,
  revisions: readonly GistRevision[],
): Promise<Static<typeof GistCommit>[]> {
  const authors = await listAuthorsOf(db, revisions);
  return revisions.map((one) => toGistCommit(one, id, authors.get(one.authorId ?? ''), base));
}

/** The id of a secret gist is not disclosed to those who only know the id of its fork. */
async function findShownParent(
  db: Db,
  { caller }: GistViewer,
  { gist }: FoundGist,
): Promise<FoundGist | undefined> {
  if (gist.parentNumber === null) return undefined;
  const parent = await findGistByNumber(db, gist.parentNumber);
  if (parent === undefined) return undefined;
  if (!parent.isPublic && !ownsGist(caller, gist) && !ownsGist(caller, parent)) return undefined;
  const [found] = await withOwners(db, [parent]);
  return found;
}

async function withOwners(db: Db, gists: readonly Gist[]): Promise<FoundGist[]> {
  const owners = await listOwners(db, [...new Set(gists.map(({ ownerId }) => ownerId))]);
  return gists.flatMap((gist) => {
    const owner = owners.get(gist.ownerId);
    return owner === undefined ? [] : { gist, owner };
  });
}

/** By number. */
async function readPasts(
  db: Db,
  viewer: GistViewer,
  gists: readonly Gist[],
  kind: 'list' | 'whole',
): Promise<Map<number, GistPast>> {
  const limit = kind === 'list' ? MAX_PAST_IN_LIST : MAX_PAST;
  const numbers = gists.map(({ number }) => number);
  const revisions = await listNewestRevisions(db, numbers, limit);
  const authors = await listAuthorsOf(db, [...revisions.values()].flat());
  const forked = gists.filter(({ forkCount }) => forkCount > 0);
  const forks = new Map<number, unknown[]>();
  for (const one of forked)
    forks.set(one.number, await showForks(db, viewer, await readForks(db, viewer, one, limit), kind));
  return new Map(
    gists.map(({ number, id }) => [
      number,
      {
        history: (revisions.get(number) ?? []).map((one) =>
          toGistCommit(one, id, authors.get(one.authorId ?? ''), viewer.base),
        ),
        forks: forks.get(number) ?? [],
      },
    ]),
  );
}

async function readForks(db: Db, { caller }: GistViewer, gist: Gist, limit: number): Promise<Gist[]> {
  const viewerId = viewerIdOf(caller);
  return (await listForksOfGist(db, gist, viewerId, { offset: 0, limit })).slice(0, limit);
}

export function viewerIdOf(caller: Caller): string | undefined {
  return caller.kind === 'anonymous' ? undefined : accountOf(caller).id;
}

/** A whole gist has the public profiles of the owners of its forks, a list has the short form. */
async function showForks(
  db: Db,
  { base, caller }: GistViewer,
  forks: readonly Gist[],
  kind: 'list' | 'whole',
): Promise<unknown[]> {
  const ids = [...new Set(forks.map(({ ownerId }) => ownerId))];
  if (kind === 'list') {
    const owners = await listOwners(db, ids);
    return forks.flatMap((fork) => {
      const owner = owners.get(fork.ownerId);
      return owner === undefined ? [] : toGistFork(fork, toSimpleUser(owner, base), base);
    });
  }
  const isKnown = caller.kind !== 'anonymous';
  const users = new Map<string, unknown>();
  for (const [id, account] of await listAccounts(db, ids))
    users.set(id, toPublicUser(await readUser(db, account), base, isKnown));
  return forks.flatMap((fork) => {
    const user = users.get(fork.ownerId);
    return user === undefined ? [] : toGistFork(fork, user, base);
  });
}

async function listAuthorsOf(
  db: Db,
  revisions: readonly GistRevision[],
): Promise<Map<string, RepositoryOwner>> {
  const ids = new Set(revisions.flatMap(({ authorId }) => authorId ?? []));
  return ids.size === 0 ? new Map() : await listOwners(db, [...ids]);
}

/** Contents after these are left out: one reply must not have hundreds of megabytes. */
const MAX_TOTAL_BYTES = 10 * 1024 ** 2;
const LOOKED_AT = 8000;

/** In the order of the files. With `isBase64`, text too is encoded. */
async function readContents(
  git: GitRepository,
  files: readonly GistFile[],
  isBase64 = false,
): Promise<FileContent[]> {
  let left = MAX_TOTAL_BYTES;
  const contents: FileContent[] = [];
  for (const { oid, size } of files.slice(0, MAX_GIST_FILES)) {
    const limit = Math.min(MAX_SHOWN_BYTES, left);
    const bytes = await readStart(git, oid, limit);
    left -= bytes.length;
    contents.push(contentOf(bytes, size > bytes.length, isBase64));
  }
  return contents;
}

async function readStart(git: GitRepository, oid: string, limit: number): Promise<Buffer> {
  if (limit === 0) return Buffer.alloc(0);
  const blob = await git.readBlob(oid);
  if (blob === undefined) return Buffer.alloc(0);
  if (blob.content !== undefined) return blob.content.subarray(0, limit);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of git.streamBlob(oid)) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= limit) break;
  }
  return Buffer.concat(chunks).subarray(0, limit);
}

/** A NUL byte near the beginning marks binary content, as for git. */
function contentOf(bytes: Buffer, truncated: boolean, isBase64: boolean): FileContent {
  const isBinary = isBase64 || bytes.subarray(0, LOOKED_AT).includes(0);
  if (isBinary) return { content: bytes.toString('base64'), encoding: 'base64', truncated };
  const whole = truncated ? withoutCutCharacter(bytes) : bytes;
  return { content: whole.toString(), encoding: 'utf-8', truncated };
}

/** A character of several bytes that is cut at the end is left out. */
function withoutCutCharacter(bytes: Buffer): Buffer {
  for (let back = 1; back <= 4 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) return bytes;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}
