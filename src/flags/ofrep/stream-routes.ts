// The event stream that says when flags have changed, and the tokens that open it: browsers cannot send a header with such a request, and no key may be in a URL.
import { route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { AUDIENCES, type Audience, acceptedKeys, type KeyKind, type OpenedFeed } from '../delivery/keys.ts';
import type { Clock } from '../../kernel/clock.ts';
import { affectedFlags, isVisible } from '../delivery/client-protocol.ts';
import type { Feeds } from '../delivery/feed/feeds.ts';
import type { StreamProtocol } from '../delivery/live-stream.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { SecretBox } from '../../kernel/secrets/secret-box.ts';
import { findEnvironmentById } from '../environments/store.ts';
import { couldBeId } from '../fields.ts';
import type { Environment } from '../projects/project.ts';

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

/** Below the prefix of the API. */
export const STREAM_PATH = '/v1/stream';

export const streamChanges = route(
  {
    id: 'streamFlagChanges',
    method: 'GET',
    path: STREAM_PATH,
    summary: 'Stream events when flags that the key may see have changed',
    access: 'anyone',
    isData: true,
    query: Type.Object({
      token: Type.Optional(Type.String({ description: 'From `eventStreams` of a bulk evaluation' })),
      since: Type.Optional(Type.String({ description: 'The revision that the client has' })),
    }),
    reply: { 200: Type.String() },
    produces: 'text/event-stream',
  },
  async ({ query, headers, now, address }, kernel) => {
    const { feed, kind, key, isAccepted } = await openByStreamToken(kernel, query.token ?? '', now);
    const {
      clock,
      services: { feeds, sdkStreams },
    } = kernel;
    const last = headers['last-event-id'];
    const seen = readEventRevision(last === undefined ? query.since : String(last)) ?? feed.revision;
    return sdkStreams.open({
      feed,
      protocol: changeProtocol,
      reader: { audience: AUDIENCES[kind], clock, feeds, seen },
      owner: { kind, key, address, weight: 1, isAccepted },
    });
  },
);

const PURPOSE = 'OFREP event streams';

/**
 * A token opens streams for five to ten minutes; a stream that is open stays open. All tokens of five minutes are the
 * same, so that the address of the stream, and with it the ETag, does not change with every call.
 */
const PERIOD_MS = 5 * 60_000;
const PERIODS = 2;

/** Whether the environment was in secure mode: then a client-side ID has come with the hash of its context. */
const SECURE = 'secure';
const OPEN = 'open';

/**
 * It names the environment, the kind of key, whether the caller has passed secure mode, and the expiry. The signature covers
 * the key too, so that a reset ends it.
 */
export function signStreamToken(
  secrets: SecretBox,
  { feed: { environment }, kind, key }: OpenedFeed,
  now: number,
): string {
  const expiry = (Math.floor(now / PERIOD_MS) + PERIODS) * PERIOD_MS;
  const claims = [environment.id, kind, environment.secureMode ? SECURE : OPEN, expiry].join('.');
  return `${claims}.${secrets.sign(PURPOSE, `${claims}.${key}`)}`;
}

interface OpenedStream extends OpenedFeed {
  /** Whether the token is still good after the environment has changed, beside its key. */
  isAccepted(environment: Environment): boolean;
}

async function openByStreamToken(
  { db, secrets, services: { feeds } }: Pick<Kernel, 'db' | 'secrets' | 'services'>,
  token: string,
  now: number,
): Promise<OpenedStream> {
  const [id = '', kind = '', mode = '', expiry = '', signature = ''] = token.split('.');
  if (!isKind(kind) || !couldBeId(id)) throw wrongToken();
  const environment = await findEnvironmentById(db, id);
  if (environment === undefined) throw wrongToken();
  const key = acceptedKeys(environment, kind, now).find((accepted) =>
    secrets.verify(PURPOSE, [id, kind, mode, expiry, accepted].join('.'), signature),
  );
  const isAccepted = ({ secureMode }: Environment) => kind !== 'client' || mode === SECURE || !secureMode;
  if (key === undefined || !(Number(expiry) > now) || !isAccepted(environment)) throw wrongToken();
  return { feed: await feeds.open(environment), kind, key, isAccepted };
}

function isKind(text: string): text is KeyKind {
  return ['sdk', 'mobile', 'client'].includes(text);
}

function wrongToken(): Failure {
  return new Failure(
    'unauthenticated',
    'The token of this stream is not valid, or no longer. Evaluate all flags to get a new one.',
  );
}
