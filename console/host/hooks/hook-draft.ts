// A webhook as its form has it, and the call that creates or changes it.
import type { Call } from '../../api/call.ts';
import { hookCall, hooksCall, type HookPlace, type HostHook } from './hooks-queries.ts';

export const EVERY_EVENT = '*';
const SECRET_BYTES = 32;

export type SecretMode = 'keep' | 'make' | 'own' | 'none';
export type EventChoice = 'push' | 'all' | 'some';

export interface HookDraft {
  url: string;
  contentType: 'json' | 'form';
  secretMode: SecretMode;
  /** Typed, or made here. */
  secret: string;
  acceptsAny: boolean;
  isActive: boolean;
  choice: EventChoice;
  /** Of the choice `some`. */
  events: string[];
}

export function draftOfHook(hook: HostHook | undefined): HookDraft {
  return {
    url: hook?.config.url ?? '',
    contentType: hook?.config.content_type ?? 'json',
    secretMode: hook === undefined ? 'make' : 'keep',
    secret: '',
    acceptsAny: hook?.config.insecure_ssl === '1',
    isActive: hook?.active ?? true,
    choice: choiceOf(hook?.events ?? ['push']),
    events: hook?.events.filter((name) => name !== EVERY_EVENT) ?? ['push'],
  };
}

function choiceOf(events: readonly string[]): EventChoice {
  if (events.includes(EVERY_EVENT)) return 'all';
  return events.length === 1 && events[0] === 'push' ? 'push' : 'some';
}

function eventsOf({ choice, events }: HookDraft): string[] {
  if (choice === 'all') return [EVERY_EVENT];
  return choice === 'push' ? ['push'] : events;
}

export function makeSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A config without a secret has none; what stands for the present one, sent back, leaves it. */
function secretOf({ secretMode, secret }: HookDraft, hook: HostHook | undefined): string | undefined {
  if (secretMode === 'none') return undefined;
  return secretMode === 'keep' ? hook?.config.secret : secret;
}

export function saveHookCall(place: HookPlace, hook: HostHook | undefined, draft: HookDraft): Call {
  const secret = secretOf(draft, hook);
  const isSecret = draft.secretMode === 'make' || draft.secretMode === 'own';
  return {
    ...(hook === undefined ? hooksCall(place) : hookCall(place, hook.id)),
    method: hook === undefined ? 'POST' : 'PATCH',
    body: {
      config: {
        url: draft.url.trim(),
        content_type: draft.contentType,
        insecure_ssl: draft.acceptsAny ? '1' : '0',
        ...(secret !== undefined && { secret }),
      },
      events: eventsOf(draft),
      active: draft.isActive,
    },
    ...(isSecret && { secretFields: ['config'] }),
  };
}

/** Nothing differs from what is saved. */
export function isSameHook(hook: HostHook, draft: HookDraft): boolean {
  return JSON.stringify(draft) === JSON.stringify(draftOfHook(hook));
}
