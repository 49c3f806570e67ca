// Context kinds on each engine: separate by project, deleted with it, and found by an index.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { onEachEngine } from '../../../test/engines.ts';
import { assertPlans, recordStatements } from '../../../test/query-plans.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { makeHome, NOW } from '../feature-flags/fixture.ts';
import type { Project } from '../projects/project.ts';
import { deleteProject } from '../projects/store.ts';
import { defaultUserKind, type ProjectContextKind } from './model.ts';
import { findContextKind, listContextKinds, upsertContextKind } from './store.ts';

const newKind = (key: string): ProjectContextKind => ({
  key,
  name: key,
  description: '',
  isArchived: false,
  version: 1,
  createdAt: NOW,
  modifiedAt: NOW,
});

onEachEngine((testEngine) => {
  let engine: Engine;
  before(async () => {
    engine = await testEngine.openMigrated();
  });

  let number = 0;
  async function newProject(): Promise<Project> {
    number += 1;
    return (await makeHome(engine.db, `kinds-${number}`)).project;
  }
  const keysOf = async (project: Project) =>
    (await listContextKinds(engine.db, project)).map(({ key }) => key);

  test('users are among the kinds, changed or not, and each project has its own', async () => {
    const { db } = engine;
    const [project, other] = [await newProject(), await newProject()];
    const user = defaultUserKind(project);
    for (const key of ['zone', 'device']) await upsertContextKind(db, project, undefined, newKind(key));
    assert.deepEqual(await keysOf(project), ['device', 'user', 'zone']);
    assert.deepEqual(await findContextKind(db, project, 'user'), user);
    const changed = { ...user, name: 'Person', isArchived: true, version: 2 };
    await upsertContextKind(db, project, user, changed);
    assert.deepEqual(await findContextKind(db, project, 'user'), changed);
    assert.deepEqual(await keysOf(project), ['device', 'user', 'zone']);
    assert.deepEqual(await listContextKinds(db, other), [defaultUserKind(other)]);
    assert.equal(await findContextKind(db, other, 'zone'), undefined);
  });

  test('what someone else has made or changed is not written over', async () => {
    const { db } = engine;
    const project = await newProject();
    const kind = newKind('org');
    await upsertContextKind(db, project, undefined, kind);
    await assert.rejects(upsertContextKind(db, project, undefined, kind), { kind: 'conflict' });
    await upsertContextKind(db, project, kind, { ...kind, name: 'One', version: 2 });
    const late = upsertContextKind(db, project, kind, { ...kind, name: 'Other', version: 2 });
    await assert.rejects(late, { kind: 'conflict' });
    assert.equal((await findContextKind(db, project, 'org'))!.name, 'One');
  });

  test('they go with their project', async () => {
    const { db } = engine;
    const project = await newProject();
    await upsertContextKind(db, project, undefined, newKind('org'));
    await deleteProject(db, project.id);
    assert.deepEqual(await keysOf(project), ['user']);
  });

  test('an index finds them', async () => {
    const { db } = engine;
    const project = await newProject();
    for (let index = 0; index < 100; index += 1) {
      const { id } = await newProject();
      const row = { name: '', description: '', is_archived: 0, version: 1, created_at: 1, modified_at: 1 };
      await db
        .insertInto('context_kinds')
        .values(Array.from({ length: 30 }, (_, kind) => ({ project_id: id, key: `kind-${kind}`, ...row })))
        .execute();
    }
    await sql.raw('analyze').execute(db);
    const seen = recordStatements(engine);
    await listContextKinds(db, project);
    await findContextKind(db, project, 'org');
    const statements = [...seen.values()];
    await assertPlans(engine, statements, { atLeast: 2, scan: /SCAN context_kinds|Seq Scan/ });
  });
});
