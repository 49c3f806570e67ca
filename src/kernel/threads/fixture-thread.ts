// A thread for tests of the runner: each task is a word that says what it does.
import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '../failure.ts';
import { serveTasks } from './serve-tasks.ts';

let tasks = 0;

serveTasks<string, unknown, string>(async (task, port) => {
  tasks += 1;
  switch (task) {
    case 'count':
      return port.send(tasks);
    case 'echo':
      port.onClose(() => (tasks = 0));
      return port.onMessage((message) => {
        if (message === 'throw') throw new Failure('conflict', 'An answer failed.');
        port.send(message);
      });
    case 'bytes': {
      const bytes = new Uint8Array(10).fill(7);
      port.send(bytes, [bytes.buffer]);
      return port.send(bytes.length);
    }
    case 'work': {
      const before = process.threadCpuUsage();
      for (let used = before; used.user < 80_000;) used = process.threadCpuUsage(before);
      return port.send('done');
    }
    case 'spin':
      port.send('begun');
      for (;;);
    case 'wait':
      port.send('begun');
      return await delay(2 ** 30);
    case 'refuse':
      throw new Failure('invalid', 'It is wrong.', { code: 'wrong', fields: [{ field: 'a', message: 'b' }] });
    case 'throw':
      throw new TypeError('It is broken.');
    case 'recurse':
      return (function recurse(): void {
        recurse();
      })();
    case 'fill': {
      const kept: unknown[] = [];
      for (;;) kept.push(Array.from({ length: 1000 }, (_, n) => ({ n })));
    }
    case 'crash':
      port.send('begun');
      setImmediate(() => {
        throw new Error('Nobody catches it.');
      });
      return;
    case 'exit':
      return process.exit(0);
    case 'environment':
      return port.send({ ...process.env });
    default:
  }
});
