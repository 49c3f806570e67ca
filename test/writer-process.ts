// A child process that writes rows into an open database. Arguments: location, name, number of rows.
import { sql } from 'kysely';
import { openEngine } from './engines.ts';

const [location = '', name = '', rows = ''] = process.argv.slice(2);
const engine = await openEngine(location);
const write = (i: number): Promise<unknown> =>
  sql`insert into notes (name) values (${`${name} ${i}`})`.execute(engine.db);
await Promise.all(Array.from({ length: Number(rows) }, (_, i) => write(i)));
await engine.notify('written', name);
await engine.close();
