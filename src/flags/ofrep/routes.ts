// Evaluates one flag, or all flags that the key may see, for the context in the body.
import { etagOf, matchesEtag } from '../../kernel/http/reply/etag.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { JsonText, reply, route, type Call, type RawCall } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { type OpenedFeed, AUDIENCES, type Audience } from '../delivery/keys.ts';
import { readEventRevision, STREAM_PATH, streamChanges, signStreamToken } from './stream-routes.ts';
import {
  readOpenFeatureContext,
  BulkEvaluation,
  EvaluationRequest,
  FlagEvaluation,
  toFlagOutcome,
  type FlagOutcome,
} from './model.ts';
import { openByAnyKey, checkSecureMode } from './keys.ts';
import { joinTexts } from '../../kernel/json/join-texts.ts';
import { evaluateAll, loadBigSegments } from '../delivery/evaluate-all.ts';
import { namesHiddenFlag } from '../delivery/render-results.ts';
import { chooseOutcome } from '../evaluation/flag.ts';
import type { PreparedOutcome } from '../evaluation/outcome.ts';
import {
  LIMITS,
  type CompiledFlag,
  type EvaluationResult,
  type EvaluationRun,
  warningsOf,
  beginRun,
} from '../evaluation/run.ts';
import { readerNameOf, shortJson } from '../flag-reads.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Feed } from '../delivery/feed/feed.ts';
import type { Context } from '../evaluation/context.ts';

/** Providers close the stream of a page that is in the background for as long. */
const INACTIVITY_SECONDS = 120;

const Hash = Type.Optional(Type.String({ description: 'The hash of the context, for secure mode' }));

const evaluating = {
  method: 'POST',
  worksOnFullDisk: true,
  access: 'anyone',
  body: EvaluationRequest,
  bodyIsOptional: true,
  isData: true,
} as const;

const evaluateFlag = route(
  {
    ...evaluating,
    id: 'evaluateFlag',
    path: '/v1/evaluate/flags/{key}',
    summary: 'Evaluate a flag',
    params: Type.Object({ key: Type.String() }),
    query: Type.Object({ h: Hash }),
    reply: { 200: FlagEvaluation },
  },
  async (call, kernel) => {
    const { key } = call.params;
    const opened = await openByAnyKey(kernel, call);
    const prepared = await prepare(call, kernel, opened);
    const outcome = evaluateOne(call, kernel, opened, prepared, key);
    // Whether a flag exists that the key may not see must not show.
    if (outcome === undefined) throw new Failure('not-found', `There is no flag "${key}".`);
    if ('errorCode' in outcome)
      throw new Failure('invalid', outcome.errorDetails, { code: outcome.errorCode });
    return outcome;
  },
  checkKey,
);

const evaluateFlags = route(
  {
    ...evaluating,
    id: 'evaluateFlagsBulk',
    path: '/v1/evaluate/flags',
    summary: 'Evaluate all flags that the key may see',
    query: Type.Object({
      h: Hash,
      flagConfigEtag: Type.Optional(
        Type.String({ description: 'The `etag` of the event that led to this call' }),
      ),
      flagConfigLastModified: Type.Optional(
        Type.String({ description: 'Its `lastModified`, which has no effect' }),
      ),
    }),
    reply: { 200: BulkEvaluation },
  },
  async (call, kernel) => {
    const opened = await openByAnyKey(kernel, call);
    // The event may have come from another node.
    const announced = readEventRevision(call.query.flagConfigEtag);
    if (announced !== undefined) await kernel.services.feeds.reach(opened.feed, announced);
    const prepared = await prepare(call, kernel, opened);
    const { revision, memberships, run } = prepared;
    const token = signStreamToken(kernel.secrets, opened, call.now);
    const requestUri = `${new URL(call.base).pathname}${STREAM_PATH}?token=${token}&since=${revision}`;
    // The address of the stream names the environment, the kind of key and the revision; and a client that is answered
    // 304 goes on with the address that it has, so that it must be one that still opens.
    const etag = etagOf(JSON.stringify([kernel.release, requestUri, memberships, [...run.context.parts]]));
    if (matchesEtag(call.headers['if-none-match'] as string | undefined, etag))
      return reply(304, undefined, { etag });
    const eventStreams = [{ type: 'sse', endpoint: { requestUri }, inactivityDelaySec: INACTIVITY_SECONDS }];
    const rest = JSON.stringify({ metadata: { version: revision }, eventStreams });
    const around = { before: '{"flags":[', after: `],${rest.slice(1)}` };
    return reply(200, new JsonText(await evaluateAllFor(call, kernel, opened, prepared, around)), { etag });
  },
  checkKey,
);

