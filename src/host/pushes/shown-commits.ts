// The commits of a push as webhooks show them, cut to a length that is parsed and signed in no time: their authors are hostile.
import type { GitCommit, GitPerson } from '../git/commit-object.ts';
import type { LoggedCommit } from '../git/log-files.ts';
import type { GitRepository } from '../git/repository.ts';
import { isoSeconds } from '../times.ts';

export type ChangedFiles = Pick<LoggedCommit, 'added' | 'removed' | 'modified'>;

export interface ReadCommit {
  commit: GitCommit;
  files: ChangedFiles;
}

const MAX_MESSAGE = 65_536;
const MAX_PERSON = 1000;
/** The characters of the names of files of one commit, and of all texts of one push. */
const MAX_NAMES = 256 * 1024;
const MAX_TEXTS = 1024 * 1024;
/** Read together: each may have megabytes. */
const BATCH = 16;

/** The newest that fit, the oldest of them first. */
export async function readFittingCommits(
  git: GitRepository,
  logged: readonly LoggedCommit[],
): Promise<ReadCommit[]> {
  const found: ReadCommit[] = [];
  let left = MAX_TEXTS;
  for (let end = logged.length; end > 0; end -= BATCH) {
    const batch = logged.slice(Math.max(0, end - BATCH), end);
    const commits = await Promise.all(batch.map(({ oid }) => git.readCommit(oid)));
    for (const [index, commit] of [...commits.entries()].toReversed()) {
      if (commit === undefined) continue;
      const one = { commit: cutCommit(commit), files: cutFiles(batch[index]!) };
      left -= lengthOf(one);
      if (left < 0 && found.length > 0) return found.toReversed();
      found.push(one);
    }
  }
  return found.toReversed();
}

export function cutCommit(commit: GitCommit): GitCommit {
  const person = ({ name, email, ...time }: GitPerson) => ({
    ...time,
    name: name.slice(0, MAX_PERSON),
    email: email.slice(0, MAX_PERSON),
  });
  const { author, committer, message } = commit;
  return {
    ...commit,
    author: person(author),
    committer: person(committer),
    message: message.slice(0, MAX_MESSAGE),
  };
}

function cutFiles({ added, removed, modified }: ChangedFiles): ChangedFiles {
  let left = MAX_NAMES;
  const cut = (names: string[]) => names.filter((name) => (left -= name.length) >= 0);
  return { added: cut(added), removed: cut(removed), modified: cut(modified) };
}

/** About that of its JSON. */
function lengthOf({ commit, files: { added, removed, modified } }: ReadCommit): number {
  const names = [...added, ...removed, ...modified];
  return names.reduce((sum, name) => sum + name.length + 3, commit.message.length + 500);
}

/** Without addresses. */
export function shownCommit(
  { commit, files: { added, removed, modified } }: ReadCommit,
  loginOf: (email: string) => string | undefined,
): Record<string, unknown> {
  const { oid, tree, message, author, committer } = commit;
  const person = ({ name, email, time }: GitPerson) => {
    const username = loginOf(email);
    return { name, email, date: isoSeconds(time), ...(username !== undefined && { username }) };
  };
  return {
    id: oid,
    tree_id: tree,
    message: message.trimEnd(),
    timestamp: isoSeconds(committer.time),
    author: person(author),
    committer: person(committer),
    added,
    removed,
    modified,
  };
}
