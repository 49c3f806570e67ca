// The examples for administrators: what is there of them, loaded and removed.
import type { Change } from '../../kernel/change/change.ts';
import { findPause } from '../../kernel/backup/backup-store.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Api } from '../../kernel/http/protocol.ts';
import { reply, route, type Route } from '../../kernel/http/route.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { ADMINISTER_SERVER, SERVER_RESOURCE } from '../system/access.ts';
import { describeDemo } from './describe-demo.ts';
import { Demo } from './model.ts';
import {
  beginDemo,
  beginDemoRemoval,
  DEMO_LOAD,
  DEMO_REMOVAL,
  findDemo,
  findDemoProblem,
  planDemoWork,
} from './store.ts';

const access = { action: ADMINISTER_SERVER };

export function demoRoutes(apis: () => readonly Api[]): Route[] {
  const read = async (kernel: Kernel): Promise<Demo> => {
    const { engine, db } = kernel;
    const parts = [];
    for (const api of apis()) parts.push(...((await api.demoParts?.(kernel)) ?? []));
    return await describeDemo(engine, await findDemo(db), parts, await findDemoProblem(db));
  };

  const getDemo = route(
    {
      id: 'getDemo',
      method: 'GET',
      path: '/demo',
      summary: 'Get what is there of the examples',
      description: 'With what people have changed of them since they were made.',
      access,
      reply: { 200: Demo },
    },
    async (call, kernel) => {
      call.requirePermission(SERVER_RESOURCE);
      return await read(kernel);
    },
  );

  const loadDemo = route(
    {
      id: 'loadDemo',
      method: 'PUT',
      path: '/demo',
      summary: 'Load the examples',
      description:
        'The same as a start with `--demo`: an example of everything, which belongs to the first administrator. They are there ' +
        'a moment later, and builds and runs when they have ended. Where they are there already, nothing changes. Refused where ' +
        'something has a name that one of them would have.',
      access,
      createsLater: true,
      reply: { 202: Demo, 200: Demo },
    },
    async (call, kernel) => {
      call.requirePermission(SERVER_RESOURCE);
      const { changes } = kernel;
      await requireWork(kernel);
      const { state, parts } = await read(kernel);
      if (state === 'removing')
        throw new Failure('conflict', 'The examples are being removed: wait until they are gone.');
      if (state === 'absent' && parts.length > 0)
        throw new Failure(
          'conflict',
          `The examples would have the names of what is there already: ${namesOf(parts)}. Rename or delete it first.`,
        );
      await changes.run(call, async (tx) => {
        const isFirst = await beginDemo(tx.db);
        if (isFirst) tx.record({ ...ENTRY, verb: 'loaded the' });
        // An earlier one may have been cut off. The row of a removal, which is done by now, may still be there.
        if (isFirst || (await findDemo(tx.db))?.state === 'loading')
          await planDemoWork(tx.db, DEMO_LOAD, call.now, isFirst ? 'move' : 'keep');
      });
      const shown = await read(kernel);
      return reply(shown.state === 'present' ? 200 : 202, shown);
    },
  );

  const removeDemo = route(
    {
      id: 'removeDemo',
      method: 'DELETE',
      path: '/demo',
      summary: 'Remove the examples',
      description:
        'Deletes what loading them has made, and what is in it. Refused where people have changed something of it since, or ' +
        'added to it, unless `changedUntil` says that these changes are known. They are gone a moment later, and stay so until ' +
        'they are loaded again.',
      access,
      query: Type.Object({
        changedUntil: Type.Optional(
          Type.Integer({
            minimum: 0,
            description: 'Changes up to this moment are deleted, too; in epoch milliseconds',
          }),
        ),
      }),
      reply: { 202: Demo },
    },
    async (call, kernel) => {
      call.requirePermission(SERVER_RESOURCE);
      await requireWork(kernel);
      const { state, parts } = await read(kernel);
      if (state === 'absent') throw new Failure('not-found', 'The examples are not there.');
      if (state === 'loading')
        throw new Failure('conflict', 'The examples are being made: wait until they are there.');
      const { changedUntil = 0 } = call.query;
      const changed = parts.filter(({ changedAt = 0 }) => changedAt > changedUntil);
      if (state === 'present' && changed.length > 0)
        throw new Failure(
          'conflict',
          `Changed since the examples were made: ${namesOf(changed)}. What was changed, and what is new in it, would be deleted, too.`,
        );
      const hasBegun = await kernel.changes.run(call, async (tx) => {
        const isFirst = await beginDemoRemoval(tx.db);
        if (isFirst) {
          tx.record({ ...ENTRY, verb: 'removed the' });
          await planDemoWork(tx.db, DEMO_REMOVAL, call.now, 'move');
        }
        return isFirst;
      });
      const shown = await read(kernel);
      // What was written, and not what has become of it since.
      return reply(202, hasBegun ? { ...shown, state: 'removing' } : shown);
    },
  );

  return [getDemo, loadDemo, removeDemo];
}

const ENTRY: Pick<Change, 'accesses' | 'kind' | 'name'> = {
  accesses: [{ action: ADMINISTER_SERVER, resource: SERVER_RESOURCE }],
  kind: 'demo',
  name: 'examples',
};

const KIND_WORDS: Readonly<Record<string, string>> = {
  actor: 'Actor',
  'actor-task': 'task',
  'code-reference-repository': 'code references of',
  'key-value-store': 'key-value store',
  'request-queue': 'request queue',
};

function namesOf(parts: Demo['parts']): string {
  return parts
    .map(({ kind, name, changedBy }) => {
      const by = changedBy.length === 0 ? '' : ` (by ${changedBy.join(', ')})`;
      return `${KIND_WORDS[kind] ?? kind} ${name}${by}`;
    })
    .join(', ');
}

/** Background work does both. */
async function requireWork({ db }: Kernel): Promise<void> {
  if ((await findPause(db)) !== undefined)
    throw new Failure('conflict', 'The server is paused after a restore: resume it first.');
}
