// Calls with a secret in them, or in their reply. They go past the cache, which would keep the secret after the page has let it go.
import { useState } from 'react';
import type { Call } from './call.ts';
import { send, type Reply } from './client.ts';
import { ApiError } from './error.ts';

interface SecretCallState {
  isBusy: boolean;
  error?: ApiError;
}

/** `run` gives the reply to its caller alone, and undefined where the call failed. */
export function useSecretCall<Body>() {
  const [state, setState] = useState<SecretCallState>({ isBusy: false });
  const run = async (call: Call): Promise<Reply<Body> | undefined> => {
    setState({ isBusy: true });
    try {
      const reply = await send<Body>(call);
      setState({ isBusy: false });
      return reply;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setState({ isBusy: false, error });
      return undefined;
    }
  };
  return { ...state, run, forget: () => setState({ isBusy: false }) };
}
