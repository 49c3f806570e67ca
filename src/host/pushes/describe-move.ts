// What webhooks and feeds show of a moved branch or tag: its commits, with the files that they change.
import type { Account } from '../../kernel/identity/store-accounts.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { GitCommit, GitPerson } from '../git/objects/commit-object.ts';
import { isAncestor, listMissingCommitIds, logFiles, type LoggedCommit } from '../git/history/history.ts';
import { logStraightLine } from '../git/history/straight-line.ts';
import { ZERO_OID } from '../git/objects/object-id.ts';
import type { GitRepository } from '../git/repository.ts';
import { personOf } from '../owners/model.ts';
import { listAuthors } from '../owners/store.ts';
import { isoSeconds } from '../times.ts';
import type { RefMove } from './model.ts';
import { listRecordedBranches } from './store.ts';

/** As many as a webhook has. */
const MAX_COMMITS = 2048;
const MAX_FILES = 3000;
/** Commits of further branches may be shown as new although another branch has them. */
const MAX_BRANCHES = 100;
const BRANCH = 'refs/heads/';

const NO_FILES: ChangedFiles = { added: [], removed: [], modified: [] };

export interface PushDetails extends Record<string, unknown> {
  ref: string;
  before: string;
  after: string;
  created: boolean;
  deleted: boolean;
  forced: boolean;
  base_ref: null;
  /** The newest that fit, the oldest of them first; without addresses. */
  commits: Record<string, unknown>[];
  /** How many commits there are, and how many that no other branch has. */
  size: number;
  distinct_size: number;
  head_commit: Record<string, unknown> | null;
  pusher: { name: string; email: string } | { name: string };
}

interface DescribedPush {
  pusher: Account | undefined;
  hasCommits: boolean;
  /** Commits that the repository did not have before this push, so that no other branch has them. */
  fresh?: ReadonlySet<string>;
}

export async function describeMove(
  { db, services }: Kernel,
  number: number,
  { name, from, to }: RefMove,
  { pusher, hasCommits, fresh }: DescribedPush,
): Promise<PushDetails> {
  const git = services.git.repository(number);
  const isBranch = name.startsWith(BRANCH);
  let listed: Promise<string[]> | undefined;
  const listOthers = () =>
    (listed ??= listRecordedBranches(db, number, { except: name, limit: MAX_BRANCHES }));
  const logged = isBranch && hasCommits ? await logMove(git, { from, to, listOthers }) : [];
  const read = await readFittingCommits(git, logged);
  const tip = to === undefined ? undefined : await git.resolveCommit(to);
  const head =
    tip && (read.find(({ commit }) => commit.oid === tip.oid) ?? { commit: cutCommit(tip), files: NO_FILES });
  const commits = read.map(({ commit }) => commit);
  const people = [...commits, head?.commit].flatMap((commit) => [
    commit?.author.email,
    commit?.committer.email,
  ]);
  const logins = await listLogins(db, pusher, new Set(people.filter((email) => email !== undefined)));
  const distinct = await findDistinct(git, { from, to, listOthers, logged, fresh });
  const show = (one: ReadCommit) => ({
    ...shownCommit(one, (email) => logins.get(email)),
    distinct: distinct === 'all' || distinct.has(one.commit.oid),
  });
  return {
    ref: name,
    before: from ?? ZERO_OID,
    after: to ?? ZERO_OID,
    created: from === undefined,
    deleted: to === undefined,
    forced: await isForced(git, { name, from, to }, logged, commits),
    base_ref: null,
    commits: read.map(show),
    size: logged.length,
    distinct_size: distinct === 'all' ? logged.length : distinct.size,
    head_commit: head === undefined ? null : show(head),
    pusher: pusherOf(pusher),
  };
}

interface MovedBranch {
  from: string | undefined;
  to: string | undefined;
  /** What other branches have. Most moves can be described without. */
  listOthers(): Promise<readonly string[]>;
}

/** By address. Most commits are those of the pusher. */
async function listLogins(
  db: Db,
  pusher: Account | undefined,
  emails: ReadonlySet<string>,
): Promise<Map<string, string>> {
  const isMember = pusher !== undefined && !pusher.isService && !pusher.isBot;
  const own = isMember ? personOf(pusher, 0).email : undefined;
  const others = await listAuthors(
    db,
    [...emails].filter((email) => email !== own),
  );
  const logins = new Map([...others].map(([email, { login }]) => [email, login]));
  if (own !== undefined) logins.set(own, pusher!.username);
  return logins;
}

/** A new branch has only those commits that no other branch has. */
async function logMove(git: GitRepository, { from, to, listOthers }: MovedBranch): Promise<LoggedCommit[]> {
  if (to === undefined) return [];
  const others = from === undefined ? await listOthers() : [from];
  const isAlone = from !== undefined || others.length === 0;
  const line = isAlone ? await logStraightLine(git, { from, to, maxFiles: MAX_FILES }) : undefined;
  if (line !== undefined) return line;
  const without = await existing(git, others);
  return await logFiles(git, { tip: to, without, maxCommits: MAX_COMMITS, maxFiles: MAX_FILES });
}

async function findDistinct(
  git: GitRepository,
  {
    from,
    to,
    listOthers,
    logged,
    fresh,
  }: MovedBranch & { logged: readonly LoggedCommit[]; fresh: ReadonlySet<string> | undefined },
): Promise<'all' | Set<string>> {
  if (to === undefined || from === undefined || logged.length === 0) return 'all';
  if (fresh !== undefined && logged.every(({ oid }) => fresh.has(oid))) return 'all';
  const others = await listOthers();
  if (others.length === 0) return 'all';
  const without = await existing(git, [from, ...others]);
  return new Set(await listMissingCommitIds(git, { tip: to, without, limit: MAX_COMMITS }));
}

/** Maintenance may have removed what nothing leads to any more. */
async function existing(git: GitRepository, oids: readonly string[]): Promise<string[]> {
  const infos = await git.infos(oids);
  return oids.filter((_oid, index) => infos[index]?.type === 'commit');
}

/** A branch that was moved to a commit which does not descend from its former one. */
async function isForced(
  git: GitRepository,
  { name, from, to }: Pick<RefMove, 'name' | 'from' | 'to'>,
  logged: readonly LoggedCommit[],
  commits: readonly GitCommit[],
): Promise<boolean> {
  if (from === undefined || to === undefined) return false;
  if (!name.startsWith(BRANCH)) return true;
  if (commits.some(({ parents }) => parents.includes(from))) return false;
  if (logged.length > 0 && logged.length < MAX_COMMITS && commits.length === logged.length) return true;
  if ((await existing(git, [from])).length === 0) return true;
  return !(await isAncestor(git, from, to));
}

function pusherOf(pusher: Account | undefined): PushDetails['pusher'] {
  return pusher === undefined
    ? { name: 'none' }
    : { name: pusher.username, email: personOf(pusher, 0).email };
}

type ChangedFiles = Pick<LoggedCommit, 'added' | 'removed' | 'modified'>;

interface ReadCommit {
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

/** The newest that fit, the oldest of them first: cut so that parsing and signing take no time, because their authors may be hostile. */
async function readFittingCommits(
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

function cutCommit(commit: GitCommit): GitCommit {
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
function shownCommit(
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
