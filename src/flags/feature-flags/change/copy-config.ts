// Copies the configuration of a flag from one environment to another, whole or in part. Pure.
import { Failure } from '../../../kernel/failure.ts';
import { OneOf, PlainText, problem, Type, type Static } from '../../../kernel/schema/schema.ts';
import type { EditedFlag } from './flag-edit.ts';
import type { Flag, FlagConfig } from '../flag.ts';

const COPY_ACTIONS = [
  'updateOn',
  'updateRules',
  'updateFallthrough',
  'updateOffVariation',
  'updatePrerequisites',
  'updateTargets',
  'updateFlagConfigMigrationSettings',
] as const;
type CopyAction = (typeof COPY_ACTIONS)[number];

const CopySide = Type.Object({
  key: Type.String({ description: 'The key of the environment' }),
  currentVersion: Type.Optional(Type.Integer({ description: 'Copy only if this is still its version' })),
});

export const FlagCopy = Type.Object(
  {
    source: CopySide,
    target: CopySide,
    comment: Type.Optional(PlainText()),
    includedActions: Type.Optional(
      Type.Array(OneOf(COPY_ACTIONS), { description: 'Copy no more than these' }),
    ),
    excludedActions: Type.Optional(Type.Array(OneOf(COPY_ACTIONS), { description: 'Copy all but these' })),
  },
  { $id: 'FlagCopyConfigPost' },
);

export function copyConfig(flag: Flag, copy: Static<typeof FlagCopy>): EditedFlag {
  const actions = readActions(copy);
  const from = readSide(flag, copy.source, 'source');
  const to = readSide(flag, copy.target, 'target');
  if (copy.source.key === copy.target.key) throw problem('target.key', 'must be another environment');
  const { offVariation, migrationSettings, ...kept } = to;
  const parts: Record<CopyAction, Partial<FlagConfig>> = {
    updateOn: { on: from.on },
    updateRules: { rules: from.rules },
    updateFallthrough: { fallthrough: from.fallthrough },
    updateOffVariation: pickOptional(from, 'offVariation'),
    updatePrerequisites: { prerequisites: from.prerequisites },
    updateTargets: { targets: from.targets, contextTargets: from.contextTargets },
    updateFlagConfigMigrationSettings: pickOptional(from, 'migrationSettings'),
  };
  const config: FlagConfig = Object.assign(
    kept,
    !actions.has('updateOffVariation') && offVariation !== undefined && { offVariation },
    !actions.has('updateFlagConfigMigrationSettings') && migrationSettings && { migrationSettings },
    ...[...actions].map((action) => parts[action]),
  );
  return {
    flag: { ...flag, environments: { ...flag.environments, [copy.target.key]: config } },
    permissions: [
      { action: 'copyFlagConfigTo', environmentKey: copy.target.key },
      { action: 'copyFlagConfigFrom', environmentKey: copy.source.key },
    ],
  };
}

function pickOptional(config: FlagConfig, name: 'offVariation' | 'migrationSettings'): Partial<FlagConfig> {
  return config[name] === undefined ? {} : { [name]: config[name] };
}

function readActions({ includedActions, excludedActions }: Static<typeof FlagCopy>): Set<CopyAction> {
  if (includedActions !== undefined && excludedActions !== undefined)
    throw problem('includedActions', 'cannot be given together with excludedActions');
  return new Set(
    includedActions ?? COPY_ACTIONS.filter((action) => excludedActions?.includes(action) !== true),
  );
}

function readSide(
  { environments }: Flag,
  { key, currentVersion }: Static<typeof CopySide>,
  name: 'source' | 'target',
): FlagConfig {
  const config = Object.hasOwn(environments, key) ? environments[key] : undefined;
  if (config === undefined) throw problem(`${name}.key`, `names no environment of the project: "${key}"`);
  if (currentVersion === undefined || currentVersion === config.version) return config;
  throw new Failure(
    'conflict',
    `The ${name} has been changed since: it is at version ${config.version}, not ${currentVersion}.`,
  );
}
