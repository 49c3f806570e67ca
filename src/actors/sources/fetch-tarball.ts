// Fetches an archive from a URL, or from a key-value store of the same account, and unpacks it.
import { readdir, rename, rmdir } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Failure } from '../../kernel/failure.ts';
import { openHttpRequest } from '../../kernel/network/open-request.ts';
import { createWriteStream } from '../../kernel/network/streams.ts';
import { can } from '../../kernel/identity/policy.ts';
import { plainContent } from '../key-value-stores/record-reply.ts';
import { findRecord } from '../key-value-stores/store.ts';
import { storageResource } from '../storages/access.ts';
import { findStorage } from '../storages/store.ts';
import { isPortAllowed } from '../../kernel/egress/egress-proxy.ts';
import { decodePart, fetchFailed, splitCredentials, type FetchContext } from './fetched-sources.ts';
import { unpackArchive } from './unpack.ts';

const MAX_ARCHIVE_BYTES = 256 * 1024 * 1024;
const MAX_REDIRECTS = 5;
/** Without a byte for this long, the download has failed. */
const IDLE_MS = 60_000;

export interface TarballOptions {
  maxBytes?: number;
}

export async function fetchTarball(
  address: string,
  context: FetchContext,
  { maxBytes = MAX_ARCHIVE_BYTES }: TarballOptions = {},
): Promise<void> {
  const { temporary, folder, signal } = context;
  const file = join(temporary, 'archive');
  const content = (await openOwnRecord(address, context)) ?? (await download(address, context));
  await pipeline(limited(content, maxBytes), createWriteStream(file, { mode: 0o600 }), { signal });
  await unpackArchive(file, folder, { signal });
  await liftSingleFolder(folder);
}

/**
 * The record that the URL names, if it is in a key-value store of the same account: the command line pushes sources to one,
 * under whatever name of this server it knows. Ids are random, so a store of another server is not taken for one of ours.
 */
async function openOwnRecord(
  address: string,
  { kernel, userId, boundary }: FetchContext,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  const match = /\/v2\/key-value-stores\/([^/]+)\/records\/([^/]+)$/.exec(URL.parse(address)?.pathname ?? '');
  if (match === null) return undefined;
  const [id, key] = [decodePart(match[1]!), decodePart(match[2]!)];
  const storage = await findStorage(kernel.db, 'key-value-store', { id }, userId);
  if (storage === undefined || storage.userId !== userId) return undefined;
  if (boundary !== undefined) {
    const reader = await kernel.identity.callerOfAccount(kernel.db, userId, kernel.clock.now(), boundary);
    if (reader === undefined || !can(reader, 'viewStorage', storageResource(storage)))
      throw fetchFailed(
        'The token that started the build may not read the key-value store with the sources.',
      );
  }
  const record = await findRecord(kernel.db, storage.id, key);
  const content = record && (await plainContent(kernel, record));
  if (content === undefined)
    throw fetchFailed(`The key-value store has no record "${key}" with the sources.`);
  return content as AsyncIterable<Uint8Array>;
}

/** Follows redirects on the same host only. */
async function download(address: string, context: FetchContext): Promise<AsyncIterable<Uint8Array>> {
  const { url: first, authorization } = splitCredentials(address);
  let url = first;
  for (let count = 0; count <= MAX_REDIRECTS; count += 1) {
    const answer = await get(url, authorization, context);
    const { statusCode: status = 0, headers } = answer;
    if (status === 200) return readAnswer(answer);
    answer.destroy();
    if (status < 300 || status > 399 || headers.location === undefined)
      throw fetchFailed(`The archive cannot be fetched: ${url.host} answered with status ${status}.`);
    const next = URL.parse(headers.location, url.href);
    if (
      next === null ||
      next.hostname !== first.hostname ||
      !isPortAllowed(first, next) ||
      isDowngrade(url, next)
    )
      throw fetchFailed(
        `The archive cannot be fetched: ${url.host} redirects to another host, ${next?.host ?? 'an invalid one'}. Use the URL there.`,
      );
    url = next;
  }
  throw fetchFailed(`The archive cannot be fetched: there are more than ${MAX_REDIRECTS} redirects.`);
}

function isDowngrade(from: URL, to: URL): boolean {
  return from.protocol === 'https:' && to.protocol !== 'https:';
}

function get(
  url: URL,
  authorization: string | undefined,
  { kernel: { guard, release }, signal }: FetchContext,
): Promise<IncomingMessage> {
  const checked = guard.checkUrl(url);
  const options = {
    lookup: guard.lookup,
    agent: false,
    signal,
    timeout: IDLE_MS,
    headers: {
      'User-Agent': `signalbox/${release}`,
      Accept: '*/*',
      'Accept-Encoding': 'identity',
      ...(authorization !== undefined && { Authorization: authorization }),
    },
  };
  return new Promise((resolve, reject) => {
    const outgoing = openHttpRequest(checked, options, {
      response: resolve,
      error(error) {
        if (signal.aborted) return reject(signal.reason as Error);
        // If several addresses all failed, the error has a code and no message.
        const words = error.message || error.code || 'the connection failed';
        reject(
          error instanceof Failure ? error : fetchFailed(`The archive cannot be fetched: ${words}`, error),
        );
      },
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`There was no answer for ${IDLE_MS / 1000} s.`)));
    outgoing.end();
  });
}

async function* readAnswer(answer: IncomingMessage): AsyncGenerator<Uint8Array, void> {
  try {
    yield* answer as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw fetchFailed('The archive cannot be fetched: the connection was closed too early.', error);
  }
}

async function* limited(
  content: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void> {
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > maxBytes)
      throw fetchFailed(`The archive has more than ${maxBytes.toLocaleString('en')} bytes.`);
    yield chunk;
  }
}

/** Archives of code hosts have everything in one folder, named by the repository and the commit. */
async function liftSingleFolder(folder: string): Promise<void> {
  const [only, ...others] = await readdir(folder, { withFileTypes: true });
  if (only === undefined || others.length > 0 || !only.isDirectory() || only.name === '.actor') return;
  const inner = `${folder}.inner`;
  await rename(join(folder, only.name), inner);
  await rmdir(folder);
  await rename(inner, folder);
}
