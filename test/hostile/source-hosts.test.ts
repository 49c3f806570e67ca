// Hosts of sources that misbehave: a repository that git fetches through the egress proxy, and an archive.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fetchGit, parseGitUrl } from '../../src/actors/sources/fetch-git.ts';
import { fetchTarball } from '../../src/actors/sources/fetch-tarball.ts';
import type { FetchContext } from '../../src/actors/sources/fetched-sources.ts';
import { Failure } from '../../src/kernel/failure.ts';
import { guard } from '../../src/kernel/network/guard.ts';
import { inTime } from '../eventually.ts';
import { hasGitServer } from '../git-server.ts';
import { BEHAVIOUR_NAMES, startHostilePeer, type HostilePeer } from './hostile-peer.ts';

let peer: HostilePeer;
let root: string;
let count = 0;
before(async () => {
  peer = await startHostilePeer();
  root = mkdtempSync(join(tmpdir(), 'signalbox-hostile-'));
});
after(async () => {
  await peer.close();
  rmSync(root, { recursive: true });
});

function contextOf(): FetchContext {
  count += 1;
  const [folder, temporary] = [join(root, `${count}-sources`), join(root, `${count}-temporary`)];
  for (const path of [folder, temporary]) mkdirSync(path);
  const kernel = {
    guard: guard({ allowPrivate: true }),
    release: '0',
    services: { ownRepositories: { nameIn: () => undefined } },
  } as unknown as FetchContext['kernel'];
  return { kernel, userId: 'ada', folder, temporary, signal: new AbortController().signal, log: () => {} };
}

function isSentence(error: unknown): true {
  assert.ok(error instanceof Failure, String(error));
  assert.match(error.message, /^The .+\.$/s);
  return true;
}

describe('a repository', { skip: !hasGitServer && 'needs git' }, () => {
  for (const behaviour of BEHAVIOUR_NAMES)
    test(`on a host that ${behaviour} cannot be fetched`, async () => {
      peer.behaviour = behaviour;
      await assert.rejects(
        inTime(fetchGit(parseGitUrl(`${peer.url}/a.git`), contextOf()), behaviour),
        isSentence,
      );
      await peer.isAlone();
    });
});

describe('an archive', () => {
  for (const behaviour of BEHAVIOUR_NAMES)
    test(`on a host that ${behaviour} cannot be fetched`, async () => {
      peer.behaviour = behaviour;
      await assert.rejects(inTime(fetchTarball(`${peer.url}/a.tgz`, contextOf()), behaviour), isSentence);
      await peer.isAlone();
    });
});
