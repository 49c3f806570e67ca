// Which commit each line of a file comes from, in blocks of lines that follow each other. Renames of the file are followed.
import { readGit, type GitTarget } from '../git-target.ts';
import { checkedObjectId } from '../objects/object-id.ts';

/** The first and the last line, from one. */
export interface BlamedLines {
  from: number;
  to: number;
}

interface BlameOrigin {
  oid: string;
  path: string;
}

export interface BlameBlock extends BlamedLines, BlameOrigin {
  /** The number of its first line in the commit that it comes from; `path` is that of the file there. */
  originalFrom: number;
  /** The file before that commit; absent where the commit added it. */
  previous?: BlameOrigin;
}

const TIMEOUT_MS = 15_000;
/** Of the names of a thousand blocks, and what git says about their commits. */
const MAX_OUTPUT = 16 * 1024 ** 2;
const HEAD = /^([0-9a-f]{40}) (\d+) (\d+) (\d+)$/;

/**
 * `path` is that of a file of the commit, and the lines are there. Git walks the history until every line has its commit,
 * within the limits of a process that answers one call.
 */
export async function blameLines(
  target: GitTarget,
  file: BlameOrigin,
  { from, to }: BlamedLines,
): Promise<BlameBlock[]> {
  const args = [
    'blame',
    '--incremental',
    '--no-textconv',
    `-L${from},${to}`,
    checkedObjectId(file.oid),
    '--',
    file.path,
  ];
  const blocks: BlameBlock[] = [];
  // Git says what precedes a commit once, with the first block of it.
  const previous = new Map<string, BlameOrigin>();
  let block: BlameBlock | undefined;
  for await (const line of linesOf(readGit(target, args, { timeoutMs: TIMEOUT_MS, maxOutput: MAX_OUTPUT }))) {
    const [, oid, original, start, count] = HEAD.exec(line) ?? [];
    if (oid !== undefined) {
      const first = Number(start);
      block = { from: first, to: first + Number(count) - 1, oid, path: '', originalFrom: Number(original) };
    } else if (block !== undefined && line.startsWith('previous ')) {
      const [, parent = '', name = ''] = /^previous ([0-9a-f]{40}) (.*)$/s.exec(line) ?? [];
      previous.set(block.oid, { oid: parent, path: nameIn(name) });
    } else if (block !== undefined && line.startsWith('filename ')) {
      const before = previous.get(block.oid);
      blocks.push({
        ...block,
        path: nameIn(line.slice('filename '.length)),
        ...(before && { previous: before }),
      });
      block = undefined;
    }
  }
  return joinNeighbours(blocks);
}

/** In the order of lines; git has them as it finds them. */
function joinNeighbours(blocks: BlameBlock[]): BlameBlock[] {
  const joined: BlameBlock[] = [];
  for (const block of blocks.sort((one, other) => one.from - other.from)) {
    const last = joined.at(-1);
    if (last?.oid === block.oid && last.path === block.path && last.to + 1 === block.from) last.to = block.to;
    else joined.push({ ...block });
  }
  return joined;
}

async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string, void, void> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
};

/** Git writes names with line breaks, quotes or backslashes in quotes, as C has texts. */
function nameIn(text: string): string {
  const bytes = text.startsWith('"')
    ? text
        .slice(1, -1)
        .replaceAll(/\\(?:([0-7]{3})|([^]))/g, (_, octal: string | undefined, letter = '') =>
          octal === undefined ? (ESCAPES[letter] ?? letter) : String.fromCharCode(Number.parseInt(octal, 8)),
        )
    : text;
  return Buffer.from(bytes, 'latin1').toString();
}
