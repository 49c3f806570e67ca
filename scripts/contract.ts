// Compares docs/openapi with the documents of the last release: a breaking change in a released version fails.
import { readdirSync, readFileSync } from 'node:fs';
import { diffContracts } from '../src/kernel/contract/diff.ts';

const current = new URL('../docs/openapi/', import.meta.url);
const released = new URL('../docs/openapi/released/', import.meta.url);
const documentsIn = (folder: URL) => readdirSync(folder).filter((name) => name.endsWith('.json'));
const read = (name: string, folder: URL): unknown => JSON.parse(readFileSync(new URL(name, folder), 'utf8'));

const kept = documentsIn(current);
for (const name of documentsIn(released)) {
  if (!kept.includes(name)) {
    console.error(`${name}: a released version has no description any more`);
    process.exitCode = 1;
    continue;
  }
  const differences = diffContracts(read(name, released), read(name, current));
  const breaking = differences.filter(({ severity }) => severity === 'breaking');
  console.log(
    `${name}: ${breaking.length} breaking, ${differences.length - breaking.length} additive since the release`,
  );
  for (const { where, message } of breaking) console.error(`  ${where}: ${message}`);
  if (breaking.length > 0) process.exitCode = 1;
}
