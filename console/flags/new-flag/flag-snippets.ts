// Programs that ask for a flag, with its key, a default and the address of this server.
import { ORIGIN } from '../../api/server.ts';
import { typeOf, type Flag } from '../flag.ts';

export type SnippetClient = 'node' | 'browser' | 'openfeature' | 'curl';

/** `fallback` is the value that a program uses while it cannot ask. */
export function flagSnippet(client: SnippetClient, flag: Flag, offVariation: number): string {
  const key = JSON.stringify(flag.key);
  const fallback = JSON.stringify(flag.variations[offVariation]?.value ?? flag.variations[0]?.value ?? null);
  const url = JSON.stringify(ORIGIN);
  switch (client) {
    case 'node':
      return [
        "import { init } from '@launchdarkly/node-server-sdk';",
        '',
        `const url = ${url};`,
        'const client = init(process.env.SDK_KEY, { baseUri: url, streamUri: url, eventsUri: url });',
        'await client.waitForInitialization({ timeout: 10 });',
        "const context = { kind: 'user', key: 'ada' };",
        `console.log(await client.variation(${key}, context, ${fallback}));`,
      ].join('\n');
    case 'browser':
      return [
        "import { createClient } from '@launchdarkly/js-client-sdk';",
        '',
        `const url = ${url};`,
        "const client = createClient(CLIENT_SIDE_ID, { kind: 'user', key: 'ada' }, {",
        '  baseUri: url,',
        '  streamUri: url,',
        '  eventsUri: url,',
        '});',
        'await client.start();',
        `console.log(client.variation(${key}, ${fallback}));`,
      ].join('\n');
    case 'openfeature':
      return [
        "import { OpenFeature } from '@openfeature/server-sdk';",
        "import { OFREPProvider } from '@openfeature/ofrep-provider';",
        '',
        "const headers = [['Authorization', `Bearer ${process.env.SDK_KEY}`]];",
        `await OpenFeature.setProviderAndWait(new OFREPProvider({ baseUrl: ${url}, headers }));`,
        'const client = OpenFeature.getClient();',
        `console.log(await client.${METHODS[typeOf(flag)]}(${key}, ${fallback}, { targetingKey: 'ada' }));`,
      ].join('\n');
    default:
      // A key has no letter that a shell would read otherwise.
      return [
        `curl -sS '${ORIGIN.replaceAll("'", '%27')}/ofrep/v1/evaluate/flags/${flag.key}' \\`,
        '  -H "Authorization: Bearer $SDK_KEY" \\',
        "  -H 'Content-Type: application/json' \\",
        `  -d '{"context":{"targetingKey":"ada"}}'`,
      ].join('\n');
  }
}

const METHODS = {
  boolean: 'getBooleanValue',
  string: 'getStringValue',
  number: 'getNumberValue',
  json: 'getObjectValue',
} as const;
