// Webhooks as requests and replies show them.
import { Nullable, OneOf, PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import { isoSeconds } from '../times.ts';
import type { Hook, HookConfig } from './hook.ts';

/** Shown instead of a secret. Sent back, it leaves the secret as it is. */
export const SECRET_MASK = '********';

const ConfigRequest = {
  url: Type.Optional(PlainText({ minLength: 1, maxLength: 2048, description: 'Where deliveries are sent' })),
  content_type: Type.Optional(
    OneOf(['json', 'form'], { description: 'How bodies are sent; `form` if absent' }),
  ),
  secret: Type.Optional(
    Nullable(PlainText({ maxLength: 1024, description: 'The key of the signatures; never shown' })),
  ),
  insecure_ssl: Type.Optional(
    Type.Union([Type.String(), Type.Number()], {
      description: '`1` accepts any certificate of the receiver; `0` if absent',
    }),
  ),
};

export const HookConfigUpdate = Type.Object(ConfigRequest, { $id: 'webhook-config-update' });

const EventNames = Type.Optional(
  Type.Array(Type.String({ maxLength: 100 }), { maxItems: 200, description: '`*` stands for all events' }),
);
const Name = Type.Optional(OneOf(['web']));
const Active = Type.Optional(Type.Boolean());

/** The URL is checked by the handler, whose message is clearer. */
export const HookCreation = Type.Object(
  { name: Name, config: Type.Object(ConfigRequest), events: EventNames, active: Active },
  { $id: 'webhook-creation' },
);

export const HookUpdate = Type.Object(
  {
    name: Name,
    config: Type.Optional(Type.Object(ConfigRequest)),
    events: EventNames,
    add_events: EventNames,
    remove_events: EventNames,
    active: Active,
  },
  { $id: 'webhook-update' },
);

/** Organizations have no lists of events to add or remove. */
export const OrganizationHookUpdate = Type.Object(
  { name: Name, config: Type.Optional(Type.Object(ConfigRequest)), events: EventNames, active: Active },
  { $id: 'org-webhook-update' },
);

export const HookConfigReply = Type.Object(
  {
    url: Type.String(),
    content_type: OneOf(['json', 'form']),
    insecure_ssl: OneOf(['0', '1']),
    secret: Type.Optional(Type.String()),
  },
  { $id: 'webhook-config' },
);

const REPLY = {
  type: Type.String(),
  id: Type.Integer(),
  name: Type.String(),
  active: Type.Boolean(),
  events: Type.Array(Type.String()),
  config: HookConfigReply,
  updated_at: Type.String({ format: 'date-time' }),
  created_at: Type.String({ format: 'date-time' }),
  url: Type.String(),
  ping_url: Type.String(),
  deliveries_url: Type.String(),
};

export const OrganizationHook = Type.Object(REPLY, { $id: 'org-hook' });

export const RepositoryHook = Type.Object(
  {
    ...REPLY,
    test_url: Type.String(),
    last_response: Type.Object(
      {
        code: Nullable(Type.Integer()),
        status: Nullable(Type.String()),
        message: Nullable(Type.String()),
      },
      { $id: 'hook-response' },
    ),
  },
  { $id: 'hook' },
);

export function toHookConfig(config: HookConfig): Static<typeof HookConfigReply> {
  return {
    content_type: config.contentType,
    insecure_ssl: config.insecureSsl ? '1' : '0',
    ...(config.secret !== null && { secret: SECRET_MASK }),
    url: config.url,
  };
}

/** `api` is the address of the repository or the organization. */
export function toOrganizationHook(hook: Hook, api: string): Static<typeof OrganizationHook> {
  const url = `${api}/hooks/${hook.number}`;
  return {
    type: 'repository' in hook.target ? 'Repository' : 'Organization',
    id: hook.number,
    name: 'web',
    active: hook.isActive,
    events: hook.events,
    config: toHookConfig(hook.config),
    updated_at: isoSeconds(hook.updatedAt),
    created_at: isoSeconds(hook.createdAt),
    url,
    ping_url: `${url}/pings`,
    deliveries_url: `${url}/deliveries`,
  };
}

export function toRepositoryHook(hook: Hook, api: string): Static<typeof RepositoryHook> {
  const shown = toOrganizationHook(hook, api);
  return { ...shown, test_url: `${shown.url}/test`, last_response: hook.lastResponse };
}

/** Without what is secret. */
export function auditedHook({ number, isActive, events, config }: Hook) {
  return { id: number, active: isActive, events, config: toHookConfig(config) };
}
