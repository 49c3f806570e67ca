// Reads the messages of commits that a push has brought to the default branch: issues that they name get to know, and closing words close them.
import { systemActor } from '../../kernel/identity/actor.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import type { Initiator } from '../../kernel/identity/identity.ts';
import { passCheckpoint } from '../../kernel/jobs/checkpoint.ts';
import { schedule, type DueHandler } from '../../kernel/jobs/due-store.ts';
import { newId } from '../../kernel/id.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { listMissingCommitIds } from '../git/history/history.ts';
import { readStraightLine } from '../git/history/straight-line.ts';
import type { GitRepository } from '../git/repository.ts';
import { editIssue } from '../issues/change-issue.ts';
import { listOwners } from '../owners/store.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { findRepositoryByNumber, lockRepository } from '../repositories/store.ts';
import { insertIssueEvents } from '../timeline/store.ts';
import { parseReferences } from './references.ts';
import { listReferencedIssues, mayClose, type ReferencedIssue } from './referenced-issues.ts';
import { insertCommitReference } from './store-references.ts';

export const READ_COMMITS = 'host.read-commits';

/** The newest of one push; what is older is history that was written elsewhere. */
const MAX_COMMITS = 2048;
const MAX_MESSAGE = 65_536;
/** Of one push. Each takes a transaction. */
const MAX_REFERENCES = 1000;

/** A move of the default branch, and who has pushed it. */
interface CommitReading {
  number: number;
  from?: string;
  to: string;
  pusher: Initiator;
}

/** In the transaction that records the push. */
export async function scheduleCommitReading(tx: Db, reading: CommitReading, now: number): Promise<void> {
  const work = { id: `${READ_COMMITS}:${newId(now)}`, kind: READ_COMMITS, payload: JSON.stringify(reading) };
  await schedule(tx, { ...work, dueAt: now }, now);
}

/** Acts as the pusher, with the roles that they have now. After a crash, what was recorded is not recorded again. */
export function readCommitsHandler(kernel: Kernel): DueHandler {
  return async ({ payload }, signal) => {
    const { db, services, identity, clock } = kernel;
    const { number, from, to, pusher } = JSON.parse(payload) as CommitReading;
    const caller = await identity.callerOf(db, pusher, clock.now());
    const found = await findFound(db, number);
    if (caller === undefined || found === undefined || !(await services.git.exists(number))) return;
    const git = services.git.repository(number);
    let left = MAX_REFERENCES;
    for (const oid of await listNewCommits(git, from, to)) {
      signal.throwIfAborted();
      const message = (await git.readCommit(oid))?.message.slice(0, MAX_MESSAGE) ?? '';
      const { issues } = parseReferences(message);
      if (issues.length === 0) continue;
      const referenced = await listReferencedIssues(db, caller, found, issues);
      for (const one of referenced.slice(0, left)) {
        await recordCommitReference(kernel, caller, { oid, found }, one);
        passCheckpoint('recorded a reference of a commit');
      }
      left -= referenced.length;
      if (left <= 0) return;
    }
  };
}

/** The oldest first. A later push may have removed them, and maintenance their objects. */
async function listNewCommits(git: GitRepository, from: string | undefined, to: string): Promise<string[]> {
  const line = await readStraightLine(git, from, to);
  if (line !== undefined) return line.map(({ oid }) => oid);
  const tips = from === undefined ? [to] : [to, from];
  const [tip, former] = await git.infos(tips);
  if (tip?.type !== 'commit') return [];
  const without = from !== undefined && former?.type === 'commit' ? [from] : [];
  const newest = await listMissingCommitIds(git, { tip: to, without, limit: MAX_COMMITS });
  return newest.toReversed();
}

async function findFound(db: Db, number: number): Promise<FoundRepository | undefined> {
  const repository = await findRepositoryByNumber(db, number);
  const owner = repository && (await listOwners(db, [repository.ownerId])).get(repository.ownerId);
  return owner && { repository, owner };
}

interface FoundCommit {
  oid: string;
  found: FoundRepository;
}

/** Once for each commit and issue, however often the commit comes to the branch. */
async function recordCommitReference(
  { changes, clock }: Kernel,
  caller: KnownCaller,
  { oid, found: source }: FoundCommit,
  referenced: ReferencedIssue,
): Promise<void> {
  const { found, issue, isClosing } = referenced;
  const now = clock.now();
  await changes.run(systemActor({ now, caller, id: READ_COMMITS }), async (tx) => {
    const { db } = tx;
    // First, as everywhere: closing changes counts.
    if (isClosing && (await lockRepository(db, found.repository.number)) === undefined) return;
    if (!(await insertCommitReference(db, issue.id, oid))) return;
    const isOwn = source.repository.number === found.repository.number;
    // A timeline shows commits of its own repository, and must not say that a private one has some.
    const commit = isOwn ? { commitId: oid } : {};
    if (isOwn || !source.repository.isPrivate)
      await insertIssueEvents(
        db,
        issue,
        [{ event: 'referenced', actorId: accountOf(caller).id, ...commit }],
        now,
      );
    if (isClosing && (await mayClose(db, caller, referenced)))
      await editIssue(tx, found, issue.id, { state: 'closed', ...commit });
  });
}
