// Datasets as the API shows them, and statistics of the fields that their schemas name.
import { Nullable, Type } from '../../kernel/schema/schema.ts';
import { TimeSlice } from '../../kernel/yield-to-event-loop.ts';
import { isObject } from '../../kernel/json/json-value.ts';
import {
  LISTED_NAME,
  signStorage,
  STORAGE_FIELDS,
  toStorageFields,
  type Storage,
} from '../storages/model.ts';
import type { Item } from '../export/input.ts';

export interface DatasetCounts {
  itemCount: number;
  cleanItemCount: number;
  bytes: number;
  readCount: number;
  fields: string[];
  /** When items were last added. */
  modifiedAt: number;
}

const PUBLIC_URL_MS = 14 * 24 * 60 * 60 * 1000;

const SHARED = {
  ...STORAGE_FIELDS,
  itemCount: Type.Integer({ minimum: 0 }),
  cleanItemCount: Type.Integer({ minimum: 0, description: 'Without items that have only hidden fields' }),
  stats: Type.Object({
    readCount: Type.Integer(),
    writeCount: Type.Integer(),
    storageBytes: Type.Integer(),
    inflatedBytes: Type.Integer(),
  }),
};

export const DatasetDetail = Type.Object(
  {
    ...SHARED,
    consoleUrl: Type.String(),
    itemsPublicUrl: Type.String({ description: 'Signed where reading needs a token otherwise' }),
    urlSigningSecretKey: Type.Optional(
      Nullable(Type.String({ description: 'Shown to those who may write and may view the account' })),
    ),
    fields: Nullable(Type.Array(Type.String())),
    schema: Nullable(Type.Record(Type.String(), Type.Unknown())),
  },
  { $id: 'Dataset' },
);

export const DatasetSummary = Type.Object({ ...SHARED, name: LISTED_NAME }, { $id: 'DatasetListItem' });

export const DatasetStatistics = Type.Object(
  {
    fieldStatistics: Nullable(
      Type.Record(
        Type.String(),
        Type.Object({
          min: Nullable(Type.Number()),
          max: Nullable(Type.Number()),
          nullCount: Type.Integer(),
          emptyCount: Type.Integer(),
        }),
      ),
    ),
  },
  { $id: 'DatasetStatistics' },
);

export function toDatasetSummary(storage: Storage, counts: DatasetCounts) {
  const { itemCount, cleanItemCount, readCount, bytes } = counts;
  const modifiedAt = Math.max(storage.modifiedAt, counts.modifiedAt);
  return {
    ...toStorageFields({ ...storage, modifiedAt }),
    itemCount,
    cleanItemCount,
    stats: { readCount, writeCount: itemCount, storageBytes: bytes, inflatedBytes: bytes },
  };
}

interface DetailContext {
  publicUrl: string;
  isOwner: boolean;
  maySign: boolean;
  now: number;
}

export function toDatasetDetail(
  storage: Storage,
  counts: DatasetCounts,
  { publicUrl, isOwner, maySign, now }: DetailContext,
) {
  const { id, secret, schema } = storage;
  const items = `${publicUrl}/v2/datasets/${id}/items`;
  // Only the owner gets a signature: others can read the dataset only while it is public.
  const signature =
    isPublic(storage) || !isOwner ? '' : `?signature=${signStorage(storage, now + PUBLIC_URL_MS)}`;
  return {
    ...toDatasetSummary(storage, counts),
    consoleUrl: `${publicUrl}/console/storage/datasets/${id}`,
    itemsPublicUrl: items + signature,
    ...(maySign && { urlSigningSecretKey: secret }),
    fields: counts.fields,
    schema,
  };
}

function isPublic({ generalAccess }: Storage): boolean {
  return generalAccess === 'ANYONE_WITH_ID_CAN_READ' || generalAccess === 'ANYONE_WITH_NAME_CAN_READ';
}

const MAX_MEASURED = 1000;

export interface FieldMeasure {
  field: string;
  /** Of numbers their value; of strings and arrays their length; of objects the number of their members. */
  min: number | null;
  max: number | null;
  nullCount: number;
  /** Items that do not have the field at all. */
  emptyCount: number;
}

/** Undefined where the schema describes no fields. */
export function measuredFields(schema: Record<string, unknown> | null): string[] | undefined {
  const fields = schema?.['fields'];
  if (!isObject(fields)) return undefined;
  const { properties } = fields;
  return isObject(properties) ? Object.keys(properties).slice(0, MAX_MEASURED) : [];
}

/** Iterates the fields of the items, not of the schema, which may name a thousand fields that few items have. */
export async function measureItems(
  items: readonly Item[],
  fields: readonly string[],
): Promise<FieldMeasure[]> {
  const measures = new Map(
    fields.map((field) => [field, { field, min: null, max: null, nullCount: 0, emptyCount: items.length }]),
  ) as Map<string, FieldMeasure>;
  if (measures.size === 0) return [];
  const slice = new TimeSlice();
  for (const item of items) {
    for (const key of Object.keys(item)) {
      const measure = measures.get(key);
      if (measure !== undefined) addToMeasure(measure, item[key]);
    }
    if (slice.isOver) await slice.yieldToEventLoop();
  }
  return [...measures.values()];
}

function addToMeasure(measure: FieldMeasure, value: unknown): void {
  measure.emptyCount -= 1;
  if (value === null) measure.nullCount += 1;
  const size = sizeOf(value);
  if (size === undefined) return;
  if (measure.min === null || size < measure.min) measure.min = size;
  if (measure.max === null || size > measure.max) measure.max = size;
}

function sizeOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : undefined;
}
