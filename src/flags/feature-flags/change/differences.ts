// What differs between a flag before and after a change: the permissions it takes, and the words for the audit log.
import { areEqual } from '../../../kernel/patch/json-value.ts';
import { shorten } from '../../../kernel/patch/pointer.ts';
import type { Flag, FlagConfig, Rule, Serve } from '../flag.ts';

export interface Difference {
  /** The permission it takes. */
  action: string;
  /** Where it is about one environment. */
  environmentKey?: string;
  /** What was done, to stand between who and the name of the flag. */
  verb: string;
  /** The same in a few words more, in Markdown. */
  line: string;
}

type Names = ReadonlyMap<string, string>;

/** `names` are those of the environments, by their keys. */
export function differencesOf(before: Flag, after: Flag, names: Names): Difference[] {
  const found = [...flagDifferences(before, after)];
  for (const [key, config] of Object.entries(after.environments)) {
    const old = before.environments[key];
    if (old === undefined || old === config) continue;
    const place = `**${escape(names.get(key) ?? key)}**`;
    for (const { action, verb, line } of configDifferences(old, config, before, after))
      found.push({ action, environmentKey: key, verb, line: `${line} in ${place}` });
  }
  return found;
}

function* flagDifferences(before: Flag, after: Flag): Generator<Difference> {
  const isSame = (name: keyof Flag) => areEqual(before[name], after[name]);
  if (!isSame('name')) {
    const line = `Changed the name from ${quote(before.name)} to ${quote(after.name)}`;
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
    const told = [usingEnvironmentId && 'client-side', usingMobileKey && 'mobile'].filter(Boolean);
    const line = `Made the flag available to ${[...told, 'server-side'].join(', ')} SDKs`;
    yield { action: 'updateClientSideFlagAvailability', verb: 'updated the flag', line };
  }
  if (!isSame('customProperties')) {
    const line = 'Changed the custom properties';
    yield { action: 'updateFlagCustomProperties', verb: 'updated the flag', line };
  }
  if (!isSame('maintainerId') || !isSame('maintainerTeamKey'))
    yield { action: 'updateMaintainer', verb: 'updated the flag', line: 'Changed the maintainer' };
}

function tagDifference(before: readonly string[], after: readonly string[]): Difference {
  const added = after.filter((tag) => !before.includes(tag));
  const removed = before.filter((tag) => !after.includes(tag));
  const told = [
    ...(added.length > 0 ? [`Added the ${tagWord(added)} ${listed(added)}`] : []),
    ...(removed.length > 0 ? [`Removed the ${tagWord(removed)} ${listed(removed)}`] : []),
  ].join('; ');
  const verb =
    removed.length === 0
      ? `added the ${tagWord(added)} ${added.join(', ')} to`
      : added.length === 0
        ? `removed the ${tagWord(removed)} ${removed.join(', ')} from`
        : 'updated the flag';
  return { action: 'updateTags', verb: shorten(verb), line: told };
}

function tagWord(tags: readonly string[]): string {
  return tags.length === 1 ? 'tag' : 'tags';
}

function variationsLine(before: Flag, after: Flag): string {
  const ids = (flag: Flag) => new Set(flag.variations.map(({ _id }) => _id));
  const [old, now] = [ids(before), ids(after)];
  const added = after.variations.filter(({ _id }) => !old.has(_id));
  const removed = before.variations.filter(({ _id }) => !now.has(_id));
  if (added.length > 0 && removed.length === 0) return `Added ${count(added, 'variation')}`;
  if (removed.length > 0 && added.length === 0) return `Removed ${count(removed, 'variation')}`;
  return 'Changed the variations';
}

