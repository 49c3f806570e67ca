// The most expensive requests about tasks: inputs as large as a body may be.
import type { FreezeCase, Send } from './freeze-cases.ts';

const INPUT_LENGTH = 7_000_000;

export async function taskFreezeCases(send: Send): Promise<FreezeCase[]> {
  const ask = async (path: string, body: unknown): Promise<{ id: string }> => {
    const { status, text } = await send('POST', `/v2/${path}`, JSON.stringify(body));
    if (status !== 201) throw new Error(`${path}: ${status} ${text.toString().slice(0, 300)}`);
    return (JSON.parse(text.toString()) as { data: { id: string } }).data;
  };
  const { id: actId } = await ask('actors', { name: 'with-tasks' });
  const { id } = await ask('actor-tasks', { actId, name: 'large-input' });
  const at = `/v2/actor-tasks/${id}`;
  const inputs: Record<string, object> = {
    'a long text': { text: 'é'.repeat(INPUT_LENGTH / 2) },
    'many lists': { list: Array.from({ length: INPUT_LENGTH / 10 }, () => []) },
    'many numbers': { list: Array.from({ length: INPUT_LENGTH / 4 }, () => 1) },
    'many names': Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`name-${index}`, index])),
  };
  const small = (asked: Send) => asked('PUT', `${at}/input`, '{}');
  return Object.entries(inputs).flatMap(([name, input]) => {
    const body = JSON.stringify(input);
    return [
      {
        name: `merge an input into a task: ${name}`,
        warm: small,
        run: async (asked: Send) => (await asked('PUT', `${at}/input`, body)).status,
      },
      {
        name: `replace the input of a task: ${name}`,
        run: async (asked: Send) => (await asked('PUT', at, `{"input":${body}}`)).status,
      },
      { name: `get the task with ${name}`, run: async (asked: Send) => (await asked('GET', at)).status },
      {
        name: `get the input of a task with ${name}`,
        run: async (asked: Send) => (await asked('GET', `${at}/input`)).status,
      },
    ];
  });
}
