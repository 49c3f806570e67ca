// Kept replies: who waits for the making of one, and what a write meanwhile does to it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { onEngine } from '../../../../test/engines.ts';
import { inTime } from '../../../../test/eventually.ts';
import type { Kernel } from '../../kernel.ts';
import type { RequestContext } from '../request-context.ts';
import { KeptReplies } from './kept-replies.ts';

const notes = { name: 'test-notes', up: () => ['create table notes (name text not null)'] };
const READY = { text: '[]', headers: {}, effects: 0 };

function callAt(url: string, headers: Record<string, string> = {}): RequestContext {
  const caller = { kind: 'anonymous', address: '127.0.0.1' };
  return { caller, version: '1', base: '', url, headers } as unknown as RequestContext;
}

onEngine('sqlite', (engine) => {
  async function open() {
    const { db, tableChanges } = await engine.open([notes]);
    const replies = new KeptReplies({ tableChanges } as unknown as ConstructorParameters<
      typeof KeptReplies
    >[0]);
    const begin = (key: string) => replies.begin(key, { db } as unknown as Kernel);
    const read = async ({ kernel }: ReturnType<typeof begin>) =>
      (await sql`select name from notes`.execute(kernel.db)).rows;
    const write = () => sql`insert into notes (name) values ('one')`.execute(db);
    return { replies, begin, read, write };
  }

  test('a call that comes while the same reply is made waits for it', async () => {
    const { replies, begin, read } = await open();
    const keeping = begin('a');
    const waiting = replies.find('a');
    assert.ok(waiting instanceof Promise);
    assert.equal(replies.find('b'), undefined);
    await read(keeping);
    keeping.keep(READY);
    keeping.end();
    assert.equal(await inTime(waiting, 'the reply'), READY);
    assert.equal((replies.find('a') as typeof READY).text, READY.text);
  });

  test('a reply is for nobody who waits where rows change that it is made from', async () => {
    const { replies, begin, read, write } = await open();
    const keeping = begin('a');
    const waiting = replies.find('a');
    await read(keeping);
    await write();
    keeping.keep(READY);
    keeping.end();
    assert.equal(await inTime(Promise.resolve(waiting), 'the end'), undefined);
    assert.equal(replies.find('a'), undefined);
  });

  test('where the making of a reply fails, those who wait learn of it', async () => {
    const { replies, begin } = await open();
    const keeping = begin('a');
    const waiting = replies.find('a');
    keeping.end();
    assert.equal(await inTime(Promise.resolve(waiting), 'the end'), undefined);
    assert.equal(replies.find('a'), undefined);
  });

  test('calls that differ in a header that the reply follows from have replies of their own', async () => {
    const { replies } = await open();
    const keyOf = (headers: Record<string, string>) =>
      replies.keyOf(callAt('/list', headers), ['accept', 'api-version']);
    const keys = [{}, { accept: 'x' }, { 'api-version': 'x' }, { accept: 'x', 'api-version': 'x' }].map(
      keyOf,
    );
    assert.equal(new Set(keys).size, keys.length);
    assert.equal(keyOf({ other: 'x' }), keyOf({}));
  });
});
