// The node:test reporter of a pool process: collects the results of one file after another.
import { once } from 'node:events';
import { Transform } from 'node:stream';
import { spec, type TestEvent } from 'node:test/reporters';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FileReport, Message } from './messages.ts';

/** The event of a test or suite that has ended. */
type Ended = Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>['data'];

let file = newFile('');
let eventCount = 0;

function newFile(name: string) {
  const renderer = new spec();
  const counts = { passed: 0, failed: 0 };
  const opened = { name, renderer, text: '', sent: 0, ...counts, isOpen: false, path: [] as string[] };
  renderer.setEncoding('utf8').on('data', (text: string) => (opened.text += text));
  return opened;
}

export function beginFile(name: string): void {
  file = newFile(name);
}

/** Called when the suite of the file has ended; waits for all its events. */
export async function endFile(): Promise<Omit<FileReport, 'isTidy'>> {
  for (let seen = -1; file.isOpen || seen !== eventCount;) {
    seen = eventCount;
    await nextTurn();
  }
  const { text, passed, failed, renderer } = file;
  file.text = '';
  renderer.end();
  await once(renderer, 'end');
  const failures = file.text.replace(/^\s*✖ failing tests:\n/, '');
  return { text, passed, failed, failures };
}

// oxlint-disable-next-line import/no-default-export -- so node:test finds a reporter in a file.
export default new Transform({
  writableObjectMode: true,
  transform(event: TestEvent, _encoding, done) {
    eventCount += 1;
    if (event.data !== undefined && 'nesting' in event.data) note(event, event.data.nesting);
    done();
  },
});

function note(event: TestEvent, nesting: number): void {
  if (event.type === 'test:pass') count(event.data, 'passed');
  if (event.type === 'test:fail') count(event.data, 'failed');
  if (event.type === 'test:dequeue') tellProgress(event.data.name, nesting);
  if (nesting > 0) {
    file.renderer.write({ ...event, data: { ...event.data, nesting: nesting - 1 } });
    return;
  }
  // The suite that stands for the file is shown only if the file itself fails.
  if (event.type === 'test:enqueue') file.isOpen = true;
  if (event.type === 'test:pass' || event.type === 'test:fail') file.isOpen = false;
  if (event.type === 'test:fail' && !isOfItsTests(event.data)) {
    file.renderer.write({ ...event, data: { ...event.data, name: file.name } });
  }
}

/** Suites count only if they fail themselves, in a hook for example. */
function count(ended: Ended, as: 'passed' | 'failed'): void {
  if (ended.skip !== undefined || ended.todo !== undefined) return;
  if (ended.details.type === 'suite' && (as === 'passed' || isOfItsTests(ended))) return;
  file[as] += 1;
}

function isOfItsTests({ details }: Ended): boolean {
  return 'error' in details && (details.error as { failureType?: string }).failureType === 'subtestsFailed';
}

/** Sends the progress, so that the parent knows it if the file is aborted. */
function tellProgress(name: string, nesting: number): void {
  file.path = [...file.path.slice(0, nesting), name];
  const { passed, failed, path } = file;
  // Only what is new: a file may have a thousand tests.
  const text = file.text.slice(file.sent);
  file.sent = file.text.length;
  const running = path.slice(1).join(' › ');
  process.send?.({ progress: { text, passed, failed, running } } satisfies Message);
}
