// The representation of Relay Proxy configurations, and the rules for changing them.
import type { Access } from '../../kernel/identity/actor.ts';
import { parseStatements, type PolicyStatement } from '../../kernel/identity/policy.ts';
import type { Member } from '../../kernel/identity/store-members.ts';
import { areEqual } from '../../kernel/json/json-value.ts';
import { problem, Type, type Static } from '../../kernel/schema/schema.ts';
import { Name } from '../fields.ts';
import { Links, linkTo } from '../links.ts';
import { MemberSummary, toMemberSummary } from '../members/model.ts';
import { editor, type DocumentPatch } from '../patch/patch.ts';
import { Statements } from '../roles/model.ts';

export interface RelayProxyConfig {
  id: string;
  name: string;
  /** Which environments a Relay Proxy with the key serves. */
  policy: PolicyStatement[];
  creatorId: string;
  hash: string;
  ending: string;
  oldHash?: string;
  /** Until when the key before the last reset works. */
  oldUntil?: number;
  version: number;
  createdAt: number;
  modifiedAt: number;
}

/** What a patch may change. */
export const EditableRelayProxyConfig = Type.Object({ name: Name, policy: Statements });

export const RelayProxyConfigPost = Type.Object(EditableRelayProxyConfig.properties, {
  $id: 'RelayAutoConfigPost',
});

export const RelayProxyConfigRep = Type.Object(
  {
    _id: Type.String(),
    _links: Links,
    _creator: Type.Optional(MemberSummary),
    name: Type.String(),
    policy: Statements,
    fullKey: Type.String({
      description: 'Whole when it was just made or reset; else its last four characters',
    }),
    displayKey: Type.String({ description: 'The last four characters of the key' }),
    creationDate: Type.Integer(),
    lastModified: Type.Integer(),
  },
  { $id: 'RelayAutoConfigRep' },
);

export const RELAY_PROXY_CONFIGS = '/account/relay-auto-configs';

export function relayProxyConfigResource({ id }: Pick<RelayProxyConfig, 'id'>): string {
  return `relay-proxy-config/${id}`;
}

export function toRelayProxyConfigRep(
  config: RelayProxyConfig,
  creator?: Member,
  key?: string,
): Static<typeof RelayProxyConfigRep> {
  return {
    _id: config.id,
    _links: { self: linkTo(`${RELAY_PROXY_CONFIGS}/${config.id}`), parent: linkTo(RELAY_PROXY_CONFIGS) },
    ...(creator !== undefined && { _creator: toMemberSummary(creator) }),
    name: config.name,
    policy: config.policy,
    fullKey: key ?? config.ending,
    displayKey: config.ending,
    creationDate: config.createdAt,
    lastModified: config.modifiedAt,
  };
}

/** A list holds all configurations with their policies. */
const MAX_POLICY_LENGTH = 32_768;

export function readRelayPolicy(value: unknown): PolicyStatement[] {
  const policy = parseStatements(value);
  if (JSON.stringify(policy).length > MAX_POLICY_LENGTH)
    throw problem('policy', `must not be longer than ${MAX_POLICY_LENGTH} characters of JSON`);
  return policy;
}

const edit = editor({ editable: EditableRelayProxyConfig });

export function patchRelayProxyConfig(before: RelayProxyConfig, patch: DocumentPatch): RelayProxyConfig {
  const { name, policy } = edit(toRelayProxyConfigRep(before), patch);
  return { ...before, name, policy: readRelayPolicy(policy) };
}

const ACTIONS = {
  name: 'updateRelayAutoConfigurationName',
  policy: 'updateRelayAutoConfigurationPolicy',
} as const;

export const RELAY_PROXY_CONFIG_ACTIONS = Object.values(ACTIONS);

/** The permissions that the change requires, by changed field. */
export function relayProxyConfigAccesses(before: RelayProxyConfig, after: RelayProxyConfig): Access[] {
  const resource = relayProxyConfigResource(before);
  return (Object.keys(ACTIONS) as (keyof typeof ACTIONS)[])
    .filter((name) => !areEqual(before[name], after[name]))
    .map((name) => ({ action: ACTIONS[name], resource }));
}
