// Makes a recorded exchange the same each time it is recorded: ids, times, addresses, hashes and secrets become constants.
import type { Example } from '../src/kernel/openapi/examples.ts';
import { ADMIN_TOKEN } from '../test/server.ts';

/** The first moment of 2026. */
const MOMENT = Date.UTC(2026, 0, 1);
const SECOND = MOMENT / 1000;
/** What looks like a time after 2017 and before 2065. */
const isMillis = (value: number) => value > 1_500_000_000_000 && value < 3_000_000_000_000;
const isSeconds = (value: number) => value > 1_500_000_000 && value < 3_000_000_000;

/** Members that may hold a secret, whatever it looks like. */
const SECRET =
  /secret|password|signature|^(token|link)$|^encoded$|^apiKey$|^mobileKey$|^(full|display)Key$|cursor$/i;

const HIDDEN = 'x'.repeat(24);

/** What was measured while the exchange was recorded, by the names of the members. */
const MEASURED: readonly [names: RegExp, constant: number][] = [
  [/^durationMs$/, 5],
  [/^durationMillis$/, 5120],
  [/^runTimeSecs$/, 5.12],
  [/^(computeUnits|ACTOR_COMPUTE_UNITS)$/, 0.0014],
  [/^(mem(Avg|Max|Current)Bytes|imageSizeBytes)$/, 67_108_864],
  [/^cpu(Avg|Max|Current)Usage$/, 12.5],
  [/^uptimeSeconds$/, 86_400],
  [/^(rss|heapUsed)$/, 134_217_728],
  [/^p99Ms$/, 20.5],
];

export function normaliseExample(example: Example): Example {
  const ids = new Map<string, string>();
  const numbered = (id: string, write: (number: string) => string) => {
    let constant = ids.get(id);
    if (constant === undefined) ids.set(id, (constant = write(String(ids.size + 1))));
    return constant;
  };
  const normaliseText = (text: string): string =>
    text
      .replaceAll(ADMIN_TOKEN, 'api-00000000-0000-4000-8000-000000000000')
      .replaceAll(/\b(127\.0\.0\.1|localhost):\d+/g, '127.0.0.1:8080')
      .replaceAll(/\b(signature=|webhook\/triggers\/\w+\/|session\/)[\w-]+/g, `$1${HIDDEN}`)
      .replaceAll(/\b(signalbox_link=)[\w.-]+/g, `$1${HIDDEN}`)
      // Names that tests make up, such as `p12-x4k2h9`.
      .replaceAll(/(?<=\b|%2F)p\d+-[a-z0-9]{4,6}\b/g, (name) => numbered(name, (number) => `name-${number}`))
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) =>
        numbered(id, (number) => `00000000-0000-4000-8000-${number.padStart(12, '0')}`),
      )
      .replaceAll(/\b[0-9a-f]{32,}\b/g, (hash) => '0'.repeat(hash.length))
      .replaceAll(/\b[0-9a-f]{24}\b/g, (id) =>
        numbered(id, (number) => (SECOND.toString(16) + number.padStart(16, '0')).slice(-24)),
      )
      .replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, (_all, fraction?: string) =>
        fraction === undefined ? '2026-01-01T00:00:00Z' : '2026-01-01T00:00:00.000Z',
      )
      .replaceAll(/\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\b/g, '2026-01-01 00:00:00')
      .replaceAll(/\b1[5-9]\d{11}\b|\b2\d{12}\b/g, String(MOMENT));
  const normalise = (value: unknown, name = ''): unknown => {
    const constant = MEASURED.find(([names]) => names.test(name))?.[1];
    if (constant !== undefined && typeof value === 'number') return constant;
    if (typeof value === 'number') return isMillis(value) ? MOMENT : isSeconds(value) ? SECOND : value;
    if (typeof value === 'string') {
      const text = normaliseText(value);
      return SECRET.test(name) && text !== '' ? text.replaceAll(/[A-Za-z0-9+/=_-]{4,}/g, hide) : text;
    }
    if (Array.isArray(value)) return value.map((item) => normalise(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [normaliseText(key), normalise(inner, key)]),
    );
  };
  return normalise(example) as Example;
}

/** What is made of zeros or looks like a constant stays; anything else of this length may be a secret. */
function hide(text: string): string {
  return /^(api|sdk|mob)?-?0[0-9-]*$/.test(text) ? text : HIDDEN.slice(0, text.length);
}
