// Receives payloads of events and diagnostics: limits, reads, validates and counts them.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { collectBody, inflateBody } from '../../kernel/http/body/body.ts';
import { Failure } from '../../kernel/failure.ts';
import { parseJson } from '../../kernel/json/parse.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { isObject } from '../../kernel/json/json-value.ts';
import type { Call } from '../../kernel/http/route.ts';
import { readerNameOf, readsIn, type FlagRead } from '../flag-reads.ts';
import type { Environment } from '../projects/project.ts';
import { readName, OTHER_SDKS, sdkNameOf } from '../sdk-activity/sdk-names.ts';
import { EventBuffer } from './event-buffer.ts';
import { EventLimits, type EventAdmission, Turns } from './limits.ts';
import { DIAGNOSTICS, DROPPED_EVENTS, EVENTS, PAYLOADS, type PayloadOutcome } from './metrics.ts';
import type { EventPayload, EventSender } from './payload.ts';
import { readEvents } from './read-events.ts';

/** The limit for the body as sent and for the inflated one. SDKs drop events that are refused as too large. */
const MAX_EVENT_BYTES = 10 * 1024 * 1024;
const MAX_DIAGNOSTIC_BYTES = 256 * 1024;
/** As many bytes cost as much as an event: reading them takes time, whatever they hold. */
const BYTES_PER_EVENT = 256;
/** Parsed, a payload takes many times its bytes: larger ones are parsed one after another. */
const LARGE_BYTES = 256 * 1024;
/** As many as Node inflates at the same time. */
const MAX_INFLATING = 4;
/** In the metrics of this node. */
const MAX_SDKS = 100;

declare module '../../kernel/kernel.ts' {
  interface Services {
    flagEvents: FlagEvents;
  }
}

export interface FlagEvents {
  buffer: EventBuffer;
  limits: EventLimits;
  /** For compressed payloads: each may grow to the limit while it is inflated. */
  inflating: Turns;
  /** For large payloads. */
  parsing: Turns;
  /** The SDKs whose diagnostics are counted by name. */
  diagnosedSdks: Set<string>;
}

export function openFlagEvents(
  kernel: Pick<Kernel, 'engine' | 'clock' | 'log' | 'metrics'>,
  perSecond: number | undefined,
): FlagEvents {
  return {
    buffer: new EventBuffer(kernel),
    limits: new EventLimits({ perSecond }),
    inflating: new Turns(MAX_INFLATING),
    parsing: new Turns(),
    diagnosedSdks: new Set(),
  };
}

type EventCall = Pick<Call, 'headers' | 'now'>;

/** Resolves when the events are in memory: they are saved within about a second. */
export async function receiveEvents(
  call: EventCall & Pick<Call, 'stream'>,
  kernel: Kernel,
  environment: Environment,
  sender: EventSender,
): Promise<void> {
  await admit(call, kernel, environment, async (admission) => {
    const id = payloadIdOf(call);
    const { buffer } = kernel.services.flagEvents;
    // The body is not read: it has been counted.
    if (id !== undefined && buffer.hasSeen({ environmentId: environment.id, id })) return 'duplicate';
    const bytes = await readBody(call, kernel, MAX_EVENT_BYTES, admission);
    return await acceptEvents(call, kernel, { environment, sender, id, bytes, admission });
  });
}

/** Events in the query string, as JSON in Base64. */
export async function receiveQuery(
  call: EventCall,
  kernel: Kernel,
  environment: Environment,
  text: string,
): Promise<void> {
  await admit(call, kernel, environment, (admission) => {
    const bytes = Buffer.from(text, 'base64');
    return acceptEvents(call, kernel, { environment, sender: 'browser', id: undefined, bytes, admission });
  });
}

/** Of a diagnostic only the names of the SDK are stored. */
export async function receiveDiagnostic(
  call: EventCall & Pick<Call, 'stream'>,
  kernel: Kernel,
  environment: Environment,
  sender: EventSender,
): Promise<void> {
  await admit(call, kernel, environment, async (admission) => {
    const bytes = await readBody(call, kernel, MAX_DIAGNOSTIC_BYTES, admission);
    const diagnostic = await parseJson(bytes);
    if (!isObject(diagnostic)) throw new Failure('invalid', 'A diagnostic must be a JSON object.');
    countDiagnostic(kernel, diagnostic['kind'], sdkNameOf(call.headers));
    noteSdk(call, kernel, environment, sender, diagnostic['sdk']);
    return undefined;
  });
}

const KEY_KINDS = { server: 'sdk', mobile: 'mobile', browser: 'client' } as const;

function noteSdk(
  { now }: EventCall,
  { services: { sdkActivity } }: Kernel,
  { id }: Environment,
  sender: EventSender,
  said: unknown,
): void {
  const sdk = isObject(said) ? readName(said['name']) : '';
  const wrapper = isObject(said) ? readName(said['wrapperName']) : '';
  if (sdk !== '') sdkActivity.note(id, KEY_KINDS[sender], { sdk, wrapper }, now);
}

