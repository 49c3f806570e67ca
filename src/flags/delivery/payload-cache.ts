// Caches the payload of each environment per revision, because SDKs poll far more often than flags change.
import { createHash } from 'node:crypto';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import type { Services } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { TimeSlice } from '../../kernel/time-slice.ts';
import { keyOf, USER, type Context } from '../evaluation/context.ts';
import type { FlagData, SegmentData } from '../evaluation/data.ts';
import { compileEnvironment, type CompiledEnvironment } from '../evaluation/environment.ts';
import type { EvaluationEnvironment } from '../evaluation/run.ts';
import type { Environment } from '../projects/project.ts';
import type { Segment } from '../segments/segment.ts';
import { listSegments } from '../segments/store.ts';
import { toSegmentData } from './sdk-data.ts';
import { listMemberships, findRevision, listFlagData, type FlagName } from './store.ts';

export interface EnvironmentPayload {
  /** Higher than in all earlier payloads of the environment. */
  revision: number;
  flags: Record<string, FlagData>;
  segments: Record<string, SegmentData>;
  /** Flags and segments as JSON, for server-side SDKs. */
  bytes: Uint8Array;
  etag: string;
  compiled: CompiledEnvironment;
  bigSegments: readonly BigSegment[];
  /** Names for people, which SDKs do not get: flags sorted by key, segments by creation. */
  flagNames: readonly FlagName[];
  segmentNames: readonly SegmentName[];
}

type SegmentName = Pick<Segment, 'key' | 'name' | 'description'>;

interface BigSegment {
  id: string;
  key: string;
  contextKind: string;
}

declare module '../../kernel/kernel.ts' {
  interface Services {
    payloadCache: PayloadCache;
  }
}

/** By environment id. */
type PayloadCache = BoundedCache<string, { revision: number; payload: Promise<EnvironmentPayload> }>;

export function createPayloadCache(): PayloadCache {
  return new BoundedCache({ max: 100 });
}

/** The payload of the current revision, without changes that commit meanwhile. */
export async function readPayload(
  { db, services: { payloadCache } }: { db: Db; services: Pick<Services, 'payloadCache'> },
  environment: Environment,
): Promise<EnvironmentPayload> {
  const { id } = environment;
  // Read before the flags, so that a change in between makes the next call reload.
  const revision = await findRevision(db, environment);
  let known = payloadCache.get(id);
  if (known?.revision !== revision) {
    known = { revision, payload: buildPayload(db, environment, revision, known?.payload) };
    payloadCache.set(id, known);
  }
  try {
    return await known.payload;
  } catch (error) {
    if (payloadCache.get(id) === known) payloadCache.delete(id);
    throw error;
  }
}

async function buildPayload(
  db: Db,
  environment: Environment,
  revision: number,
  before: Promise<EnvironmentPayload> | undefined,
): Promise<EnvironmentPayload> {
  const named = await listFlagData(db, environment);
  const flagList = named.map(({ data }) => data);
  const kept = await listSegments(db, environment.id);
  const segmentList = kept.map(toSegmentData);
  const patterns = (await before?.catch(() => undefined))?.compiled.patterns;
  return {
    revision,
    flags: Object.fromEntries(flagList.map((flag) => [flag.key, flag])),
    segments: Object.fromEntries(segmentList.map((segment) => [segment.key, segment])),
    ...(await toBytes(flagList, segmentList)),
    compiled: await compileEnvironment(flagList, segmentList, patterns),
    bigSegments: kept
      .filter(({ unbounded }) => unbounded)
      .map(({ id, key, unboundedContextKind = USER }) => ({ id, key, contextKind: unboundedContextKind })),
    flagNames: named.map(({ name }) => name),
    segmentNames: kept.map(({ key, name, description }) => ({
      key,
      name,
      ...(description !== undefined && { description }),
    })),
  };
}

/** Flags and segments as one JSON text, by their keys. */
async function toBytes(
  flags: readonly FlagData[],
  segments: readonly SegmentData[],
): Promise<Pick<EnvironmentPayload, 'bytes' | 'etag'>> {
  const slice = new TimeSlice();
  const digest = createHash('sha1');
  const pieces: Buffer[] = [];
  const add = (text: string) => {
    const piece = Buffer.from(text);
    digest.update(piece);
    pieces.push(piece);
  };
  const addAll = async (items: readonly (FlagData | SegmentData)[]) => {
    for (const [index, item] of items.entries()) {
      add(`${index === 0 ? '' : ','}${JSON.stringify(item.key)}:${JSON.stringify(item)}`);
      if (slice.isOver) await slice.next();
    }
  };
  add('{"flags":{');
  await addAll(flags);
  add('},"segments":{');
  await addAll(segments);
  add('}}');
  return { bytes: Buffer.concat(pieces), etag: `"${digest.digest('hex')}"` };
}

/** Loads the context's memberships in big segments, which evaluation then reads from memory. */
export async function loadBigSegments(
  db: Db,
  { compiled, bigSegments }: EnvironmentPayload,
  { parts }: Context,
): Promise<EvaluationEnvironment> {
  const memberships = await listMemberships(
    db,
    bigSegments.map(({ id }) => id),
    [...new Set(Array.from(parts.values(), keyOf))],
  );
  const nameOf = (segmentId: string, contextKey: string) => `${segmentId} ${contextKey}`;
  const inclusions = new Map(
    memberships.map(({ segmentId, contextKey, isIncluded }) => [nameOf(segmentId, contextKey), isIncluded]),
  );
  const inclusionByKey = new Map(
    bigSegments.map(({ id, key, contextKind }) => {
      const part = parts.get(contextKind);
      return [key, part && inclusions.get(nameOf(id, keyOf(part)))];
    }),
  );
  return { ...compiled, bigSegmentInclusion: (key) => inclusionByKey.get(key) };
}