export const ofrepRoutes = [evaluateFlag, evaluateFlags, streamChanges];

type EvaluationCall = Pick<Call, 'id' | 'headers' | 'now'> & {
  query: { h?: string };
  body: { context?: unknown } | undefined;
};

/** A caller without a valid key is told only that, whatever else is wrong with the call. */
async function checkKey(call: RawCall, kernel: Kernel): Promise<void> {
  await openByAnyKey(kernel, call);
}

async function prepare(
  call: EvaluationCall,
  kernel: Kernel,
  opened: OpenedFeed,
): Promise<PreparedEvaluation> {
  const context = readOpenFeatureContext(call.body?.context);
  checkSecureMode(opened, context, call);
  return await beginEvaluation(kernel.db, opened.feed, context);
}

interface PreparedEvaluation {
  /** Of the environment's flags and segments. */
  revision: number;
  /** Membership of the context in big segments, which can change within a revision, while a file is imported. */
  memberships: readonly (boolean | undefined)[];
  run: EvaluationRun;
}

async function beginEvaluation(db: Db, feed: Feed, context: Context): Promise<PreparedEvaluation> {
  // The feed may advance while memberships are read.
  const { revision } = feed;
  const bigSegments = [...feed.bigSegments.keys()];
  const loaded = await loadBigSegments(db, feed, context);
  return {
    revision,
    memberships: bigSegments.map((key) => loaded.bigSegmentInclusion(key)),
    run: beginRun(context, loaded),
  };
}

/** Flags per log line. */
const MAX_LOGGED = 10;

/** Undefined where the key may not see the flag. */
function evaluateOne(
  call: Pick<Call, 'id' | 'headers' | 'now'>,
  kernel: Kernel,
  opened: OpenedFeed,
  { run }: PreparedEvaluation,
  key: string,
): FlagOutcome | undefined {
  const { feed, kind } = opened;
  const audience = AUDIENCES[kind];
  const flag = run.environment.flags.get(key);
  if (!flag?.[audience]) return undefined;
  const { result } = chooseOutcome(flag, run);
  noteRead(call, kernel, opened, flag, result);
  const limits = run.notices & LIMITS;
  if (limits !== 0) logLimits(call, kernel, feed, [key], limits);
  return toFlagOutcome(flag.data, result, namesHiddenFlag(result.reason, run, audience));
}

/** The reason says no more than the events of SDKs do: callers who see it may view the whole project. */
function noteRead(
  { headers, now }: Pick<Call, 'headers' | 'now'>,
  { services: { flagReaders } }: Kernel,
  { feed, kind }: OpenedFeed,
  { data }: CompiledFlag,
  { value, variationIndex, reason }: EvaluationResult,
): void {
  const reader = kind === 'client' ? undefined : readerNameOf(headers);
  if (reader === undefined || !flagReaders.isReader(reader)) return;
  const read = {
    flagKey: data.key,
    variation: variationIndex ?? null,
    version: data.version,
    ...(variationIndex !== undefined && { value: shortJson(value) }),
    reason: shortJson(reason),
    count: 1,
  };
  flagReaders.note(reader, feed.environment.id, [read], now);
}

/** All flags that the key may see as JSON, between the beginning and the end of a text. */
async function evaluateAllFor(
  call: Pick<Call, 'id'>,
  kernel: Kernel,
  { feed, kind }: OpenedFeed,
  { run }: PreparedEvaluation,
  around: { before: string; after: string },
): Promise<string> {
  const audience = AUDIENCES[kind];
  const { texts, limited, limits } = await evaluateAll(run, audience, (flag, outcome) =>
    jsonOf(flag, outcome, run, audience),
  );
  if (limited.length > 0) logLimits(call, kernel, feed, limited, limits);
  return joinTexts(around.before, texts, around.after);
}

function jsonOf(
  { data }: CompiledFlag,
  outcome: PreparedOutcome,
  run: EvaluationRun,
  audience: Audience,
): string {
  const { result } = outcome;
  return namesHiddenFlag(result.reason, run, audience)
    ? (outcome.openFeatureJsonWithHiddenReason ??= JSON.stringify(toFlagOutcome(data, result, true)))
    : (outcome.openFeatureJson ??= JSON.stringify(toFlagOutcome(data, result, false)));
}

function logLimits(
  { id }: Pick<Call, 'id'>,
  { log }: Kernel,
  { environment }: OpenedFeed['feed'],
  flags: readonly string[],
  limits: number,
): void {
  const fields = { call: id, environment: environment.key, flags: flags.slice(0, MAX_LOGGED) };
  log.debug(fields, warningsOf(limits).join(' '));
}
