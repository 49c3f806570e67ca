// Projects and flags for tests of the store, inserted without HTTP.
import { randomUUID } from 'node:crypto';
import { newId } from '../../kernel/id.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { readEnvironmentPost } from '../environments/model.ts';
import { insertEnvironment } from '../environments/store.ts';
import { readProjectPost } from '../projects/model.ts';
import type { Environment, Project } from '../projects/project.ts';
import { insertProject } from '../projects/store.ts';
import type { Flag } from './flag.ts';
import { newFlag } from './change/new-flag.ts';
import type { FlagPost } from './schemas.ts';
import { firstVersion, newHex } from './store.ts';
import { insertFlag } from './store-writes.ts';

export const NOW = 1_700_000_000_000;

export interface Home {
  project: Project;
  environments: Environment[];
}

export async function makeHome(db: Db, key: string, environmentKeys = ['test', 'production']): Promise<Home> {
  const project = await insertProject(db, readProjectPost({ key, name: key }), NOW);
  const environments: Environment[] = [];
  for (const name of environmentKeys) environments.push(await addEnvironment(db, project!, name));
  return { project: project!, environments };
}

export async function addEnvironment(db: Db, project: Project, key: string): Promise<Environment> {
  const post = readEnvironmentPost({ key, name: key, color: 'abcdef' }, project.id);
  return (await insertEnvironment(db, post, NOW))!;
}

/** A flag that is not inserted. */
export function buildFlag(
  { project, environments }: Home,
  key: string,
  post: Partial<FlagPost> = {},
  version = 1,
): Flag {
  return newFlag({ key, name: key, ...post }, new Map(), {
    id: newId(NOW),
    now: NOW,
    version,
    project,
    environments,
    newUuid: randomUUID,
    newHex,
  });
}

export async function insertTestFlag(
  db: Db,
  home: Home,
  key: string,
  post: Partial<FlagPost> = {},
): Promise<Flag> {
  const flag = buildFlag(home, key, post, await firstVersion(db, home.project.id, key));
  if (!(await insertFlag(db, flag, home.environments, new Map()))) throw new Error(`${key} is taken`);
  return flag;
}
