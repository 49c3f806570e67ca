// Query plans of statements on segments: by index, however many rows other segments have.
import { before, test } from 'node:test';
import { sql, type CompiledQuery } from 'kysely';
import { onEachEngine } from '../../../test/engines.ts';
import { assertPlans, recordStatements } from '../../../test/query-plans.ts';
import { newId } from '../../kernel/id.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { readExpression } from '../lists/filter-expression.ts';
import { readSort } from '../lists/list-query.ts';
import { SEGMENT_FILTERS } from './store-filter.ts';
import {
  completeExport,
  insertExport,
  deleteExport,
  findExport,
  listExports,
  streamMembers,
  type SegmentExport,
} from './exports/store.ts';
import {
  type SegmentImport,
  addToMemberCounts,
  insertImport,
  findImport,
  lockSegmentById,
  nextNumber,
  removeUnmarked,
  updateImport,
  setImporting,
} from './imports/store.ts';
import { findTargetTypes, updateMembership, deleteOrphanedMembers } from './store-members.ts';
import {
  insertSegment,
  deleteSegment,
  findSegment,
  findSegmentById,
  lockSegment,
  listSegments,
  pageSegments,
  updateSegment,
  SEGMENT_SORTS,
} from './store.ts';
import { listFlagsUsing, replaceSegmentUses } from './store-uses.ts';

const ENVIRONMENTS = 40;

onEachEngine((tested) => {
  let engine: Engine;
  let statements: CompiledQuery[];

  before(async () => {
    engine = await tested.openMigrated();
    const { db } = engine;
    const project = { id: 'p', key: 'shop', name: 'Shop', tags: '[]', doc: '{}', version: 1, created_at: 1 };
    await db.insertInto('projects').values(project).execute();
    const environments = Array.from({ length: ENVIRONMENTS }, (_, index) => `e${index}`);
    const rest = {
      tags: '[]',
      is_critical: 0,
      doc: '{}',
      old_sdk_key: null,
      old_sdk_until: null,
      version: 1,
      created_at: 1,
    };
    await db
      .insertInto('environments')
      .values(
        environments.map((id) => ({
          id,
          project_id: 'p',
          key: id,
          name: id,
          sdk_key: id,
          mobile_key: id,
          client_id: id,
          ...rest,
        })),
      )
      .execute();
    for (const environmentId of environments) {
      for (let index = 0; index < 40; index += 1)
        await insertSegment(
          db,
          { environmentId, key: `s${index}`, name: 'S', tags: [], unbounded: true },
          '',
          1000 + index,
        );
    }
    // One of them is already deleted, so that its members are orphaned.
    const owners = [...(await listSegments(db, 'e0')).map(({ id }) => id), 'gone'];
    const upsert = Array.from({ length: 200 }, (_, index) => ({
      key: `k${index}`,
      type: 'included' as const,
    }));
    for (const id of owners) await updateMembership(db, id, { upsert, remove: [], included: 0, excluded: 0 });
    for (const environmentId of environments.slice(0, 20))
      for (const { id: segmentId } of await listSegments(db, environmentId)) await addFiles(segmentId);
    const seen = recordStatements(engine);
    await useAll();
    statements = [...seen.values()];
  });

  async function useAll(): Promise<void> {
    const { db } = engine;
    const segment = (await findSegment(db, 'e1', 's1'))!;
    await findSegmentById(db, segment.id);
    await lockSegment(db, 'e1', 's1');
    await listSegments(db, 'e1');
    const filter = readExpression('tags anyOf ["x"]|query equals y', SEGMENT_FILTERS);
    for (const sort of [undefined, 'name', '-lastModified'])
      await pageSegments(db, {
        environmentId: 'e1',
        filter,
        sort: readSort(sort, SEGMENT_SORTS),
        slice: { offset: 0, limit: 20 },
      });
    await updateSegment(db, segment, { ...segment, version: 2 });
    await findTargetTypes(db, segment.id, ['k1', 'k2']);
    await updateMembership(db, segment.id, {
      upsert: [{ key: 'k1', type: 'included' }],
      remove: ['k2'],
      included: 0,
      excluded: 0,
    });
    await replaceSegmentUses(db, 'e1', 'nobody', []);
    await listFlagsUsing(db, 'e1', 's1');
    await useFiles(segment.id);
    await deleteSegment(db, { ...segment, version: 2 });
    await deleteOrphanedMembers(db);
  }

  /** An import and an export. */
  async function addFiles(segmentId: string): Promise<[SegmentImport, SegmentExport]> {
    const counts = { keyCount: 0, processedCount: 0, changedCount: 0, removedCount: 0 };
    const common = { id: newId(1), segmentId, size: 1, createdAt: 1, status: 'in_progress' as const };
    const own = { isWaiting: false, isTyped: false, takenBytes: 0, doer: { memberId: 'm' } };
    const number = await nextNumber(engine.db, segmentId);
    const made: SegmentImport = { ...common, ...own, ...counts, number, mode: 'replace' };
    const shown: SegmentExport = { ...common, memberId: 'm' };
    await insertImport(engine.db, made);
    await insertExport(engine.db, shown);
    return [made, shown];
  }

  async function useFiles(segmentId: string): Promise<void> {
    const { db } = engine;
    const [made, shown] = await addFiles(segmentId);
    await updateImport(db, (await findImport(db, made.id))!);
    await lockSegmentById(db, segmentId);
    await setImporting(db, segmentId, 'replace');
    await addToMemberCounts(db, segmentId, { included: 1, excluded: 1 });
    await removeUnmarked(db, { ...made, removedTo: 'k1' });
    await findExport(db, shown.id);
    await listExports(db, segmentId);
    await completeExport(db, shown.id, 5);
    await Array.fromAsync(streamMembers(db, segmentId, new AbortController().signal));
    await deleteExport(db, shown.id);
  }

  test('no statement goes through a whole table', async () => {
    await sql.raw('analyze').execute(engine.db);
    const scan = /SCAN (segment|flags)|Seq Scan on segment(s|_members|_imports|_exports)\b/;
    await assertPlans(engine, statements, { atLeast: 15, scan });
  });
});
