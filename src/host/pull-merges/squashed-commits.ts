// What a squash keeps of the commits that it replaces: their messages, and who else wrote them.
import type { Kernel } from '../../kernel/kernel.ts';
import { listMissingCommitIds } from '../git/history/history.ts';
import type { PullEnds } from '../git/merge/pull-changes.ts';
import { MAX_PULL_COMMITS } from '../git/merge/pull-changes.ts';
import type { GitCommit, GitPerson } from '../git/objects/commit-object.ts';
import type { GitRepository } from '../git/repository.ts';
import { listAuthors } from '../owners/store.ts';

/** Their authors may be hostile. */
const MAX_MESSAGE = 65_536;
const MAX_PERSON = 200;
/** Further people are not named. */
const MAX_CO_AUTHORS = 100;

/** The oldest first. */
export async function readSquashed(git: GitRepository, { base, head }: PullEnds): Promise<GitCommit[]> {
  const oids = await listMissingCommitIds(git, { tip: head, without: [base], limit: MAX_PULL_COMMITS });
  const commits: GitCommit[] = [];
  for (const oid of oids.reverse()) {
    const commit = await git.readCommit(oid);
    if (commit !== undefined) commits.push({ ...commit, message: commit.message.slice(0, MAX_MESSAGE) });
  }
  return commits;
}

/** The authors of the commits, and those whom these name as such, without the author of the squash: as `Name <address>`. */
export async function listCoAuthors(
  { db }: Pick<Kernel, 'db'>,
  commits: readonly Pick<GitCommit, 'author' | 'message'>[],
  author: Pick<GitPerson, 'email'> & { accountId: string | null },
): Promise<string[]> {
  const people = commits.flatMap(({ author: one, message }) => [one, ...namedIn(message)]);
  const accounts = await listAuthors(
    db,
    people.map(({ email }) => email),
  );
  const seen = new Set<string>([author.email.toLowerCase(), ...(author.accountId ? [author.accountId] : [])]);
  const named: string[] = [];
  for (const { name, email } of people) {
    const keys = [email.toLowerCase(), accounts.get(email)?.id].filter((key) => key !== undefined);
    const isKnown = keys.some((key) => seen.has(key));
    for (const key of keys) seen.add(key);
    if (isKnown || !email.includes('@') || named.length === MAX_CO_AUTHORS) continue;
    named.push(`${cleaned(name) || cleaned(email)} <${cleaned(email)}>`);
  }
  return named;
}

const TRAILER = /^co-authored-by:[ \t]*([^<>\r\n]{1,200})<([^<>\s]{1,200})>[ \t]*$/gim;

function namedIn(message: string): Pick<GitPerson, 'name' | 'email'>[] {
  return [...message.matchAll(TRAILER)].map(([, name = '', email = '']) => ({ name: name.trim(), email }));
}

/** What would end the line or the address. */
function cleaned(text: string): string {
  return text
    .replaceAll(/[<>\p{Cc}]/gu, '')
    .trim()
    .slice(0, MAX_PERSON);
}
