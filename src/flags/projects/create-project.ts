// Creates a project on request, or at the first start of a server.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { Failure } from '../../kernel/failure.ts';
import { problem, type Static } from '../../kernel/schema/schema.ts';

import { readEnvironmentPost, DEFAULT_ENVIRONMENTS } from '../environments/model.ts';
import { insertEnvironment, listEnvironments } from '../environments/store.ts';
import { projectResource } from '../policy/resources.ts';
import { readProjectPost, toProject, type ProjectPost } from './model.ts';
import type { Environment, Project } from './project.ts';
import { insertProject, hasProjects } from './store.ts';

/** Creates its environments, too; there is always at least one. */
export async function createProject(
  tx: ChangeTransaction,
  post: Static<typeof ProjectPost>,
): Promise<{ project: Project; environments: Environment[] }> {
  const { db, actor } = tx;
  const project = await insertProject(db, readProjectPost(post), actor.now);
  if (project === undefined) throw takenKey('project', post.key);
  const wanted = post.environments?.length ? post.environments : DEFAULT_ENVIRONMENTS;
  for (const [index, environment] of wanted.entries()) {
    const made = await insertEnvironment(db, readEnvironmentPost(environment, project.id), actor.now);
    if (made === undefined) throw problem(`environments.${index}.key`, 'is there twice');
  }
  const environments = await listEnvironments(db, project.id);
  tx.record({
    accesses: [{ action: 'createProject', resource: projectResource(project) }],
    kind: 'project',
    name: project.name,
    verb: 'created the project',
    after: toProject(project),
  });
  return { project, environments };
}

/** Creates the project `default` if there are no projects. */
export async function ensureDefaultProject(tx: ChangeTransaction): Promise<void> {
  if (!(await hasProjects(tx.db))) await createProject(tx, { key: 'default', name: 'Default' });
}

export function takenKey(kind: string, key: string): Failure {
  return new Failure('conflict', `Duplicate ${kind} key: "${key}" is taken`, { code: 'key_exists' });
}
