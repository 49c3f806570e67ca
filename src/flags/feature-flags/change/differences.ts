// The differences between two states of a flag: each gives the permission it takes and the words for the audit log.
import { areEqual } from '../../../kernel/json/json-value.ts';
import { shorten } from '../../../kernel/json/pointer.ts';
import type { Flag, FlagConfig, Rule } from '../flag.ts';
import { countOf, describeServe, describeVariation, listCode, quoteCode } from './flag-words.ts';
import { rulesLine, targetsLine } from './targeting-words.ts';

/** The actions that differences take permission for. */
export const FLAG_ACTIONS = [
  'updateName',
  'updateDescription',
  'updateTags',
  'updateTemporary',
  'updateGlobalArchived',
  'updateDeprecated',
  'updateFlagVariations',
  'updateFlagDefaultVariations',
  'updateClientSideFlagAvailability',
  'updateFlagCustomProperties',
  'updateMaintainer',
  'updateOn',
  'updateTargets',
  'updateFlagRuleDescription',
  'updateRules',
  'updateFallthrough',
  'updateOffVariation',
  'updatePrerequisites',
  'updateTrackEvents',
  'updateFlagFallthroughTrackEvents',
  'updateFlagConfigMigrationSettings',
] as const;

export interface FlagDifference {
  action: (typeof FLAG_ACTIONS)[number];
  /** Absent for what is the same in all environments. */
  environmentKey?: string;
  /** Stands between the member and the name of the flag in the audit log. */
  verb: string;
  /** A longer description, in Markdown. */
  line: string;
}

type Names = ReadonlyMap<string, string>;

/** `names` are the names of the environments by key. */
export function differencesOf(before: Flag, after: Flag, names: Names): FlagDifference[] {
  const found = [...flagDifferences(before, after)];
  for (const [key, config] of Object.entries(after.environments)) {
    const old = before.environments[key];
    if (old === undefined || old === config) continue;
    const name = `**${escape(names.get(key) ?? key)}**`;
    for (const { action, verb, line } of configDifferences(old, config, before, after))
      found.push({ action, environmentKey: key, verb, line: `${line} in ${name}` });
  }
  return found;
}

function* flagDifferences(before: Flag, after: Flag): Generator<FlagDifference> {
  const isSame = (name: keyof Flag) => areEqual(before[name], after[name]);
  if (!isSame('name')) {
    const line = `Changed the name from ${quoteCode(before.name)} to ${quoteCode(after.name)}`;
    yield { action: 'updateName', verb: 'changed the name of', line };
  }
  if (!isSame('description'))
    yield { action: 'updateDescription', verb: 'updated the flag', line: 'Changed the description' };
  if (!isSame('tags')) yield tagDifference(before.tags, after.tags);
  if (!isSame('temporary')) {
    const line = `Made the flag ${after.temporary ? 'temporary' : 'permanent'}`;
    yield { action: 'updateTemporary', verb: 'updated the flag', line };
  }
  if (!isSame('archived')) {
    const done = after.archived ? 'archived' : 'restored';
    yield { action: 'updateGlobalArchived', verb: `${done} the flag`, line: `${capital(done)} the flag` };
  }
  if (!isSame('deprecated')) {
    const done = after.deprecated ? 'deprecated' : 'restored';
    yield { action: 'updateDeprecated', verb: `${done} the flag`, line: `${capital(done)} the flag` };
  }
  if (!isSame('variations'))
    yield { action: 'updateFlagVariations', verb: 'updated the flag', line: variationsLine(before, after) };
  if (!isSame('defaults')) {
    const line = 'Changed the variations that new environments begin with';
    yield { action: 'updateFlagDefaultVariations', verb: 'updated the flag', line };
  }
  if (!isSame('clientSideAvailability')) {
    const { usingEnvironmentId, usingMobileKey } = after.clientSideAvailability;
    const clients = [usingEnvironmentId && 'client-side', usingMobileKey && 'mobile'].filter(Boolean);
    const line = `Made the flag available to ${[...clients, 'server-side'].join(', ')} SDKs`;
    yield { action: 'updateClientSideFlagAvailability', verb: 'updated the flag', line };
  }
  if (!isSame('customProperties')) {
    const line = 'Changed the custom properties';
    yield { action: 'updateFlagCustomProperties', verb: 'updated the flag', line };
  }
  if (!isSame('maintainerId') || !isSame('maintainerTeamKey'))
    yield { action: 'updateMaintainer', verb: 'updated the flag', line: 'Changed the maintainer' };
}

