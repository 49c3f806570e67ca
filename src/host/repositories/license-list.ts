// The licences of the SPDX list: their names, and their texts.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** Loaded when the first licence is shown: most starts need none. */
let names: Record<string, { name: string }> | undefined;

/** By identifier, such as `MIT`. */
export function licenseNames(): Readonly<Record<string, { name: string }>> {
  names ??= createRequire(import.meta.url)('spdx-license-list/spdx.json') as Record<string, { name: string }>;
  return names;
}

/** The identifier must be one of the list. In the npm package the texts are beside the bundle. */
export function licenseTextOf(id: string): string {
  const bundled = new URL(`./licenses/${id}.json`, import.meta.url);
  const file = existsSync(bundled)
    ? bundled
    : createRequire(import.meta.url).resolve(`spdx-license-list/licenses/${id}.json`);
  return (JSON.parse(readFileSync(file, 'utf8')) as { licenseText: string }).licenseText;
}
