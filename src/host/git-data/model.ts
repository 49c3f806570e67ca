// Git objects and references in requests and replies: trees, commits, tags, their authors, addresses, and contents in base64.
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import { OneOf, Type, problem, type Static } from '../../kernel/schema/schema.ts';
import { CommitPerson, CommitVerification, toCommitPerson, verificationOf } from '../commits/model.ts';
import type { GitCommit, GitTag, GitPerson } from '../git/objects/commit-object.ts';
import type { ListedEntry } from '../git/objects/list-tree.ts';
import { nodeId } from '../node-id.ts';
import { personOf } from '../owners/model.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { siteOf } from '../site.ts';

export const GitTreeReply = Type.Object(
  {
    sha: Type.String(),
    url: Type.String(),
    tree: Type.Array(
      Type.Object({
        path: Type.String(),
        mode: Type.String(),
        type: OneOf(['blob', 'tree', 'commit']),
        sha: Type.String(),
        size: Type.Optional(Type.Integer()),
        url: Type.Optional(Type.String()),
      }),
    ),
    truncated: Type.Boolean({ description: 'Whether entries are missing, because there are too many' }),
  },
  { $id: 'git-tree' },
);

type TreeReplyEntry = Static<typeof GitTreeReply>['tree'][number];

/** A submodule is a commit of another repository, so it has no address here. */
export function toTreeEntry({ path, mode, type, oid, size }: ListedEntry, urls: GitUrls): TreeReplyEntry {
  return {
    path,
    mode,
    type,
    sha: oid,
    ...(size !== undefined && { size }),
    ...(type !== 'commit' && { url: objectUrl(urls, type, oid) }),
  };
}

export const GitCommitReply = Type.Object(
  {
    sha: Type.String(),
    node_id: Type.String(),
    url: Type.String(),
    html_url: Type.String(),
    author: CommitPerson,
    committer: CommitPerson,
    tree: Type.Object({ sha: Type.String(), url: Type.String() }),
    message: Type.String(),
    parents: Type.Array(Type.Object({ sha: Type.String(), url: Type.String(), html_url: Type.String() })),
    verification: CommitVerification,
  },
  { $id: 'git-commit' },
);

export function toGitCommit(commit: GitCommit, number: number, urls: GitUrls): Static<typeof GitCommitReply> {
  const { oid, tree, parents, message, author, committer } = commit;
  return {
    sha: oid,
    node_id: nodeId('Commit', `${number}:${oid}`),
    url: objectUrl(urls, 'commit', oid),
    html_url: `${urls.page}/commit/${oid}`,
    author: toCommitPerson(author),
    committer: toCommitPerson(committer),
    tree: { sha: tree, url: objectUrl(urls, 'tree', tree) },
    message: withoutLastBreak(message),
    parents: parents.map((sha) => ({
      sha,
      url: objectUrl(urls, 'commit', sha),
      html_url: `${urls.page}/commit/${sha}`,
    })),
    verification: verificationOf(commit),
  };
}

export const GitRefReply = Type.Object(
  {
    ref: Type.String(),
    node_id: Type.String(),
    url: Type.String(),
    object: Type.Object({ type: Type.String(), sha: Type.String(), url: Type.String() }),
  },
  { $id: 'git-ref' },
);

export function toGitRef(
  { name, oid, type }: { name: string; oid: string; type: string },
  number: number,
  urls: GitUrls,
): Static<typeof GitRefReply> {
  return {
    ref: name,
    node_id: nodeId('Ref', `${number}:${name}`),
    url: refUrl(urls, name),
    object: { type, sha: oid, url: objectUrl(urls, type, oid) },
  };
}

export const GitTagReply = Type.Object(
  {
    sha: Type.String(),
    node_id: Type.String(),
    url: Type.String(),
    tag: Type.String(),
    message: Type.String(),
    tagger: CommitPerson,
    object: Type.Object({ type: Type.String(), sha: Type.String(), url: Type.String() }),
    verification: CommitVerification,
  },
  { $id: 'git-tag' },
);

