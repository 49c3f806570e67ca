// Writes docs/openapi/<api>.<version>.json from the routes. --check only checks that they are current; --release
// copies them to docs/openapi/released, which later changes are compared with.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { apis } from '../src/app/apis.ts';
import { readExamples } from '../src/kernel/openapi/examples.ts';
import { describeApi } from '../src/kernel/openapi/document.ts';

const folder = new URL('../docs/openapi/', import.meta.url);
const released = new URL('./released/', folder);
const isCheck = process.argv.includes('--check');
const isRelease = process.argv.includes('--release');

const documents = new Map<string, string>();
for (const api of apis) {
  const { name, versions } = api.protocol;
  const examples = await readExamples(name);
  for (const version of versions.names) {
    const text = `${JSON.stringify(describeApi(api, version, examples), null, 2)}\n`;
    documents.set(`${name}.${version}.json`, text);
  }
}

mkdirSync(folder, { recursive: true });
const present = readdirSync(folder).filter((name) => name.endsWith('.json'));
const stale = [
  ...[...documents]
    .filter(([name, text]) => !present.includes(name) || readFileSync(new URL(name, folder), 'utf8') !== text)
    .map(([name]) => name),
  ...present.filter((name) => !documents.has(name)),
];

if (!isCheck) {
  for (const name of present) if (!documents.has(name)) rmSync(new URL(name, folder));
  for (const [name, text] of documents) writeFileSync(new URL(name, folder), text);
  console.log(`${documents.size} documents in docs/openapi, ${stale.length} changed`);
}
if (isRelease) {
  mkdirSync(released, { recursive: true });
  for (const name of documents.keys()) copyFileSync(new URL(name, folder), new URL(name, released));
  console.log('kept in docs/openapi/released');
}
if (isCheck && stale.length > 0) {
  console.error(`docs/openapi is not fresh: ${stale.join(', ')}. Run npm run openapi and commit the result.`);
  process.exitCode = 1;
} else if (isCheck) {
  console.log(`${documents.size} documents in docs/openapi are fresh`);
}
