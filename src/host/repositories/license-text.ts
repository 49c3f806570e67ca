// The texts of the licences of the SPDX list.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** The identifier must be one of the list. In the npm package the texts are beside the bundle. */
export function licenseTextOf(id: string): string {
  const bundled = new URL(`./licenses/${id}.json`, import.meta.url);
  const file = existsSync(bundled)
    ? bundled
    : createRequire(import.meta.url).resolve(`spdx-license-list/licenses/${id}.json`);
  return (JSON.parse(readFileSync(file, 'utf8')) as { licenseText: string }).licenseText;
}
