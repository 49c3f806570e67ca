// Git's side of pull requests: mergeability against git by hand, and the event loop while files with patches are read.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Git } from '../src/host/git/git.ts';
import { createMergeCommit } from '../src/host/git/merge/create-merge.ts';
import { listPullFiles } from '../src/host/git/merge/pull-changes.ts';
import { canRebase } from '../src/host/git/merge/rebase.ts';
import { findGit } from '../src/host/git/process/git-environment.ts';
import type { GitRepository } from '../src/host/git/repository.ts';
import { serverPerson } from '../src/host/owners/model.ts';
import { median, type Effort } from './compare.ts';
import { cpuMsOfFamily } from './cpu.ts';
import { FOLDER_SIZE, pathOf } from './host-repository.ts';
import type { Row } from './report.ts';

const FILES = 30_000;
/** On both sides, in different lines. */
const CHANGED = 100;
const SHOWN = 3000;
const MOST_OF_MERGE = 1.5;
const MOST_HELD_MS = 50;
const LOOK_MS = 2;
/** CPU times of children are counted in hundredths of a second, so that one merge is too short to measure. */
const MERGES = 10;
const MAX_REBASE_MS = 30_000;

export async function benchMerges({ rounds }: Effort): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  const service = new Git({ folder, installed: await findGit() });
  try {
    const repository = await service.createRepository(1, 'main');
    const input = [
      commitOf('main', FILES, () => ({})),
      // Each has other files, so that git has objects to write for each merge.
      ...Array.from({ length: MERGES * (rounds + 1) }, (_, nth) =>
        commitOf(`head-${nth}`, CHANGED, (file) => ({ last: `head ${nth} ${file}` }), 'main'),
      ),
      commitOf('wide', SHOWN, (file) => ({ last: `wide ${file}` }), 'main'),
      commitOf('main', CHANGED, (file) => ({ first: `base ${file}` })),
    ];
    execFileSync('git', [`--git-dir=${repository.folder}`, 'fast-import', '--quiet'], {
      input: input.join(''),
    });
    return [await benchMergeability(repository, rounds), await benchFiles(repository)];
  } finally {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function benchMergeability(repository: GitRepository, rounds: number): Promise<Row> {
  const base = idOf(repository, 'main');
  const person = serverPerson(0);
  // As due work does it, with the commit that can be fetched.
  const ours = async (head: string) => {
    const order = { base, head, author: person, committer: person, message: 'Merge\n' };
    const { kind } = await createMergeCommit(repository, order);
    if (kind !== 'created') throw new Error(`The merge is not clean: ${kind}.`);
    await canRebase(repository, { base, head, committer: person, maxMs: MAX_REBASE_MS });
  };
  const times: { ours: number; byHand: number }[] = [];
  for (let round = -1; round < rounds; round += 1) {
    const heads = Array.from({ length: MERGES }, (_, nth) =>
      idOf(repository, `head-${(round + 1) * MERGES + nth}`),
    );
    const byHand = await cpuOf(heads, (head) => Promise.resolve(mergeByHand(repository, base, head)));
    const measured = { byHand, ours: await cpuOf(heads, ours) };
    // The first round fills the caches of the system.
    if (round >= 0) times.push(measured);
  }
  const ratio = median(times.map((time) => time.ours / time.byHand));
  const shown = (key: 'ours' | 'byHand') => `${median(times.map((time) => time[key])).toFixed(0)} ms of CPU`;
  return {
    what: `mergeability, ${CHANGED} files changed on both sides of ${FILES}`,
    value: shown('ours'),
    ratio,
    against: `git merge-tree by hand, ${shown('byHand')}`,
    target: `≤ ${MOST_OF_MERGE}`,
    isMet: ratio <= MOST_OF_MERGE,
  };
}

/** In an object folder of its own, too: where the objects are already there, git writes none. */
function mergeByHand({ folder }: GitRepository, base: string, head: string): void {
  const objects = mkdtempSync(join(tmpdir(), 'signalbox-bench-objects-'));
  const env = {
    ...process.env,
    GIT_OBJECT_DIRECTORY: objects,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: join(folder, 'objects'),
  };
  execFileSync('git', [`--git-dir=${folder}`, 'merge-tree', '--write-tree', base, head], { env });
  rmSync(objects, { recursive: true });
}

/** Of one, in milliseconds, with all processes. */
async function cpuOf(heads: readonly string[], work: (head: string) => Promise<void>): Promise<number> {
  const start = cpuMsOfFamily(process.pid);
  for (const head of heads) await work(head);
  return (cpuMsOfFamily(process.pid) - start) / MERGES;
}

/** The longest CPU time between two turns of the loop: other processes do not add to it. */
async function benchFiles(repository: GitRepository): Promise<Row> {
  const [mergeBase, head] = [idOf(repository, 'main~1'), idOf(repository, 'wide')];
  let [last, longest] = [threadMs(), 0];
  const look = () => {
    const now = threadMs();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(look, LOOK_MS);
  let files = 0;
  for (const page of [{ limit: SHOWN }, { skip: SHOWN - 100, limit: 100 }])
    files += (await listPullFiles(repository, { mergeBase, head }, page)).length;
  look();
  clearInterval(timer);
  if (files !== SHOWN + 100) throw new Error(`There are ${files} files.`);
  return {
    what: `${SHOWN} files of a pull request, at once, and the last page of 100`,
    value: `the loop is held for ${longest.toFixed(0)} ms of CPU at most`,
    against: '',
    target: `≤ ${MOST_HELD_MS} ms`,
    isMet: longest <= MOST_HELD_MS,
  };
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function idOf({ folder }: GitRepository, revision: string): string {
  return execFileSync('git', [`--git-dir=${folder}`, 'rev-parse', revision], { encoding: 'utf8' }).trim();
}

/** Changes files that lie in all folders, for `git fast-import`. */
function commitOf(
  branch: string,
  count: number,
  change: (file: number) => { first?: string; last?: string },
  from?: string,
): string {
  const lines = [
    `commit refs/heads/${branch}`,
    'committer Bench <bench@example.com> 1800000000 +0000',
    'data 6',
    'Files',
    ...(from === undefined ? [] : [`from refs/heads/${from}`]),
  ];
  const step = Math.floor(FILES / count);
  for (let index = 0; index < count; index += 1) {
    const file = index * step;
    const { first = 'first', last = 'last' } = change(file);
    const text = `${first}\n${`This is file ${file} of ${FOLDER_SIZE}.\n`.repeat(20)}${last}\n`;
    lines.push(`M 100644 inline ${pathOf(file)}`, `data ${text.length}`, text);
  }
  return `${lines.join('\n')}\n`;
}
