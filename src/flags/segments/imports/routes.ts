// Imports of files into big segments: start one, and get its progress.
import { reply, route } from '../../../kernel/http/route.ts';
import { OneOf, Type, type Static } from '../../../kernel/schema/schema.ts';
import { openEnvironment, unknownThing } from '../../find-project.ts';
import { findSegment } from '../store.ts';
import { Links, linkTo } from '../../links.ts';
import { pathTo, type EnvironmentKeys } from '../model.ts';
import type { Segment } from '../segment.ts';
import { admitImport, beginImport, MAX_FORM_BYTES, receiveFile } from './begin-import.ts';
import { HEADING, formatSize } from './csv-file.ts';
import { findImport, IMPORT_STATUSES, type SegmentImport } from './store.ts';

const ImportDetail = Type.Object(
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

function toImport(
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

function importPath(place: EnvironmentKeys, segment: { key: string }, id: string): string {
  return `${pathTo(place, segment)}/imports/${id}`;
}

const PATH = '/segments/{projectKey}/{environmentKey}/{segmentKey}/imports';
const BySegment = { projectKey: Type.String(), environmentKey: Type.String(), segmentKey: Type.String() };

const createBigSegmentImport = route(
  {
    id: 'createBigSegmentImport',
    method: 'POST',
    path: PATH,
    summary: 'Take the contexts of a file into a big segment',
    description:
      'A form (`multipart/form-data`) with the `file`: CSV without a heading, a context a line, its key in the first column; other ' +
      'columns are left alone, and a key with a comma or a quote stands in quotes. All are included. A file as exports make them ' +
      `may begin with \`${HEADING}\`: then the second column says \`included\` or \`excluded\`. The form can have a \`mode\`: \`merge\` ` +
      '(those who are not in the file stay; unless said otherwise) or `replace` (they go); and `waitOnApprovals`: where approval is ' +
      'required, `true` has the import wait until somebody lets it through by the instruction `processBigSegmentImport`. ' +
      `At most ${MAX_FORM_BYTES / 1024 ** 2} MiB, and one import into a segment at a time (409). The import goes on behind the call: its address ` +
      'is in the header `Location`. Of a file with a wrong line nothing is taken in.',
    access: { action: 'update*' },
    params: Type.Object(BySegment),
    consumes: () => ({
      'multipart/form-data': Type.Object({
        file: Type.String({ format: 'binary' }),
        mode: Type.Optional(OneOf(['merge', 'replace'])),
        waitOnApprovals: Type.Optional(Type.Boolean()),
      }),
    }),
    streams: true,
    reply: { 204: null },
  },
  async (call, kernel) => {
    const { projectKey, environmentKey, segmentKey } = call.params;
    await admitImport(call, kernel);
    const id = await receiveFile(kernel, call, (file) => beginImport(call, kernel, file));
    const place = { project: { key: projectKey }, environment: { key: environmentKey } };
    return reply(204, undefined, { location: `/api/v2${importPath(place, { key: segmentKey }, id)}` });
  },
);

const getBigSegmentImport = route(
  {
    id: 'getBigSegmentImport',
    method: 'GET',
    path: `${PATH}/{importID}`,
    summary: 'Get how far an import came',
    access: { action: 'viewProject' },
    params: Type.Object({ ...BySegment, importID: Type.String() }),
    reply: { 200: ImportDetail },
  },
  async (call, { db }) => {
    const { projectKey, environmentKey, segmentKey, importID } = call.params;
    const place = await openEnvironment(call, db, projectKey, environmentKey);
    const segment = await findSegment(db, place.environment.id, segmentKey);
    if (segment === undefined) throw unknownThing('segment', segmentKey);
    const found = await findImport(db, importID);
    if (found?.segmentId !== segment.id) throw unknownThing('import', importID);
    return toImport(found, segment, place);
  },
);

export const segmentImportRoutes = [createBigSegmentImport, getBigSegmentImport];
