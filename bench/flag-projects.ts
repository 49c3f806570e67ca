// Projects with many flags, for benches of delivery: one flag is created by the API and copied in the database file.
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { join } from 'node:path';
import { startOurs, TOKEN } from './servers.ts';

export interface FlagProject {
  sdkKey: string;
  clientId: string;
}

const flagKeyOf = (index: number) => `flag-${String(index).padStart(5, '0')}`;

/** Calls the REST API for flags as the administrator. */
export async function callFlags(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  type = 'application/json',
): Promise<Record<string, unknown>> {
  const answer = await fetch(`${url}/api/v2/${path}`, {
    method,
    headers: { authorization: TOKEN, 'content-type': type },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}: ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}

/** Turns a flag of the project `bench` on or off. */
export async function turnFlag(url: string, index: number, isOn: boolean): Promise<void> {
  await callFlags(
    url,
    'PATCH',
    `flags/bench/${flagKeyOf(index)}`,
    { environmentKey: 'test', instructions: [{ kind: isOn ? 'turnFlagOn' : 'turnFlagOff' }] },
    'application/json; domain-model=launchdarkly.semanticpatch',
  );
}

/** Creates the project `bench` in a new data folder, without a server that stays. */
export async function createProject(
  folder: string,
  { flags, environments = 2 }: { flags: number; environments?: number },
): Promise<FlagProject> {
  const ours = await startOurs({ SIGNALBOX_DATA: folder });
  try {
    await callFlags(ours.url, 'POST', 'projects', { key: 'bench', name: 'Bench' });
    for (let index = 2; index < environments; index += 1)
      await callFlags(ours.url, 'POST', 'projects/bench/environments', {
        key: `environment-${index}`,
        name: `Environment ${index}`,
        color: '808080',
      });
    await callFlags(ours.url, 'POST', 'flags/bench', {
      key: flagKeyOf(0),
      name: 'Flag 0',
      clientSideAvailability: { usingEnvironmentId: true, usingMobileKey: true },
    });
    await callFlags(
      ours.url,
      'PATCH',
      `flags/bench/${flagKeyOf(0)}`,
      {
        environmentKey: 'test',
        instructions: [
          {
            kind: 'addRule',
            variationId: await firstVariation(ours.url),
            clauses: [{ contextKind: 'user', attribute: 'country', op: 'in', values: ['GB', 'FR', 'DE'] }],
          },
        ],
      },
      'application/json; domain-model=launchdarkly.semanticpatch',
    );
    const environment = await callFlags(ours.url, 'GET', 'projects/bench/environments/test');
    return { sdkKey: String(environment['apiKey']), clientId: String(environment['_id']) };
  } finally {
    await ours.stop();
    copyFlag(join(folder, 'signalbox.db'), flags);
  }
}

async function firstVariation(url: string): Promise<string> {
  const { variations } = await callFlags(url, 'GET', `flags/bench/${flagKeyOf(0)}`);
  return (variations as { _id: string }[])[0]!._id;
}

type SqlRow = Record<string, SQLOutputValue>;

function copyFlag(file: string, count: number): void {
  const db = new DatabaseSync(file);
  const { no: _, ...flag } = db.prepare('select * from flags').get()!;
  const configs = db.prepare('select * from flag_configs').all();
  const inserterInto = (table: string, row: SqlRow) => {
    const names = Object.keys(row);
    const marks = names.map(() => '?').join(', ');
    const statement = db.prepare(`insert into ${table} (${names.join(', ')}) values (${marks})`);
    return (values: SqlRow) => statement.run(...names.map((name) => values[name]!));
  };
  const insertFlag = inserterInto('flags', flag);
  const insertConfig = inserterInto('flag_configs', configs[0]!);
  const first = String(flag['id']);
  const last = Number.parseInt(first.slice(-5), 16);
  db.exec('begin');
  for (let index = 1; index < count; index += 1) {
    const end = ((last + index) % 0x10_0000).toString(16).padStart(5, '0');
    const id = `${first.slice(0, -5)}${end}`;
    const name = `Flag ${index}`;
    const key = flagKeyOf(index);
    insertFlag({
      ...flag,
      id,
      key,
      name,
      sort_name: name.toLowerCase(),
      words: `${key}\n${name}`.toLowerCase(),
    });
    for (const config of configs) insertConfig({ ...config, flag_id: id });
  }
  db.exec('commit');
  db.close();
}
