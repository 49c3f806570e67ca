// Whether the first run is shown, the tokens that it makes, and the calls that have arrived.
import { useEffect, useState } from 'react';
import { useSearchParams } from 'wouter';
import type { Call } from '../api/call.ts';
import { send } from '../api/client.ts';
import type { ApiError } from '../api/error.ts';
import { invalidateTopics, useRead } from '../api/read.ts';
import type { Preferences } from '../api/types/signalbox.ts';
import type { TokenUse } from '../api/types/signalbox.ts';
import { savePreferences, useMe } from '../app/me.ts';
import { CARDS, type CardName } from './first-run-commands.ts';
import { FIRST_RUN } from './first-run-words.ts';

const HINT = 'first-run';
const TOKENS: Call = { api: 'signalbox', path: '/tokens', query: { limit: 100 } };

const isMadeHere = ({ name }: TokenUse) => name.startsWith(FIRST_RUN.tokenNames);

function useOwnTokens(isEnabled: boolean) {
  const { data: me } = useMe();
  const { data, isError } = useRead<{ items: TokenUse[] }>(
    { call: TOKENS, topics: ['token-used', 'token', 'service-token'] },
    { isEnabled },
  );
  const own =
    me === undefined
      ? undefined
      : data?.items.filter(({ isService, member }) => !isService && member?.id === me.member.id);
  return { own, isError };
}

/**
 * Shown until it is put away, to those whose tokens nobody has used yet. What was decided stays until the page is left,
 * because the first call that arrives would take the other two cards away.
 */
export function useFirstRun(): { isOn: boolean; dismiss: () => void } | undefined {
  const [params, setParams] = useSearchParams();
  const isWanted = params.get('first') === '1';
  const preferences = useRead<Preferences>({ call: { api: 'signalbox', path: '/me/preferences' } });
  const { dismissed = [] } = preferences.data ?? {};
  const isPutAway = dismissed.includes(HINT);
  const { own, isError } = useOwnTokens(preferences.isSuccess && !isPutAway && !isWanted);
  const [decided, setDecided] = useState<boolean>();
  const now =
    preferences.isPending && !preferences.isError
      ? undefined
      : preferences.isError || isPutAway || isError
        ? false
        : own && !own.some((token) => token.lastUse !== undefined && !isMadeHere(token));
  if (decided === undefined && now !== undefined) setDecided(now);
  const isOn = isWanted ? true : (decided ?? now);
  if (isOn === undefined) return undefined;
  return {
    isOn,
    dismiss: () => {
      setDecided(false);
      if (!isPutAway) savePreferences({ dismissed: [...dismissed, HINT] });
      if (isWanted) setParams({}, { replace: true });
    },
  };
}

export interface Arrival {
  at: number;
  operation?: string;
}

/** The stream says so at once; this is for a stream that is broken, and for tokens that were used before. */
const POLL_MS = 4000;

/** By card: the last call of a token that was made here, or of another one since the page was opened. */
export function useArrivals(): Partial<Record<CardName, Arrival>> {
  const [openedAt] = useState(() => Date.now());
  const { own = [] } = useOwnTokens(true);
  const arrivals: Partial<Record<CardName, Arrival>> = {};
  for (const token of own) {
    const { lastUse } = token;
    if (lastUse === undefined || !(isMadeHere(token) || lastUse.at >= openedAt)) continue;
    const card = CARDS.find((one) => one === lastUse.api);
    if (card !== undefined && lastUse.at > (arrivals[card]?.at ?? 0)) arrivals[card] = lastUse;
  }
  // A token whose last use was of one API may be used with another one next; what has arrived stays.
  const [seen, setSeen] = useState(arrivals);
  const joined = { ...seen, ...arrivals };
  if (JSON.stringify(joined) !== JSON.stringify(seen)) setSeen(joined);
  const isDone = CARDS.every((card) => joined[card] !== undefined);
  useEffect(() => {
    if (isDone) return undefined;
    const timer = setInterval(() => invalidateTopics(['token-used']), POLL_MS);
    return () => clearInterval(timer);
  }, [isDone]);
  return joined;
}

const HOUR = 60 * 60_000;

/**
 * One token for each card: only the first use of a token is announced at once. All may do the same, since two of the
 * calls need no permission at all. The clock of the server counts.
 */
export function tokenCall(card: CardName, project: string, now: number): Call {
  return {
    api: 'flags',
    method: 'POST',
    path: '/tokens',
    body: {
      name: FIRST_RUN.tokenName(card === 'host' ? 'code' : card),
      expiry: now + HOUR,
      inlineRole: [{ effect: 'allow', actions: ['viewProject'], resources: [`proj/${project}`] }],
    },
  };
}

export type FirstTokens = Partial<Record<CardName, string>>;

/** The secrets are in the state of the page, and nowhere else. */
export function useFirstTokens(project: string) {
  const { data: me } = useMe();
  const [tokens, setTokens] = useState<FirstTokens>({});
  const [error, setError] = useState<ApiError>();
  const [isBusy, setIsBusy] = useState(false);
  const make = async () => {
    setIsBusy(true);
    setError(undefined);
    try {
      const made = await Promise.all(
        CARDS.map(async (card) => {
          const call = tokenCall(card, project, me?.server.now ?? Date.now());
          return [card, (await send<{ token: string }>(call)).body.token] as const;
        }),
      );
      setTokens(Object.fromEntries(made));
    } catch (failure) {
      setError(failure as ApiError);
    } finally {
      setIsBusy(false);
    }
  };
  return { tokens, error, isBusy, make: () => void make() };
}

/** The project that is there from the first start on, or another one where it was deleted. */
export function useFirstProject(): string {
  const { data } = useRead<{ items: { key: string }[] }>({
    call: { api: 'flags', path: '/projects', query: { limit: 100 } },
    topics: ['proj'],
  });
  const keys = data?.items.map(({ key }) => key) ?? [];
  return keys.includes('default') ? 'default' : (keys[0] ?? 'default');
}
