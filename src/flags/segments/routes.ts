// Segments: list, create, get, patch, delete.
import { randomBytes } from 'node:crypto';
import { Failure } from '../../kernel/failure.ts';
import { readCallPatch, updateOf } from '../patch/patch.ts';
import { reply, route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';

import { IfMatch, readIfMatch } from '../patch/if-match.ts';
import { listKinds } from '../patch/instructions.ts';
import { takesPatches } from '../patch/patch-document.ts';
import { readExpression } from '../lists/filter-expression.ts';
import { PageQuery, readSort, sliceInVersion, SortQuery } from '../lists/list-query.ts';
import { ByEnvironment, openEnvironment, unknownThing } from '../find-project.ts';
import { environmentalResource } from '../policy/resources.ts';
import { requireSegmentApproval } from './approval.ts';
import { changeSegment, type SegmentUpdate } from './change-segment.ts';
import { deleteExpirations } from './expiring-targets.ts';
import { SEGMENT_FILTERS } from './store-filter.ts';
import { segmentKinds } from './instructions.ts';
import { editSegmentByPatch } from './segment-edit.ts';
import {
  pathTo,
  readSegmentPost,
  SegmentDetail,
  SegmentPost,
  SegmentSummary,
  toSegmentDetail,
  toFlagListings,
  toSegmentSummary,
  type EnvironmentKeys,
  EditableSegment,
} from './model.ts';
import {
  insertSegment,
  deleteSegment,
  findSegment,
  lockSegment,
  pageSegments,
  SEGMENT_SORTS,
} from './store.ts';
import { listFlagsUsing } from './store-uses.ts';

const BySegment = Type.Object({
  projectKey: Type.String(),
  environmentKey: Type.String(),
  segmentKey: Type.String(),
});

const getSegments = route(
  {
    id: 'getSegments',
    method: 'GET',
    path: '/segments/{projectKey}/{environmentKey}',
    summary: 'List segments',
    access: { action: 'viewProject' },
    params: ByEnvironment,
    query: Type.Object({
      ...PageQuery,
      ...SortQuery(SEGMENT_SORTS),
      filter: Type.Optional(
        Type.String({
          description:
            'Comparisons joined by `,` (and) and `|` (or), with parentheses: `excludedKeys anyOf`, `external exists`, ' +
            '`includedKeys anyOf`, `query equals`, `tags anyOf`, `unbounded equals`',
        }),
      ),
    }),
    list: SegmentSummary,
  },
  async (call, { db }) => {
    const { params, query } = call;
    const filter = readExpression(query.filter, SEGMENT_FILTERS);
    const sort = readSort(query.sort, SEGMENT_SORTS);
    const place = await openEnvironment(call, db, params.projectKey, params.environmentKey);
    const environmentId = place.environment.id;
    const page = await pageSegments(db, { environmentId, filter, sort, slice: sliceInVersion(call) });
    return page.map((segment) => toSegmentSummary(segment, place));
  },
);

const postSegment = route(
  {
    id: 'postSegment',
    method: 'POST',
    path: '/segments/{projectKey}/{environmentKey}',
    summary: 'Create a segment',
    access: { action: 'createSegment' },
    params: ByEnvironment,
    body: SegmentPost,
    reply: { 201: SegmentDetail },
  },
  async (call, { changes }) => {
    const { params, body, now } = call;
    const salt = randomBytes(16).toString('hex');
    const [segment, place] = await changes.run(call, async (tx) => {
      const { db } = tx;
      const { project, environment } = await openEnvironment(
        call,
        db,
        params.projectKey,
        params.environmentKey,
      );
      const wanted = readSegmentPost(body, environment.id);
      const resource = environmentalResource(project, environment, 'segment', wanted);
      call.requirePermission(resource);
      const made = await insertSegment(db, wanted, salt, now);
      if (made === undefined)
        throw new Failure('conflict', `There is a segment "${wanted.key}" already`, { code: 'key_exists' });
      const at: EnvironmentKeys = { project, environment };
      tx.record({
        accesses: [{ action: 'createSegment', resource }],
        kind: 'segment',
        name: made.name,
        verb: 'created the segment',
        after: toSegmentDetail(made, at),
      });
      return [made, at] as const;
    });
    return reply(201, toSegmentDetail(segment, place), { location: `/api/v2${pathTo(place, segment)}` });
  },
);

const getSegment = route(
  {
    id: 'getSegment',
    method: 'GET',
    path: '/segments/{projectKey}/{environmentKey}/{segmentKey}',
    summary: 'Get a segment, and the flags that use it',
    access: { action: 'viewProject' },
    params: BySegment,
    reply: { 200: SegmentDetail },
  },
  async (call, { db }) => {
    const { projectKey, environmentKey, segmentKey } = call.params;
    const place = await openEnvironment(call, db, projectKey, environmentKey);
    const segment = await findSegment(db, place.environment.id, segmentKey);
    if (segment === undefined) throw unknownThing('segment', segmentKey);
    const flags = await listFlagsUsing(db, place.environment.id, segment.key);
    return { ...toSegmentDetail(segment, place), _flags: toFlagListings(flags, place) };
  },
);

const patchSegmentRoute = route(
  {
    id: 'patchSegment',
    method: 'PATCH',
    path: '/segments/{projectKey}/{environmentKey}/{segmentKey}',
    summary: 'Change a segment by JSON patch, merge patch or semantic patch',
    description: `Instructions of a semantic patch:\n\n${listKinds(segmentKinds)}`,
    access: { action: 'update*', others: ['viewProject'] },
    params: BySegment,
    query: Type.Object({
      dryRun: Type.Boolean({ default: false, description: 'Answer as if it were done, and do nothing' }),
    }),
    headers: IfMatch,
    ...takesPatches('Segment', { json: true, merge: () => EditableSegment, instructions: segmentKinds }),
    reply: { 200: SegmentDetail },
  },
  async (call, { changes }) => {
    const { projectKey, environmentKey, segmentKey } = call.params;
    const patch = readCallPatch(call, ['json', 'merge', 'semantic']);
    const versions = readIfMatch(call);
    const { dryRun } = call.query;
    const shown = await changes.run(call, async (tx) => {
      const { db } = tx;
      const place = await openEnvironment(call, db, projectKey, environmentKey);
      const edit = editSegmentByPatch(patch, place);
      const { comment } = patch;
      const update: SegmentUpdate = { edit, comment, update: updateOf(patch), dryRun, versions };
      return toSegmentDetail(await changeSegment(tx, { ...place, segmentKey }, update), place);
    });
    return shown;
  },
);

const deleteSegmentRoute = route(
  {
    id: 'deleteSegment',
    method: 'DELETE',
    path: '/segments/{projectKey}/{environmentKey}/{segmentKey}',
    summary: 'Delete a segment that no flag uses',
    access: { action: 'deleteSegment' },
    params: BySegment,
    reply: { 204: null },
  },
  async (call, { changes }) => {
    const { projectKey, environmentKey, segmentKey } = call.params;
    await changes.run(call, async (tx) => {
      const { db } = tx;
      const { project, environment } = await openEnvironment(call, db, projectKey, environmentKey);
      const segment = await lockSegment(db, environment.id, segmentKey);
      if (segment === undefined) throw unknownThing('segment', segmentKey);
      const resource = environmentalResource(project, environment, 'segment', segment);
      call.requirePermission(resource);
      requireSegmentApproval(call, environment, segment, resource);
      const [flag] = await listFlagsUsing(db, environment.id, segment.key);
      if (flag !== undefined)
        throw new Failure('conflict', `The flag "${flag.key}" uses the segment: change its rules first`);
      await deleteSegment(db, segment);
      await deleteExpirations(db, segment, call.now);
      tx.record({
        accesses: [{ action: 'deleteSegment', resource }],
        kind: 'segment',
        name: segment.name,
        verb: 'deleted the segment',
        before: toSegmentDetail(segment, { project, environment }),
      });
    });
    return reply(204);
  },
);

export const segmentRoutes = [getSegments, postSegment, getSegment, patchSegmentRoute, deleteSegmentRoute];