/** Counts the outcome, errors as well. */
async function admit(
  { now }: EventCall,
  { services: { flagEvents }, metrics }: Kernel,
  { id }: Environment,
  receive: (admission: EventAdmission) => Promise<PayloadOutcome | undefined>,
): Promise<void> {
  const count = (outcome: PayloadOutcome) => metrics.add(PAYLOADS, `outcome="${outcome}"`);
  let admission: EventAdmission | undefined;
  try {
    admission = flagEvents.limits.open(id, now);
    const outcome = await receive(admission);
    if (outcome !== undefined) count(outcome);
  } catch (error) {
    count(outcomeOf(error));
    throw error;
  } finally {
    admission?.close();
  }
}

function outcomeOf(error: unknown): PayloadOutcome {
  if (!(error instanceof Failure)) return 'malformed';
  if (error.kind === 'exhausted') return 'limited';
  return error.kind === 'too-large' ? 'too-large' : 'malformed';
}

async function readBody(
  { stream, headers }: Pick<Call, 'stream' | 'headers'>,
  { services: { flagEvents } }: Kernel,
  limit: number,
  admission: EventAdmission,
): Promise<Buffer> {
  const bytes = await collectBody(stream as IncomingMessage, limit, admission);
  const encoding = headers['content-encoding'] as string | undefined;
  const inflated =
    encoding === undefined
      ? bytes
      : await flagEvents.inflating.run(async () => {
          admission.check();
          return await inflateBody(bytes, encoding, limit);
        });
  if (inflated !== bytes) admission.add(inflated.length);
  admission.spend(Math.ceil(inflated.length / BYTES_PER_EVENT));
  return inflated;
}

interface ReceivedPayload extends Pick<EventPayload, 'sender'> {
  environment: Environment;
  id: string | undefined;
  bytes: Buffer;
  admission: EventAdmission;
}

async function acceptEvents(
  { headers, now }: EventCall,
  { services: { flagEvents, flagReaders }, metrics }: Kernel,
  { environment, sender, id = randomUUID(), bytes, admission }: ReceivedPayload,
): Promise<PayloadOutcome> {
  // The ID that browsers authenticate by is public: with it anybody could speak for a program.
  const reader = sender === 'browser' ? undefined : readerNameOf(headers);
  const isReader = reader !== undefined && flagReaders.isReader(reader);
  let reads: readonly FlagRead[] = [];
  const read = async () => {
    const events = await parseEvents(bytes);
    if (isReader) reads = readsIn(events);
    return await readEvents(events);
  };
  const isLarge = bytes.length > LARGE_BYTES;
  const { uses, kinds, dropped, cost } = await (isLarge ? flagEvents.parsing.run(read) : read());
  admission.spend(cost);
  const outcome = flagEvents.buffer.add({
    id,
    environmentId: environment.id,
    projectId: environment.projectId,
    sender,
    sdk: sdkNameOf(headers),
    receivedAt: now,
    uses,
  });
  if (outcome === 'limited') throw admission.exhausted();
  if (outcome === 'duplicate') return outcome;
  if (isReader) flagReaders.note(reader, environment.id, reads, now);
  for (const [kind, count] of kinds) metrics.add(EVENTS, `kind="${kind}"`, count);
  for (const [reason, count] of dropped) metrics.add(DROPPED_EVENTS, `reason="${reason}"`, count);
  return outcome;
}

async function parseEvents(bytes: Buffer): Promise<unknown[]> {
  let events: unknown;
  try {
    events = await parseJson(bytes);
  } catch (error) {
    // More items or keys than the parser takes: a smaller payload may be good, and SDKs must not retry this one.
    if (error instanceof Failure && error.kind === 'invalid')
      throw new Failure('too-large', error.message, { cause: error });
    throw error;
  }
  if (!Array.isArray(events)) throw new Failure('invalid', 'Events must be a JSON array.');
  return events as unknown[];
}

/** Others than UUIDs and the like are ignored. */
const PAYLOAD_ID = /^[\w.:-]{1,100}$/;

function payloadIdOf({ headers }: EventCall): string | undefined {
  const id = headers['x-launchdarkly-payload-id'];
  return typeof id === 'string' && PAYLOAD_ID.test(id) ? id : undefined;
}

const DIAGNOSTIC_KINDS = ['diagnostic-init', 'diagnostic', 'diagnostic-combined'];

function countDiagnostic({ services: { flagEvents }, metrics }: Kernel, kind: unknown, sdk: string): void {
  if (typeof kind !== 'string' || !DIAGNOSTIC_KINDS.includes(kind)) {
    metrics.add(DROPPED_EVENTS, 'reason="unknown-kind"');
    return;
  }
  const { diagnosedSdks } = flagEvents;
  if (diagnosedSdks.size < MAX_SDKS) diagnosedSdks.add(sdk);
  metrics.add(DIAGNOSTICS, `kind="${kind}",sdk="${diagnosedSdks.has(sdk) ? sdk : OTHER_SDKS}"`);
}
