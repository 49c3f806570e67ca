// Triggers: their schemas, what their instructions may do, and the instructions that change them.
import { hashSecret, isSameSecret } from '../../kernel/secrets/secret.ts';
import type { Instruction } from '../patch/patch.ts';
import { PlainText, problem, Type } from '../../kernel/schema/schema.ts';
import { flagKinds } from '../feature-flags/change/instructions/table.ts';
import { flagPath } from '../feature-flags/representation.ts';
import { Key } from '../fields.ts';
import {
  documentedKinds,
  KindSchema,
  unknownKind,
  inInstruction,
  instructionReader,
} from '../patch/instructions.ts';
import { Links, linkTo } from '../links.ts';
import type { FlagInEnvironment, FlagInEnvironmentRef } from '../planned-changes/flag-in-environment.ts';
import { Instructions, ShownInstructions } from '../planned-changes/plan.ts';

/** A secret URL, and the instructions for a flag in an environment that a call of it applies. */
export interface Trigger extends FlagInEnvironmentRef {
  id: string;
  maintainerId: string;
  /** The kind of service that calls the URL. */
  integrationKey: string;
  isOn: boolean;
  /** The hash of the secret in the URL. */
  hash: string;
  firedCount: number;
  firedAt?: number;
  comment?: string;
  instructions: Instruction[];
  version: number;
  createdAt: number;
}

/** Of one flag in one environment. */
export const MAX_TRIGGERS = 100;

export const TriggerPost = Type.Object(
  {
    integrationKey: Key('What calls it: `generic-trigger`, `datadog`, …'),
    instructions: Type.Optional(Instructions),
    comment: Type.Optional(PlainText({ maxLength: 10_000 })),
  },
  { $id: 'TriggerPost' },
);

export const TriggerSchema = Type.Object(
  {
    _id: Type.String(),
    _version: Type.Integer(),
    _creationDate: Type.Integer(),
    _maintainerId: Type.String(),
    _integrationKey: Type.String(),
    enabled: Type.Boolean(),
    instructions: ShownInstructions,
    comment: Type.Optional(Type.String()),
    _lastTriggeredAt: Type.Optional(Type.Integer()),
    _triggerCount: Type.Integer(),
    triggerURL: Type.Optional(
      Type.String({ description: 'Shown once, to whoever made the trigger or changed its URL' }),
    ),
    _links: Links,
  },
  { $id: 'TriggerWorkflowRep' },
);

/** Without the URL, which is a secret. */
export function toTrigger(trigger: Trigger, { project, flag, environment }: FlagInEnvironment) {
  const { firedAt, comment } = trigger;
  const parent = `${flagPath(project.key, flag.key)}/triggers/${environment.key}`;
  return {
    _id: trigger.id,
    _version: trigger.version,
    _creationDate: trigger.createdAt,
    _maintainerId: trigger.maintainerId,
    _integrationKey: trigger.integrationKey,
    enabled: trigger.isOn,
    instructions: trigger.instructions,
    ...(comment !== undefined && { comment }),
    ...(firedAt !== undefined && { _lastTriggeredAt: firedAt }),
    _triggerCount: trigger.firedCount,
    _links: { self: linkTo(`${parent}/${trigger.id}`), parent: linkTo(parent) },
  };
}

export function isSecretOf({ hash }: Pick<Trigger, 'hash'>, secret: string): boolean {
  return isSameSecret(hashSecret(secret), hash);
}

/** The kinds that work in one environment. */
const TRIGGERED = [...flagKinds].filter(([, { level }]) => level === 'environment').map(([name]) => name);

/** The actions of the instructions. Throws for one beyond the environment, because calls of a trigger are not authorized. */
export function triggerActions(instructions: readonly Instruction[]): string[] {
  const actions = instructions.map((instruction, index) =>
    inInstruction(index, instruction, () => {
      const kind = flagKinds.get(instruction.kind);
      if (kind === undefined) throw unknownKind('triggers', TRIGGERED);
      if (kind.level === 'environment') return kind.action;
      throw problem('kind', 'is not one that works in one environment, such as turnFlagOn or turnFlagOff');
    }),
  );
  return [...new Set(actions)];
}

const schemas = {
  replaceTriggerActionInstructions: KindSchema('replaceTriggerActionInstructions', 'Says anew what happens', {
    value: Instructions,
  }),
  cycleTriggerUrl: KindSchema(
    'cycleTriggerUrl',
    'Gives it another URL; the one before is no longer good',
    {},
  ),
  enableTrigger: KindSchema('enableTrigger', 'Lets it work again', {}),
  disableTrigger: KindSchema('disableTrigger', 'Lets it do nothing until it is enabled', {}),
};

export const triggerKinds = documentedKinds(schemas);

const read = instructionReader(schemas);

export interface EditedTrigger {
  trigger: Trigger;
  hasNewUrl: boolean;
  hasNewInstructions: boolean;
}

export function editTrigger(before: Trigger, instructions: readonly Instruction[]): EditedTrigger {
  let { isOn, instructions: planned } = before;
  let hasNewUrl = false;
  for (const instruction of read(instructions)) {
    if (instruction.kind === 'replaceTriggerActionInstructions') planned = instruction.value;
    else if (instruction.kind === 'cycleTriggerUrl') hasNewUrl = true;
    else isOn = instruction.kind === 'enableTrigger';
  }
  return {
    trigger: { ...before, isOn, instructions: planned },
    hasNewUrl,
    hasNewInstructions: planned !== before.instructions,
  };
}
