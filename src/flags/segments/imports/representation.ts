// The representation of imports.
import { OneOf, Type, type Static } from '../../../kernel/schema/schema.ts';
import { Links, linkTo } from '../../links.ts';
import { pathTo, type EnvironmentKeys } from '../model.ts';
import type { Segment } from '../segment.ts';
import { formatSize } from './csv-file.ts';
import { IMPORT_STATUSES, type SegmentImport } from './segment-import.ts';

export const ImportDetail = Type.Object(
  {
    id: Type.String(),
    segmentKey: Type.String(),
    creationTime: Type.Integer(),
    mode: OneOf(['merge', 'replace']),
    status: OneOf(IMPORT_STATUSES, { description: '`stopped` where it could not go on; `message` says why' }),
    message: Type.Optional(Type.String()),
    files: Type.Array(
      Type.Object(
        { filename: Type.Optional(Type.String()), status: OneOf(IMPORT_STATUSES) },
        { $id: 'FileRep' },
      ),
    ),
    sizeBytes: Type.Integer(),
    size: Type.String({ description: 'The same with units' }),
    keyCount: Type.Integer({ description: 'Keys in the file, once it is checked' }),
    processedCount: Type.Integer({ description: 'How many of them have been taken in' }),
    changedCount: Type.Integer({ description: 'Contexts that are included or excluded and were not before' }),
    removedCount: Type.Integer({ description: 'Contexts that were not in the file, where it replaces all' }),
    _links: Links,
  },
  { $id: 'Import' },
);

export function toImport(
  shown: SegmentImport,
  segment: Segment,
  place: EnvironmentKeys,
): Static<typeof ImportDetail> {
  const { id, createdAt, mode, status, message, filename, size } = shown;
  return {
    id,
    segmentKey: segment.key,
    creationTime: createdAt,
    mode,
    status,
    ...(message !== undefined && { message }),
    files: [{ ...(filename !== undefined && { filename }), status }],
    sizeBytes: size,
    size: formatSize(size),
    keyCount: shown.keyCount,
    processedCount: shown.processedCount,
    changedCount: shown.changedCount,
    removedCount: shown.removedCount,
    _links: {
      self: linkTo(importPath(place, segment, id)),
      parent: linkTo(pathTo(place, segment)),
    },
  };
}

export function importPath(place: EnvironmentKeys, segment: { key: string }, id: string): string {
  return `${pathTo(place, segment)}/imports/${id}`;
}
