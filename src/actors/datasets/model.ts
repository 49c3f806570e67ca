// Datasets as the API shows them.
import { Nullable, Type } from '../../kernel/schema/schema.ts';
import {
  LISTED_NAME,
  signStorage,
  STORAGE_FIELDS,
  toStorageFields,
  type Storage,
} from '../storages/model.ts';

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
    consoleUrl: `${publicUrl}/storage/datasets/${id}`,
    itemsPublicUrl: items + signature,
    ...(maySign && { urlSigningSecretKey: secret }),
    fields: counts.fields,
    schema,
  };
}

function isPublic({ generalAccess }: Storage): boolean {
  return generalAccess === 'ANYONE_WITH_ID_CAN_READ' || generalAccess === 'ANYONE_WITH_NAME_CAN_READ';
}
