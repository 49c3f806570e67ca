// Errors of CODEOWNERS files, against a running server.
import assert from 'node:assert/strict';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { expectAnswer, gatherCrew, type Crew } from '../../../host-crew.ts';
import { startServer, type Json, type TestServer } from '../../../server.ts';

let server: TestServer;
let crew: Crew;
let path: string;
before(async () => {
  server = await startServer({ limits: 'off' });
  crew = await gatherCrew(server);
  ({ path } = await crew.repository('owned', { private: true }));
});
after(() => server.stop());

async function write(file: string, text: string, branch = 'main'): Promise<void> {
  const content = Buffer.from(text).toString('base64');
  await expectAnswer(201, crew.ada.put(`${path}/contents/${file}`, { message: 'Owners', content, branch }));
}

const errorsOf = async (query = ''): Promise<Json[]> =>
  (await expectAnswer(200, crew.bob.get(`${path}/codeowners/errors${query}`)))['errors'] as Json[];

test('a repository without CODEOWNERS has no errors of it', async () => {
  await expectAnswer(404, crew.bob.get(`${path}/codeowners/errors`));
});

test('lines that cannot be read and owners who may not write are listed in the order of the lines', async () => {
  const lines = [
    '* @ada @Crew/pushers bob@example.com @CLEO',
    '***/*.rb @bob',
    '/docs/ @ghost @bob @crew/none',
    '*.md nobody@example.com',
    '/src/ @eve @other/pushers',
    '/free/',
  ];
  await write('docs/CODEOWNERS', lines.join('\n'));
  const errors = await errorsOf();
  assert.deepEqual(
    errors.map(({ line, column, kind }) => [line, column, kind]),
    [
      [2, 1, 'Invalid pattern'],
      [3, 8, 'Unknown owner'],
      [3, 20, 'Unknown owner'],
      [4, 6, 'Unknown owner'],
      [5, 7, 'Unknown owner'],
      [5, 12, 'Unknown owner'],
    ],
  );
  assert.deepEqual(errors[1], {
    line: 3,
    column: 8,
    kind: 'Unknown owner',
    source: '/docs/ @ghost @bob @crew/none',
    suggestion: 'make sure that @ghost exists and has write access to the repository.',
    message:
      'Unknown owner on line 3: make sure that @ghost exists and has write access to the repository.\n\n' +
      '  /docs/ @ghost @bob @crew/none\n         ^',
    path: 'docs/CODEOWNERS',
  });
});

test('the file of another branch is read where the call names it', async () => {
  const { object } = await expectAnswer(200, crew.ada.get(`${path}/git/ref/heads/main`));
  await expectAnswer(
    201,
    crew.ada.post(`${path}/git/refs`, { ref: 'refs/heads/next', sha: object.sha as string }),
  );
  await write('.github/CODEOWNERS', '* @bob\n', 'next');
  assert.deepEqual(await errorsOf('?ref=next'), []);
  assert.equal((await errorsOf('?ref=main')).length, 6);
  await expectAnswer(404, crew.bob.get(`${path}/codeowners/errors?ref=none`));
});

test('many unknown owners are a hundred errors', async () => {
  const many = Array.from({ length: 2000 }, (_, at) => `/f${at} @ghost-${at} @bob\n`).join('');
  await write('CODEOWNERS', many, 'main');
  const errors = await errorsOf('?ref=main');
  assert.equal(errors.length, 100);
  assert.deepEqual([errors[0]!['line'], errors[99]!['line']], [1, 100]);
});

test('a file above three megabytes is an error as a whole', async () => {
  await write('.github/CODEOWNERS', `#${'x'.repeat(3 * 1024 ** 2)}\n* @ghost`);
  assert.deepEqual(
    (await errorsOf()).map(({ kind, path: at }) => [kind, at]),
    [['File too large', '.github/CODEOWNERS']],
  );
});

test('errors of a private repository exist for those who may read it', async () => {
  for (const token of [null, crew.eve.token]) {
    const { status } = await server.call(`${path}/codeowners/errors`, { token });
    assert.equal(status, 404);
  }
});
