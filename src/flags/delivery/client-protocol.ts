// What streams to browsers and mobile apps send: all results for a context, and then each that has changed.
import { dependentsOf, type CompiledEnvironment } from '../evaluation/environment.ts';
import { beginRun, type EvaluationRun } from '../evaluation/run.ts';
import { canSee, type Audience } from './keys.ts';
import { loadBigSegments } from './evaluate-all.ts';
import type { ClientReader } from './sdk-request.ts';
import type { FeedChange } from './feed/feed.ts';
import type { StreamProtocol } from './live-stream.ts';
import { renderResult, renderResults, type RenderedResult } from './render-results.ts';

/** A result that has changed; absent where the flag is gone for this client, since the revision of the change. */
interface ResultChange {
  key: string;
  result: RenderedResult | undefined;
}

/** Writes down the results that have changed for a client, which differs between the protocols. */
type ChangeWriter<Reader> = (changes: readonly ResultChange[], change: FeedChange, reader: Reader) => string;

/** Sends the results that a change has changed. */
export function resultStep<Reader extends ClientReader>(
  write: ChangeWriter<Reader>,
): StreamProtocol<Reader>['step'] {
  return (feed, change) => {
    const keys = affectedFlags(change);
    const isBig = changesBigSegments(change);
    return (reader) => {
      const visible = keys.filter((key) => isVisible(change, key, reader.audience));
      if (visible.length === 0) return '';
      const render = (after: EvaluationRun, before: EvaluationRun | undefined) =>
        write(resultChanges(visible, reader, after, before), change, reader);
      if (feed.bigSegments.size === 0) {
        return render(runOf(reader, change.after), isBig ? undefined : runOf(reader, change.before));
      }
      return (async () => {
        const after = await loadBigSegments(reader.db, feed, reader.context, change.after);
        const before = { ...change.before, bigSegmentInclusion: after.bigSegmentInclusion };
        return render(beginRun(reader.context, after), isBig ? undefined : beginRun(reader.context, before));
      })();
    };
  };
}

/** The flags whose results may have changed: those that did, and those that depend on something that did. */
export function affectedFlags({ flags, segments, before, after }: FeedChange): string[] {
  const changed = { flags: flags.map(({ key }) => key), segments: segments.map(({ key }) => key) };
  return [...new Set([...changed.flags, ...dependentsOf(before, changed), ...dependentsOf(after, changed)])];
}

/** Whether this kind of key can see the flag now, or could before. */
export function isVisible({ before, after }: FeedChange, key: string, audience: Audience): boolean {
  return [before, after].some(({ flags }) => flags.has(key) && canSee(audience, flags.get(key)!.data));
}

/** Members of big segments are not part of the feed: what a context had before is not known. */
function changesBigSegments({ segments }: FeedChange): boolean {
  return segments.some(
    ({ before, after }) => before?.data.unbounded === true || after?.data.unbounded === true,
  );
}

function runOf({ context }: ClientReader, environment: CompiledEnvironment): EvaluationRun {
  return beginRun(context, { ...environment, bigSegmentInclusion: () => undefined });
}

/** Without `before`, all results count as changed. */
function resultChanges(
  keys: readonly string[],
  reader: ClientReader,
  after: EvaluationRun,
  before: EvaluationRun | undefined,
): ResultChange[] {
  return keys.flatMap((key) => {
    const result = renderResult(after, key, reader);
    const old = before && renderResult(before, key, reader);
    return old !== undefined && result?.isLike(old) === true ? [] : [{ key, result }];
  });
}

/** `/eval` and `/meval`. */
export const evalProtocol: StreamProtocol<ClientReader> = {
  async whole(feed, reader) {
    const run = beginRun(reader.context, await loadBigSegments(reader.db, feed, reader.context));
    const { json } = await renderResults(run, reader);
    return [`event: put\ndata: ${json}\n\n`];
  },
  step: resultStep((changes, { revision }) =>
    changes
      .map(({ key, result }) =>
        result === undefined
          ? `event: delete\ndata: ${JSON.stringify({ key, version: revision })}\n\n`
          : `event: patch\ndata: ${result.withKey}\n\n`,
      )
      .join(''),
  ),
};

const PING = 'event: ping\ndata: {}\n\n';

/** `/ping` and `/mping`: the client asks for its results again. */
export const pingProtocol: StreamProtocol<{ audience: Audience }> = {
  whole: async () => [PING],
  step(_feed, change) {
    const keys = affectedFlags(change);
    return ({ audience }) => (keys.some((key) => isVisible(change, key, audience)) ? PING : '');
  },
};
