// What event streams of OFREP send: that flags have changed, whereupon the provider evaluates them again.
import type { Clock } from '../../kernel/clock.ts';
import type { Audience } from '../delivery/audience.ts';
import { affectedFlags, isVisible } from '../delivery/client-protocol.ts';
import type { Feeds } from '../delivery/feeds.ts';
import type { StreamProtocol } from '../delivery/live-stream.ts';

export interface ChangeReader {
  audience: Audience;
  clock: Clock;
  feeds: Pick<Feeds, 'open'>;
  /** The revision of the last evaluation or event that the client got. */
  seen: number;
}

/**
 * The id of each event is its revision, which a client that reconnects sends as `Last-Event-ID`: what it has missed
 * meanwhile is announced at once. A stream begins with an id and no data, which is no event for the client, so that it can
 * do so even before the first change.
 */
export const changeProtocol: StreamProtocol<ChangeReader> = {
  async whole(feed, reader) {
    // Notices of changes that came before the stream followed the feed have only marked it.
    if ((await reader.feeds.open(feed.environment)) !== feed)
      throw new Error('The feed was closed meanwhile');
    const { revision } = feed;
    // Also where it is lower, as after a backup was restored.
    const hasChanged = revision !== reader.seen;
    reader.seen = revision;
    return [hasChanged ? changeEvent(revision, reader.clock) : `id: ${revision}\n\n`];
  },
  step(_feed, change) {
    const keys = affectedFlags(change);
    let event: string | undefined;
    return ({ audience, clock }) =>
      keys.some((key) => isVisible(change, key, audience))
        ? (event ??= changeEvent(change.revision, clock))
        : '';
  },
};

function changeEvent(revision: number, clock: Clock): string {
  const lastModified = Math.floor(clock.now() / 1000);
  const data = { type: 'refetchEvaluation', etag: String(revision), lastModified };
  return `id: ${revision}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The revision in the id or the `etag` of an event; undefined where it is none. */
export function readEventRevision(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
