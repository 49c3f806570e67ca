// The newer delivery protocol for browsers and mobile apps: the results for a context are the objects.
import { hash } from 'node:crypto';
import { dependentsOf } from '../evaluation/environment.ts';
import { beginRun, type EvaluationRun } from '../evaluation/run.ts';
import { TimeSlice } from '../../kernel/yield-to-event-loop.ts';
import { canSee } from './audience.ts';
import { loadBigSegments } from './big-segments.ts';
import { resultStep } from './client-protocol.ts';
import type { ClientReader } from './client-reader.ts';
import type { Feed } from './feed.ts';
import { renderResult, type RenderedResult } from './render-results.ts';
import { deleteObject, putObject, type TransferEvent } from './transfer-events.ts';
import {
  changedSince,
  transferProtocol,
  type ReadTransfer,
  type TransferReader,
} from './transfer-protocol.ts';
import { transferAll, transferChanges, transferNothing, writeLiveChange } from './transfer.ts';

export type ClientTransferReader = ClientReader & TransferReader;

/** The results for one context, to one kind of key: those for another are another payload, also in the same environment. */
export function clientPayloadId(
  { environment: { id } }: Feed,
  { context: { parts }, audience, withReasons }: ClientReader,
): string {
  return `${id}-${hash('sha256', JSON.stringify([[...parts], audience, withReasons]), 'base64url')}`;
}

export const readClientTransfer: ReadTransfer<ClientTransferReader> = async (feed, reader, basis) => {
  const { payloadId, context, db } = reader;
  // Read before the changes, so that none is left out.
  const { revision } = feed;
  const target = { payloadId, revision };
  if ('revision' in basis && basis.revision >= revision) return transferNothing(target);
  const keys = 'revision' in basis ? await affectedSince(feed, reader, basis.revision) : undefined;
  const run = beginRun(context, await loadBigSegments(db, feed, context));
  const events = await putResults(run, reader, keys ?? feed.compiled.flags.keys());
  if (keys !== undefined) return transferChanges(target, events);
  return transferAll(target, 'reason' in basis ? basis.reason : 'cant-catchup', events);
};

/**
 * The keys of the flags whose results may have changed. Undefined also where one of them is hidden from this client now: it may
 * have been visible before, and then the client must forget it, but otherwise it must not learn of it.
 */
async function affectedSince(
  feed: Feed,
  { db, audience }: ClientTransferReader,
  revision: number,
): Promise<ReadonlySet<string> | undefined> {
  const changed = await changedSince(db, feed, revision);
  if (changed === undefined) return undefined;
  const { compiled } = feed;
  const isVisible = (key: string) => {
    const flag = compiled.flags.get(key);
    return flag !== undefined && canSee(audience, flag.data);
  };
  if (!changed.flags.every(isVisible)) return undefined;
  return new Set([...changed.flags, ...dependentsOf(compiled, changed)]);
}

export const clientTransferProtocol = transferProtocol(
  readClientTransfer,
  resultStep<ClientTransferReader>((changes, { revision }, { payloadId }) => {
    if (changes.length === 0) return '';
    const events = changes.map(({ key, result }) =>
      result === undefined ? deleteObject('flag-eval', key, revision) : putResult(key, result),
    );
    return writeLiveChange({ payloadId, revision }, events);
  }),
);

/** Of those that the client may see. Yields to other calls. */
async function putResults(
  run: EvaluationRun,
  reader: ClientReader,
  keys: Iterable<string>,
): Promise<TransferEvent[]> {
  const slice = new TimeSlice();
  const events: TransferEvent[] = [];
  for (const key of keys) {
    const result = renderResult(run, key, reader);
    if (result !== undefined) events.push(putResult(key, result));
    if (slice.isOver) await slice.next();
  }
  return events;
}

function putResult(key: string, { object, version }: RenderedResult): TransferEvent {
  return putObject({ kind: 'flag-eval', data: { key, version }, json: object });
}
