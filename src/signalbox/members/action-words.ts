// Actions of policies in words: `updateOn` is "turn flags on and off".
import { shorten } from '../../kernel/json/pointer.ts';

/** Those that the general rule would not explain. */
const WORDS: Readonly<Record<string, string>> = {
  '*': 'do everything',
  'view*': 'see everything',
  'create*': 'create everything',
  'update*': 'change everything',
  'delete*': 'delete everything',
  updateOn: 'turn flags on and off',
  updateRules: 'change targeting rules',
  updateTargets: 'change individual targets',
  updateFallthrough: 'change the default rule',
  updateOffVariation: 'change what is served while a flag is off',
  updateGlobalArchived: 'archive flags and take them back',
  updateDeprecated: 'deprecate flags and take that back',
  updateTemporary: 'mark flags as temporary or permanent',
  updateIncluded: 'change who is included in segments',
  updateExcluded: 'change who is excluded from segments',
  updateMaintainer: 'change maintainers',
  updateClientSideFlagAvailability: 'change which clients get flags',
  createAccessToken: 'create access tokens',
  createLoginLink: 'create login links',
  updateApiKey: 'reset SDK keys',
  updateMobileKey: 'reset mobile keys',
  updateCustomRole: 'give custom roles',
  updateRole: 'give base roles',
  viewAuditLog: 'see the audit log',
  bypassRequiredApproval: 'make changes without a required approval',
  administerHost: 'administer the code host',
  administerServer: 'administer the server',
  pushRepository: 'push to repositories',
};

const VERBS: Readonly<Record<string, string>> = { view: 'see', update: 'change' };

const MAX_ACTIONS = 6;

export function describeActions(actions: readonly string[]): string {
  if (actions.includes('*')) return WORDS['*']!;
  const shown = actions.slice(0, MAX_ACTIONS).map(describeAction);
  if (shown.length === 0) return 'do nothing';
  const more = actions.length - shown.length;
  const all = [...shown, ...(more > 0 ? [`do ${more} more kinds of action`] : [])];
  const last = all.pop()!;
  return all.length === 0 ? last : `${all.join(', ')} and ${last}`;
}

function describeAction(action: string): string {
  if (Object.hasOwn(WORDS, action)) return WORDS[action]!;
  const words = /^([a-z]+)((?:[A-Z][a-z]+)+)$/.exec(action);
  if (words === null) return `do ${shorten(action)}`;
  const [, verb = '', rest = ''] = words;
  const object = rest.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return shorten(`${Object.hasOwn(VERBS, verb) ? VERBS[verb] : verb}${pluralOf(object)}`);
}

function pluralOf(words: string): string {
  if (words.endsWith('s')) return words;
  return /[^aeiou]y$/.test(words) ? `${words.slice(0, -1)}ies` : `${words}s`;
}
