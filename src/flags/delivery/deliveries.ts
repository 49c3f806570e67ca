// What each environment delivers, made once for each revision of it: SDKs ask far more often than anybody changes a flag.
import { createHash } from 'node:crypto';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import type { Services } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { TimeSlice } from '../../kernel/time-slice.ts';
import { keyOf, USER, type Context } from '../evaluation/context.ts';
import type { FlagData, SegmentData } from '../evaluation/data.ts';
import { compileEnvironment, type CompiledEnvironment } from '../evaluation/environment.ts';
import type { Environment as Evaluated } from '../evaluation/run.ts';
import type { Environment } from '../projects/project.ts';
import type { Segment } from '../segments/segment.ts';
import { listSegments } from '../segments/store.ts';
import { toSegmentData } from './payload.ts';
import { findMemberships, findRevision, listFlagData, type FlagName } from './store.ts';

export interface Delivery {
  /** Higher than that of any delivery of the environment before. */
  revision: number;
  flags: Record<string, FlagData>;
  segments: Record<string, SegmentData>;
  /** Both of them as JSON, for those who evaluate themselves. */
  bytes: Uint8Array;
  etag: string;
  compiled: CompiledEnvironment;
  bigSegments: readonly BigSegment[];
  /** What people know them by, which SDKs are not told: flags by their keys, segments as they were made. */
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
    deliveries: Deliveries;
  }
}

/** By the id of the environment. */
type Deliveries = BoundedCache<string, { revision: number; delivery: Promise<Delivery> }>;

export function openDeliveries(): Deliveries {
  return new BoundedCache({ max: 100 });
}

/** As the environment is now, or was a moment ago. */
export async function findDelivery(
  { db, services: { deliveries } }: { db: Db; services: Pick<Services, 'deliveries'> },
  environment: Environment,
): Promise<Delivery> {
  const { id } = environment;
  // Before the rest: what changes meanwhile makes the next call look again.
  const revision = await findRevision(db, environment);
  let known = deliveries.get(id);
  if (known?.revision !== revision) {
    known = { revision, delivery: makeDelivery(db, environment, revision, known?.delivery) };
    deliveries.set(id, known);
  }
  try {
    return await known.delivery;
  } catch (error) {
    if (deliveries.get(id) === known) deliveries.delete(id);
    throw error;
  }
}

async function makeDelivery(
  db: Db,
  environment: Environment,
  revision: number,
  before: Promise<Delivery> | undefined,
): Promise<Delivery> {
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
): Promise<Pick<Delivery, 'bytes' | 'etag'>> {
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

/** Ready to evaluate for this context: where it stands in the big segments is looked up beforehand. */
export async function prepareFor(
  db: Db,
  { compiled, bigSegments }: Delivery,
  { parts }: Context,
): Promise<Evaluated> {
  const memberships = await findMemberships(
    db,
    bigSegments.map(({ id }) => id),
    [...new Set(Array.from(parts.values(), keyOf))],
  );
  const nameOf = (segmentId: string, contextKey: string) => `${segmentId} ${contextKey}`;
  const standings = new Map(
    memberships.map(({ segmentId, contextKey, isIncluded }) => [nameOf(segmentId, contextKey), isIncluded]),
  );
  const standingByKey = new Map(
    bigSegments.map(({ id, key, contextKind }) => {
      const part = parts.get(contextKind);
      return [key, part && standings.get(nameOf(id, keyOf(part)))];
    }),
  );
  return { ...compiled, standingIn: (key) => standingByKey.get(key) };
}
