// The use of tokens, on both engines: the last one, calls by hour, what comes of errors, and the bounds.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEachEngine } from '../../../../test/engines.ts';
import { eventually } from '../../../../test/eventually.ts';
import { newSecret } from '../../secrets/secret.ts';
import type { Engine } from '../../storage/engine.ts';
import type { KnownCaller } from '../caller.ts';
import { insertMember, type Member } from '../store-members.ts';
import { deleteToken, findToken, insertToken, type Token } from '../store-tokens.ts';
import { deleteOldTokenHours, listTokenHours, TOKEN_USED } from './store.ts';
import {
  deleteOldTokenOperations,
  listSpendingOperations,
  listTokenRefusals,
  MAX_REFUSALS_OF_TOKEN,
} from './store-operations.ts';
import { TokenUseCounter, type RefusedTokenCall } from './token-uses.ts';

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
const NOW = 500_000 * HOUR;
const ADDRESS = '192.0.2.7';

function callAt(now: number, call: Partial<RefusedTokenCall> = {}): RefusedTokenCall {
  return {
    id: `call-${now}`,
    now,
    address: ADDRESS,
    categories: ['flags.global'],
    shape: { id: 'getFlags' },
    ...call,
  };
}

onEachEngine((testEngine) => {
  let engine: Engine;
  let member: Member;
  const warnings: unknown[] = [];
  const log = { warn: (...words: unknown[]) => void warnings.push(words) };
  const counters: TokenUseCounter[] = [];
  before(async () => {
    engine = await testEngine.openMigrated();
    const ada = { username: 'ada', email: 'ada@example.com', role: 'writer' as const };
    member = await insertMember(engine.db, ada, null, NOW);
  });
  after(() => Promise.all(counters.map((counter) => counter.close())));

  function open(maxTokens?: number): TokenUseCounter {
    const counter = new TokenUseCounter(engine.db, log, maxTokens);
    counters.push(counter);
    return counter;
  }

  async function make(): Promise<KnownCaller & { token: Token }> {
    const wanted = { memberId: member.id, isService: false, name: '', description: '', customRoles: [] };
    const token = await insertToken(engine.db, wanted, newSecret('api-'), NOW);
    return { kind: 'token', member, token, grants: [] };
  }

  const read = async ({ token }: { token: Token }) => await findToken(engine.db, token.id);

  test('the first use of a token is saved by itself, with its address, API and operation, and announced once', async () => {
    const counter = open();
    const caller = await make();
    const announced: unknown[] = [];
    const stop = await engine.listen(TOKEN_USED, (id) => announced.push(id));
    counter.record(caller, callAt(NOW + 3), 'flags');
    await eventually(async () => (await read(caller))?.lastUsedAt === NOW + 3);
    assert.deepEqual((await read(caller))?.lastUse, {
      address: ADDRESS,
      api: 'flags',
      operation: 'getFlags',
    });
    counter.record(caller, callAt(NOW + 4, { shape: undefined }), 'host');
    await counter.save();
    assert.deepEqual((await read(caller))?.lastUse, { address: ADDRESS, api: 'host' });
    await eventually(() => announced.length > 0);
    // PostgreSQL sends a notification to its own node, too.
    assert.deepEqual([...new Set(announced)], [caller.token.id]);
    stop();
  });

  test('later uses wait, and are saved together', async () => {
    const counter = open();
    const caller = await make();
    caller.token.lastUsedAt = NOW;
    for (let count = 0; count < 50; count += 1) counter.record(caller, callAt(NOW + count), 'flags');
    await eventually(async () => (await read(caller))?.lastUsedAt === NOW + 49);
  });

  test('calls are counted by hour, API and category, and those over a limit once, for its category', async () => {
    const [one, two] = [open(), open()];
    const caller = await make();
    const limited = callAt(NOW, { categories: ['flags.global', 'flags.route:getTokens'] });
    one.record(caller, callAt(NOW), 'flags');
    one.record(caller, limited, 'flags');
    one.recordRefusal(caller, limited, 'flags', 'flags.route:getTokens');
    one.record(caller, limited, 'flags');
    one.recordRefusal(caller, limited, 'flags', 'flags.route:postToken');
    one.record(caller, callAt(NOW + HOUR + 1, { categories: ['host.core'] }), 'host');
    two.record(caller, callAt(NOW + 1), 'flags');
    two.record(caller, callAt(NOW + 1, { categories: [] }), 'actors');
    await one.save();
    await two.save();
    assert.deepEqual(await listTokenHours(engine.db, caller.token.id, NOW), [
      { hour: NOW, api: 'actors', category: 'none', calls: 1, refused: 0 },
      { hour: NOW, api: 'flags', category: 'global', calls: 2, refused: 0 },
      { hour: NOW, api: 'flags', category: 'route', calls: 2, refused: 2 },
      { hour: NOW + HOUR, api: 'host', category: 'core', calls: 1, refused: 0 },
    ]);
    assert.equal((await listTokenHours(engine.db, caller.token.id, NOW + HOUR)).length, 1);
    assert.equal(
      (await read(caller))?.lastUsedAt,
      NOW + HOUR + 1,
      'an earlier use of another node changes nothing',
    );
  });

  test('calls are counted by operation, up to a number of them, and refused ones are listed by their ids', async () => {
    const counter = open();
    const caller = await make();
    const { id } = caller.token;
    const at = NOW + 3 * DAY;
    for (const [operation, calls] of [
      ['getFlags', 3],
      ['getFlag', 2],
    ] as const)
      for (let call = 0; call < calls; call += 1)
        counter.record(caller, callAt(at, { shape: { id: operation } }), 'flags');
    counter.recordRefusal(
      caller,
      callAt(at, { id: 'refused-1', shape: { id: 'getFlag' } }),
      'flags',
      'secondary',
    );
    counter.record(caller, callAt(at, { shape: undefined }), 'flags');
    await counter.save();
    const scope = { memberId: member.id, since: at, limit: 10 };
    const flags = { api: 'flags', category: 'global', refused: 0 };
    assert.deepEqual(await listSpendingOperations(engine.db, scope), [
      { ...flags, operation: 'getFlags', calls: 3 },
      { ...flags, operation: '', calls: 1 },
      { ...flags, operation: 'getFlag', calls: 1 },
      { ...flags, operation: 'getFlag', category: 'secondary', calls: 1, refused: 1 },
    ]);
    assert.deepEqual(await listSpendingOperations(engine.db, { ...scope, memberId: 'another' }), []);
    assert.deepEqual(await listTokenRefusals(engine.db, { ...scope, memberId: undefined }), [
      {
        at,
        callId: 'refused-1',
        api: 'flags',
        category: 'secondary',
        operation: 'getFlag',
        token: { id, name: '', ending: caller.token.ending },
      },
    ]);

    const later = at + HOUR;
    for (let call = 0; call < 100; call += 1)
      counter.record(caller, callAt(later, { shape: { id: `operation-${call}` } }), 'flags');
    await counter.save();
    const many = await listSpendingOperations(engine.db, { ...scope, since: later, limit: 1000 });
    const [rest] = many;
    assert.deepEqual([rest!.operation, rest!.calls + many.length - 1], ['', 100], 'the rest is one line');
    const [hour] = await listTokenHours(engine.db, id, later);
    assert.equal(hour!.calls, 100);
  });

  test('of the refusals of a token the last ones are kept, for days, and operations for a day', async () => {
    const counter = open();
    const caller = await make();
    const { id } = caller.token;
    for (let call = 0; call < 70; call += 1) {
      const refused = callAt(NOW + call);
      counter.record(caller, refused, 'flags');
      counter.recordRefusal(caller, refused, 'flags', 'flags.global');
      if (call % 5 === 4) await counter.save();
    }
    const ofToken = async () =>
      (await listTokenRefusals(engine.db, { memberId: member.id, since: 0, limit: 1000 })).filter(
        ({ token }) => token.id === id,
      );
    const kept = await ofToken();
    assert.equal(kept.length, MAX_REFUSALS_OF_TOKEN);
    assert.equal(kept[0]!.at, NOW + 69, 'the last one first');
    assert.equal((await listTokenHours(engine.db, id, 0))[0]!.refused, 70, 'all are counted');
    const signal = AbortSignal.timeout(60_000);
    await deleteOldTokenOperations(engine.db, NOW + DAY, signal);
    assert.equal((await ofToken()).length, MAX_REFUSALS_OF_TOKEN);
    await deleteOldTokenOperations(engine.db, NOW + 8 * DAY, signal);
    assert.deepEqual(await ofToken(), []);
    const operations = await engine.db
      .selectFrom('token_operations')
      .select('hour')
      .where('token_id', '=', id)
      .execute();
    assert.deepEqual(operations, []);
  });

  test('sessions, programs and callers without a credential are not counted', async () => {
    const counter = open();
    const caller = await make();
    counter.record({ kind: 'session', member, grants: [] }, callAt(NOW), 'flags');
    counter.record({ ...caller, program: { api: 'actors', id: 'run' } }, callAt(NOW), 'actors');
    counter.record({ kind: 'anonymous', address: ADDRESS, grants: [] }, callAt(NOW), 'flags');
    await counter.save();
    assert.equal((await read(caller))?.lastUsedAt, undefined);
  });

  test('a token that is gone takes its hours with it, and keeps no other use from being saved', async () => {
    const counter = open();
    const [gone, stays] = [await make(), await make()];
    counter.record(gone, callAt(NOW), 'flags');
    await counter.save();
    assert.equal((await listTokenHours(engine.db, gone.token.id, 0)).length, 1);
    counter.record(gone, callAt(NOW + 1), 'flags');
    counter.record(stays, callAt(NOW + 1), 'flags');
    await deleteToken(engine.db, gone.token.id);
    await counter.save();
    assert.deepEqual(await listTokenHours(engine.db, gone.token.id, 0), []);
    assert.equal((await read(stays))?.lastUsedAt, NOW + 1);
  });

  test('what cannot be saved is saved later, and nothing is lost at the end', async () => {
    const counter = open();
    const caller = await make();
    const { db } = engine;
    const failing = new TokenUseCounter({ transaction: () => assert.fail('away') } as never, log);
    failing.record(caller, callAt(NOW), 'flags');
    await assert.rejects(failing.save(), /away/);
    failing.record(caller, callAt(NOW + 1), 'flags');
    await assert.rejects(failing.close(), /away/, 'it still has both');
    let isAway = true;
    const unsteady = { transaction: () => (isAway ? assert.fail('away') : db.transaction()) } as never;
    const patient = new TokenUseCounter(unsteady, log);
    patient.record(caller, callAt(NOW), 'flags');
    await assert.rejects(patient.save(), /away/);
    isAway = false;
    patient.record(caller, callAt(NOW + 2), 'flags');
    await patient.close();
    assert.equal((await listTokenHours(db, caller.token.id, 0))[0]?.calls, 2);
    assert.equal((await read(caller))?.lastUsedAt, NOW + 2);
    await counter.save();
  });

  test('more tokens than there is memory for are not counted, until others are saved', async () => {
    const counter = open(2);
    const callers = [await make(), await make(), await make()];
    for (const caller of callers) counter.record(caller, callAt(NOW), 'flags');
    await counter.save();
    const used = await Promise.all(callers.map(async (caller) => (await read(caller))?.lastUsedAt));
    assert.deepEqual(used, [NOW, NOW, undefined]);
    counter.record(callers[2]!, callAt(NOW), 'flags');
    await counter.save();
    assert.equal((await read(callers[2]!))?.lastUsedAt, NOW);
  });

  test('hours are kept for thirty days', async () => {
    const counter = open();
    const caller = await make();
    for (const days of [0, 29, 31, 40]) counter.record(caller, callAt(NOW - days * DAY), 'flags');
    await counter.save();
    await deleteOldTokenHours(engine.db, NOW, AbortSignal.timeout(60_000));
    const left = await listTokenHours(engine.db, caller.token.id, 0);
    assert.deepEqual(
      left.map(({ hour }) => (NOW - hour) / DAY),
      [29, 0],
    );
  });
});
