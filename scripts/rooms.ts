// The rooms of the kernel: what each is for, where a reader begins, and which other rooms it may use. The import law holds it, and CONTRIBUTING shows it. ADR 0082.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface Room {
  about: string;
  /** The file that a reader opens first. */
  entry: string;
  /** The rooms whose values it may import; types may come from any room. All of them stand before it. */
  imports: readonly string[];
}

/** From the bottom to the top. */
export const ROOMS: Readonly<Record<string, Room>> = {
  text: { about: 'names and words: order, lines, misspellings', entry: 'fold-case.ts', imports: [] },
  collections: { about: 'bounded caches and maps', entry: 'bounded-cache.ts', imports: [] },
  json: { about: 'JSON values, pointers, large texts', entry: 'json-value.ts', imports: [] },
  network: { about: 'streams, sockets, outgoing calls and their guard', entry: 'streams.ts', imports: [] },
  observability: { about: 'log and metrics', entry: 'log.ts', imports: [] },
  schema: { about: 'schemas and their checks', entry: 'schema.ts', imports: ['json', 'text'] },
  storage: {
    about: 'engines, migrations, blobs, disk',
    entry: 'engine.ts',
    imports: ['collections', 'network', 'text'],
  },
  threads: {
    about: 'tasks in worker threads, within bounds',
    entry: 'thread-runner.ts',
    imports: ['collections', 'network'],
  },
  jobs: { about: 'work that waits: rows, leases, workers', entry: 'due-worker.ts', imports: ['storage'] },
  secrets: {
    about: 'secrets: made, compared, encrypted at rest',
    entry: 'secret-box.ts',
    imports: ['jobs', 'storage'],
  },
  egress: {
    about: 'the proxy through which programs reach other servers',
    entry: 'egress-proxy.ts',
    imports: ['network', 'secrets'],
  },
  backup: {
    about: 'backups: their format, what waits for them, the pause after a restore',
    entry: 'manifest.ts',
    imports: ['jobs', 'secrets', 'storage'],
  },
  limits: { about: 'rate limits', entry: 'limits.ts', imports: ['collections'] },
  versions: {
    about: 'dated versions and their use',
    entry: 'version.ts',
    imports: ['collections', 'schema'],
  },
  identity: {
    about: 'members, tokens, sessions, roles, policies',
    entry: 'identity.ts',
    imports: ['collections', 'schema', 'secrets', 'storage', 'text', 'versions'],
  },
  change: {
    about: 'the one way of every change, with its audit entry',
    entry: 'changes.ts',
    imports: ['identity', 'json', 'storage'],
  },
  webhooks: {
    about: 'deliveries and their retries',
    entry: 'start-delivery.ts',
    imports: ['collections', 'jobs', 'network', 'storage'],
  },
  http: {
    about: 'routes, the life of a request, replies, pages',
    entry: 'serve.ts',
    imports: [
      'collections',
      'identity',
      'json',
      'limits',
      'network',
      'schema',
      'secrets',
      'storage',
      'versions',
    ],
  },
  openapi: {
    about: 'documents, documentation, upgrade report',
    entry: 'document.ts',
    imports: ['collections', 'http', 'identity', 'json', 'limits', 'schema', 'versions'],
  },
};

/** One line for each layer: a room stands above all that it imports. */
export function drawRooms(rooms: Readonly<Record<string, Room>> = ROOMS): string {
  const layers: string[][] = [];
  const layerOf = new Map<string, number>();
  for (const [name, { imports }] of Object.entries(rooms)) {
    const layer = Math.max(-1, ...imports.map((other) => layerOf.get(other)!)) + 1;
    layerOf.set(name, layer);
    (layers[layer] ??= []).push(name);
  }
  const rows = [
    'bin',
    'cli',
    'app',
    'signalbox',
    'flags │ actors │ host',
    ...layers.toReversed().map((names) => names.join(' │ ')),
    'clock │ failure │ id │ kernel │ yield-to-event-loop',
  ];
  const width = Math.max(...rows.map(({ length }) => length)) + 4;
  const line = (row: string) => {
    const left = Math.floor((width - row.length) / 2);
    return `│${' '.repeat(left)}${row}${' '.repeat(width - row.length - left)}│`;
  };
  const rule = (ends: string, title = '') =>
    `${ends[0]}${title === '' ? '' : `─ ${title} `}${'─'.repeat(width - (title === '' ? 0 : title.length + 3))}${ends[1]}`;
  return [
    rule('┌┐'),
    ...rows
      .slice(0, 5)
      .flatMap((row) => [line(row), rule('├┤')])
      .slice(0, -1),
    rule('├┤', 'kernel'),
    ...rows
      .slice(5)
      .flatMap((row) => [line(row), rule('├┤')])
      .slice(0, -1),
    rule('└┘'),
  ].join('\n');
}

function describeRooms(): string {
  const rows = Object.entries(ROOMS)
    .toReversed()
    .map(
      ([name, { about, entry, imports }]) =>
        `| \`${name}/\` | ${about} | [${entry}](src/kernel/${name}/${entry}) | ${imports.join(', ') || '–'} |`,
    );
  return [
    '```',
    drawRooms(),
    '```',
    '',
    '| Room of the kernel | What it is for | Begin reading in | May use |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
}

const BEGIN = '<!-- rooms: written by `npm run rooms` -->';
const END = '<!-- end of rooms -->';

function replaceIn(text: string): string {
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from === -1 || to < from) throw new Error(`CONTRIBUTING.md must have ${BEGIN} and ${END}.`);
  return `${text.slice(0, from)}${BEGIN}\n\n${describeRooms()}\n\n${text.slice(to)}`;
}

if (import.meta.main) {
  const path = join(dirname(import.meta.dirname), 'CONTRIBUTING.md');
  const text = readFileSync(path, 'utf8');
  const wanted = replaceIn(text);
  if (process.argv.includes('--check')) {
    if (wanted !== text) {
      console.error('The rooms in CONTRIBUTING.md are not those of scripts/rooms.ts: run `npm run rooms`.');
      process.exitCode = 1;
    }
  } else writeFileSync(path, wanted);
}
