// Users as the platform shows them: everything to themselves, a name and a profile to others.
import type { Account } from '../../kernel/identity/store-accounts.ts';
import { JsonText } from '../../kernel/route.ts';
import { Nullable, Type, type Static } from '../../kernel/schema.ts';

const Profile = Type.Object({ name: Type.Optional(Type.String()) });

export const PublicUser = Type.Object(
  { username: Type.String(), profile: Profile },
  { $id: 'UserPublicInfo' },
);

const FEATURES = [
  'ACTORS',
  'STORAGE',
  'SCHEDULER',
  'PROXY',
  'PROXY_EXTERNAL_ACCESS',
  'PROXY_RESIDENTIAL',
  'PROXY_SERPS',
  'WEBHOOKS',
  'ACTORS_PUBLIC_ALL',
  'ACTORS_PUBLIC_DEVELOPER',
] as const;

const Feature = Type.Object({
  isEnabled: Type.Boolean(),
  disabledReason: Nullable(Type.String()),
  disabledReasonType: Nullable(Type.String()),
  isTrial: Type.Boolean(),
  trialExpirationAt: Nullable(Type.String({ format: 'date-time' })),
});

export const PrivateUser = Type.Object(
  {
    id: Type.String(),
    username: Type.String(),
    email: Type.String(),
    profile: Profile,
    proxy: Type.Object({
      password: Type.String(),
      groups: Type.Array(
        Type.Object({ name: Type.String(), description: Type.String(), availableCount: Type.Integer() }),
      ),
    }),
    plan: Type.Object({
      id: Type.String(),
      description: Type.String(),
      isEnabled: Type.Boolean(),
      tier: Type.String(),
      maxConcurrentActorRuns: Type.Optional(Type.Integer()),
      maxActorMemoryGbytes: Type.Optional(Type.Number()),
      availableProxyGroups: Type.Record(Type.String(), Type.Integer()),
      enabledPlatformFeatures: Type.Array(Type.String()),
    }),
    effectivePlatformFeatures: Type.Record(Type.String(), Feature),
    isPaying: Type.Boolean(),
    createdAt: Type.String({ format: 'date-time' }),
  },
  { $id: 'UserPrivateInfo' },
);

/** The name of a service token is shown only to callers who may see tokens; others see its username. */
export function toPublicUser(account: Account): Static<typeof PublicUser> {
  return { username: account.username, profile: account.isService ? {} : profileOf(account) };
}

/** There are no plans to buy: what this server offers is enabled for everyone. */
const OFFERED: (typeof FEATURES)[number][] = ['ACTORS', 'STORAGE', 'SCHEDULER'];

/** There is no proxy here. Clients put its password into URLs all the same, so there is a password, but no proxy group. */
export function toPrivateUser(account: Account, proxyPassword: string, limits: PlanLimits): JsonText {
  const user: Static<typeof PrivateUser> = {
    id: account.id,
    username: account.username,
    email: account.email,
    profile: profileOf(account),
    proxy: { password: proxyPassword, groups: [] },
    ...SHARED,
    plan: { ...PLAN, ...limits },
    createdAt: new Date(account.createdAt).toISOString(),
  };
  return new JsonText(JSON.stringify(user));
}

/** A program may be of somebody else, and learns nothing of its owner that it does not need. */
export function toUserForProgram({ json }: JsonText): JsonText {
  const {
    email: _email,
    profile: _profile,
    plan: _plan,
    ...user
  } = JSON.parse(json) as Static<typeof PrivateUser>;
  return new JsonText(JSON.stringify(user));
}

/** For all unfinished runs of the account together. */
export interface PlanLimits {
  maxConcurrentActorRuns: number;
  maxActorMemoryGbytes: number;
}

function toFeature(isEnabled: boolean): Static<typeof Feature> {
  return {
    isEnabled,
    disabledReason: isEnabled ? null : 'This server does not offer it.',
    disabledReasonType: isEnabled ? null : 'DISABLED',
    isTrial: false,
    trialExpirationAt: null,
  };
}

const PLAN = {
  id: 'SELF_HOSTED',
  description: 'Self-hosted',
  isEnabled: true,
  tier: 'FREE',
  availableProxyGroups: {},
  enabledPlatformFeatures: OFFERED,
};

/** The same for everyone. */
const SHARED = {
  effectivePlatformFeatures: Object.fromEntries(
    FEATURES.map((feature) => [feature, toFeature(OFFERED.includes(feature))]),
  ),
  isPaying: false,
} satisfies Partial<Static<typeof PrivateUser>>;

function profileOf({ firstName, lastName }: Account): Static<typeof Profile> {
  const name = [firstName, lastName].filter(Boolean).join(' ');
  return name === '' ? {} : { name };
}
