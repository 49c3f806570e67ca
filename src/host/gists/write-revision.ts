// Commits changes of files to a gist. Calls that change one gist at once follow each other, and lose nothing.
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import { buildCommit, buildTree } from '../git/new-object.ts';
import type { GitRepository } from '../git/repository.ts';
import { RefUpdateRefused, updateRefs } from '../git/update-refs.ts';
import { writeObjects } from '../git/write-objects.ts';
import { personOf } from '../repositories/person.ts';
import { editFiles, type SentFiles } from './file-edits.ts';
import { GIST_REF } from './gist.ts';

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

/** The last write to each gist, on this server. */
const writes = new WeakMap<object, Map<number, Promise<unknown>>>();

/** Runs `write` after the earlier ones of the same gist, so that they do not have to be made again. */
export async function inTurn<T>(server: object, number: number, write: () => Promise<T>): Promise<T> {
  const queue = writes.get(server) ?? new Map<number, Promise<unknown>>();
  writes.set(server, queue);
  const turn = (queue.get(number) ?? Promise.resolve()).then(write, write);
  const ended = turn.catch(() => {});
  queue.set(number, ended);
  try {
    return await turn;
  } finally {
    if (queue.get(number) === ended) queue.delete(number);
  }
}
