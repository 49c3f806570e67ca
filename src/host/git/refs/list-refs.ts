// Lists refs by the beginning of their name, in the order of names, and reads the values of many.
import type { GitProgram } from '../process/git-process.ts';
import { streamGit } from '../git-target.ts';
import { checkedObjectId } from '../objects/object-id.ts';
import type { GitRepository } from '../repository.ts';

const TIMEOUT_MS = 60_000;
const FORMAT = ['%(refname)', '%(objectname)', '%(objecttype)', '%(*objectname)', '%(*objecttype)'].join(
  '%00',
);

export interface ListedRef {
  name: string;
  oid: string;
  type: string;
  /** The object behind an annotated tag. */
  peeled?: { oid: string; type: string };
}

export interface RefListing {
  /** Any beginning of a full name, such as `refs/heads/` or `refs/tags/v1`. */
  prefix: string;
  limit: number;
  /** Only names after this one. */
  after?: string | undefined;
  /** How many of them are left out. */
  skip?: number;
  /** The largest version first: `v1.10` comes before `v1.9`. */
  isByVersion?: boolean;
  /** Only those that refer to this object. */
  pointsAt?: string;
  /** Only those whose full name it accepts. */
  isWanted?: (name: string) => boolean;
  signal?: AbortSignal | undefined;
}

/** In the order of the bytes of their names, unless by version. */
export async function listRefs(
  program: GitProgram,
  folder: string,
  { prefix, limit, after, skip = 0, isByVersion, pointsAt, isWanted, signal }: RefListing,
): Promise<ListedRef[]> {
  if (limit <= 0 || !prefix.startsWith('refs/')) return [];
  // Git matches whole parts of names only. A pattern that has no wildcards is the beginning of a name up to a slash.
  const pattern = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  if (/[*?[\\\n\0]/.test(pattern)) return [];
  const options = [
    ...(isByVersion === true ? ['--sort=-version:refname'] : []),
    ...(pointsAt === undefined ? [] : [`--points-at=${checkedObjectId(pointsAt)}`]),
  ];
  const args = ['for-each-ref', `--format=${FORMAT}`, ...options, '--', pattern];
  const first = after === undefined ? undefined : Buffer.from(after);
  const refs: ListedRef[] = [];
  let matching = 0;
  for await (const line of linesOf(
    program.stream(args, { folder, timeoutMs: TIMEOUT_MS, ...(signal && { signal }) }),
  )) {
    const ref = refOf(line);
    if (!ref.name.startsWith(prefix) || isWanted?.(ref.name) === false) continue;
    if (first !== undefined && Buffer.from(ref.name).compare(first) <= 0) continue;
    matching += 1;
    if (matching <= skip) continue;
    refs.push(ref);
    if (refs.length === limit) break;
  }
  return refs;
}

function refOf(line: string): ListedRef {
  const [name = '', oid = '', type = '', peeledOid = '', peeledType = ''] = line.split('\0');
  return { name, oid, type, ...(peeledOid !== '' && { peeled: { oid: peeledOid, type: peeledType } }) };
}

async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string, void, void> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, start)) {
      yield bytes.toString('utf8', start, end);
      start = end + 1;
    }
    rest = bytes.subarray(start);
  }
}

/** More names than this are read by one process instead of one file each. */
const MAX_FILES = 50;

/** By full name; those that do not exist are missing. Without names, all branches and tags. */
export async function readRefValues(
  repository: GitRepository,
  names?: readonly string[],
): Promise<Map<string, string>> {
  if (names === undefined) return await listValues(repository);
  if (names.length > MAX_FILES) {
    const wanted = new Set(names);
    return new Map([...(await listValues(repository))].filter(([name]) => wanted.has(name)));
  }
  const values = new Map<string, string>();
  for (const name of names) {
    const oid = await repository.readRef(name);
    if (oid !== undefined) values.set(name, oid);
  }
  return values;
}

async function listValues(repository: GitRepository): Promise<Map<string, string>> {
  const args = ['for-each-ref', '--format=%(objectname) %(refname)', '--', 'refs/heads/', 'refs/tags/'];
  const values = new Map<string, string>();
  let rest = '';
  for await (const chunk of streamGit(repository, args, { timeoutMs: TIMEOUT_MS })) {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) values.set(Buffer.from(line.slice(41), 'latin1').toString(), line.slice(0, 40));
  }
  return values;
}
