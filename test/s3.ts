// A fake object storage with the part of S3's protocol that the server uses: it verifies every signature, and can fail on demand.
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { appendFile, open, readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

const ACCESS_KEY = 'TESTACCESSKEY';
const SECRET_KEY = 'test-secret-key-of-the-object-storage';
const REGION = 'test-region-1';
const BUCKET = 'test-bucket';
const PAGE = 3;

interface Stored {
  file: string;
  modifiedAt: number;
  /** The checksum sent with the upload, if any. */
  checksum?: string;
}

export interface TestS3 {
  /** For the setting `blobs`. */
  location: string;
  /** For the settings of the same names. */
  keys: { s3AccessKey: string; s3SecretKey: string };
  endpoint: string;
  objects: Map<string, Stored>;
  /** Uploads in parts that are neither finished nor aborted. */
  uploads: Map<string, Upload>;
  /** `GET /test-bucket/name`, in the order of arrival. */
  calls: string[];
  /** The results of the next calls: an error status, or a cut connection. */
  faults: (number | 'cut')[];
  stop(): Promise<void>;
}

interface Upload {
  name: string;
  parts: Map<number, string>;
  startedAt: number;
  isChecked?: boolean;
}

export async function startS3(): Promise<TestS3> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-s3-'));
  const objects: TestS3['objects'] = new Map();
  const uploads: TestS3['uploads'] = new Map();
  const calls: string[] = [];
  const faults: TestS3['faults'] = [];

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (error instanceof Refusal) return tell(response, error.status, error.code);
      response.destroy(error as Error);
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', headers } = request;
    const url = new URL(request.url!, 'http://s3');
    calls.push(`${method} ${url.pathname}`);
    const file = join(folder, randomUUID());
    const hash = createHash('sha256');
    request.on('data', (chunk: Buffer) => hash.update(chunk));
    await pipeline(request, createWriteStream(file));
    const fault = faults.shift();
    if (fault === 'cut') return void response.destroy();
    if (fault !== undefined) throw new Refusal(fault, 'InternalError');
    const digest = hash.digest();
    checkSignature(request, digest.toString('hex'));
    const checksum = headers['x-amz-checksum-sha256']?.toString();
    if (checksum !== undefined && checksum !== digest.toString('base64')) throw new Refusal(400, 'BadDigest');

    const [, bucket, ...path] = url.pathname.split('/');
    if (bucket !== BUCKET) throw new Refusal(404, 'NoSuchBucket');
    const name = path.map(decodeURIComponent).join('/');
    const query = url.searchParams;
    if (name === '') {
      if (method === 'HEAD') return void response.end();
      if (query.has('uploads')) return void response.end(listUploads(query));
      return void response.end(listObjects(query));
    }
    const uploadId = query.get('uploadId');
    if (method === 'POST' && query.has('uploads')) {
      const id = randomUUID();
      const isChecked = headers['x-amz-checksum-algorithm'] === 'SHA256';
      uploads.set(id, { name, parts: new Map(), startedAt: Date.now(), isChecked });
      return void response.end(
        `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      );
    }
    if (uploadId !== null) {
      const upload = uploads.get(uploadId);
      if (upload?.name !== name) throw new Refusal(404, 'NoSuchUpload');
      if (method === 'PUT') {
        if (upload.isChecked === true && checksum === undefined) throw new Refusal(400, 'InvalidRequest');
        upload.parts.set(Number(query.get('partNumber')), file);
        return void response.writeHead(200, { etag: `"${await hashOf(file)}"` }).end();
      }
      uploads.delete(uploadId);
      if (method === 'DELETE') return void response.writeHead(204).end();
      const whole = join(folder, randomUUID());
      await appendFile(whole, '');
      const checksums: string[] = [];
      for (const { number, tag, checksum: partChecksum } of partsIn(await readFile(file, 'utf8'))) {
        const part = upload.parts.get(number);
        if (part === undefined || tag !== `"${await hashOf(part)}"`) throw new Refusal(400, 'InvalidPart');
        const isLast = number === upload.parts.size;
        if (!isLast && statSync(part).size < 5 * 1024 * 1024) throw new Refusal(400, 'EntityTooSmall');
        if (upload.isChecked === true && partChecksum !== (await hashOf(part, 'sha256', 'base64')))
          throw new Refusal(400, 'InvalidPart');
        checksums.push(partChecksum);
        await pipeline(createReadStream(part), createWriteStream(whole, { flags: 'a' }));
      }
      objects.set(name, {
        file: whole,
        modifiedAt: Date.now(),
        ...(upload.isChecked === true && { checksum: checksumOfParts(checksums) }),
      });
      return void response.end('<CompleteMultipartUploadResult></CompleteMultipartUploadResult>');
    }
    if (method === 'PUT') {
      objects.set(name, { file, modifiedAt: Date.now(), ...(checksum !== undefined && { checksum }) });
      return void response.writeHead(200, { etag: '"x"' }).end();
    }
    if (method === 'DELETE') {
      objects.delete(name);
      return void response.writeHead(204).end();
    }
    const stored = objects.get(name);
    if (stored === undefined) throw new Refusal(404, 'NoSuchKey');
    const { size } = statSync(stored.file);
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
    const part = first === undefined ? {} : { start: Number(first), end: Math.min(Number(last), size - 1) };
    const length = part.end === undefined ? size : part.end - part.start + 1;
    response.writeHead(first === undefined ? 200 : 206, {
      'content-length': length,
      'content-type': query.get('response-content-type') ?? 'binary/octet-stream',
      ...optional('content-encoding', query.get('response-content-encoding')),
      ...optional('content-disposition', query.get('response-content-disposition')),
      ...(headers['x-amz-checksum-mode'] === 'ENABLED' &&
        stored.checksum !== undefined && { 'x-amz-checksum-sha256': stored.checksum }),
      ...(first !== undefined && { 'content-range': `bytes ${part.start}-${part.end}/${size}` }),
    });
    await pipeline((await open(stored.file)).createReadStream(part), response).catch(() =>
      response.destroy(),
    );
  }

  function listObjects(query: URLSearchParams): string {
    const prefix = query.get('prefix') ?? '';
    const after = query.get('continuation-token') ?? '';
    const names = [...objects.keys()].filter((name) => name.startsWith(prefix) && name > after).sort();
    const page = names.slice(0, PAGE);
    const contents = page.map((name) => {
      const at = new Date(objects.get(name)!.modifiedAt).toISOString();
      return `<Contents><Key>${encodeURIComponent(name)}</Key><LastModified>${at}</LastModified></Contents>`;
    });
    const more =
      names.length > PAGE ? `<NextContinuationToken>${escape(page.at(-1)!)}</NextContinuationToken>` : '';
    return `<ListBucketResult><IsTruncated>${names.length > PAGE}</IsTruncated>${more}${contents.join('')}</ListBucketResult>`;
  }

  function listUploads(query: URLSearchParams): string {
    const prefix = query.get('prefix') ?? '';
    const listed = [...uploads].filter(([, { name }]) => name.startsWith(prefix));
    const items = listed.map(([id, { name, startedAt }]) => {
      const at = new Date(startedAt).toISOString();
      return `<Upload><Key>${encodeURIComponent(name)}</Key><UploadId>${id}</UploadId><Initiated>${at}</Initiated></Upload>`;
    });
    return `<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>${items.join('')}</ListMultipartUploadsResult>`;
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    location: `s3://${BUCKET}/some/prefix?endpoint=${endpoint}&region=${REGION}`,
    keys: { s3AccessKey: ACCESS_KEY, s3SecretKey: SECRET_KEY },
    endpoint,
    objects,
    uploads,
    calls,
    faults,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

function tell(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status).end(`<Error><Code>${code}</Code><Message>${code} &amp; so on</Message></Error>`);
}

/** An independent implementation of Signature Version 4, not shared with the tested one. */
function checkSignature({ method, url = '', headers }: IncomingMessage, bodyHash: string): void {
  const [path, search = ''] = url.split('?') as [string, string?];
  const query = search
    .split('&')
    .filter((part) => part !== '')
    .map((part) => (part.includes('=') ? part : `${part}=`));
  const valueOf = (name: string) => {
    const found = query.find((part) => part.startsWith(`${name}=`));
    return found === undefined ? undefined : decodeURIComponent(found.slice(name.length + 1));
  };
  const isInUrl = valueOf('X-Amz-Signature') !== undefined;
  if (isInUrl === (headers.authorization !== undefined))
    throw new Refusal(isInUrl ? 400 : 403, 'InvalidRequest');
  const shown = isInUrl
    ? [valueOf('X-Amz-Credential'), valueOf('X-Amz-SignedHeaders'), valueOf('X-Amz-Signature')]
    : /^AWS4-HMAC-SHA256 Credential=(\S+), SignedHeaders=(\S+), Signature=([0-9a-f]{64})$/
        .exec(headers.authorization!)
        ?.slice(1);
  const [credential = '', names = '', signature = ''] = shown ?? [];
  const at = (isInUrl ? valueOf('X-Amz-Date') : headers['x-amz-date']?.toString()) ?? '';
  const [accessKey, ...scope] = credential.split('/');
  if (accessKey !== ACCESS_KEY) throw new Refusal(403, 'InvalidAccessKeyId');
  if (scope.join('/') !== `${at.slice(0, 8)}/${REGION}/s3/aws4_request`)
    throw new Refusal(403, 'AuthorizationHeaderMalformed');
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(at) ?? [];
  const age = (Date.now() - Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)) / 1000;
  if (!(age > -900 && age < (isInUrl ? Number(valueOf('X-Amz-Expires')) : 900)))
    throw new Refusal(403, 'RequestTimeTooSkewed');
  const claimed = isInUrl ? 'UNSIGNED-PAYLOAD' : headers['x-amz-content-sha256']?.toString();
  if (!isInUrl && claimed !== bodyHash) throw new Refusal(400, 'XAmzContentSHA256Mismatch');
  const needed = isInUrl ? [] : Object.keys(headers).filter((name) => name.startsWith('x-amz-'));
  if (!['host', ...needed].every((name) => names.split(';').includes(name)))
    throw new Refusal(403, 'AccessDenied');
  const canonical = [
    method,
    path,
    query
      .filter((part) => !part.startsWith('X-Amz-Signature='))
      .sort()
      .join('&'),
    ...names.split(';').map((name) => `${name}:${headers[name]?.toString().trim()}`),
    '',
    names,
    claimed,
  ].join('\n');
  const sign = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const key = scope.reduce<string | Buffer>(sign, `AWS4${SECRET_KEY}`);
  const text = `AWS4-HMAC-SHA256\n${at}\n${scope.join('/')}\n${createHash('sha256').update(canonical).digest('hex')}`;
  if (sign(key, text).toString('hex') !== signature) throw new Refusal(403, 'SignatureDoesNotMatch');
}

function partsIn(xml: string): { number: number; tag: string; checksum: string }[] {
  return [...xml.matchAll(/<Part>(.*?)<\/Part>/g)].map(([, part = '']) => {
    const textOf = (name: string) => new RegExp(`<${name}>([^<]+)</${name}>`).exec(part)?.[1] ?? '';
    return {
      number: Number(textOf('PartNumber')),
      tag: textOf('ETag'),
      checksum: textOf('ChecksumSHA256'),
    };
  });
}

function checksumOfParts(checksums: readonly string[]): string {
  const digests = Buffer.concat(checksums.map((checksum) => Buffer.from(checksum, 'base64')));
  return `${createHash('sha256').update(digests).digest('base64')}-${checksums.length}`;
}

async function hashOf(file: string, algorithm = 'md5', form: 'hex' | 'base64' = 'hex'): Promise<string> {
  const hash = createHash(algorithm);
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest(form);
}

function optional(name: string, value: string | null): Record<string, string> {
  return value === null ? {} : { [name]: value };
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
