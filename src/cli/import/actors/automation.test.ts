// Tasks, schedules and webhooks move to another server, and find their Actors there.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { onEachEngine } from '../../../../test/engines.ts';
import { giveToken, join } from '../../../../test/people.ts';
import { ADMIN_TOKEN } from '../../../../test/server.ts';
import { makeFolder } from '../../fixture.ts';
import { giveActor, importActors, must, onTwoServers, post } from './fixture.ts';

onEachEngine((engine) => {
  const ends = onTwoServers(engine);

  describe('tasks', () => {
    test('come with their options and input, for Actors that are here', async () => {
      const actId = await giveActor(ends.from, 'worker', { isPublic: true });
      const options = { memoryMbytes: 256, timeoutSecs: 30 };
      await post(ends.from, '/actor-tasks', {
        actId,
        name: 'nightly',
        options,
        input: { depth: 2, key: 'ENCRYPTED_VALUE:abc:def' },
      });
      // An Actor of somebody else.
      const member = await join(ends.from, 'other', { role: 'writer' });
      const token = (await giveToken(ends.from, member, { role: 'writer' })).value;
      const { data: foreign } = (
        await must(ends.from, '/actors', { method: 'POST', token, body: { name: 'foreign', isPublic: true } })
      ).json;
      await post(ends.from, '/actor-tasks', { actId: foreign.id, name: 'of-others' });

      const { code, summary } = await importActors(ends.from, ends.to, ends.data, '--only', 'actors,tasks');
      assert.equal(code, 0);
      assert.deepEqual(
        summary.things.filter(({ kind }) => kind === 'tasks'),
        [
          {
            kind: 'tasks',
            name: 'of-others',
            outcome: 'skipped',
            reason: `its Actor other/foreign is not on ${new URL(ends.to.url).host}`,
          },
        ],
      );
      assert.ok(
        summary.toDo.includes('Set key in the input of the task nightly: secret fields cannot be read.'),
      );
      const { data: task } = (await must(ends.to, '/actor-tasks/~nightly')).json;
      const { data: actor } = (await must(ends.to, '/actors/~worker')).json;
      assert.deepEqual([task.actId, task.input, task.options.memoryMbytes], [actor.id, { depth: 2 }, 256]);

      // With a secret that was set here, nothing differs.
      await must(ends.to, '/actor-tasks/~nightly', {
        method: 'PUT',
        body: { input: { depth: 2, key: 'mine' } },
      });
      const again = await importActors(ends.from, ends.to, ends.data, '--only', 'tasks');
      assert.equal(again.summary.counts.tasks.unchanged, 1);
      assert.doesNotMatch(again.summary.toDo.join(), /nightly/);
      await must(ends.to, '/actor-tasks/~nightly', { method: 'PUT', body: { input: { depth: 3 } } });
      const third = await importActors(ends.from, ends.to, ends.data, '--only', 'tasks');
      assert.match(third.err, /^task nightly: kept \(differs in input\)$/m);
    });
  });

  describe('schedules and webhooks', () => {
    test('come switched off, with the Actors and tasks of this server, and on with --enable', async () => {
      const actorId = await giveActor(ends.from, 'timed');
      const { id: actorTaskId } = await post(ends.from, '/actor-tasks', {
        actId: actorId,
        name: 'timed-task',
      });
      const runInput = { body: '{"depth":1}', contentType: 'application/json' };
      await post(ends.from, '/schedules', {
        name: 'mornings',
        cronExpression: '0 6 * * *',
        timezone: 'Europe/Prague',
        isEnabled: true,
        actions: [
          { type: 'RUN_ACTOR', actorId, runInput, runOptions: { memoryMbytes: 256 } },
          { type: 'RUN_ACTOR_TASK', actorTaskId, input: { depth: 2 } },
        ],
      });
      const eventTypes = ['ACTOR.RUN.SUCCEEDED'];
      const hook = await post(ends.from, '/webhooks', {
        eventTypes,
        condition: { actorId },
        requestUrl: 'https://hooks.example/secret-path?key=secret',
        payloadTemplate: '{"id":{{resource.id}}}',
      });
      const chain = await post(ends.from, '/webhooks', {
        eventTypes,
        condition: { actorTaskId },
        requestUrl: `${ends.from.url}/v2/acts/${actorId}/runs?memory=256&token=${ADMIN_TOKEN}`,
      });

      const { code, summary, err } = await importActors(
        ends.from,
        ends.to,
        ends.data,
        '--only',
        'actors,tasks,schedules,webhooks',
      );
      assert.equal(code, 0);
      assert.doesNotMatch(err + JSON.stringify(summary), /secret-path/);
      const { data: actor } = (await must(ends.to, '/actors/~timed')).json;
      const { data: task } = (await must(ends.to, '/actor-tasks/~timed-task')).json;
      const scheduleOf = async () => {
        const { items } = (await must(ends.to, '/schedules')).json.data;
        return (await must(ends.to, `/schedules/${items[0].id}`)).json.data;
      };
      const schedule = await scheduleOf();
      assert.deepEqual(
        [schedule.name, schedule.cronExpression, schedule.timezone, schedule.isEnabled],
        ['mornings', '0 6 * * *', 'Europe/Prague', false],
      );
      assert.deepEqual([schedule.actions[0].actorId, schedule.actions[0].runInput], [actor.id, runInput]);
      assert.deepEqual([schedule.actions[1].actorTaskId, schedule.actions[1].input], [task.id, { depth: 2 }]);
      const webhooksOf = async () =>
        (await must(ends.to, '/webhooks')).json.data.items as Record<string, unknown>[];
      const [first, second] = await webhooksOf();
      assert.deepEqual(
        [first!['requestUrl'], first!['condition'], first!['isEnabled']],
        [
          'https://hooks.example/secret-path?key=secret',
          { actorId: actor.id, actorTaskId: null, actorRunId: null },
          false,
        ],
      );
      assert.deepEqual(
        [second!['requestUrl'], second!['isEnabled']],
        [`${ends.to.url}/v2/actors/${actor.id}/runs?memory=256`, false],
      );
      for (const words of [
        'schedule mornings',
        `webhook ${hook['id']} (hooks.example)`,
        `webhook ${chain['id']}`,
      ])
        assert.ok(
          summary.toDo.some((line) => line.startsWith('Turn the ') && line.includes(words)),
          words,
        );

      const again = await importActors(ends.from, ends.to, makeFolder(), '--only', 'schedules,webhooks');
      assert.deepEqual(
        [again.summary.counts.schedules.unchanged, again.summary.counts.webhooks.unchanged],
        [1, 2],
      );
      const enabled = await importActors(
        ends.from,
        ends.to,
        ends.data,
        '--only',
        'schedules,webhooks',
        '--enable',
      );
      assert.deepEqual(enabled.summary.toDo, []);
      assert.equal((await scheduleOf()).isEnabled, true);
      assert.deepEqual(
        (await webhooksOf()).map(({ isEnabled }) => isEnabled),
        [true, true],
      );
      // Nothing that was switched on is switched off again.
      await importActors(ends.from, ends.to, ends.data, '--only', 'schedules,webhooks', '--overwrite');
      assert.equal((await scheduleOf()).isEnabled, true);
    });
  });
});
