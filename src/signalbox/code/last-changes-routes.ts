// The commits that last changed the entries of a folder. ADR 0171.
import { readCommits } from '../../host/commits/find-commit.ts';
import { contentNotFound, findContentCommit } from '../../host/contents/find-content.ts';
import { findLastChanges } from '../../host/git/history/last-changes.ts';
import { listAuthors } from '../../host/owners/store.ts';
import { openRepository, READ_REPOSITORY, readOpened } from '../../host/repositories/access.ts';
import { route } from '../../kernel/http/route.ts';
import { problem, Type } from '../../kernel/schema/schema.ts';
import { CommitSummary, summarizeCommit } from './commit-summary.ts';

/** As many as the contents of a folder have. */
const MAX_ENTRIES = 1000;

const LastChanges = Type.Object(
  {
    sha: Type.String({ description: 'The commit whose folder it is' }),
    path: Type.String(),
    entries: Type.Array(Type.Object({ name: Type.String(), sha: Type.String() }), {
      description: `By the names of the first ${MAX_ENTRIES} entries. Those that were changed too long ago to be found in time are left out`,
    }),
    isPartial: Type.Boolean({ description: 'Entries are left out' }),
    commits: Type.Array(CommitSummary, { description: 'Each that an entry names, once' }),
  },
  { $id: 'LastChanges' },
);

const getLastChanges = route(
  {
    id: 'getLastChanges',
    method: 'GET',
    path: '/repositories/{owner}/{repo}/last-changes',
    summary: 'Get the commits that last changed the entries of a folder',
    description: 'The newest 2,000 commits of the folder are looked through, for at most five seconds.',
    access: READ_REPOSITORY,
    params: Type.Object({ owner: Type.String(), repo: Type.String() }),
    query: Type.Object({
      path: Type.String({ default: '', maxLength: 4096, description: 'Empty for the whole repository' }),
      ref: Type.Optional(
        Type.String({
          maxLength: 1024,
          description: 'A branch, a tag or a commit; the default branch if absent',
        }),
      ),
    }),
    reply: { 200: LastChanges },
  },
  async (call, kernel) => {
    const opened = await openRepository(kernel, call, 'read', 'isServed');
    return await readOpened(kernel, opened, async (found) => {
      const { query, signal } = call;
      const git = kernel.services.git.repository(found.repository.number, signal);
      const { oid } = await findContentCommit(git, found, query.ref);
      const path = query.path.replace(/^\/|\/$/g, '');
      const folder = await git.findEntry(oid, path);
      if (folder === undefined) throw contentNotFound();
      const tree = folder.kind === 'tree' ? await git.readTree(folder.oid) : undefined;
      if (tree === undefined) throw problem('path', 'must be that of a folder');
      const shown = tree.entries.slice(0, MAX_ENTRIES).filter(({ rawName }) => rawName === undefined);
      const names = new Set(shown.map(({ name }) => name));
      const changes = await findLastChanges(git, { oid, path, names });
      const entries = [...changes].map(([name, sha]) => ({ name, sha }));
      const commits = await readCommits(git, [...new Set(changes.values())]);
      const authors = await listAuthors(kernel.db, new Set(commits.map(({ author }) => author.email)));
      return {
        sha: oid,
        path,
        entries,
        isPartial: entries.length < tree.entries.length,
        commits: commits.map((commit) => summarizeCommit(commit, authors)),
      };
    });
  },
  async (call, kernel) => void (await openRepository(kernel, call, 'read', 'isServed')),
);

export const lastChangesRoutes = [getLastChanges];