function tagDifference(before: readonly string[], after: readonly string[]): FlagDifference {
  const added = after.filter((tag) => !before.includes(tag));
  const removed = before.filter((tag) => !after.includes(tag));
  const line = [
    ...(added.length > 0 ? [`Added the ${tagWord(added)} ${listCode(added)}`] : []),
    ...(removed.length > 0 ? [`Removed the ${tagWord(removed)} ${listCode(removed)}`] : []),
  ].join('; ');
  const verb =
    removed.length === 0
      ? `added the ${tagWord(added)} ${added.join(', ')} to`
      : added.length === 0
        ? `removed the ${tagWord(removed)} ${removed.join(', ')} from`
        : 'updated the flag';
  return { action: 'updateTags', verb: shorten(verb), line };
}

function tagWord(tags: readonly string[]): string {
  return tags.length === 1 ? 'tag' : 'tags';
}

function variationsLine(before: Flag, after: Flag): string {
  const ids = (flag: Flag) => new Set(flag.variations.map(({ _id }) => _id));
  const [old, now] = [ids(before), ids(after)];
  const added = after.variations.filter(({ _id }) => !old.has(_id));
  const removed = before.variations.filter(({ _id }) => !now.has(_id));
  if (added.length > 0 && removed.length === 0) return `Added ${countOf(added, 'variation')}`;
  if (removed.length > 0 && added.length === 0) return `Removed ${countOf(removed, 'variation')}`;
  return 'Changed the variations';
}

function* configDifferences(
  before: FlagConfig,
  after: FlagConfig,
  oldFlag: Flag,
  newFlag: Flag,
): Generator<Omit<FlagDifference, 'environmentKey'>> {
  const isSame = (name: keyof FlagConfig) => areEqual(before[name], after[name]);
  if (!isSame('on')) {
    const done = after.on ? 'on' : 'off';
    yield { action: 'updateOn', verb: `turned ${done} the flag`, line: `Turned ${done} the flag` };
  }
  if (!isSame('targets') || !isSame('contextTargets'))
    yield {
      action: 'updateTargets',
      verb: 'updated targeting of',
      line: targetsLine(oldFlag, newFlag, before, after),
    };
  if (!isSame('rules')) {
    const isOnlyDescriptions = areEqual(
      before.rules.map(withoutDescription),
      after.rules.map(withoutDescription),
    );
    yield isOnlyDescriptions
      ? { action: 'updateFlagRuleDescription', verb: 'updated targeting of', line: 'Described rules' }
      : {
          action: 'updateRules',
          verb: 'updated targeting of',
          line: rulesLine(oldFlag, newFlag, before.rules, after.rules),
        };
  }
  if (!isSame('fallthrough')) {
    const line = `Changed the default rule from ${describeServe(oldFlag, before.fallthrough)} to ${describeServe(newFlag, after.fallthrough)}`;
    yield { action: 'updateFallthrough', verb: 'changed the default rule of', line };
  }
  if (!isSame('offVariation')) {
    const line = `Changed what is served while off from ${describeVariation(oldFlag, before.offVariation)} to ${describeVariation(newFlag, after.offVariation)}`;
    yield { action: 'updateOffVariation', verb: 'updated targeting of', line };
  }
  if (!isSame('prerequisites')) {
    const keys = after.prerequisites.map(({ key }) => key);
    const line =
      keys.length === 0 ? 'Removed the prerequisites' : `Set the prerequisites to ${listCode(keys)}`;
    yield { action: 'updatePrerequisites', verb: 'updated targeting of', line };
  }
  if (!isSame('trackEvents')) {
    const line = `${after.trackEvents ? 'Began' : 'Stopped'} keeping full events`;
    yield { action: 'updateTrackEvents', verb: 'updated the flag', line };
  }
  if (!isSame('trackEventsFallthrough')) {
    const line = `${after.trackEventsFallthrough ? 'Began' : 'Stopped'} keeping full events of the default rule`;
    yield { action: 'updateFlagFallthroughTrackEvents', verb: 'updated the flag', line };
  }
  if (!isSame('migrationSettings')) {
    const line = 'Changed the migration settings';
    yield { action: 'updateFlagConfigMigrationSettings', verb: 'updated the flag', line };
  }
}

function withoutDescription(rule: Rule): Rule {
  return { ...rule, description: '' };
}

/** The verb of the audit entry: that of all differences if it is the same, else a general one. */
export function verbOf(differences: readonly FlagDifference[]): string {
  const verbs = new Set(differences.map(({ verb }) => verb));
  const [only] = verbs;
  return verbs.size === 1 ? only! : 'updated the flag';
}

export function describe(differences: readonly FlagDifference[]): string {
  return differences.map(({ line }) => `* ${line}`).join('\n');
}

function escape(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>]/g, (special) => `\\${special}`).replaceAll(/\s+/g, ' ');
}

function capital(word: string): string {
  return word[0]!.toUpperCase() + word.slice(1);
}
