// Whether a caller may do actions with a flag or segment: in one environment, or in any, as changes of a whole flag ask for. ADR 0157.
import { EVERYWHERE_ACTIONS } from '../../flags/feature-flags/change/permissions.ts';
import { environmentalResource, type Tagged } from '../../flags/policy/resources.ts';
import type { Environment, Project } from '../../flags/projects/project.ts';
import { can, isDenied, type GrantHolder } from '../../kernel/identity/policy.ts';
import { TimeSlice } from '../../kernel/yield-to-event-loop.ts';

export type ThingKind = 'flag' | 'segment';

export interface ThingPlace {
  kind: ThingKind;
  project: Project;
  environments: readonly Environment[];
}

export interface ActionAnswer {
  action: string;
  /** Where it is allowed, else the first place where it is not. */
  resource: string;
  isAllowed: boolean;
}

/** One of the things is enough. */
export async function decideActions(
  caller: GrantHolder,
  place: ThingPlace,
  things: readonly Tagged[],
  actions: readonly string[],
): Promise<ActionAnswer[]> {
  const slice = new TimeSlice();
  const answers: ActionAnswer[] = [];
  for (const action of actions) {
    let answer: ActionAnswer | undefined;
    for (const thing of things) {
      const found = decideAction(caller, place, thing, action);
      if (answer?.isAllowed !== true) answer = found.isAllowed ? found : (answer ?? found);
      if (slice.isOver) await slice.yieldToEventLoop();
      if (answer.isAllowed) break;
    }
    answers.push(answer!);
  }
  return answers;
}

function decideAction(
  caller: GrantHolder,
  { kind, project, environments }: ThingPlace,
  thing: Tagged,
  action: string,
): ActionAnswer {
  const resources = environments.map((environment) =>
    environmentalResource(project, environment, kind, thing),
  );
  const [first = environmentalResource(project, { key: '*', tags: [] }, kind, thing)] = resources;
  const denied =
    kind === 'flag' && EVERYWHERE_ACTIONS.has(action)
      ? resources.find((resource) => isDenied(caller, action, resource))
      : undefined;
  if (denied !== undefined) return { action, resource: denied, isAllowed: false };
  const allowed = (resources.length === 0 ? [first] : resources).find((resource) =>
    can(caller, action, resource),
  );
  return { action, resource: allowed ?? first, isAllowed: allowed !== undefined };
}

/** More names than these are not tried. */
const MAX_SAMPLES = 20;

/** Things that a role may be about: any, and for each pattern that the caller's policies allow, one that it matches. */
export function sampleThings({ grants }: GrantHolder, kind: ThingKind, tags: readonly string[]): Tagged[] {
  const samples = new Map<string, Tagged>();
  const add = (sample: Tagged) => {
    if (samples.size < MAX_SAMPLES) samples.set(`${sample.key};${sample.tags.join(',')}`, sample);
  };
  add({ key: `any-${kind}`, tags });
  add({ key: `any-${kind}`, tags: [] });
  for (const { effect, resources = [] } of grants.flat().flatMap(({ statements }) => statements)) {
    if (effect !== 'allow') continue;
    for (const resource of resources) {
      const [path = '', tagList = ''] = (resource.split(':')[2] ?? '').split(';');
      if (!path.startsWith(`${kind}/`)) continue;
      const key = path.slice(kind.length + 1).replaceAll('*', 'x');
      add({ key, tags: tagList.split(',').filter((tag) => tag !== '') });
    }
  }
  return [...samples.values()];
}
