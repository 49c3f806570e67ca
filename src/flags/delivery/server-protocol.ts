// What streams to server-side SDKs send: all flags and segments, and then each that has changed.
import type { FeedChange, FeedItemChange } from './feed.ts';
import type { StreamProtocol } from './live-stream.ts';

/** `/all`: flags and segments. */
export const allProtocol: StreamProtocol<undefined> = {
  async whole(feed) {
    const { all } = await feed.payload();
    return ['event: put\ndata: {"path":"/","data":', all, '}\n\n'];
  },
  step: (_feed, { flags, segments }) =>
    toEvents([
      // Segments first: the flags that use them follow.
      ...segments.map((change) => itemEvent(`/segments/${change.key}`, change)),
      ...flags.map((change) => itemEvent(`/flags/${change.key}`, change)),
    ]),
};

/** `/flags`: flags only, for old SDKs. */
export const flagsProtocol: StreamProtocol<undefined> = {
  async whole(feed) {
    const { flags } = await feed.payload();
    return ['event: put\ndata: ', flags, '\n\n'];
  },
  step: (_feed, { flags }: FeedChange) =>
    toEvents(flags.map((change) => itemEvent(`/${change.key}`, change))),
};

function itemEvent(path: string, { after, version }: FeedItemChange<{ json: string }>): string {
  return after === undefined
    ? `event: delete\ndata: ${JSON.stringify({ path, version })}\n\n`
    : `event: patch\ndata: {"path":${JSON.stringify(path)},"data":${after.json}}\n\n`;
}

/** The same bytes for all streams. */
function toEvents(events: readonly string[]): (() => Uint8Array) | undefined {
  if (events.length === 0) return undefined;
  const bytes = Buffer.from(events.join(''));
  return () => bytes;
}
