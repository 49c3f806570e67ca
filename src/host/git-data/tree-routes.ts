// Trees: folders with their entries, by their object id or by what refers to them.
import { chunk } from '../../kernel/collections/chunk.ts';
import { reply } from '../../kernel/http/route.ts';
import { mapInSlices, TimeSlice } from '../../kernel/yield-to-event-loop.ts';
import { Nullable, OneOf, PlainText, problem, Type, type Static } from '../../kernel/schema/schema.ts';
import { editTree, type TreeEdit } from '../git/objects/edit-tree.ts';
import { listTree, type ListedEntry } from '../git/objects/list-tree.ts';
import { buildBlob, type EntryMode, type NewObject } from '../git/objects/new-object.ts';
import type { GitRepository } from '../git/repository.ts';
import { TreeMeasure, openTreeSource } from '../git/objects/tree-expansion.ts';
import { writeObjects } from '../git/objects/write-objects.ts';
import {
  PUSH_REPOSITORY,
  READ_REPOSITORY,
  repositoryRoute,
  RepositoryParams,
} from '../repositories/access.ts';
import { missingFrom } from '../commits/find-commit.ts';
import { GitTreeReply, toTreeEntry, gitUrlsOf, objectUrl, type GitUrls } from './model.ts';

const MAX_ENTRIES = 100_000;
const MAX_REPLY_BYTES = 7 * 1024 ** 2;
/** The names of the fields of an entry, its id, mode and size. */
const ENTRY_BYTES = 130;

const getTree = repositoryRoute(
  {
    id: 'git/get-tree',
    method: 'GET',
    path: '/repos/{owner}/{repo}/git/trees/{tree_sha}',
    summary: 'Get a tree',
    description: 'At most 100,000 entries or 7 MB: of a larger one the first, and `truncated` is true.',
    access: READ_REPOSITORY,
    params: Type.Object({
      ...RepositoryParams,
      tree_sha: Type.String({ description: 'The id of a tree or commit, or the name of a branch or tag' }),
    }),
    query: Type.Object({
      recursive: Type.Optional(Type.String({ description: 'With any value: all entries below, too' })),
    }),
    reply: { 200: GitTreeReply },
  },
  'read',
  async ({ params, query, base, signal }, { services }, found) => {
    const git = services.git.repository(found.repository.number, signal);
    const oid = await findTree(git, params.tree_sha);
    const urls = gitUrlsOf(found, base);
    const shown = oid && (await showTree(git, oid, query.recursive !== undefined, urls));
    if (!shown) throw await missingFrom(git, 'There is no such tree');
    return shown;
  },
);

async function findTree(git: GitRepository, revision: string): Promise<string | undefined> {
  const found = await git.resolve(revision);
  if (found === undefined || found.type === 'tree') return found?.oid;
  const commit = await git.resolveCommit(found.oid);
  return commit?.tree;
}

async function showTree(
  git: GitRepository,
  oid: string,
  isRecursive: boolean,
  urls: GitUrls,
): Promise<Static<typeof GitTreeReply> | undefined> {
  let count = 0;
  let bytes = 0;
  const urlBytes = objectUrl(urls, 'blob', oid).length;
  const isFull = ({ path }: ListedEntry) => {
    count += 1;
    bytes += ENTRY_BYTES + urlBytes + Buffer.byteLength(path);
    return count > MAX_ENTRIES || bytes > MAX_REPLY_BYTES;
  };
  const listed = await listTree(git, oid, isRecursive, isFull);
  if (listed === undefined) return undefined;
  const tree = await mapInSlices(listed.entries, (entry) => toTreeEntry(entry, urls));
  return { sha: oid, url: objectUrl(urls, 'tree', oid), tree, truncated: listed.isTruncated };
}

const SentEntry = Type.Object({
  path: PlainText(),
  mode: Type.Optional(OneOf(['100644', '100755', '040000', '160000', '120000'])),
  type: Type.Optional(OneOf(['blob', 'tree', 'commit'])),
  sha: Type.Optional(Nullable(Type.String({ description: 'Null deletes what is at the path' }))),
  content: Type.Optional(Type.String({ description: 'Of a new file, instead of `sha`' })),
});

const TreeCreation = Type.Object({
  tree: Type.Array(SentEntry, { maxItems: MAX_ENTRIES }),
  base_tree: Type.Optional(
    Nullable(Type.String({ description: 'The id of the tree or commit whose other entries stay' })),
  ),
});

