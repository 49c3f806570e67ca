// The session of this browser: its second secret, which all tabs share, and what waits while it is renewed.
import { urlOf } from './call.ts';
import { ApiError } from './error.ts';
import { ROOT } from './server.ts';

/** As the pages of the login name it: servers below paths of one origin share its storage. */
const STORAGE_KEY = `signalbox_session${ROOT === '' ? '' : `:${ROOT}`}`;
export const SESSION_HEADER = 'x-signalbox-session';

export type SessionState = 'open' | 'ended' | 'left';

type Listener = () => void;

let state: SessionState = 'open';
const listeners = new Set<Listener>();
let renewed: { promise: Promise<void>; settle: () => void } | undefined;

export function readSecret(): string {
  try {
    return localStorage.getItem(STORAGE_KEY) ?? '';
  } catch {
    return '';
  }
}

export function sessionState(): SessionState {
  return state;
}

export function onSession(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function setState(next: SessionState): void {
  state = next;
  for (const listener of listeners) listener();
}

/**
 * A call with this secret was refused: the page stays as it is, and the call is repeated once somebody has logged in, which they may have
 * done while the refusal was on its way.
 */
export async function renewal(refused: string): Promise<void> {
  if (refused !== readSecret() && state === 'open') return;
  if (renewed === undefined) {
    const { promise, resolve } = Promise.withResolvers<void>();
    renewed = { promise, settle: resolve };
  }
  if (state === 'open') setState('ended');
  await renewed.promise;
}

function setOpen(): void {
  renewed?.settle();
  renewed = undefined;
  setState('open');
}

export type Login =
  | { name: string; password: string }
  | { link: string }
  | { challenge: string; code: string };

/** Other tabs take the new secret from the storage. Resolves with a challenge where a code is needed beside the password. */
export async function logIn(login: Login): Promise<string | undefined> {
  const response = await fetch(urlOf({ api: 'signalbox', path: '/session' }), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(login),
  });
  const body = (await response.json().catch(() => undefined)) as
    | { secret: string; challenge?: undefined }
    | { challenge: string }
    | undefined;
  if (!response.ok) throw new ApiError(response.status, body, response.headers);
  if (body?.challenge !== undefined) return body.challenge;
  localStorage.setItem(STORAGE_KEY, body!.secret);
  setOpen();
  return undefined;
}

/** Ends it on the server, and in every tab. */
export async function logOut(): Promise<void> {
  await fetch(urlOf({ api: 'signalbox', path: '/session' }), {
    method: 'DELETE',
    headers: { [SESSION_HEADER]: readSecret() },
  }).catch(() => undefined);
  localStorage.removeItem(STORAGE_KEY);
  setState('left');
}

addEventListener('storage', ({ key, newValue }) => {
  if (key !== STORAGE_KEY && key !== null) return;
  if (newValue === null || key === null) setState('left');
  else if (state !== 'open') setOpen();
});