function* configDifferences(
  before: FlagConfig,
  after: FlagConfig,
  oldFlag: Flag,
  newFlag: Flag,
): Generator<Omit<Difference, 'environmentKey'>> {
  const isSame = (name: keyof FlagConfig) => areEqual(before[name], after[name]);
  if (!isSame('on')) {
    const done = after.on ? 'on' : 'off';
    yield { action: 'updateOn', verb: `turned ${done} the flag`, line: `Turned ${done} the flag` };
  }
  if (!isSame('targets') || !isSame('contextTargets'))
    yield { action: 'updateTargets', verb: 'updated targeting of', line: 'Changed the targets' };
  if (!isSame('rules')) {
    const isOnlyWords = areEqual(before.rules.map(withoutWords), after.rules.map(withoutWords));
    yield isOnlyWords
      ? { action: 'updateFlagRuleDescription', verb: 'updated targeting of', line: 'Described rules' }
      : { action: 'updateRules', verb: 'updated targeting of', line: rulesLine(before.rules, after.rules) };
  }
  if (!isSame('fallthrough')) {
    const line = `Changed the default rule from ${served(oldFlag, before.fallthrough)} to ${served(newFlag, after.fallthrough)}`;
    yield { action: 'updateFallthrough', verb: 'changed the default rule of', line };
  }
  if (!isSame('offVariation')) {
    const line = `Changed what is served while off from ${named(oldFlag, before.offVariation)} to ${named(newFlag, after.offVariation)}`;
    yield { action: 'updateOffVariation', verb: 'updated targeting of', line };
  }
  if (!isSame('prerequisites')) {
    const keys = after.prerequisites.map(({ key }) => key);
    const line = keys.length === 0 ? 'Removed the prerequisites' : `Set the prerequisites to ${listed(keys)}`;
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

function withoutWords(rule: Rule): Rule {
  return { ...rule, description: '' };
}

function rulesLine(before: readonly Rule[], after: readonly Rule[]): string {
  const had = new Set(before.map(({ _id }) => _id));
  const has = new Set(after.map(({ _id }) => _id));
  const added = after.filter(({ _id }) => !had.has(_id));
  const removed = before.filter(({ _id }) => !has.has(_id));
  if (added.length > 0 && removed.length === 0) return `Added ${count(added, 'rule')}`;
  if (removed.length > 0 && added.length === 0) return `Removed ${count(removed, 'rule')}`;
  return 'Changed the rules';
}

function served(flag: Flag, { variation, rollout }: Serve): string {
  if (rollout === undefined) return named(flag, variation);
  const shares = rollout.variations.map((share) => `${share.weight / 1000}% ${named(flag, share.variation)}`);
  return shares.length > 5 ? 'a rollout' : shares.join(', ');
}

function named({ variations }: Flag, index: number | undefined): string {
  if (index === undefined) return 'nothing';
  const { name, value } = variations[index] ?? {};
  return quote(name ?? JSON.stringify(value) ?? String(index));
}

/** What all of it is called: by its own name where there is one change, or several of a sort. */
export function verbOf(differences: readonly Difference[]): string {
  const verbs = new Set(differences.map(({ verb }) => verb));
  const [only] = verbs;
  return verbs.size === 1 ? only! : 'updated the flag';
}

export function describe(differences: readonly Difference[]): string {
  return differences.map(({ line }) => `* ${line}`).join('\n');
}

function count(list: readonly unknown[], word: string): string {
  return list.length === 1 ? `a ${word}` : `${list.length} ${word}s`;
}

function listed(words: readonly string[]): string {
  const shown = words.slice(0, 10).map(quote).join(', ');
  return words.length > 10 ? `${shown} and ${words.length - 10} more` : shown;
}

/** As code, so that nothing in it is taken for Markdown. */
function quote(text: string): string {
  return `\`${shorten(text.replaceAll('`', "'").replaceAll(/\s+/g, ' '))}\``;
}

function escape(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>]/g, (special) => `\\${special}`).replaceAll(/\s+/g, ' ');
}

function capital(word: string): string {
  return word[0]!.toUpperCase() + word.slice(1);
}
