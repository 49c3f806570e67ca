// Writes the schema that all migrations create together to the files beside the tests: released migrations must keep
// creating the same. Run for each release: node launch.mjs --script test/upgrade/make-schema.ts
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrations } from '../../src/app/apis.ts';
import { migrate } from '../../src/kernel/storage/migrate.ts';
import { openEngine } from '../engines.ts';
import { startPostgres } from '../postgres.ts';
import { describeSchema } from './schema.ts';

const folder = mkdtempSync(join(tmpdir(), 'signalbox-schema-'));
const postgres = await startPostgres();
for (const location of [join(folder, 'signalbox.db'), postgres.url]) {
  const engine = await openEngine(location);
  const names = await migrate(engine, migrations, 0);
  const lines = [...names.map((name) => `migration ${name}`), ...(await describeSchema(engine))];
  writeFileSync(join(import.meta.dirname, `schema-${engine.kind}.txt`), `${lines.join('\n')}\n`);
  await engine.close();
}
await postgres.stop();
rmSync(folder, { recursive: true });
