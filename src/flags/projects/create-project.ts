// Creates a project on request, or at the first start of a server.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { Failure } from '../../kernel/failure.ts';
import { problem, type Static } from '../../kernel/schema/schema.ts';

import { readEnvironmentPost, DEFAULT_ENVIRONMENTS } from '../environments/model.ts';
import { insertEnvironment, listEnvironments } from '../environments/store.ts';
import { projectResource } from '../resources.ts';
import { readProjectPost, toProject, type ProjectPost } from './model.ts';
import type { Environment, Project } from './project.ts';
import { insertProject, hasProjects } from './store.ts';

/** Creates its environments, too; there is always at least one. */
export async function createProject(
  on: ChangeTransaction,
  post: Static<typeof ProjectPost>,
): Promise<{ project: Project; environments: Environment[] }> {
  const { db: tx, actor } = on;
  const project = await insertProject(tx, readProjectPost(post), actor.now);
  if (project === undefined) throw takenKey('project', post.key);
  const wanted = post.environments?.length ? post.environments : DEFAULT_ENVIRONMENTS;
  for (const [index, environment] of wanted.entries()) {
    const made = await insertEnvironment(tx, readEnvironmentPost(environment, project.id), actor.now);
    if (made === undefined) throw problem(`environments.${index}.key`, 'is there twice');
  }
  const environments = await listEnvironments(tx, project.id);
  on.record({
    accesses: [{ action: 'createProject', resource: projectResource(project) }],
    kind: 'project',
    name: project.name,
    verb: 'created the project',
    after: toProject(project),
  });
  return { project, environments };
}

/** Creates the project `default` if there are no projects. */
export async function ensureDefaultProject(on: ChangeTransaction): Promise<void> {
  if (!(await hasProjects(on.db))) await createProject(on, { key: 'default', name: 'Default' });
}

export function takenKey(kind: string, key: string): Failure {
  return new Failure('conflict', `Duplicate ${kind} key: "${key}" is taken`, { code: 'key_exists' });
}
