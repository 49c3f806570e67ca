// What a call changes of the files of a gist: checked, and committed. Calls that change one gist at once follow each other, and lose nothing.
import { Failure } from '../../kernel/failure.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import {
  buildCommit,
  buildTree,
  buildBlob,
  type EntryMode,
  type NewObject,
  type NewTreeEntry,
} from '../git/objects/new-object.ts';
import type { GitRepository } from '../git/repository.ts';
import { checkPath } from '../git/refs/revision.ts';
import type { Tree, TreeEntry } from '../git/objects/tree.ts';
import { RefUpdateRefused, updateRefs } from '../git/refs/update-refs.ts';
import { writeObjects } from '../git/objects/write-objects.ts';
import { personOf } from '../owners/model.ts';
import { GIST_REF, MAX_FILE_NAME, MAX_GIST_FILES } from './gist.ts';

/** Other servers and pushes may change the gist meanwhile: then the change is made anew, on what they have written. */
const MAX_TRIES = 40;

/** False where the files are already as they were sent. */
export async function writeRevision(
  git: GitRepository,
  { caller, now }: { caller: KnownCaller; now: number },
  sent: SentFiles,
): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await writeOnce(git, { caller, now }, sent);
    } catch (error) {
      const isContested =
        error instanceof RefUpdateRefused && (error.reason === 'changed' || error.reason === 'locked');
      if (!isContested || tries === MAX_TRIES) throw error;
    }
  }
}

async function writeOnce(
  git: GitRepository,
  { caller, now }: { caller: KnownCaller; now: number },
  sent: SentFiles,
): Promise<boolean> {
  const head = await git.readRef(GIST_REF);
  const parent = head === undefined ? undefined : await git.readCommit(head);
  const { entries, blobs } = editFiles(parent && (await git.readTree(parent.tree)), sent);
  const tree = buildTree(entries);
  if (tree.oid === parent?.tree) return false;
  const person = personOf(accountOf(caller), now);
  const commit = buildCommit({
    tree: tree.oid,
    parents: parent === undefined ? [] : [parent.oid],
    author: person,
    committer: person,
    message: '',
  });
  await writeObjects(git, [...blobs, tree, commit]);
  await updateRefs(git, [{ name: GIST_REF, from: parent?.oid, to: commit.oid }]);
  return true;
}

/** By the name that a file has now. Null removes it, and so does an object that says nothing. */
export type SentFiles = Readonly<Record<string, SentFile | null>>;

interface SentFile {
  content?: string;
  /** Its new name. */
  filename?: string | null;
}

interface EditedFiles {
  entries: NewTreeEntry[];
  /** The new contents. */
  blobs: NewObject[];
}

/** Applies the changes to the files of a revision; `tree` is absent for a new gist. Throws where one cannot be made. */
export function editFiles(tree: Tree | undefined, sent: SentFiles): EditedFiles {
  const others: NewTreeEntry[] = [];
  const files = new Map<string, NewTreeEntry>();
  for (const entry of tree?.entries ?? []) {
    const kept = keptEntry(entry);
    if (entry.rawName === undefined) files.set(entry.name, kept);
    else others.push(kept);
  }
  const blobs: NewObject[] = [];
  const added = new Map<string, NewTreeEntry>();
  for (const [name, file] of Object.entries(sent)) {
    const current = files.get(name);
    files.delete(name);
    const isRemoval = file === null || (file.content === undefined && !file.filename);
    if (isRemoval || file.content === undefined) {
      if (current === undefined) throw invalidFile(name, 'does not exist');
      if (isRemoval) continue;
    }
    const newName =
      file.filename || name
        ? checkedFileName(file.filename || name)
        : freeName(added.size + 1, (one) => files.has(one) || added.has(one) || Object.hasOwn(sent, one));
    if (added.has(newName)) throw invalidFile(newName, 'is in the list twice');
    added.set(newName, { ...entryOf(file, current, name, blobs), name: newName });
  }
  for (const [name, entry] of added) {
    // A rename to the name of a file that stays would remove that file.
    if (files.has(name)) throw invalidFile(name, 'already exists');
    files.set(name, entry);
  }
  if (files.size === 0)
    throw invalidFiles('A gist must have at least one file.', 'must have at least one file');
  if (files.size > MAX_GIST_FILES)
    throw invalidFiles(
      `A gist can have at most ${MAX_GIST_FILES} files.`,
      `must have at most ${MAX_GIST_FILES} files`,
    );
  return { entries: [...others, ...files.values()], blobs };
}

function entryOf(
  { content }: SentFile,
  current: NewTreeEntry | undefined,
  name: string,
  blobs: NewObject[],
): { mode: EntryMode; oid: string } {
  if (content === undefined) return { mode: current!.mode, oid: current!.oid };
  if (content === '') throw invalidFile(name, 'must have content');
  const blob = buildBlob(Buffer.from(content));
  blobs.push(blob);
  return { mode: current?.mode === '100755' ? '100755' : '100644', oid: blob.oid };
}

/** The name of a file without one: that of its position, or the next that no other file has. */
function freeName(position: number, isTaken: (name: string) => boolean): string {
  for (let number = position; ; number += 1) {
    const name = `gistfile${number}.txt`;
    if (!isTaken(name)) return name;
  }
}

function checkedFileName(name: string): string {
  if (name.includes('/')) throw invalidFile(name, 'must not be in a folder');
  if (/\p{Cc}/u.test(name)) throw invalidFile(name, 'must not contain control characters');
  if (Buffer.byteLength(name) > MAX_FILE_NAME)
    throw invalidFile(`${name.slice(0, 30)}…`, `must have at most ${MAX_FILE_NAME} bytes in its name`);
  try {
    checkPath(name);
  } catch {
    throw invalidFile(name, 'is not a name that a file can have');
  }
  return name;
}

function keptEntry({ mode, name, rawName, oid }: TreeEntry): NewTreeEntry {
  return { mode: mode as EntryMode, name: rawName ?? name, oid };
}

function invalidFile(name: string, message: string): Failure {
  const quoted = JSON.stringify(name);
  return invalidFiles(`The file ${quoted} ${message}.`, `are wrong: ${quoted} ${message}`);
}

/** `text` is a sentence, and `message` follows the name of the field. */
function invalidFiles(text: string, message: string): Failure {
  return new Failure('invalid', text, { fields: [{ field: 'files', message }] });
}
