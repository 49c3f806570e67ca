// Imports of files into big segments: start one, and get its progress.
import { reply, route } from '../../../kernel/http/route.ts';
import { OneOf, Type } from '../../../kernel/schema/schema.ts';
import { openEnvironment, unknownThing } from '../../find-project.ts';
import { findSegment } from '../store.ts';
import { admitImport, beginImport } from './begin-import.ts';
import { HEADING } from './csv-file.ts';
import { MAX_FORM_BYTES, receiveFile } from './receive-file.ts';
import { ImportDetail, importPath, toImport } from './representation.ts';
import { findImport } from './store.ts';

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