export function toGitTag(tag: GitTag, number: number, urls: GitUrls): Static<typeof GitTagReply> {
  const { oid, name, message, tagger, target, targetType } = tag;
  return {
    sha: oid,
    node_id: nodeId('Tag', `${number}:${oid}`),
    url: objectUrl(urls, 'tag', oid),
    tag: name,
    message: withoutLastBreak(message),
    tagger: toCommitPerson(tagger ?? { name: '', email: '', time: 0, zone: 0 }),
    object: { type: targetType, sha: target, url: objectUrl(urls, targetType, target) },
    verification: verificationOf(tag),
  };
}

/** Git ends messages with a line break, which clients do not expect. */
function withoutLastBreak(message: string): string {
  return message.replace(/\n+$/, '');
}

/** The bytes of one line. */
const LINE_BYTES = 45;

/** Base64 as the host writes it: in lines of 60 characters. */
export function encodeLines(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll(/.{1,60}/g, '$&\n');
}

/** The lines of a long content, piece by piece. */
export async function* streamLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string, void, void> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const whole = bytes.length - (bytes.length % LINE_BYTES);
    rest = bytes.subarray(whole);
    if (whole > 0) yield encodeLines(bytes.subarray(0, whole));
  }
  if (rest.length > 0) yield encodeLines(rest);
}

/** Undefined for what is no base64. Line breaks are allowed, as programs that write base64 make them. */
export function decodeLines(text: string): Buffer | undefined {
  const packed = text.replaceAll(/\s+/g, '');
  if (packed.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(packed)) return undefined;
  return Buffer.from(packed, 'base64');
}

const MAX_LENGTH = 1000;

export const SentPerson = Type.Object({
  name: Type.String({ minLength: 1, maxLength: MAX_LENGTH }),
  email: Type.String({ minLength: 1, maxLength: MAX_LENGTH }),
  date: Type.Optional(Type.String({ description: 'A time in ISO 8601 with its zone; now if absent' })),
});

/** The caller where nobody is named. */
export function personIn(
  sent: Static<typeof SentPerson> | undefined,
  field: string,
  { caller, now }: { caller: KnownCaller; now: number },
): GitPerson {
  if (sent === undefined) return personOf(accountOf(caller), now);
  const { name, email, date } = sent;
  return { name, email, ...(date === undefined ? { time: now, zone: 0 } : momentOf(date, `${field}.date`)) };
}

const MOMENT = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?(?:Z|([+-])(\d\d):?(\d\d))$/i;

function momentOf(text: string, field: string): { time: number; zone: number } {
  const [, day, clock, sign, hours = '00', minutes = '00'] = MOMENT.exec(text) ?? [];
  const time = Date.parse(`${day}T${clock}${sign ?? '+'}${hours}:${minutes}`);
  if (day === undefined || Number.isNaN(time) || !isDay(day))
    throw problem(field, 'must be a time in ISO 8601 with its zone, such as 2026-11-16T15:00:00+01:00');
  const zone = Number(hours) * 60 + Number(minutes);
  return { time, zone: sign === '-' && zone > 0 ? -zone : zone };
}

/** The parser of dates takes 30 February for 2 March. */
function isDay(day: string): boolean {
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

export interface GitUrls {
  /** The repository in this API. */
  api: string;
  /** The repository as a page for people. */
  page: string;
}

export function gitUrlsOf({ repository, owner }: FoundRepository, base: string): GitUrls {
  const fullName = `${owner.login}/${repository.name}`;
  return { api: `${base}/repos/${fullName}`, page: `${siteOf(base)}/${fullName}` };
}

export function objectUrl({ api }: GitUrls, type: string, oid: string): string {
  return `${api}/git/${type}s/${oid}`;
}

/** The slashes of the name stay. */
function refUrl({ api }: GitUrls, name: string): string {
  return `${api}/git/${name.split('/').map(encodeURIComponent).join('/')}`;
}
