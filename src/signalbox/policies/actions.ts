// The actions that policies can name: those that routes ask for, and those of changes whose action depends on what changes.
import { SUBSCRIPTION_ACTIONS } from '../../flags/audit-log-subscriptions/model.ts';
import { REPOSITORY_ACTIONS } from '../../flags/code-references/model.ts';
import { ENVIRONMENT_ACTIONS } from '../../flags/environments/model.ts';
import { FLAG_ACTIONS } from '../../flags/feature-flags/change/differences.ts';
import { MEMBER_ACTIONS } from '../../flags/members/model.ts';
import { BYPASS, BYPASS_SEGMENT } from '../../flags/policy/policy-rules.ts';
import { FLAG_DEFAULTS_ACTIONS } from '../../flags/projects/flag-defaults.ts';
import { PROJECT_ACTIONS } from '../../flags/projects/model.ts';
import { RELAY_PROXY_CONFIG_ACTIONS } from '../../flags/relay-proxy-configs/model.ts';
import { ROLE_ACTIONS } from '../../flags/roles/model.ts';
import { SEGMENT_ACTIONS } from '../../flags/segments/change-segment.ts';
import { TEAM_ACTIONS } from '../../flags/teams/model.ts';
import { TOKEN_ACTIONS } from '../../flags/tokens/model.ts';
import { WEBHOOK_ACTIONS } from '../../flags/webhooks/model.ts';
import type { Api } from '../../kernel/http/protocol.ts';
import { Type, type Static } from '../../kernel/schema/schema.ts';
import { describeActions } from '../members/action-words.ts';

export const PolicyAction = Type.Object(
  {
    action: Type.String(),
    words: Type.String({ description: 'After "may"' }),
    apis: Type.Array(Type.String(), { description: 'Those with calls that need it' }),
  },
  { $id: 'PolicyAction' },
);

/** Their routes name a pattern, such as `update*`. */
const OF_CHANGES: readonly string[] = [
  ...FLAG_ACTIONS,
  ...SEGMENT_ACTIONS,
  ...PROJECT_ACTIONS,
  ...FLAG_DEFAULTS_ACTIONS,
  ...ENVIRONMENT_ACTIONS,
  ...MEMBER_ACTIONS,
  ...TEAM_ACTIONS,
  ...ROLE_ACTIONS,
  ...TOKEN_ACTIONS,
  ...WEBHOOK_ACTIONS,
  ...SUBSCRIPTION_ACTIONS,
  ...RELAY_PROXY_CONFIG_ACTIONS,
  ...REPOSITORY_ACTIONS,
  BYPASS,
  BYPASS_SEGMENT,
];

export function policyActionsOf(apis: readonly Api[]): Static<typeof PolicyAction>[] {
  const found = new Map<string, Set<string>>();
  const add = (action: string, api: string) => {
    if (!action.includes('*')) found.set(action, (found.get(action) ?? new Set()).add(api));
  };
  for (const { protocol, routes } of apis)
    for (const { shape } of routes) {
      if (typeof shape.access !== 'object') continue;
      for (const action of [shape.access.action, ...(shape.access.others ?? [])]) add(action, protocol.name);
    }
  for (const action of OF_CHANGES) add(action, 'flags');
  return [...found]
    .map(([action, names]) => ({ action, words: describeActions([action]), apis: [...names].toSorted() }))
    .toSorted((one, other) => (one.action < other.action ? -1 : 1));
}
