// The official SDKs for browsers, unmodified, in a real browser on a page of another origin.
import { after, before } from 'node:test';
import { AppPages } from '../e2e/app-pages.ts';
import { ELSEWHERE, noBrowser } from '../e2e/browser.ts';
import type { Json } from '../server.ts';
import { ADA, listening, testFlagSdk, type SdkClient } from './flag-sdk-suite.ts';

// Functions that run in the page are text, because their globals are not those of this program.

/** What an app does with either SDK. */
const APP = `
import { initialize } from 'launchdarkly-js-client-sdk';
import { createClient } from '@launchdarkly/js-client-sdk';
const warnings = [];
const changed = [];
const hear = (...words) => warnings.push(words.join(' '));
const logger = { debug() {}, info() {}, warn: hear, error: hear };
// Each is a header, which the server has to allow.
const named = { wrapperName: 'test', wrapperVersion: '1' };
let client;
const opening = {
  async old({ id, context, url, hash, options }) {
    const urls = { baseUrl: url, streamUrl: url, eventsUrl: url };
    client = initialize(id, context, { ...urls, ...named, application: { id: 'shop' }, streaming: true, evaluationReasons: true, hash, logger, ...options });
    client.on('change', (changes) => changed.push(...Object.keys(changes)));
    await client.waitForInitialization(60);
  },
  async present({ id, context, url, hash, options }) {
    const urls = { baseUri: url, streamUri: url, eventsUri: url };
    client = createClient(id, context, { ...urls, ...named, applicationInfo: { id: 'shop' }, streaming: true, withReasons: true, logger, ...options });
    client.on('error', (_context, error) => hear(error));
    const { status, error } = await client.start({ timeout: 60, identifyOptions: { hash } });
    if (status !== 'complete') throw error ?? new Error(status);
    client.on('change', (_context, keys) => changed.push(...keys));
  },
};
globalThis.app = {
  open: (sdk, settings) => opening[sdk](settings),
  value: (key, fallback) => client.variation(key, fallback),
  detail: (key, fallback) => client.variationDetail(key, fallback),
  changed: () => changed,
  warnings: () => warnings,
  identify: async (context) => void (await client.identify(context)),
  flush: async () => void (await client.flush()),
  close: async () => void (await client.close()),
};
`;

let pages: AppPages | undefined;
before(async () => {
  if (noBrowser === false) pages = await AppPages.start(APP);
});
after(() => pages?.close());

async function open(sdk: 'old' | 'present', settings: Json): Promise<SdkClient> {
  // SDK 4 needs what browsers offer to secure pages only.
  const page = await pages!.open(sdk === 'old' ? ELSEWHERE : '127.0.0.1');
  const ask = <T>(name: string, ...values: unknown[]) =>
    page.evaluate<T>(`app.${name}(...${JSON.stringify(values)})`);
  const client: SdkClient = {
    value: (key, fallback) => ask('value', key, fallback),
    detail: (key, fallback) => ask('detail', key, fallback),
    changed: () => ask('changed'),
    async warnings() {
      const warnings: string[] = [];
      for (const text of await ask<string[]>('warnings')) listening(warnings).warn(text);
      return warnings;
    },
    identify: (other) => ask('identify', other),
    flush: () => ask('flush'),
    async close() {
      await ask('close');
      await pages!.leave(page);
    },
  };
  try {
    await ask('open', sdk, { context: ADA, ...settings });
  } catch (error) {
    await pages!.leave(page);
    throw error;
  }
  return client;
}

const events = { events: 'postBrowserEvents', diagnostics: 'postBrowserDiagnostics' };
const others = ['evaluateForContext', 'getGoals'];

testFlagSdk({
  name: 'the browser SDK 3',
  skip: noBrowser,
  calls: { ...events, stream: 'streamFor', others },
  open: ({ url, keys }, options) => open('old', { url, id: keys.client, ...options }),
});

testFlagSdk({
  name: 'the browser SDK 3 with the context in the body',
  skip: noBrowser,
  calls: { ...events, stream: 'streamPings', others: ['evaluateForContextInBody', 'getGoals'] },
  open: ({ url, keys }, options) =>
    open('old', { url, id: keys.client, ...options, options: { useReport: true } }),
});

testFlagSdk({
  name: 'the browser SDK 4',
  skip: noBrowser,
  calls: { ...events, stream: 'streamFor', others },
  open: ({ url, keys }, options) => open('present', { url, id: keys.client, ...options }),
});

testFlagSdk({
  name: 'the browser SDK 4 with the newer protocol',
  triesAgain: true,
  skip: noBrowser,
  calls: { ...events, stream: 'streamResults', others: ['pollResults', 'getGoals'] },
  open: ({ url, keys }, options) =>
    open('present', {
      url,
      id: keys.client,
      ...options,
      options: {
        dataSystem: { automaticModeSwitching: { type: 'manual', initialConnectionMode: 'streaming' } },
      },
    }),
});
