// Users as the platform shows them: everything to themselves, a name and a profile to others.
import type { Account } from '../../kernel/identity/store-accounts.ts';
import { JsonText } from '../../kernel/http/route.ts';
import { Nullable, Type, type Static } from '../../kernel/schema/schema.ts';
import { NO_LIMIT } from '../usage/model.ts';

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
type FeatureName = (typeof FEATURES)[number];

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
      monthlyBasePriceUsd: Type.Number(),
      monthlyUsageCreditsUsd: Type.Number(),
      usageDiscountPercent: Type.Number(),
      maxConcurrentActorRuns: Type.Integer({ description: 'Of all unfinished runs of the account' }),
      maxActorMemoryGbytes: Type.Number({ description: 'Of all unfinished runs of the account together' }),
      maxMonthlyUsageUsd: Type.Number({ description: '999999999999 where there is no limit' }),
      maxMonthlyActorComputeUnits: Type.Number(),
      maxMonthlyExternalDataTransferGbytes: Type.Number(),
      maxMonthlyProxySerps: Type.Integer(),
      maxMonthlyResidentialProxyGbytes: Type.Number(),
      maxActorCount: Type.Integer(),
      maxActorTaskCount: Type.Integer(),
      maxScheduleCount: Type.Integer(),
      dataRetentionDays: Type.Number({ description: 'Where the account has set no other' }),
      teamAccountSeatCount: Type.Integer(),
      supportLevel: Type.String(),
      availableAddOns: Type.Array(Type.Unknown()),
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
const OFFERED: readonly FeatureName[] = [
  'ACTORS',
  'STORAGE',
  'SCHEDULER',
  'WEBHOOKS',
  'ACTORS_PUBLIC_ALL',
  'ACTORS_PUBLIC_DEVELOPER',
];

/** There is no proxy here. Clients put its password into URLs all the same, so there is a password, but no proxy group. */
export function toPrivateUser(account: Account, proxyPassword: string, offer: Offer): JsonText {
  const user: Static<typeof PrivateUser> = {
    id: account.id,
    username: account.username,
    email: account.email,
    profile: profileOf(account),
    proxy: { password: proxyPassword, groups: [] },
    ...sharedOf(offer),
    plan: planOf(offer),
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

/** For callers who may not view the account. What is the same for everyone is there for clients that read it. */
export function toKnownUser({ id, username }: Account, offer: Pick<Offer, 'refusal'>): JsonText {
  return new JsonText(JSON.stringify({ id, username, proxy: { groups: [] }, ...sharedOf(offer) }));
}

/** What this server offers to every account. */
interface Offer {
  /** Why no Actor can be built or run here. */
  refusal: string | undefined;
  limits: {
    /** For all unfinished runs of the account together. */
    maxConcurrentActorRuns: number;
    maxActorMemoryGbytes: number;
    maxActorCount: number;
    maxActorTaskCount: number;
    maxScheduleCount: number;
    dataRetentionDays: number;
  };
}

/** Undefined where the feature is there. */
function reasonAgainst(feature: FeatureName, { refusal }: Pick<Offer, 'refusal'>): string | undefined {
  if (!OFFERED.includes(feature)) return 'This server does not offer it.';
  return feature.startsWith('ACTORS') ? refusal : undefined;
}

function toFeature(reason: string | undefined): Static<typeof Feature> {
  return {
    isEnabled: reason === undefined,
    disabledReason: reason ?? null,
    disabledReasonType: reason === undefined ? null : 'DISABLED',
    isTrial: false,
    trialExpirationAt: null,
  };
}

/** Nothing has a price, there are no proxies, and an account has one seat. */
function planOf(offer: Offer): Static<typeof PrivateUser>['plan'] {
  return {
    id: 'SELF_HOSTED',
    description: 'Self-hosted',
    isEnabled: true,
    tier: 'FREE',
    monthlyBasePriceUsd: 0,
    monthlyUsageCreditsUsd: 0,
    usageDiscountPercent: 0,
    ...offer.limits,
    maxMonthlyUsageUsd: NO_LIMIT,
    maxMonthlyActorComputeUnits: NO_LIMIT,
    maxMonthlyExternalDataTransferGbytes: NO_LIMIT,
    maxMonthlyProxySerps: 0,
    maxMonthlyResidentialProxyGbytes: 0,
    teamAccountSeatCount: 1,
    supportLevel: 'NONE',
    availableAddOns: [],
    availableProxyGroups: {},
    enabledPlatformFeatures: FEATURES.filter((feature) => reasonAgainst(feature, offer) === undefined),
  };
}

/** The same for everyone. */
function sharedOf(offer: Pick<Offer, 'refusal'>) {
  return {
    effectivePlatformFeatures: Object.fromEntries(
      FEATURES.map((feature) => [feature, toFeature(reasonAgainst(feature, offer))]),
    ),
    isPaying: false,
  } satisfies Partial<Static<typeof PrivateUser>>;
}

function profileOf({ firstName, lastName }: Account): Static<typeof Profile> {
  const name = [firstName, lastName].filter(Boolean).join(' ');
  return name === '' ? {} : { name };
}
