// SIGKILL of a server during pushes of the real git to gists: what git has is recorded later, and each revision once.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { needsGit } from '../../src/host/git/fixture-repository.ts';
import { GitClient, gitUrl } from '../clients/git-client.ts';
import { onEachEngine } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { rounds } from '../long.ts';
import { callerOf, settingsOn, startChild, TOKEN } from './child-server.ts';

const GISTS = 3;
const KILLS = rounds(1, 10);

onEachEngine((engine) => {
  test(`a server that is killed during pushes to ${GISTS} gists`, needsGit, async (t) => {
    const { settings } = await settingsOn(engine);
    let server = await startChild(settings);
    t.after(() => server.kill());
    const { call } = callerOf(() => server.url);
    const client = new GitClient();
    const ids: string[] = [];
    for (let index = 0; index < GISTS; index += 1) {
      const { json } = await call('/gists', {
        method: 'POST',
        body: { files: { a: { content: `${index}` } } },
      });
      const id = json['id'] as string;
      await client.run('', 'clone', '--quiet', gitUrl(server, TOKEN, `gist/${id}`), id);
      ids.push(id);
    }
    const commitsOf = async (id: string) => (await call(`/gists/${id}/commits?per_page=100`)).json as unknown;
    for (let round = 0; round < KILLS; round += 1) {
      let acknowledged = 0;
      let isKilled = false;
      const pushing = ids.map(async (id) => {
        for (let at = 0; !isKilled && at < 50; at += 1) {
          await client.commit(id, { a: `${round} ${at}` });
          const { code } = await client.try(id, [
            'push',
            '--quiet',
            gitUrl(server, TOKEN, `gist/${id}`),
            'HEAD:main',
          ]);
          if (code === 0) acknowledged += 1;
        }
      });
      const enough = 2 + Math.floor(Math.random() * 4);
      await eventually(() => acknowledged >= enough, 'the first pushes');
      await server.kill();
      isKilled = true;
      await Promise.all(pushing);
      server = await startChild(settings);
      for (const id of ids) {
        const root = await client.run(id, 'rev-list', '--max-parents=0', 'HEAD');
        let history: string[] = [];
        let shown: string[] = [];
        // A process of git may outlive its server for a moment, and finish its push.
        await eventually(async () => {
          history = historyIn(settings.SIGNALBOX_DATA, id, root);
          shown = ((await commitsOf(id)) as { version: string }[]).map(({ version }) => version);
          const { length } = historyIn(settings.SIGNALBOX_DATA, id, root);
          return shown.length >= history.length && length === history.length;
        }, 'the recorded pushes');
        assert.deepEqual(shown, history);
      }
    }
  });
});

/** The newest first, of the gist that has this first commit. */
function historyIn(data: string, id: string, root: string): string[] {
  for (const folder of globSync(join(data, 'repositories', 'gists', '??', '*.git'))) {
    const git = (...args: string[]) =>
      execFileSync('git', [`--git-dir=${folder}`, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();
    const history = git('rev-list', 'main').split('\n');
    if (history.at(-1) === root) return history;
  }
  throw new Error(`The gist ${id} has no folder.`);
}
