// The official client-side SDK for Node, unmodified, with the context in the path and in the body.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { initialize, type LDOptions } from 'launchdarkly-node-client-sdk';
import { ADA, listening, testFlagSdk, type SdkClient, type SdkServer } from './flag-sdk-suite.ts';

const localStoragePath = mkdtempSync(join(tmpdir(), 'signalbox-sdk-'));
after(() => rmSync(localStoragePath, { recursive: true }));

async function open({ url, keys }: SdkServer, options: LDOptions): Promise<SdkClient> {
  const warnings: string[] = [];
  const changed: string[] = [];
  const client = initialize(keys.client, ADA, {
    baseUrl: url,
    streamUrl: url,
    eventsUrl: url,
    streaming: true,
    evaluationReasons: true,
    localStoragePath,
    logger: listening(warnings),
    ...options,
  });
  client.on('change', (changes: Record<string, unknown>) => void changed.push(...Object.keys(changes)));
  try {
    await client.waitForInitialization(60);
  } catch (error) {
    await client.close();
    throw error;
  }
  return {
    value: async (key, fallback) => client.variation(key, fallback) as unknown,
    detail: async (key, fallback) => client.variationDetail(key, fallback),
    changed: async () => changed,
    warnings: async () => warnings,
    identify: (context) => client.identify(context),
    flush: () => client.flush(),
    close: () => client.close(),
  };
}

const calls = { events: 'postBrowserEvents', diagnostics: 'postBrowserDiagnostics' };

testFlagSdk({
  name: 'the client-side SDK for Node',
  open,
  calls: { ...calls, stream: 'streamFor', others: ['evaluateForContext'] },
});

testFlagSdk({
  name: 'the client-side SDK for Node with the context in the body',
  open: (server, options) => open(server, { ...options, useReport: true }),
  calls: { ...calls, stream: 'streamForBody', others: ['evaluateForContextInBody'] },
});