const createTree = repositoryRoute(
  {
    id: 'git/create-tree',
    method: 'POST',
    path: '/repos/{owner}/{repo}/git/trees',
    summary: 'Create a tree',
    description: 'A path with slashes creates the folders in it.',
    access: PUSH_REPOSITORY,
    params: Type.Object(RepositoryParams),
    body: TreeCreation,
    reply: { 201: GitTreeReply },
  },
  'write',
  async ({ body, base }, { services }, found) => {
    const git = services.git.repository(found.repository.number);
    const baseTree = body.base_tree ? await findBase(git, body.base_tree) : undefined;
    if (baseTree === undefined && body.tree.length === 0) throw problem('tree', 'must not be empty');
    const objects: NewObject[] = [];
    const edits = await editsOf(git, body.tree, objects);
    const oid = await editTree(git, baseTree, edits, objects);
    // Files alone cannot make more entries than the call has: folders that are there already can.
    if (edits.some(({ entry }) => entry?.mode === '040000')) await checkExpansion(git, oid, objects);
    await writeObjects(git, objects);
    const urls = gitUrlsOf(found, base);
    const shown = await showTree(git, oid, false, urls);
    return reply(201, shown, { location: objectUrl(urls, 'tree', oid) });
  },
);

/** @throws {Failure} where the tree is larger than any may be when its folders are listed. */
async function checkExpansion(git: GitRepository, oid: string, objects: readonly NewObject[]): Promise<void> {
  const { pool, expansions: known } = git.services;
  const trees = objects.filter(({ type }) => type === 'tree');
  const fresh = new Map(trees.map((tree) => [tree.oid, tree.bytes]));
  await new TreeMeasure(openTreeSource({ pool, folder: git.folder, known }, fresh)).measure([oid]);
}

async function findBase(git: GitRepository, sha: string): Promise<string> {
  const info = await git.readInfo(sha.toLowerCase());
  if (info?.type === 'tree') return info.oid;
  const commit = info && (await git.readCommit(info.oid));
  if (commit === undefined) throw problem('base_tree', 'is not the id of a tree or commit of the repository');
  return commit.tree;
}

type SentEntryValue = Static<typeof SentEntry>;

/** New files are added to `objects`. */
async function editsOf(
  git: GitRepository,
  sent: readonly SentEntryValue[],
  objects: NewObject[],
): Promise<TreeEdit[]> {
  const slice = new TimeSlice();
  const edits: TreeEdit[] = [];
  for (const [index, entry] of sent.entries()) {
    const mode = modeOf(entry, index);
    const { path, sha, content } = entry;
    if (sha === null) edits.push({ path, entry: undefined });
    else edits.push({ path, entry: { mode, oid: sha?.toLowerCase() ?? addBlob(content, index, objects) } });
    if (slice.isOver) await slice.yieldToEventLoop();
  }
  await checkObjects(git, sent, edits);
  return edits;
}

const TYPES: Record<EntryMode, 'blob' | 'tree' | 'commit'> = {
  '100644': 'blob',
  '100755': 'blob',
  '120000': 'blob',
  '040000': 'tree',
  '160000': 'commit',
};

function modeOf({ mode, type = 'blob', sha, content }: SentEntryValue, index: number): EntryMode {
  const chosen = mode ?? (type === 'tree' ? '040000' : type === 'commit' ? '160000' : '100644');
  if (sha === null && content === undefined) return chosen;
  if (sha !== undefined && content !== undefined)
    throw problem(`tree[${index}]`, 'must not have both sha and content');
  if (sha === undefined && content === undefined) throw problem(`tree[${index}]`, 'must have sha or content');
  if (content !== undefined && TYPES[chosen] !== 'blob')
    throw problem(`tree[${index}].content`, 'is possible for files only');
  return chosen;
}

function addBlob(content = '', index: number, objects: NewObject[]): string {
  if (!content.isWellFormed())
    throw problem(`tree[${index}].content`, 'contains half of a surrogate pair; create a blob in base64');
  const blob = buildBlob(Buffer.from(content));
  objects.push(blob);
  return blob.oid;
}

/** A submodule is a commit of another repository, so it need not be here. */
async function checkObjects(
  git: GitRepository,
  sent: readonly SentEntryValue[],
  edits: readonly TreeEdit[],
): Promise<void> {
  const slice = new TimeSlice();
  const isChecked = (index: number) =>
    typeof sent[index]!.sha === 'string' && edits[index]!.entry?.mode !== '160000';
  const named = new Set(edits.flatMap(({ entry }, index) => (isChecked(index) ? entry!.oid : [])));
  const types = new Map<string, string>();
  for (const some of chunk([...named])) {
    for (const info of await git.infos(some)) if (info !== undefined) types.set(info.oid, info.type);
    // Those that are cached come without a wait.
    if (slice.isOver) await slice.yieldToEventLoop();
  }
  for (const [index, { entry }] of edits.entries()) {
    const expected = entry && TYPES[entry.mode];
    if (isChecked(index) && types.get(entry!.oid) !== expected)
      throw problem(`tree[${index}].sha`, `is not the id of a ${expected} of the repository`);
    if (slice.isOver) await slice.yieldToEventLoop();
  }
}

export const gitTreeRoutes = [getTree, createTree];
