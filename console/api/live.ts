// One stream of changes for all tabs of this browser, because browsers open few connections to a host. One tab reads it and
// passes it on; another takes over when that tab goes. Web Locks would do this too, but plain http has none.
import { urlOf } from './call.ts';
import { invalidateFollowed, invalidateTopics, queries } from './read.ts';
import { onSession, readSecret, renewal, SESSION_HEADER, sessionState } from './session.ts';
import { readEvents, type StreamEvent } from './stream-reader.ts';

export type LiveState = 'connecting' | 'live' | 'reconnecting' | 'offline';

export interface Live {
  state: LiveState;
  /** Since when nothing has come. */
  since?: number;
}

/** A change of configuration, as the stream has it. */
export interface ChangeEvent {
  id: string;
  at: number;
  product: string;
  action: string;
  resource: string;
  kind: string;
  name: string;
  memberId?: string;
}

/** What tabs say to each other. */
type Message =
  | { kind: 'event'; event: StreamEvent }
  | { kind: 'state'; live: Live; lastId?: string }
  /** A tab that was just opened asks how it stands. */
  | { kind: 'ask' };

const LEASE_KEY = 'signalbox_stream';
/** Browsers let tabs in the background do something once a second. */
const LEASE_MS = 4000;
const TICK_MS = 1000;
const MAX_DELAY_MS = 15_000;
/** After this long, what is shown may be old. */
const OFFLINE_MS = 20_000;
/** Changes that come together are read together. */
const BATCH_MS = 200;

const tab = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16)).join('');
const channel = new BroadcastChannel(LEASE_KEY);
const listeners = new Set<() => void>();
const eventListeners = new Set<(event: StreamEvent) => void>();
let live: Live = { state: 'connecting' };
let lastId: string | undefined;
let reading: AbortController | undefined;

export function liveState(): Live {
  return live;
}

export function onLive(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Every event, in every tab. */
export function onEvent(listener: (event: StreamEvent) => void): () => void {
  eventListeners.add(listener);
  return () => eventListeners.delete(listener);
}

function setLive(next: Live): void {
  live = next;
  for (const listener of listeners) listener();
}

function tell(message: Message): void {
  channel.postMessage(message);
  hear(message);
}

function tellState(next: Live): void {
  tell({ kind: 'state', live: next, ...(lastId !== undefined && { lastId }) });
}

function hear(message: Message): void {
  if (message.kind === 'ask') return reading === undefined ? undefined : tellState(live);
  if (message.kind === 'state') {
    lastId = message.lastId ?? lastId;
    return setLive(message.live);
  }
  const { event } = message;
  const isFirst = lastId === undefined;
  lastId = event.id ?? lastId;
  refresh(event, isFirst);
  for (const listener of eventListeners) listener(event);
}

const waiting = new Set<string>();
let timer: ReturnType<typeof setTimeout> | undefined;

function refresh({ event, data }: StreamEvent, isFirst: boolean): void {
  if (event === 'begin') {
    // Something may have been missed, and runs and builds always are. What was just read for a new page is old only by an event.
    if (isFirst) invalidateFollowed();
    else if (!(data as { isResumed: boolean }).isResumed) void queries.invalidateQueries();
    else for (const topic of ['run', 'build', 'delivery']) waiting.add(topic);
  } else if (event === 'change') {
    for (const topic of topicsOf((data as ChangeEvent).resource)) waiting.add(topic);
  } else {
    waiting.add(event);
  }
  timer ??= setTimeout(() => {
    timer = undefined;
    invalidateTopics([...waiting]);
    waiting.clear();
  }, BATCH_MS);
}

/** The types in a specifier: `proj/shop:env/test:flag/x` has `proj`, `env` and `flag`. */
function topicsOf(resource: string): string[] {
  return ['activity', ...resource.split(':').map((part) => part.split('/', 1)[0]!)];
}

interface Lease {
  tab: string;
  until: number;
}

function readLease(): Lease | undefined {
  try {
    return JSON.parse(localStorage.getItem(LEASE_KEY) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

/** The last tab that writes has it; the others see so a moment later, at their next tick. */
function holdsLease(): boolean {
  const lease = readLease();
  if (lease !== undefined && lease.tab !== tab && lease.until > Date.now()) return false;
  localStorage.setItem(LEASE_KEY, JSON.stringify({ tab, until: Date.now() + LEASE_MS }));
  return readLease()?.tab === tab;
}

function tick(): void {
  if (sessionState() === 'left') return stop();
  if (!holdsLease()) stop();
  else if (reading === undefined) void follow();
}

function stop(): void {
  reading?.abort();
  reading = undefined;
}

/** As long as this tab has the lease. */
async function follow(): Promise<void> {
  const control = new AbortController();
  reading = control;
  let brokenSince: number | undefined;
  for (let failures = 0; !control.signal.aborted; failures++) {
    try {
      await readOnce(control.signal, () => {
        failures = 0;
        brokenSince = undefined;
        tellState({ state: 'live' });
      });
    } catch {
      // It broke, or never began; the next round tries again.
    }
    if (control.signal.aborted) return;
    brokenSince ??= Date.now();
    const state = Date.now() - brokenSince > OFFLINE_MS ? 'offline' : 'reconnecting';
    tellState({ state, since: brokenSince });
    await delay(Math.min(1000 * 2 ** Math.min(failures, 4), MAX_DELAY_MS), control.signal);
  }
}

async function readOnce(signal: AbortSignal, begun: () => void): Promise<void> {
  const secret = readSecret();
  const response = await fetch(urlOf({ api: 'signalbox', path: '/stream' }), {
    headers: { [SESSION_HEADER]: secret, ...(lastId !== undefined && { 'last-event-id': lastId }) },
    cache: 'no-store',
    signal,
  });
  if (response.status === 401) await renewal(secret);
  if (!response.ok || response.body === null) return;
  for await (const event of readEvents(response.body)) {
    if (event.event === 'begin') begun();
    tell({ kind: 'event', event });
  }
}

async function delay(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const wait = setTimeout(resolve, ms);
    const wake = () => {
      clearTimeout(wait);
      resolve();
    };
    signal.addEventListener('abort', wake, { once: true });
    // The network is back: there is no reason to wait longer.
    addEventListener('online', wake, { once: true });
  });
}

export function startLive(): void {
  channel.addEventListener('message', ({ data }) => hear(data as Message));
  addEventListener('storage', ({ key }) => key === LEASE_KEY && readLease()?.tab !== tab && stop());
  addEventListener('pagehide', () => {
    if (readLease()?.tab === tab) localStorage.removeItem(LEASE_KEY);
    stop();
  });
  onSession(() => sessionState() === 'left' && stop());
  setInterval(tick, TICK_MS);
  tick();
  if (reading === undefined) channel.postMessage({ kind: 'ask' } satisfies Message);
}
