// Query plans of code references: every query uses an index.
import { before, test } from 'node:test';
import type { CompiledQuery } from 'kysely';
import { onEachEngine } from '../../../test/engines.ts';
import { assertPlans, recordStatements } from '../../../test/query-plans.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { codeReferenceMigrations } from '../migrations/code-references.ts';
import { featureFlagMigrations } from '../migrations/feature-flags.ts';
import { projectMigrations } from '../migrations/projects.ts';
import { readFlagFilter } from '../feature-flags/filter.ts';
import { listFlags } from '../feature-flags/store-lists.ts';
import { findRepository, listExtinctions } from './store.ts';
import {
  deleteBranches,
  findBranch,
  findBranchesByName,
  listBranches,
  listReferences,
  sumReferenceLengths,
} from './store-branches.ts';
import { listFlagStatistics } from './store-statistics.ts';

const SLICE = { offset: 0, limit: 10 };

onEachEngine((testEngine) => {
  let engine: Engine;
  let statements: CompiledQuery[];
  before(async () => {
    engine = await testEngine.open([
      ...projectMigrations,
      ...featureFlagMigrations,
      ...codeReferenceMigrations,
    ]);
    const { db } = engine;
    const seen = recordStatements(engine);
    await findRepository(db, 'a');
    await listBranches(db, ['a', 'b']);
    await findBranch(db, { id: 'a' }, 'main');
    await findBranchesByName(db, ['a', 'b']);
    await findBranchesByName(db, ['a', 'b'], 'main');
    await listReferences(db, ['a'], {});
    await listReferences(db, ['a'], { projectId: 'p', flagKey: 'f' });
    await sumReferenceLengths(db, ['a'], { projectId: 'p' });
    await listFlagStatistics(db, { projectId: 'p' }, 10);
    await listFlagStatistics(db, { projectId: 'p', flagKeys: ['f', 'g'] }, 10);
    const filter = readFlagFilter({ filter: 'codeReferences.min:1,codeReferences.max:9' });
    await listFlags(db, { projectId: 'p', filter, repositoryIds: ['r'], orders: [], slice: SLICE, now: 0 });
    await listExtinctions(db, { branchIds: ['a'], from: 1, to: 2 }, SLICE);
    const projects = { ids: ['p'], areHidden: false };
    await listExtinctions(db, { branchIds: ['a'], projects, flagKey: 'f' }, SLICE);
    await deleteBranches(db, { id: 'a' }, ['main']);
    statements = [...seen.values()];
  });

  test('every query uses an index', async () => {
    const scan = /Seq Scan|SCAN (?!.*USING)/;
    await assertPlans(engine, statements, { atLeast: 13, scan, hasFewRows: true });
  });
});
