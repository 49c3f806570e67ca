// Compares docs/openapi with the documents of the last release: a breaking change in a released version fails, and so does
// a version that ends before its time.
import { readdirSync, readFileSync } from 'node:fs';
import { apis } from '../src/app/apis.ts';
import { diffContracts, type Difference } from '../tools/contract/diff.ts';
import { endedTooEarly } from '../src/kernel/versions/version.ts';

const current = new URL('../docs/openapi/', import.meta.url);
const released = new URL('../docs/openapi/released/', import.meta.url);
const documentsIn = (folder: URL) => readdirSync(folder).filter((name) => name.endsWith('.json'));
const read = (name: string, folder: URL): unknown => JSON.parse(readFileSync(new URL(name, folder), 'utf8'));

/** Where a released document said what the server never did: the places that were put right since, with the reason. */
const CORRECTIONS: Readonly<Record<string, string>> = {
  'GET /datasets/{storageId}/items → 200 application/json': 'Items were never in an envelope.',
  'POST /repos/{owner}/{repo}/code-scanning/sarifs ← application/json':
    'Every upload was answered 404 before there was code scanning.',
  'PUT /datasets/{storageId} ← application/json: title':
    'A title with a NUL character was an error on PostgreSQL.',
  'PUT /key-value-stores/{storageId} ← application/json: title':
    'A title with a NUL character was an error on PostgreSQL.',
  'PUT /request-queues/{storageId} ← application/json: title':
    'A title with a NUL character was an error on PostgreSQL.',
};
const isCorrection = ({ where }: Difference) =>
  Object.keys(CORRECTIONS).some((place) => where === place || where.startsWith(`${place}: `));

const ended = new Set<string>();
for (const { protocol } of apis) {
  for (const version of protocol.versions.ended ?? []) ended.add(`${protocol.name}.${version}.json`);
  for (const version of endedTooEarly(protocol.versions, Date.now())) {
    console.error(`${protocol.name}: version ${version} must be supported for longer`);
    process.exitCode = 1;
  }
}

const kept = documentsIn(current);
for (const name of documentsIn(released)) {
  if (ended.has(name)) continue;
  if (!kept.includes(name)) {
    console.error(`${name}: a released version has no description any more`);
    process.exitCode = 1;
    continue;
  }
  const differences = diffContracts(read(name, released), read(name, current));
  const breaking = differences.filter((one) => one.severity === 'breaking' && !isCorrection(one));
  console.log(
    `${name}: ${breaking.length} breaking, ${differences.length - breaking.length} additive since the release`,
  );
  for (const { where, message } of breaking) console.error(`  ${where}: ${message}`);
  if (breaking.length > 0) process.exitCode = 1;
}
