// Builds the replies for files, folders, symbolic links and submodules, and caches those that are ready to be sent.
import { Failure } from '../../kernel/failure.ts';
import { escapeHtml } from '../../kernel/http/pages/html.ts';
import { matchesEtag, etagOf, type StoredBytes } from '../../kernel/http/reply/etag.ts';
import { userContentHeaders } from '../../kernel/http/reply/user-content.ts';
import { Bytes, reply, type Reply, type Stream } from '../../kernel/http/route.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Static } from '../../kernel/schema/schema.ts';
import { BoundedCache } from '../../kernel/collections/bounded-cache.ts';
import { stringifyLarge } from '../../kernel/json/stringify.ts';
import { encodeLines } from '../git-data/model.ts';
import type { FoundEntry } from '../git/repository.ts';
import type { Tree, TreeEntry } from '../git/objects/tree.ts';
import { askedFormat } from '../media-type.ts';
import { downloadExpiry } from '../download-token.ts';
import {
  fileUrls,
  folderUrls,
  submoduleUrls,
  type ContentUrls,
  type Submodule,
  type ContentPlace,
} from './content-urls.ts';
import { replyWithBytes, type FileCall } from './file-reply.ts';
import { contentNotFound, readSubmodules, type OpenedContents } from './find-content.ts';
import type { MarkdownRenderer } from './markdown-client.ts';
import type {
  ContentEntryRep,
  ContentFile,
  ContentFolder,
  ContentSubmodule,
  ContentSymlink,
} from './model.ts';

const MEBIBYTE = 1024 ** 2;
const MAX_ENTRIES = 1000;
/** Larger files are read by git's own protocol, or from their download address. */
const MAX_BYTES = 100 * MEBIBYTE;

type FileRep = Static<typeof ContentFile>;

/** In the media types `raw` and `html` the file itself; otherwise as JSON, for which `toRep` may add fields. */
export async function replyWithFile<Rep>(
  kernel: Pick<Kernel, 'services'>,
  opened: OpenedContents,
  { oid, path }: Pick<FoundEntry, 'oid' | 'path'>,
  call: FileCall,
  toRep: (file: FileRep) => Rep,
): Promise<Rep | Reply | Bytes | Stream> {
  const { param, name } = askedFormat(call.headers['accept']);
  if (param !== 'raw' && param !== 'html') return toRep(await showFile(opened, { oid, path }));
  const blob = await readFile(opened, oid);
  const contentType = `${name}; charset=utf-8`;
  if (param === 'raw')
    return await replyWithBytes(kernel, call, { git: opened.git, oid, ...blob, contentType });
  const { content } = blob;
  if (content === undefined) throw tooLarge(1);
  const headers = { ...userContentHeaders(contentType), etag: `"${oid}-html"` };
  if (matchesEtag(call.headers['if-none-match']?.toString(), headers.etag))
    return reply(304, undefined, headers);
  return new Bytes(Buffer.from(await renderFile(opened.markdown, path, content)), headers);
}

export async function showFile(
  opened: OpenedContents,
  { oid, path }: Pick<FoundEntry, 'oid' | 'path'>,
): Promise<FileRep> {
  const { size, content } = await readFile(opened, oid);
  return {
    ...fileEntry(opened, path, oid, size),
    type: 'file',
    content: content === undefined ? '' : encodeLines(content),
    encoding: content === undefined ? 'none' : 'base64',
  };
}

async function readFile({ git }: OpenedContents, oid: string) {
  const blob = await git.readBlob(oid);
  if (blob === undefined) throw contentNotFound();
  if (blob.size > MAX_BYTES) throw tooLarge(100);
  return blob;
}

/** Whether there are any among the entries that are listed. */
export async function hasSubmodules(
  opened: OpenedContents,
  { oid }: Pick<FoundEntry, 'oid'>,
): Promise<boolean> {
  const { entries } = await readFolder(opened, oid);
  return entries.some(isSubmodule);
}

function isSubmodule({ kind }: TreeEntry): boolean {
  return kind === 'commit';
}

/** The first 1,000 entries. */
async function readFolder(
  { git }: OpenedContents,
  oid: string,
): Promise<{ tree: Tree; entries: TreeEntry[] }> {
  const tree = await git.readTree(oid);
  if (tree === undefined) throw contentNotFound();
  return { tree, entries: tree.entries.slice(0, MAX_ENTRIES) };
}

