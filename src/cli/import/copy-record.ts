// One record of a key-value store: copied byte for byte in the encoding it is stored in, or compared by its content.
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from '../../kernel/network/streams.ts';
import type { RemoteApi } from './remote-api.ts';
import { RemoteError } from './remote-error.ts';

const DECODERS = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** False if it is gone from the source by now. */
export async function copyRecord(
  { from, to }: { from: RemoteApi; to: RemoteApi },
  stores: { from: string; to: string },
  key: string,
): Promise<boolean> {
  return await from.retry(async () => {
    const answer = await openRecord(from, stores.from, key, 'gzip, br, deflate');
    if (answer === undefined) return false;
    const { 'content-type': type, 'content-encoding': encoding, 'content-length': length } = answer.headers;
    try {
      await to.upload(pathOf(stores.to, key), contentOf(answer), {
        'content-type': type ?? 'application/octet-stream',
        ...(encoding !== undefined && { 'content-encoding': encoding }),
        ...(length !== undefined && { 'content-length': length }),
      });
    } finally {
      answer.destroy();
    }
    return true;
  });
}

export async function hasRecord(api: RemoteApi, storeId: string, key: string): Promise<boolean> {
  try {
    await api.head(pathOf(storeId, key));
    return true;
  } catch (error) {
    if (error instanceof RemoteError && error.status === 404) return false;
    throw error;
  }
}

/** A hash of the decoded content and its type; undefined if there is no such record. */
export async function digestRecord(
  api: RemoteApi,
  storeId: string,
  key: string,
): Promise<string | undefined> {
  return await api.retry(async () => {
    const answer = await openRecord(api, storeId, key, 'identity');
    if (answer === undefined) return undefined;
    const type = (answer.headers['content-type'] ?? '').toLowerCase().replaceAll(' ', '');
    const hash = createHash('sha256').update(`${type}\n`);
    const name = answer.headers['content-encoding'] ?? '';
    const decoder = Object.hasOwn(DECODERS, name) ? [DECODERS[name as keyof typeof DECODERS]()] : [];
    try {
      await pipeline([answer, ...decoder, hash]);
    } catch (error) {
      throw RemoteError.broken(error);
    }
    return hash.digest('hex');
  });
}

async function openRecord(
  api: RemoteApi,
  storeId: string,
  key: string,
  encodings: string,
): Promise<IncomingMessage | undefined> {
  try {
    // As an attachment, content is given as it is: otherwise a server may change HTML.
    return await api.open(pathOf(storeId, key), {
      query: { attachment: 1 },
      headers: { 'accept-encoding': encodings },
    });
  } catch (error) {
    if (error instanceof RemoteError && error.status === 404) return undefined;
    throw error;
  }
}

async function* contentOf(answer: IncomingMessage): AsyncGenerator<Uint8Array, void> {
  try {
    yield* answer as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw RemoteError.broken(error);
  }
}

function pathOf(storeId: string, key: string): string {
  return `/key-value-stores/${storeId}/records/${encodeURIComponent(key)}`;
}
