// The command `doctor --repositories`: damaged objects, missing and unknown folders, and leftovers.
import assert from 'node:assert/strict';
import { chmodSync, globSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { needsGit } from '../../host/git/fixture-repository.ts';
import { repositoryFolder } from '../../host/git/repository-folder.ts';
import { makeFolder, run, startServer } from '../fixture.ts';
import { eventually } from '../../../test/eventually.ts';

interface Report {
  ok: boolean;
  checks: { name: string; state: string; detail: string; fix: string | null }[];
}

describe('doctor --repositories', needsGit, () => {
  const data = join(makeFolder(), 'data');
  const root = join(data, 'repositories');
  const numbers = new Map<string, number>();
  const doctor = async (...argv: string[]) => {
    const { code, out, err } = await run(['doctor', '--data', data, '--repositories', ...argv]);
    const { ok, checks } = JSON.parse(out) as Report;
    assert.equal(code, ok ? 0 : 1);
    return { ok, err, of: (name: string) => checks.find((check) => check.name === name)! };
  };

  before(async () => {
    const server = await startServer(data, ['--limits', 'off'], { PATH: process.env['PATH'] });
    for (const name of ['whole', 'broken', 'lost']) {
      const answer = await fetch(`${server.url}/user/repos`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name, auto_init: true }),
      });
      numbers.set(name, ((await answer.json()) as { id: number }).id);
    }
    await fetch(`${server.url}/gists`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ files: { 'a.txt': { content: 'a' } } }),
    });
    // Work that is due measures them; only of a repository that had something can something be lost.
    await eventually(async () => {
      const list = await fetch(`${server.url}/user/repos`, {
        headers: { authorization: `Bearer ${server.token}` },
      });
      return ((await list.json()) as { size: number }[]).every(({ size }) => size > 0);
    }, 'the sizes of the repositories');
    server.kill('SIGTERM');
    await server.ended;
  });

  test('repositories that are whole are fine, and are not looked at without the flag', async () => {
    const { ok, of } = await doctor();
    assert.equal(ok, true);
    assert.match(of('repositories').detail, /^3, each with its folder$/);
    assert.match(of('gists').detail, /^1, each with its folder$/);
    assert.match(of('git objects').detail, /^all objects of 4 repositories are whole$/);
    assert.equal(of('leftovers').state, 'ok');
    const { out } = await run(['doctor', '--data', data]);
    assert.doesNotMatch(out, /git objects/);
  });

  test('a broken object fails, and the repository is named with what to do', async () => {
    const folder = repositoryFolder(root, numbers.get('broken')!);
    const [blob] = globSync(join(folder, 'objects', '??', '*'));
    chmodSync(blob!, 0o600);
    writeFileSync(blob!, 'not an object');
    const { ok, of } = await doctor();
    assert.equal(ok, false);
    assert.equal(of('git objects').state, 'fail');
    assert.match(
      of('git objects').detail,
      /1 of 4 .*admin\/broken; the first: .*: take their folders from a backup/,
    );
    assert.equal(of('repositories').state, 'ok');
  });

  test('folders without a repository and leftovers are named, and --fix removes what is safe', async () => {
    const folder = repositoryFolder(root, numbers.get('whole')!);
    const yesterday = Date.now() / 1000 - 2 * 86_400;
    for (const path of ['packed-refs.lock', 'objects/pack/tmp_pack_x']) {
      writeFileSync(join(folder, path), '');
      utimesSync(join(folder, path), yesterday, yesterday);
    }
    const { ok, of } = await doctor('--fix');
    assert.equal(ok, false);
    assert.deepEqual([of('leftovers').fix, of('leftovers').detail], ['done', '2 deleted']);
    assert.equal((await doctor()).of('leftovers').state, 'ok');
    rmSync(repositoryFolder(root, numbers.get('lost')!), { recursive: true });
    mkdirSync(repositoryFolder(root, 99), { recursive: true });
    const { of: after } = await doctor();
    assert.equal(after('repositories').state, 'fail');
    assert.match(
      after('repositories').detail,
      /1 of 3 have lost their folder \(admin\/lost\): take it from a backup/,
    );
    assert.equal(after('repository folders').state, 'warn');
    assert.match(after('repository folders').detail, /1 without a repository \(99\.git\)/);
  });

  test('gists are looked at, too: a lost folder, an unknown one and leftovers', async () => {
    const gists = join(root, 'gists');
    const folder = repositoryFolder(gists, 1);
    const yesterday = Date.now() / 1000 - 2 * 86_400;
    writeFileSync(join(folder, 'objects/tmp_obj_x'), '');
    utimesSync(join(folder, 'objects/tmp_obj_x'), yesterday, yesterday);
    assert.equal((await doctor('--fix')).of('leftovers').detail, '1 deleted');
    rmSync(folder, { recursive: true });
    mkdirSync(repositoryFolder(gists, 77), { recursive: true });
    const { of } = await doctor();
    assert.equal(of('gists').state, 'fail');
    assert.match(of('gists').detail, /1 of 1 have lost their folder \(gist\/[0-9a-f]{32}\)/);
    assert.match(of('gist folders').detail, /1 without a gist \(77\.git\)/);
  });
});
