// What the form of a new flag reads.
import { useEffect, useState } from 'react';
import { path, type Call } from '../../api/call.ts';
import { send } from '../../api/client.ts';
import { useRead } from '../../api/read.ts';
import type { Project } from '../../api/types/flags.ts';
import type { Flag } from '../flag.ts';
import { patchCall } from '../save/planned-change.ts';
import { newFlagBody, type FlagDefaults, type NewFlagDraft } from './new-flag-draft.ts';
import type { NamingConvention } from './flag-key.ts';

export function useProject(project: string) {
  return useRead<Project>({
    call: { api: 'flags', path: path`/projects/${project}` },
    topics: ['proj'],
  });
}

export function useFlagDefaults(project: string) {
  const call: Call = { api: 'flags', path: path`/projects/${project}/flag-defaults` };
  return useRead<FlagDefaults>({ call, topics: ['proj'] });
}

export interface MaintainerChoice {
  _id: string;
  email: string;
  firstName?: string;
  lastName?: string;
}

/** More than these do not fit a list to choose from. */
const MAX_MEMBERS = 200;

export function useMaintainers() {
  const query = { limit: MAX_MEMBERS };
  return useRead<{ items: MaintainerChoice[] }>({
    call: { api: 'flags', path: '/members', query },
    topics: ['member'],
  });
}

const TYPING_MS = 200;

export type KeyState = 'unknown' | 'checking' | 'free' | 'taken';

/** Asks for the flag itself; in one environment only, for flags can be large. */
export function useFlagWithKey(project: string, key: string, environment: string | undefined) {
  const asked = useSettled(key);
  const call: Call = { api: 'flags', path: path`/flags/${project}/${asked}`, query: { env: environment } };
  const { data, error, isFetching } = useRead<Flag>(
    { call, topics: ['flag'] },
    { isEnabled: asked !== '' && environment !== undefined },
  );
  const state: KeyState =
    key === ''
      ? 'unknown'
      : asked !== key || isFetching
        ? 'checking'
        : data !== undefined
          ? 'taken'
          : error?.status === 404
            ? 'free'
            : 'unknown';
  return { state, flag: state === 'taken' ? data : undefined };
}

/** What was typed, once the typing has paused. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

export function newFlagCall(
  project: string,
  draft: NewFlagDraft,
  convention: NamingConvention | undefined,
): Call {
  return {
    api: 'flags',
    method: 'POST',
    path: path`/flags/${project}`,
    query: { clone: draft.source === '' ? undefined : draft.source },
    body: newFlagBody(draft, convention),
  };
}

/** Turns a new flag on where no guard asks first. Gives what went wrong, by environment. */
export async function turnOnIn(
  project: string,
  flag: Flag,
  environments: readonly string[],
): Promise<Map<string, string>> {
  const failed = new Map<string, string>();
  let { version } = flag;
  for (const environment of environments) {
    const call = patchCall({
      project,
      environment,
      resource: { kind: 'flag', key: flag.key, name: flag.name },
      instructions: [{ kind: 'turnFlagOn' }],
      version,
    });
    try {
      ({ version } = (await send<Flag>(call)).body);
    } catch (error) {
      failed.set(environment, (error as Error).message);
    }
  }
  return failed;
}