export async function listFolder(
  opened: OpenedContents,
  { oid, path }: Pick<FoundEntry, 'oid' | 'path'>,
): Promise<ContentEntryRep[]> {
  const { tree, entries } = await readFolder(opened, oid);
  const modules = entries.some(isSubmodule) ? await readSubmodules(opened) : new Map<string, Submodule>();
  const sizes = await opened.git.readSizes(tree, entries.length);
  return entries.map((entry, index) => {
    const { name, oid: sha, kind } = entry;
    const inside = path === '' ? name : `${path}/${name}`;
    const urls = entryUrls(opened, entry, inside, modules);
    return { name, path: inside, sha, size: sizes[index]!, ...urls, type: TYPES[kind] };
  });
}

const TYPES = { blob: 'file', symlink: 'symlink', tree: 'dir', commit: 'submodule' } as const;

function entryUrls(
  { place }: OpenedContents,
  { kind, oid }: TreeEntry,
  path: string,
  modules: ReadonlyMap<string, Submodule>,
): ContentUrls {
  switch (kind) {
    case 'tree':
      return folderUrls(place, path, oid);
    case 'commit':
      return submoduleUrls(place, path, oid, modules.get(path));
    default:
      return fileUrls(place, path, oid);
  }
}

export async function showFolder(
  opened: OpenedContents,
  found: FoundEntry,
): Promise<Static<typeof ContentFolder>> {
  const { oid, path, name } = found;
  const entries = await listFolder(opened, found);
  return { name, path, sha: oid, size: 0, ...folderUrls(opened.place, path, oid), type: 'dir', entries };
}

export async function showSymlink(
  { git, place }: OpenedContents,
  { oid, path, name }: FoundEntry,
  target: string,
): Promise<Static<typeof ContentSymlink>> {
  const info = await git.readInfo(oid);
  const size = info?.size ?? 0;
  return { name, path, sha: oid, size, ...fileUrls(place, path, oid), type: 'symlink', target };
}

export async function showSubmodule(
  opened: OpenedContents,
  { oid, path, name }: FoundEntry,
): Promise<Static<typeof ContentSubmodule>> {
  const module = (await readSubmodules(opened)).get(path);
  return {
    name,
    path,
    sha: oid,
    size: 0,
    ...submoduleUrls(opened.place, path, oid, module),
    type: 'submodule',
    submodule_git_url: module?.url ?? '',
  };
}

/** Also of a file that has just been committed. */
export function fileEntry({ place }: Pick<OpenedContents, 'place'>, path: string, oid: string, size: number) {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return { name, path, sha: oid, size, ...fileUrls(place, path, oid), type: 'file' as const };
}

function tooLarge(megabytes: number): Failure {
  return new Failure(
    'forbidden',
    `This file is larger than ${megabytes} MB, and cannot be read this way. Use its download address, or git.`,
    { code: 'too_large', fields: [{ field: 'data', message: `must be at most ${megabytes} MB` }] },
  );
}

const MARKDOWN = /\.(?:md|markdown|mdown|mkdn|mkd)$/i;

/** Renders files as HTML: Markdown as a document, everything else as its escaped text. */
async function renderFile(markdown: MarkdownRenderer, path: string, content: Buffer): Promise<string> {
  const text = content.toString();
  const html = MARKDOWN.test(path) ? await markdown.render(text) : undefined;
  return html ?? `<pre>${escapeHtml(text)}</pre>`;
}

declare module '../../kernel/kernel.ts' {
  interface Services {
    readyReplies: BoundedCache<string, StoredBytes>;
  }
}

const MAX_READY_BYTES = 32 * 1024 ** 2;
/** What an entry takes beside its bytes. */
const ENTRY_BYTES = 500;

/** What an object id stands for never changes. */
export function openReadyReplies(): BoundedCache<string, StoredBytes> {
  return new BoundedCache({ max: MAX_READY_BYTES, weigh: ({ bytes }) => bytes.length + ENTRY_BYTES });
}

/** For a representation that is the same in all versions. The caller has checked that the repository may be read. */
export async function replyReady(
  { services: { readyReplies }, release }: Kernel,
  place: ContentPlace,
  entry: Pick<FoundEntry, 'oid' | 'path'>,
  show: () => Promise<unknown>,
): Promise<Bytes> {
  const key = keyOf(place, entry);
  let ready = readyReplies.get(key);
  if (ready === undefined) {
    ready = { bytes: await stringifyLarge(await show()), etag: etagOf(`${release}\n${key}`) };
    readyReplies.set(key, ready);
  }
  return new Bytes(ready.bytes, { etag: ready.etag });
}

/** Everything that the reply depends on: its addresses name the branch, and of a private repository a commit and a token. */
function keyOf(
  { base, owner, ref, repository, commit, holder, now }: ContentPlace,
  { oid, path }: Pick<FoundEntry, 'oid' | 'path'>,
) {
  const token = repository.isPrivate ? `${commit} ${downloadExpiry(now)} ${holder}` : '';
  return `${oid} ${token}\n${base}\n${owner.login}/${repository.name}\n${ref}\n${path}`;
}
