// Blobs: the contents of files, by their object id.
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Bytes, reply, Stream, type Call, type Reply } from '../../kernel/http/route.ts';
import { OneOf, problem, Type, type Static } from '../../kernel/schema/schema.ts';
import { userContentHeaders } from '../../kernel/http/reply/user-content.ts';
import { buildBlob } from '../git/objects/new-object.ts';
import type { GitRepository } from '../git/repository.ts';
import type { StoredFile } from '../git/objects/write-large-blob.ts';
import { writeObjects } from '../git/objects/write-objects.ts';
import { mediaParamOf } from '../media-type.ts';
import { nodeId } from '../node-id.ts';
import {
  PUSH_REPOSITORY,
  READ_REPOSITORY,
  repositoryRoute,
  RepositoryParams,
} from '../repositories/access.ts';
import { asDownload } from '../transport/downloads.ts';
import type { GitTransferCall } from '../transport/git-transfers.ts';
import { decodeLines, encodeLines, streamLines, gitUrlsOf, objectUrl } from './model.ts';
import { LARGE_CONTENT, MAX_FILE_BYTES } from './receive-file.ts';
import { missingFrom } from '../commits/find-commit.ts';

const RAW_TYPE = 'application/vnd.github.v3.raw; charset=utf-8';

const ShortBlob = Type.Object({ url: Type.String(), sha: Type.String() }, { $id: 'short-blob' });

const Blob = Type.Object(
  {
    sha: Type.String(),
    node_id: Type.String(),
    size: Type.Integer(),
    url: Type.String(),
    content: Type.String({ description: 'In base64' }),
    encoding: Type.String(),
  },
  { $id: 'blob' },
);

const BlobCreation = Type.Object({
  content: Type.String(),
  encoding: Type.Optional(OneOf(['utf-8', 'base64'], { description: 'Of the content; utf-8 if absent' })),
});

const createBlob = repositoryRoute(
  {
    id: 'git/create-blob',
    method: 'POST',
    path: '/repos/{owner}/{repo}/git/blobs',
    summary: 'Create a blob',
    description: 'Of at most 100 MB. Above 7 MB, send base64, in a body with its length.',
    access: PUSH_REPOSITORY,
    params: Type.Object(RepositoryParams),
    body: BlobCreation,
    largeField: LARGE_CONTENT,
    reply: { 201: ShortBlob },
  },
  'write',
  async ({ body, base, received }, { services }, found) => {
    const stored = received as StoredFile | undefined;
    if (stored !== undefined && body.encoding !== 'base64')
      throw problem('encoding', 'must be base64 for content of this size');
    const { oid } = stored ?? (await storeSmall(services.git.repository(found.repository.number), body));
    const url = objectUrl(gitUrlsOf(found, base), 'blob', oid);
    return reply(201, { sha: oid, url }, { location: url });
  },
);

async function storeSmall(git: GitRepository, body: Static<typeof BlobCreation>): Promise<{ oid: string }> {
  const blob = buildBlob(bytesOf(body));
  await writeObjects(git, [blob]);
  return blob;
}

function bytesOf({ content, encoding }: Static<typeof BlobCreation>): Buffer {
  if (encoding === 'base64') {
    const bytes = decodeLines(content);
    if (bytes === undefined) throw problem('content', 'is not valid base64');
    return bytes;
  }
  if (!content.isWellFormed())
    throw problem('content', 'contains half of a surrogate pair; send it as base64');
  return Buffer.from(content);
}

const getBlob = repositoryRoute(
  {
    id: 'git/get-blob',
    method: 'GET',
    path: '/repos/{owner}/{repo}/git/blobs/{file_sha}',
    summary: 'Get a blob',
    description: 'Of at most 100 MB. The media type `raw` returns the bytes.',
    access: READ_REPOSITORY,
    params: Type.Object({ ...RepositoryParams, file_sha: Type.String() }),
    reply: { 200: Blob },
  },
  'read',
  async (call, kernel, found) => {
    const { params, headers, base, signal } = call;
    const git = kernel.services.git.repository(found.repository.number, signal);
    const sha = params.file_sha.toLowerCase();
    const blob = await git.readBlob(sha);
    if (blob === undefined) throw await missingFrom(git, 'There is no such blob');
    if (blob.size > MAX_FILE_BYTES) throw tooLarge();
    if (mediaParamOf(String(headers['accept'] ?? '')) === 'raw')
      return await rawBlob(kernel, call, { git, sha, ...blob });
    const facts = {
      sha,
      node_id: nodeId('Blob', `${found.repository.number}:${sha}`),
      size: blob.size,
      url: objectUrl(gitUrlsOf(found, base), 'blob', sha),
      encoding: 'base64',
    };
    if (blob.content !== undefined) return { ...facts, content: encodeLines(blob.content) };
    const type = { 'content-type': 'application/json; charset=utf-8' };
    if (call.method === 'HEAD') return reply(200, undefined, type);
    return new Stream(await asDownload(kernel, call, largeBlob(facts, git.streamBlob(sha))), type);
  },
);

async function rawBlob(
  kernel: Pick<Kernel, 'services'>,
  call: GitTransferCall & Pick<Call, 'method'>,
  { git, sha, size, content }: { git: GitRepository; sha: string; size: number; content?: Buffer },
): Promise<Bytes | Reply | Stream> {
  const headers = { ...userContentHeaders(RAW_TYPE), etag: `"${sha}"` };
  if (content !== undefined) return new Bytes(content, headers);
  const large = { ...headers, 'content-length': String(size) };
  if (call.method === 'HEAD') return reply(200, undefined, large);
  return new Stream(await asDownload(kernel, call, git.streamBlob(sha)), large);
}

/** The JSON of a blob that is too large for memory. */
async function* largeBlob(
  facts: Record<string, unknown>,
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<string> {
  yield `${JSON.stringify(facts).slice(0, -1)},"content":"`;
  for await (const lines of streamLines(chunks)) yield lines.replaceAll('\n', String.raw`\n`);
  yield '"}';
}

function tooLarge(): Failure {
  return new Failure(
    'forbidden',
    'This API returns blobs up to 100 MB in size. The requested blob is too large: clone the repository to get it.',
  );
}

export const gitBlobRoutes = [createBlob, getBlob];
