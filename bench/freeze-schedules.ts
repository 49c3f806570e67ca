// The most expensive requests about schedules: expressions that are searched for long, and large inputs.
import type { FreezeCase, Send } from './freeze-cases.ts';

const INPUT_LENGTH = 990_000;

export async function scheduleFreezeCases(send: Send): Promise<FreezeCase[]> {
  const ask = async (path: string, body: unknown): Promise<{ id: string }> => {
    const { status, text } = await send('POST', `/v2/${path}`, JSON.stringify(body));
    if (status !== 201) throw new Error(`${path}: ${status} ${text.toString().slice(0, 300)}`);
    return (JSON.parse(text.toString()) as { data: { id: string } }).data;
  };
  const { id: actorId } = await ask('actors', { name: 'scheduled' });
  const { id: actorTaskId } = await ask('actor-tasks', { actId: actorId, name: 'scheduled' });
  const { id } = await ask('schedules', {});
  const change = (name: string, body: unknown): FreezeCase => ({
    name: `change a schedule: ${name}`,
    warm: (asked) => asked('PUT', `/v2/schedules/${id}`, JSON.stringify({ timezone: 'Europe/Prague' })),
    run: async (asked) => (await asked('PUT', `/v2/schedules/${id}`, JSON.stringify(body))).status,
  });
  const runActor = (runInput: object) => ({ actions: [{ type: 'RUN_ACTOR', actorId, runInput }] });
  const runTask = (input: unknown) => ({ actions: [{ type: 'RUN_ACTOR_TASK', actorTaskId, input }] });
  const json = 'application/json';
  return [
    change('an expression that never fires', { cronExpression: '59 59 1,2,3 30W * +7' }),
    change('an expression that fires seldom', { cronExpression: '*/10 */7 23 15 * +1#5,2#5,3#5' }),
    change('a zone and a leap day', { cronExpression: '0 0 29 2 *', timezone: 'Asia/Gaza', isEnabled: true }),
    change('a large text', runActor({ body: 'é'.repeat(INPUT_LENGTH), contentType: 'text/plain' })),
    change(
      'a text that must be escaped',
      runActor({ body: '\u0001'.repeat(INPUT_LENGTH / 6), contentType: 'x' }),
    ),
    change(
      'JSON of many lists',
      runActor({ body: `[${'[],'.repeat(INPUT_LENGTH / 3)}[]]`, contentType: json }),
    ),
    change(
      'JSON of many numbers',
      runActor({ body: `[${'1,'.repeat(INPUT_LENGTH / 2)}1]`, contentType: json }),
    ),
    change('a task with many lists', runTask({ list: Array.from({ length: 240_000 }, () => []) })),
    {
      name: 'get a schedule with a large input',
      run: async (asked) => (await asked('GET', `/v2/schedules/${id}`)).status,
    },
    change('a thousand actions', {
      actions: Array.from({ length: 1000 }, () => ({ type: 'RUN_ACTOR', actorId })),
    }),
    change('a hundred thousand actions', { actions: Array.from({ length: 100_000 }, () => ({ type: 'x' })) }),
  ];
}
