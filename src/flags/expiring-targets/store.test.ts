import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { dueMigrations } from '../../kernel/jobs/due-store.ts';
import type { Failure } from '../../kernel/failure.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { onEachEngine } from '../../../test/engines.ts';
import { expiringTargetMigrations } from '../migrations/expiring-targets.ts';
import { projectMigrations } from '../migrations/projects.ts';
import type { ExpiringTarget } from './model.ts';
import {
  deleteExpiringTarget,
  deleteExpiringTargetsOf,
  expiryWork,
  findExpiringTarget,
  listExpiringTargets,
  updateExpiringTargets,
} from './store.ts';

const ENVIRONMENT = 'environment';

function target(id: string, rest: Partial<ExpiringTarget> = {}): ExpiringTarget {
  return {
    id,
    resourceKind: 'flag',
    resourceId: 'banner',
    environmentId: ENVIRONMENT,
    place: 'red',
    contextKind: 'user',
    contextKey: id,
    expiresAt: 5000,
    version: 1,
    ...rest,
  };
}

onEachEngine(({ open }) => {
  let engine: Engine;
  before(async () => {
    engine = await open([...dueMigrations, ...projectMigrations, ...expiringTargetMigrations]);
    await engine.db
      .insertInto('projects')
      .values({ id: 'p', key: 'p', name: 'p', tags: '[]', doc: '{}', version: 1, created_at: 0 })
      .execute();
    await engine.db
      .insertInto('environments')
      .values({
        id: ENVIRONMENT,
        project_id: 'p',
        key: 'test',
        name: 'test',
        tags: '[]',
        is_critical: 0,
        doc: '{}',
        sdk_key: 's',
        old_sdk_key: null,
        old_sdk_until: null,
        mobile_key: 'm',
        client_id: 'c',
        version: 1,
        created_at: 0,
      })
      .execute();
  });
  const save = (from: ExpiringTarget[], to: ExpiringTarget[]) =>
    engine.db.transaction().execute((tx) => updateExpiringTargets(tx, from, to, 10));
  const list = (resourceId: string) =>
    listExpiringTargets(engine.db, { resourceId, environmentId: ENVIRONMENT });
  const dueOf = async (kind: 'flag' | 'segment', id: string) => {
    const name = expiryWork(kind);
    const row = await engine.db
      .selectFrom('due')
      .select(['due_at', 'payload', 'kind'])
      .where('id', '=', `${name}:${id}`)
      .executeTakeFirst();
    return row && [row.kind, row.payload, row.due_at];
  };

  test('what is saved is read, the first to expire first, and its work waits', async () => {
    const [a, b] = [target('a1', { expiresAt: 7000 }), target('b1', { contextKind: 'company' })];
    await save([], [a, b]);
    assert.deepEqual(await list('banner'), [b, a]);
    assert.deepEqual(await findExpiringTarget(engine.db, 'a1'), a);
    assert.equal(await findExpiringTarget(engine.db, 'nobody'), undefined);
    assert.deepEqual(await dueOf('flag', 'a1'), ['flags.expire-flag-target', 'a1', 7000]);
    await save([a, b], []);
    assert.deepEqual(await list('banner'), []);
  });

  test('a later date moves the work, and what stays is left alone', async () => {
    const [a, b] = [
      target('a2', { resourceKind: 'segment', resourceId: 'seg' }),
      target('b2', { resourceId: 'seg' }),
    ];
    await save([], [a, b]);
    const later = { ...a, expiresAt: 9000, version: 2 };
    await save([a, b], [later, b]);
    assert.deepEqual(await list('seg'), [b, later]);
    assert.deepEqual(await dueOf('segment', 'a2'), ['flags.expire-segment-target', 'a2', 9000]);
  });

  test('a context that is given another place in one go is there once', async () => {
    const old = target('a3', { resourceId: 'moved', contextKey: 'ada' });
    await save([], [old]);
    const now = target('b3', { resourceId: 'moved', contextKey: 'ada', place: 'blue' });
    await save([old], [now]);
    assert.deepEqual(await list('moved'), [now]);
  });

  test('what someone else has changed meanwhile is a conflict', async () => {
    const old = target('a4', { resourceId: 'raced' });
    await save([], [old]);
    const isConflict = (error: Failure) => error.kind === 'conflict';
    const stale = { ...old, version: 7 };
    await assert.rejects(save([stale], [{ ...stale, version: 8 }]), isConflict);
    await assert.rejects(save([stale], []), isConflict);
    await assert.rejects(deleteExpiringTarget(engine.db, stale), isConflict);
    assert.deepEqual(await list('raced'), [old]);
  });

  test('those of what is gone are dropped, and those of others stay', async () => {
    const [a, b] = [target('a5', { resourceId: 'gone' }), target('b5', { resourceId: 'stays' })];
    await save([], [a, b]);
    await deleteExpiringTargetsOf(engine.db, 'gone');
    assert.deepEqual(await list('gone'), []);
    assert.deepEqual(await list('stays'), [b]);
  });

  test('they go with their environment', async () => {
    await save([], [target('a6', { resourceId: 'last' })]);
    await engine.db.deleteFrom('environments').where('id', '=', ENVIRONMENT).execute();
    assert.deepEqual(await list('last'), []);
  });
});
