// Who wrote the lines of a file: blocks of lines with the commits that they come from. ADR 0160.
import { findContent, findContentCommit } from '../../host/contents/find-content.ts';
import { readCommits } from '../../host/commits/find-commit.ts';
import { blameLines, type BlamedLines } from '../../host/git/history/blame.ts';
import type { GitCommit } from '../../host/git/objects/commit-object.ts';
import type { RepositoryOwner } from '../../host/owners/model.ts';
import { listAuthors } from '../../host/owners/store.ts';
import { openRepository, READ_REPOSITORY, readOpened } from '../../host/repositories/access.ts';
import { Failure } from '../../kernel/failure.ts';
import { route } from '../../kernel/http/route.ts';
import { problem, Type, type Static } from '../../kernel/schema/schema.ts';
import { CommitSummary, summarizeCommit } from './commit-summary.ts';

/** Of one call: each walks the history anew. */
const MAX_LINES = 1000;
const MAX_FILE_BYTES = 1024 ** 2;
/** Where git looks for what no text has. */
const BINARY_BYTES = 8000;
const MAX_LINE = 2 ** 31 - 1;

const BlameOrigin = Type.Object({ sha: Type.String(), path: Type.String() }, { $id: 'BlameOrigin' });

const BlameBlock = Type.Object(
  {
    from: Type.Integer({ description: 'Its first line' }),
    to: Type.Integer({ description: 'Its last line' }),
    sha: Type.String({ description: 'The commit that the lines come from' }),
    path: Type.String({ description: 'The file in that commit: it may have had another name' }),
    originalFrom: Type.Integer({ description: 'Its first line in that commit' }),
    previous: Type.Optional(BlameOrigin),
  },
  { $id: 'BlameBlock' },
);

const Blame = Type.Object(
  {
    sha: Type.String({ description: 'The commit whose file it is' }),
    path: Type.String({ description: 'Of the file; of the target where a symbolic link was named' }),
    lines: Type.Integer({ description: 'How many the file has' }),
    from: Type.Integer(),
    to: Type.Integer({ description: 'The last line of this reply' }),
    blocks: Type.Array(BlameBlock, { description: 'In the order of lines, without gaps' }),
    commits: Type.Array(CommitSummary, { description: 'Each that a block names, once' }),
  },
  { $id: 'Blame' },
);

const LineNumber = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LINE, description }));

const getBlame = route(
  {
    id: 'getBlame',
    method: 'GET',
    path: '/repositories/{owner}/{repo}/blame',
    summary: 'Get the commits that the lines of a file come from',
    description:
      'Renames of the file are followed. A call answers for at most 1,000 lines; ask for more with `from`. Files above 1 MB and files that are no text are refused.',
    access: READ_REPOSITORY,
    params: Type.Object({ owner: Type.String(), repo: Type.String() }),
    query: Type.Object({
      path: Type.String({ minLength: 1, maxLength: 4096 }),
      ref: Type.Optional(
        Type.String({
          maxLength: 1024,
          description: 'A branch, a tag or a commit; the default branch if absent',
        }),
      ),
      from: LineNumber('The first line; 1 if absent'),
      to: LineNumber('The last line; as many as there are, up to 1,000, if absent'),
    }),
    reply: { 200: Blame },
  },
  async (call, kernel) => {
    // A former name is as good as the present one.
    const opened = await openRepository(kernel, call, 'read', 'isServed');
    return await readOpened(kernel, opened, async (found) => {
      const { query, signal } = call;
      const git = kernel.services.git.repository(found.repository.number, signal);
      const commit = await findContentCommit(git, found, query.ref);
      const file = await findContent({ git, commit }, query.path);
      if (file.kind !== 'blob') throw problem('path', 'must be that of a file');
      const lines = countLines(await readText(git, file.oid));
      const asked = linesAsked(query, lines);
      if (lines === 0)
        return toBlame({ sha: commit.oid, path: file.path, lines, from: 1, to: 0 }, [], [], new Map());
      const blocks = await blameLines(git, { oid: commit.oid, path: file.path }, asked);
      const commits = await readCommits(git, [...new Set(blocks.map(({ oid }) => oid))]);
      const authors = await listAuthors(kernel.db, new Set(commits.map(({ author }) => author.email)));
      return toBlame({ sha: commit.oid, path: file.path, lines, ...asked }, blocks, commits, authors);
    });
  },
  async (call, kernel) => void (await openRepository(kernel, call, 'read', 'isServed')),
);

type Blobs = { readBlob(oid: string, max: number): Promise<{ size: number; content?: Buffer } | undefined> };

async function readText(git: Blobs, oid: string): Promise<Buffer> {
  const blob = await git.readBlob(oid, MAX_FILE_BYTES);
  if (blob?.content === undefined)
    throw new Failure(
      'invalid',
      `The file has ${blob?.size ?? 0} bytes; lines of files above 1 MB are not looked up. Use git blame.`,
      {
        code: 'file-too-large',
      },
    );
  if (blob.content.subarray(0, BINARY_BYTES).includes(0))
    throw new Failure('invalid', 'The file is no text, so it has no lines.', { code: 'binary-file' });
  return blob.content;
}

/** As git counts them: the last may lack its end. */
function countLines(text: Buffer): number {
  let count = 0;
  for (let at = text.indexOf(10); at >= 0; at = text.indexOf(10, at + 1)) count += 1;
  return text.length > 0 && text.at(-1) !== 10 ? count + 1 : count;
}

function linesAsked({ from = 1, to }: Partial<BlamedLines>, lines: number): BlamedLines {
  const last = to ?? from + MAX_LINES - 1;
  if (last < from) throw problem('to', 'must not be before from');
  if (last - from >= MAX_LINES) throw problem('to', `must be at most ${MAX_LINES - 1} lines after from`);
  if (from > Math.max(lines, 1)) throw problem('from', `must be at most ${lines}, the last line of the file`);
  return { from, to: Math.min(last, lines) };
}

function toBlame(
  head: Omit<Static<typeof Blame>, 'blocks' | 'commits'>,
  blocks: Awaited<ReturnType<typeof blameLines>>,
  commits: readonly GitCommit[],
  authors: ReadonlyMap<string, RepositoryOwner>,
): Static<typeof Blame> {
  return {
    ...head,
    blocks: blocks.map(({ oid, previous, ...block }) => ({
      ...block,
      sha: oid,
      ...(previous && { previous: { sha: previous.oid, path: previous.path } }),
    })),
    commits: commits.map((commit) => summarizeCommit(commit, authors)),
  };
}

export const blameRoutes = [getBlame];
