// Receivers of webhooks, an object storage and the source of an import that misbehave: each call fails with a sentence.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { RemoteApi } from '../../src/cli/import/actors/remote-api.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { Failure } from '../../src/kernel/failure.ts';
import { S3Client } from '../../src/kernel/storage/blobs/s3-client.ts';
import { guard } from '../../src/kernel/network/guard.ts';
import { createWebhookSender } from '../../src/kernel/webhooks/send.ts';
import { inTime } from '../eventually.ts';
import { BEHAVIOUR_NAMES, startHostilePeer, type BehaviourName, type HostilePeer } from './hostile-peer.ts';

let peer: HostilePeer;
before(async () => {
  peer = await startHostilePeer();
});
after(() => peer.close());

/** Their heads are whole. */
const ANSWERED: BehaviourName[] = [
  'closes after the head',
  'resets after the head',
  'closes in the body',
  'resets in the body',
  'sends a chunk that is none',
  'closes in a chunk',
  'answers with status 999',
  'lies about gzip',
];

for (const behaviour of BEHAVIOUR_NAMES)
  describe(behaviour, () => {
    before(() => {
      peer.behaviour = behaviour;
    });

    test('a receiver of webhooks', async () => {
      const sender = createWebhookSender({ guard: guard({ allowPrivate: true }), release: '0' });
      const message = { url: peer.url, headers: {}, body: '{}' };
      const attempt = await inTime(sender.send(message, new AbortController().signal), behaviour);
      sender.close();
      if (attempt?.status === null) assert.notEqual(attempt.error ?? '', '');
      else assert.ok(ANSWERED.includes(behaviour), JSON.stringify(attempt));
      await peer.isAlone();
    });

    test('an object storage', async () => {
      const location = { endpoint: peer.url, bucket: 'b', prefix: '', region: 'r', redirects: false };
      const keys = { accessKey: 'a', secretKey: 's', retryMs: 1 };
      const client = new S3Client({ ...location, ...keys }, systemClock);
      const reading = client.text({ method: 'GET', name: 'x' });
      if (behaviour === 'lies about gzip') await inTime(reading);
      else
        await assert.rejects(inTime(reading, behaviour), (error: Error) => {
          // A body that breaks off is an error of its stream.
          if (ANSWERED.includes(behaviour) && !(error instanceof Failure)) return true;
          assert.ok(error instanceof Failure, String(error));
          assert.match(error.message, /^The object storage at .+\.$/);
          return true;
        });
      await peer.isAlone();
    });

    test('the source of an import', async () => {
      const api = new RemoteApi({ url: peer.url, token: 't', signal: new AbortController().signal });
      await assert.rejects(inTime(api.getOnce('/users/me'), behaviour), Error);
      api.close();
      await peer.isAlone();
    });
  });
