// What a member may do, in sentences: fixed ones for base roles, and one for each statement of a custom role.
import type { BaseRole, PolicyStatement } from '../../kernel/identity/policy.ts';
import { fillPlaceholders, type RoleAttributes } from '../../kernel/identity/role-policies.ts';
import { describeActions } from './action-words.ts';

/** Where a sentence comes from: a base role, a custom role by its key, or a team, with the role that it gives. */
export interface AbilityReason {
  role?: string;
  policy?: string;
  team?: string;
}

export interface Ability {
  text: string;
  because: AbilityReason;
}

/** A custom role of the member, or of one of their teams. */
export interface HeldPolicy {
  key: string;
  statements: readonly PolicyStatement[];
  baseRole: BaseRole;
  /** Those of the member, or of the team. */
  attributes: RoleAttributes;
  team?: string;
  /** Whether the caller may see what it says. */
  isVisible: boolean;
}

/** Single actions that a member may do on a team which they need not belong to. */
export interface HeldGrant {
  team: string;
  actions: readonly string[];
}

export interface MemberPower {
  role: BaseRole;
  policies: readonly HeldPolicy[];
  grants: readonly HeldGrant[];
}

/** A policy has up to five hundred statements, and a member up to a hundred policies and more by teams. */
const MAX_SENTENCES = 200;
/** Of one sentence. */
const MAX_RESOURCES = 5;
const MAX_NAME = 200;

const READER = [
  'may see everything that belongs to the whole account: projects, flags, members, custom roles and teams',
  'may see their own repositories, Actors and storages, and those that others share with them',
  'may have access tokens with at most their own power, and change their own name, password and preferences',
];

const OF_BASE_ROLES: Readonly<Record<BaseRole, readonly string[]>> = {
  no_access: ['may do nothing by the base role alone'],
  reader: READER,
  writer: [
    ...READER,
    'may create, change and delete projects, environments, flags, segments and webhooks',
    'may create repositories, Actors, storages and schedules, and change and delete their own',
    'may create service tokens with at most their own power',
    'may not change members, custom roles or teams, or the approval settings of environments',
  ],
  admin: [
    'may do everything, also with what belongs to other members',
    'may not make somebody an owner, or change an owner',
  ],
  owner: ['may do everything'],
};

export function describeAbilities(power: MemberPower): { sentences: Ability[]; isComplete: boolean } {
  const sentences: Ability[] = [];
  for (const sentence of abilitiesOf(power)) {
    if (sentences.length === MAX_SENTENCES) return { sentences, isComplete: false };
    sentences.push(sentence);
  }
  return { sentences, isComplete: true };
}

/** Lazily, because there may be many more than are shown. */
function* abilitiesOf({ role, policies, grants }: MemberPower): Generator<Ability> {
  for (const text of OF_BASE_ROLES[role]) yield { text, because: { role } };
  // Another policy that allows something overrides the denial of this one.
  const hasOther = role !== 'no_access' || policies.length > 1;
  for (const held of policies) yield* abilitiesOfPolicy(held, hasOther);
  for (const { team, actions } of grants)
    yield { text: `may ${describeActions(actions)} in team/${team}`, because: { team } };
}

function* abilitiesOfPolicy(held: HeldPolicy, hasOther: boolean): Generator<Ability> {
  const { key, statements, baseRole, attributes, team, isVisible } = held;
  const because = { policy: key, ...(team !== undefined && { team }) };
  if (!isVisible) {
    yield { text: `may do what the custom role ${key} allows, which you may not see`, because };
    return;
  }
  if (baseRole !== 'no_access')
    yield { text: `may do everything that a ${baseRole} may, unless this role denies it`, because };
  for (const statement of statements)
    yield { text: sentenceOfStatement(statement, attributes, hasOther), because };
}

export function sentenceOfStatement(
  statement: PolicyStatement,
  attributes: RoleAttributes,
  hasOther: boolean,
): string {
  const { effect, actions, notActions } = statement;
  const what =
    notActions === undefined
      ? describeActions(actions ?? [])
      : `do everything but ${describeActions(notActions)}`;
  const where = placeOf(statement, attributes);
  if (effect === 'allow') return `may ${what} ${where}`;
  return `may not ${what} ${where}${hasOther ? ', unless another role allows it' : ''}`;
}

function placeOf({ effect, resources, notResources }: PolicyStatement, attributes: RoleAttributes): string {
  const listed = resources ?? notResources ?? [];
  const names = listed.slice(0, MAX_RESOURCES).flatMap((name) => fill(name, effect, attributes));
  const more = Math.max(0, names.length - MAX_RESOURCES) + Math.max(0, listed.length - MAX_RESOURCES);
  const shown = names
    .slice(0, MAX_RESOURCES)
    .map((name) => (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 1)}…` : name));
  const text = [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ');
  if (notResources !== undefined && resources === undefined)
    return shown.length === 0 || shown.includes('*') ? 'everywhere' : `everywhere but in ${text}`;
  if (shown.includes('*')) return 'everywhere';
  return shown.length === 0 ? 'nowhere yet: a role attribute that it names has no value' : `in ${text}`;
}

/** Several placeholders in one name multiply, so that such a name is shown as it is written. */
function fill(name: string, effect: PolicyStatement['effect'], attributes: RoleAttributes): string[] {
  if (name.split('${').length !== 2) return [name];
  return fillPlaceholders([{ effect, resources: [name] }], attributes)[0]?.resources ?? [];
}
