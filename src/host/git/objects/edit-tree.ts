// Builds the trees of an edited folder: entries are set and deleted by path, and everything else stays.
import { Failure } from '../../../kernel/failure.ts';
import { filterInSlices, mapInSlices, TimeSlice } from '../../../kernel/yield-to-event-loop.ts';
import {
  buildLargeTree,
  spliceTree,
  type EntryMode,
  type NewObject,
  type NewTreeEntry,
} from './new-object.ts';
import type { GitRepository } from '../repository.ts';
import { checkPath } from '../refs/revision.ts';
import { findInTree, type TreeEntry } from './tree.ts';

/** A path of 4 KB can have 2,000 folders: without a limit one call could make millions of trees. */
const MAX_FOLDERS = 20_000;

export interface TreeEdit {
  path: string;
  /** Undefined deletes what is there. */
  entry: { mode: EntryMode; oid: string } | undefined;
}

interface EditedEntry {
  path: string;
  entry?: { mode: EntryMode; oid: string };
  isDeleted?: true;
  folder?: Map<string, EditedEntry>;
}

/** New trees are added to `objects`. A folder whose last entry is deleted goes, too. Returns the id of the root. */
export async function editTree(
  git: GitRepository,
  base: string | undefined,
  edits: readonly TreeEdit[],
  objects: NewObject[],
): Promise<string> {
  const editor = { git, objects, slice: new TimeSlice() };
  const root = await foldersOf(edits, editor.slice);
  const oid = await editFolder(editor, base, root);
  return oid ?? (await addTree(objects, []));
}

interface Editor {
  git: GitRepository;
  objects: NewObject[];
  slice: TimeSlice;
}

async function foldersOf(edits: readonly TreeEdit[], slice: TimeSlice): Promise<Map<string, EditedEntry>> {
  const root = new Map<string, EditedEntry>();
  let folders = 0;
  for (const { path, entry } of edits) {
    const parts = checkPath(path);
    let folder = root;
    let edited: EditedEntry | undefined;
    for (const part of parts) {
      if (edited !== undefined) {
        if (edited.folder === undefined) folders += 1;
        folder = edited.folder ??= new Map();
      }
      edited = folder.get(part);
      if (edited === undefined) folder.set(part, (edited = { path }));
    }
    if (folders > MAX_FOLDERS)
      throw invalid(`One call can change at most ${MAX_FOLDERS} folders. Split it into several.`);
    if (edited!.entry !== undefined || edited!.isDeleted) throw invalid(`${path} is in the list twice.`);
    edited!.path = path;
    if (entry === undefined) edited!.isDeleted = true;
    else edited!.entry = entry;
    if (slice.isOver) await slice.yieldToEventLoop();
  }
  return root;
}

/** Undefined where nothing is left in it. */
async function editFolder(
  editor: Editor,
  base: string | undefined,
  edited: ReadonlyMap<string, EditedEntry>,
): Promise<string | undefined> {
  const { git, objects, slice } = editor;
  const tree = base === undefined ? undefined : await git.readTree(base);
  if (base !== undefined && tree === undefined)
    throw new Failure('internal', `The tree ${base} cannot be read.`);
  const edits = new Map<string, { mode: EntryMode; oid: string } | undefined>();
  for (const [name, one] of edited) {
    edits.set(name, await editEntry(editor, tree && findInTree(tree, name), one));
    if (slice.isOver) await slice.yieldToEventLoop();
  }
  const spliced = tree && spliceTree(tree.entries, edits);
  if (spliced !== undefined && spliced.bytes.length > 0) {
    objects.push(spliced);
    return spliced.oid;
  }
  // The replaced form of a name that is not UTF-8 may be that of another entry.
  const isKept = ({ name, rawName }: TreeEntry) => rawName !== undefined || !edited.has(name);
  const entries = await mapInSlices(await filterInSlices(tree?.entries ?? [], isKept), keptEntry);
  for (const [name, entry] of edits) if (entry !== undefined) entries.push({ ...entry, name });
  return entries.length === 0 ? undefined : await addTree(objects, entries);
}

async function editEntry(
  editor: Editor,
  current: TreeEntry | undefined,
  { path, entry, isDeleted, folder }: EditedEntry,
): Promise<{ mode: EntryMode; oid: string } | undefined> {
  if (isDeleted && current === undefined) throw invalid(`${path} cannot be deleted: there is no such file.`);
  if (folder === undefined) return entry;
  if (entry !== undefined) throw invalid(`${path} cannot be a file and a folder at once.`);
  // A folder replaces a file of the same name.
  const base = current?.kind === 'tree' && !isDeleted ? current.oid : undefined;
  const oid = await editFolder(editor, base, folder);
  return oid === undefined ? undefined : { mode: '040000', oid };
}

async function addTree(objects: NewObject[], entries: readonly NewTreeEntry[]): Promise<string> {
  const tree = await buildLargeTree(entries);
  objects.push(tree);
  return tree.oid;
}

function keptEntry(entry: TreeEntry): NewTreeEntry {
  return { mode: keptMode(entry), name: entry.rawName ?? entry.name, oid: entry.oid, isKept: true };
}

/** Old versions of git wrote further modes for files. */
function keptMode({ kind, mode }: TreeEntry): EntryMode {
  if (kind === 'blob') return (Number.parseInt(mode, 8) & 0o100) === 0 ? '100644' : '100755';
  return mode as EntryMode;
}

function invalid(message: string): Failure {
  return new Failure('invalid', message);
}
