// The console with much code: a difference of five hundred files, and a folder of ten thousand entries.
import type { Page } from 'playwright-core';
import { addCommit } from '../src/host/git/fixture-repository.ts';
import { recordPushes } from '../src/host/pushes/record-pushes.ts';
import { logIn } from '../test/e2e/browser.ts';
import { joinHost } from '../test/host-people.ts';
import type { TestServer } from '../test/server.ts';
import { median, type Effort } from './compare.ts';
import { openings } from './console-actors.ts';
import type { Row } from './report.ts';

const FILES = 500;
const ENTRIES = 10_000;
const LINES = 40;

/** On a browser at its own speed, as somebody who is logged in to this server by this. */
export async function benchConsoleCode(server: TestServer, page: Page, { rounds }: Effort): Promise<Row[]> {
  const carl = await joinHost(server, 'carl', { role: 'owner' });
  await logIn(page, server, carl.member);
  const { id } = await carl.repository('large', { auto_init: true });
  const { kernel } = server.app;
  const git = kernel.services.git.repository(id as number);
  const { object } = (await carl.get('/repos/carl/large/git/ref/heads/main')).json as {
    object: { sha: string };
  };
  const text = (from: number) =>
    Array.from({ length: LINES }, (_, line) => `const line${line} = ${from + line};\n`).join('');
  const filesFrom = (from: number) =>
    Array.from({ length: FILES }, (_, file) => [`src/${String(file).padStart(3, '0')}.ts`, text(from)]);
  const many = Array.from({ length: ENTRIES }, (_, file) => [
    `many/${String(file).padStart(5, '0')}.txt`,
    'x',
  ]);
  const first = await addCommit(
    git,
    Object.fromEntries([...filesFrom(0), ...many]) as Record<string, string>,
    {
      parents: [object.sha],
    },
  );
  await addCommit(git, Object.fromEntries([...filesFrom(7), ...many]) as Record<string, string>, {
    parents: [first],
  });
  await recordPushes(kernel, id as number);
  const home = `${server.url}/console/code/carl/large`;
  const diff = await openings(page, `${home}/compare/${first}...main`, 'table.diff tr', rounds);
  const folder = await openings(page, `${home}/tree/main/many`, 'tbody tr', rounds);
  return [
    row(`difference of ${FILES} files: the first file`, median(diff), 1000),
    row(`folder of ${ENTRIES.toLocaleString('en')} entries: first rows`, median(folder), 400),
  ];
}

function row(what: string, measured: number, most: number): Row {
  return {
    what,
    value: `${measured.toFixed(0)} ms`,
    against: 'Chromium, as fast as the machine is',
    target: `≤ ${most} ms`,
    isMet: measured <= most,
  };
}
