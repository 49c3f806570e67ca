// Exports of big segments to files: start one, get its status, and download the file.
import { Failure } from '../../../kernel/failure.ts';
import { newId } from '../../../kernel/id.ts';
import type { Member } from '../../../kernel/identity/store-members.ts';
import { listMemberRecords } from '../../members/store.ts';
import { reply, route, Stream, type Call } from '../../../kernel/http/route.ts';
import { OneOf, Type, type Static } from '../../../kernel/schema/schema.ts';
import type { BlobStore } from '../../../kernel/storage/blobs/blob.ts';
import type { Db } from '../../../kernel/storage/tables.ts';
import { userContentHeaders } from '../../../kernel/http/reply/user-content.ts';
import { Links, linkTo } from '../../links.ts';
import { openEnvironment, unknownThing } from '../../find-project.ts';
import { requireBig } from '../membership.ts';
import { formatSize } from '../imports/csv-file.ts';
import { pathTo } from '../model.ts';
import type { Segment } from '../segment.ts';
import { findSegment, lockSegment } from '../store.ts';
import {
  insertExport,
  exportFile,
  findExport,
  KEPT_HOURS,
  listExports,
  scheduleEnd,
  scheduleExport,
  EXPORT_STATUSES,
  type SegmentExport,
} from './store.ts';

/** Per segment, so that repeated exports cannot fill the disk. */
const MAX_EXPORTS = 10;

const PATH = '/segments/{projectKey}/{environmentKey}/{segmentKey}/exports';
const BySegment = Type.Object({
  projectKey: Type.String(),
  environmentKey: Type.String(),
  segmentKey: Type.String(),
});
const ByExport = Type.Object({ ...BySegment.properties, exportID: Type.String() });

const Export = Type.Object(
  {
    id: Type.String(),
    segmentKey: Type.String(),
    creationTime: Type.Integer(),
    status: OneOf(EXPORT_STATUSES),
    sizeBytes: Type.Integer({ description: 'Of the file, once it is complete' }),
    size: Type.String({ description: 'The same with units' }),
    initiator: Type.Object({ name: Type.Optional(Type.String()), email: Type.Optional(Type.String()) }),
    _links: Links,
  },
  { $id: 'Export' },
);

const createBigSegmentExport = route(
  {
    id: 'createBigSegmentExport',
    method: 'POST',
    path: PATH,
    summary: 'Write the contexts of a big segment to a file',
    description:
      'The export goes on behind the call: its address is in the header `Location`. One export of a segment at a time (409); of ' +
      `those that are complete the newest ${MAX_EXPORTS} are kept, for ${KEPT_HOURS} hours. Who is in the segment all the while is in the file.`,
    access: { action: 'viewProject' },
    params: BySegment,
    // Earlier releases replied 204; it stays in the description for clients that expect it.
    reply: { 200: Export, 204: null },
  },
  async (call, { db }) => {
    const { now, caller } = call;
    const id = newId(now);
    const shown = await db.transaction().execute(async (tx) => {
      const { segment, path } = await open(call, tx, (...asked) => lockSegment(...asked));
      const others = await listExports(tx, segment.id);
      if (others.some(({ status }) => status === 'in_progress'))
        throw new Failure('conflict', `Another export of "${segment.key}" is in progress`);
      const surplus = Math.max(0, others.length + 1 - MAX_EXPORTS);
      for (const { id: oldest } of others.slice(0, surplus)) await scheduleEnd(tx, oldest, now, 0);
      const made = {
        id,
        segmentId: segment.id,
        size: 0,
        memberId: caller.member.id,
        createdAt: now,
        status: 'in_progress' as const,
      };
      await insertExport(tx, made);
      await scheduleExport(tx, id, now);
      await scheduleEnd(tx, id, now);
      return toExport(made, { segment, path, member: caller.member });
    });
    return reply(200, shown, { location: shown._links['self']!.href });
  },
);

const getBigSegmentExport = route(
  {
    id: 'getBigSegmentExport',
    method: 'GET',
    path: `${PATH}/{exportID}`,
    summary: 'Get whether an export is complete, and where its file is',
    access: { action: 'viewProject' },
    params: ByExport,
    reply: { 200: Export },
  },
  async (call, { db }): Promise<Static<typeof Export>> => {
    const { segment, path, found } = await openExport(call, db);
    const [member] = await listMemberRecords(db, [found.memberId]);
    return toExport(found, { segment, path, member });
  },
);

interface ExportContext {
  segment: Pick<Segment, 'key'>;
  /** The path of the segment. */
  path: string;
  /** Undefined if the member was removed. */
  member: Pick<Member, 'firstName' | 'lastName' | 'email'> | undefined;
}

function toExport(
  { id, createdAt, status, size }: SegmentExport,
  { segment, path, member }: ExportContext,
): Static<typeof Export> {
  const name = [member?.firstName, member?.lastName].filter((part) => part !== undefined).join(' ');
  return {
    id,
    segmentKey: segment.key,
    creationTime: createdAt,
    status,
    sizeBytes: size,
    size: formatSize(size),
    initiator: { ...(name !== '' && { name }), ...(member && { email: member.email }) },
    _links: {
      self: linkTo(`${path}/exports/${id}`),
      parent: linkTo(path),
      ...(status === 'complete' && { file: linkTo(`${path}/exports/${id}/file`, 'text/csv') }),
    },
  };
}

const getBigSegmentExportFile = route(
  {
    id: 'getBigSegmentExportFile',
    method: 'GET',
    path: `${PATH}/{exportID}/file`,
    isContent: true,
    summary: 'Load the file of an export, as an import takes it',
    access: { action: 'viewProject' },
    params: ByExport,
    produces: 'text/csv',
    reply: { 200: Type.String({ format: 'binary' }) },
  },
  async (call, { db, blobs }) => {
    const { segment, found } = await openExport(call, db);
    if (found.status !== 'complete') throw unknownThing('file yet of the export', found.id);
    return new Stream(contentOf(blobs, found.id), {
      ...userContentHeaders('text/csv; charset=utf-8', `${segment.key}.csv`),
      'content-length': String(found.size),
    });
  },
);

/** Opens the blob at the first read, so that an unread stream leaves nothing open. */
async function* contentOf(blobs: BlobStore, id: string): AsyncGenerator<Uint8Array, void> {
  const blob = await blobs.get(exportFile(id));
  if (blob === undefined) throw new Error(`The file of the export ${id} is missing`);
  yield* blob.stream() as AsyncIterable<Uint8Array>;
}

type SegmentCall = Pick<Call, 'can'> & { params: Static<typeof BySegment> };

async function open(call: SegmentCall, db: Db, find: typeof findSegment) {
  const { projectKey, environmentKey, segmentKey } = call.params;
  const place = await openEnvironment(call, db, projectKey, environmentKey);
  const segment = await find(db, place.environment.id, segmentKey);
  if (segment === undefined) throw unknownThing('segment', segmentKey);
  return { segment: requireBig(segment), path: pathTo(place, segment) };
}

async function openExport(call: SegmentCall & { params: Static<typeof ByExport> }, db: Db) {
  const { segment, path } = await open(call, db, findSegment);
  const { exportID } = call.params;
  const found = await findExport(db, exportID);
  if (found?.segmentId !== segment.id) throw unknownThing('export', exportID);
  return { segment, path, found };
}

export const segmentExportRoutes = [createBigSegmentExport, getBigSegmentExport, getBigSegmentExportFile];
