// OpenAPI documents as they are sent: made once for each API and version, then kept as bytes with an ETag.
import type { Api } from '../http/protocol.ts';
import { etagOf, type StoredBytes } from '../http/reply/etag.ts';
import { stringifyLarge } from '../json/stringify.ts';
import { memoizeAsync } from '../collections/memoize-async.ts';
import { readExamples } from './examples.ts';
import { describeInSteps } from './document.ts';

/** About ten milliseconds of work on a slow machine. */
const ROUTES_AT_ONCE = 8;

const documents = new WeakMap<Api, Map<string, () => Promise<StoredBytes>>>();

/** Calls that come while a document is being made wait for the same one. */
export function openApiBytes(api: Api, version: string): Promise<StoredBytes> {
  let versions = documents.get(api);
  if (versions === undefined) documents.set(api, (versions = new Map()));
  let document = versions.get(version);
  if (document === undefined)
    versions.set(version, (document = memoizeAsync(() => makeDocument(api, version))));
  return document();
}

async function makeDocument(api: Api, version: string): Promise<StoredBytes> {
  const describing = describeInSteps(api, version, await readExamples(api.protocol.name));
  for (let count = 1; ; count += 1) {
    const step = describing.next();
    if (step.done) {
      const bytes = await stringifyLarge(step.value);
      return { bytes, etag: etagOf(bytes) };
    }
    if (count % ROUTES_AT_ONCE === 0) await new Promise(setImmediate);
  }
}
